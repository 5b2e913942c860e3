"""Public places to cut."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quietway.mechanisms.od.candidates import scattered


@given(st.integers(0, 50), st.integers(2, 80), st.integers(2, 80), st.integers(0, 9), st.integers(0, 10**6))
def test_m_parts_have_m_less_one_cuts(low: int, width: int, parts: int, candidate: int, node: int) -> None:
    """Distinct, increasing, inside, none at the start, one in every even run: so every part has a place."""
    parts = min(parts, width)
    box = [np.array([value], dtype=np.int64) for value in (node, low, low + width, parts)]
    cuts = scattered(*box, candidate)
    edges = np.array([low, *cuts.places, low + width])
    assert len(edges) == parts + 1 and (np.diff(edges) >= 1).all()
    inner = np.linspace(0, width - 1, parts).astype(np.int64)
    assert ((cuts.places - low - 1 >= inner[:-1]) & (cuts.places - low - 1 <= inner[1:])).all()


def test_candidates_differ_and_repeat() -> None:
    """Nodes and candidates have places of their own, the same in every run, spread over all there are."""
    nodes = np.arange(2000)
    low, high, parts = np.zeros(2000, dtype=np.int64), np.full(2000, 101), np.full(2000, 2)
    one, again, other = (scattered(nodes, low, high, parts, i).places for i in (0, 0, 1))
    assert np.array_equal(one, again) and (one != other).mean() > 0.9
    seen = np.bincount(np.concatenate([one, other]) - 1, minlength=100)
    assert seen.size == 100 and seen.min() > 10 and seen.max() < 90
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.1
