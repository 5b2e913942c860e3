"""Places as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from quietway.errors import UniverseError
from quietway.publish.paths.where import region
from quietway.universe import Frame, PathSpace, Region

from .cases import PLACES, TOWN, ZONES, space

GRID = space(TOWN, TOWN)
ZONED = space(ZONES, ZONES)
BARE = space(Frame(rows=4, columns=4))


def same(one: Region, other: Region) -> bool:
    """Whether two regions hold the same places."""
    return all(np.array_equal(a.chosen, b.chosen) for a, b in zip(one.areas, other.areas, strict=True))


@pytest.mark.parametrize(
    ("within", "where", "meant"),
    [
        (GRID, {}, Region.everywhere(GRID)),
        (GRID, {"end": "rows:2..5"}, Region.everywhere(GRID).rectangle("end", (2, 5), (0, 16))),
        (GRID, {"end": "columns:..5,rows:3.."}, Region.everywhere(GRID).rectangle("end", (3, 16), (0, 5))),
        (
            GRID,
            {"start": "circle:2.3,48.85,2km"},
            Region.everywhere(GRID).circle("start", 2.3, 48.85, metres=2000),
        ),
        (
            GRID,
            {"start": "circle:2.3,48.85,900"},
            Region.everywhere(GRID).circle("start", 2.3, 48.85, metres=900),
        ),
        (
            GRID,
            {"start": "2.25,48.81..2.4,48.88", "end": "rows:0..1"},
            Region.everywhere(GRID)
            .bounds("start", 2.25, 48.81, 2.4, 48.88)
            .rectangle("end", (0, 1), (0, 16)),
        ),
        (ZONED, {"end": "Old Town,Airport"}, Region.everywhere(ZONED).zones("end", ["Old Town", "Airport"])),
        (ZONED, {"end": "Old Town, Airport"}, Region.everywhere(ZONED).zones("end", ["Old Town", "Airport"])),
        (ZONED, {"end": ["Mill & Sons"]}, Region.everywhere(ZONED).zones("end", ["Mill & Sons"])),
        (ZONED, {"end": "circle:2.3,48.81,1m"}, Region.everywhere(ZONED).zones("end", ["Harbour"])),
    ],
)
def test_what_is_written_is_what_is_meant(within: PathSpace, where: Mapping[str, Any], meant: Region) -> None:
    """Zones, circles, boxes of degrees, and rows and columns, with open ends."""
    assert same(region(within, where), meant)


def test_a_zone_whose_name_looks_like_a_box_is_still_a_zone() -> None:
    """Names are looked for first."""
    named = Frame.zones(("1,2..3,4", "circle:x", "rows:1..2"), PLACES[:3])
    within = space(named)
    for label in named.labels:
        assert same(region(within, {"start": label}), Region.everywhere(within).zones("start", [label]))


@pytest.mark.parametrize(
    ("within", "where", "says"),
    [
        (GRID, {"midnight": "rows:0..1"}, "there is no stop 'midnight'; the stops are start, end"),
        (GRID, {"start": "Harbour"}, "has no zones"),
        (GRID, {"start": ["Harbour"]}, "has no zones"),
        (ZONED, {"start": "Harbor"}, "did you mean 'Harbour'"),
        (ZONED, {"start": []}, "at least one zone"),
        (GRID, {"start": "rows:5..2"}, "0 <= start < stop <= 16"),
        (GRID, {"start": "rows:0..17"}, "0 <= start < stop <= 16"),
        (GRID, {"start": "rows:3"}, "FROM..TO"),
        (GRID, {"start": "rows:-..2"}, "FROM..TO"),
        (GRID, {"start": "rows:1..2,rows:3..4"}, "once each"),
        (GRID, {"start": "rows:1..2,places:3..4"}, "other things than rows and columns"),
        (GRID, {"start": "2.4,48.8..2.3,48.9"}, "inverted"),
        (GRID, {"start": "2.3,48.8..2.4"}, "two corners"),
        (GRID, {"start": "2.3,48.8,7..2.4,48.9"}, "two corners"),
        (GRID, {"start": "a,b..c,d"}, "no number"),
        (GRID, {"start": "nan,48.8..2.4,48.9"}, "no number"),
        (GRID, {"start": "12.3,48.8..12.4,48.9"}, "holds no place"),
        (GRID, {"start": "circle:2.3,48.85"}, "no circle"),
        (GRID, {"start": "circle:2.3,48.85,2 miles"}, "no circle"),
        (GRID, {"start": "circle:2.3,48.85,0m"}, "radius above 0"),
        (GRID, {"start": "circle:2.3,148.85,5km"}, "latitudes from -90 to 90"),
        (BARE, {"start": "circle:2.3,48.85,5km"}, "no coordinates"),
        (BARE, {"start": "2.3,48.8..2.4,48.9"}, "no coordinates"),
    ],
)
def test_what_cannot_be_meant_is_explained(within: PathSpace, where: Mapping[str, Any], says: str) -> None:
    """Each mistake is told with what would be accepted, and names the stop."""
    with pytest.raises(UniverseError) as refusal:
        region(within, where)
    assert says in str(refusal.value) and next(iter(where)) in str(refusal.value)
