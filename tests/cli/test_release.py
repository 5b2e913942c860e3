"""What `quietway release` says when it is done."""

from __future__ import annotations

from quietway.cli.release import disagreement
from quietway.publish.release import Release

from ..publish.conftest import city, publishing

__all__ = ["city"]


def test_cells_that_miss_the_total_are_cautioned_against(city: Release) -> None:
    """A table that adds up to far more than was measured is not announced as if it were right."""
    swollen = publishing(city, city.keys, 100 * city.counts)
    said = disagreement(swollen)
    assert said is not None and str(city.query()) in said
    assert disagreement(city) is None
