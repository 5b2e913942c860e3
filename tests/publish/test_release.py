"""Releases answer questions about themselves, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.errors import ConfigError, UniverseError
from quietway.publish.release import Release
from quietway.universe import Axis, Partition, Range, Universe, random_ranges


def test_tables_are_sums_of_the_published_cells(city: Release) -> None:
    """What a range's cells add up to is told beside its estimate, for any range."""
    ranges = random_ranges(city.universe, 20, seed=4)
    table = [city.answer(ranges.range(i)).table for i in range(20)]
    np.testing.assert_array_equal(table, ranges.answers(city.keys, city.counts))


def test_everything_is_the_total(city: Release) -> None:
    """Asked about everything, a release answers its total within its own interval."""
    answer = city.query()
    assert answer.table == city.total
    assert answer.low <= city.total <= answer.high


def test_margins_and_ranges_agree(city: Release) -> None:
    """A block of a margin and the same cells as a range have one estimate and one interval."""
    margin = city.margin(Partition.margin(city.universe, ["period"]), 0.9)
    answer = city.query({"period": "08:00"}, confidence=0.9)
    block = city.universe.axis("period").index("08:00")
    assert answer.estimate == pytest.approx(margin.estimate[block])
    assert (answer.low, answer.high) == pytest.approx((margin.low[block], margin.high[block]))
    assert answer.table == margin.table[block]


def test_more_confidence_is_a_wider_interval(city: Release) -> None:
    """The estimate stays, the interval grows."""
    narrow, wide = (city.query({"origin": "Airport"}, confidence=c) for c in (0.5, 0.99))
    assert wide.estimate == narrow.estimate
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 95.0, float("nan")])
def test_confidence_is_between_zero_and_one(city: Release, confidence: float) -> None:
    """Certainty, nonsense and percentages are refused, for ranges and margins."""
    with pytest.raises(ConfigError, match="give a number between 0 and 1"):
        city.query(confidence=confidence)
    with pytest.raises(ConfigError, match="give a number between 0 and 1"):
        city.margin(Partition.total(city.universe), confidence)


def test_questions_about_another_universe_are_refused(city: Release) -> None:
    """A range or partition of other axes would be answered with nonsense, so it is not."""
    other = Universe((Axis(name="place", size=5),))
    with pytest.raises(UniverseError, match="axes place of another universe; this release has origin"):
        city.answer(Range.of(other))
    with pytest.raises(UniverseError, match="another universe"):
        city.margin(Partition.total(other))


def test_an_unknown_margin_lists_the_known(city: Release) -> None:
    """Margins are found by name, and a wrong name says which there are."""
    assert city.feature("by period").blocks == city.universe.axis("period").size
    with pytest.raises(UniverseError, match="no margin 'by hour'; the margins are by period"):
        city.feature("by hour")


def test_an_empty_release_answers_zero(empty: Release) -> None:
    """A table without cells adds up to nothing, and its interval still holds nothing."""
    answer = empty.query({"origin": "Harbour"})
    assert (answer.table, answer.low) == (0, 0.0)
