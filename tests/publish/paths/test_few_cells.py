"""Releases of which next to nothing stood out."""

from __future__ import annotations

from pathlib import Path

import pytest

from quietway.publish.paths.contents import contents
from quietway.publish.paths.faces import WRITERS
from quietway.universe import Frame

from .cases import PLACES, TOWN, ZONES, listed, space

POINT = Frame.zones(("A", "B"), PLACES[[0, 0]])


@pytest.mark.parametrize(
    "frame", [TOWN, ZONES, POINT, Frame(rows=1, columns=9)], ids=["grid", "zones", "point", "row"]
)
@pytest.mark.parametrize("cells", [[], [[0, 0, 0, 0]]], ids=["none", "one"])
def test_what_has_been_paid_for_can_be_published(
    frame: Frame, cells: list[list[int]], tmp_path: Path
) -> None:
    """Whatever the noise left, every face can be written."""
    release = listed(space(frame, frame), cells, [50] * len(cells))
    for name in contents(release):
        WRITERS[name](release, tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == set(contents(release))
    assert len(release.boxes) == len(cells)
