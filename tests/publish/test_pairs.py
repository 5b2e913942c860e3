"""Published trips by origin and destination."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.pairs import endpoints, pairs, period_axis, summed
from quietway.publish.release import Release
from quietway.universe import Axis, Universe

cells = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 2**40)), max_size=60)


@given(cells)
def test_sums_by_key_are_exact(rows: list[tuple[int, int]]) -> None:
    """Grouping gives each key once, sorted, with the exact sum of its values."""
    keys, values = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
    expected: dict[int, int] = {}
    for key, value in rows:
        expected[key] = expected.get(key, 0) + value
    found, sums = summed(keys, values)
    assert dict(zip(found.tolist(), sums.tolist(), strict=True)) == expected
    assert found.tolist() == sorted(expected)


def test_pairs_are_sorted_and_complete(city: Release) -> None:
    """Pairs come largest first and hold all published trips."""
    found = pairs(city, origin="origin", destination="destination")
    assert (np.diff(found.trips) <= 0).all()
    assert found.trips.sum() == city.total
    assert len(found) == 36


def test_ends_are_found_by_name_or_by_their_places() -> None:
    """Axes named origin and destination are the ends; without them, two axes over the same places."""
    places, hours = ("A", "B"), Axis(name="hour", size=2, labels=("8", "9"), ordered=True)
    home, work = Axis(name="home", size=2, labels=places), Axis(name="work", size=2, labels=places)
    named = [Axis(name=name, size=3) for name in ("destination", "origin")]
    assert endpoints(Universe((*named, hours))) == ("origin", "destination")
    assert endpoints(Universe((home, hours, work))) == ("home", "work")
    assert endpoints(Universe((home, hours))) is None


def test_the_period_is_the_axis_of_that_name_or_the_only_ordered_one() -> None:
    """An axis named period tells when; else the only ordered axis that is no end of a trip."""
    ends = [Axis(name=name, size=3) for name in ("origin", "destination")]
    hour, length = (Axis(name=name, size=2, ordered=True) for name in ("hour", "length"))
    period = Axis(name="period", size=2)
    assert period_axis(Universe((*ends, hour, period)), "origin", "destination") == "period"
    assert period_axis(Universe((*ends, hour)), "origin", "destination") == "hour"
    assert period_axis(Universe((*ends, hour, length)), "origin", "destination") is None
