"""Published trips by origin and destination."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.pairs import pairs, summed
from quietway.publish.release import Release

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
