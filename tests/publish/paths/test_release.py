"""Releases of paths: what they answer, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from quietway.errors import ConfigError, UniverseError
from quietway.publish.paths.release import PathRelease
from quietway.universe import Region

from .cases import TOWN, bare, halved, invented, release, space, town, zoned


@pytest.fixture(scope="module")
def published() -> PathRelease:
    """Two stops on a grid."""
    return town()


def test_the_boxes_add_up_to_the_total(published: PathRelease) -> None:
    """Whole counts, none below zero, sum to what the release calls its total, near the estimate of all paths."""
    count = published.boxes.count
    assert count.dtype == np.int64 and (count >= 0).all()
    assert count.sum() == published.total
    assert abs(published.total - published.query().estimate) <= 1


def test_boxes_share_out_the_space(published: PathRelease) -> None:
    """Their volumes add up to the whole."""
    boxes = published.boxes
    assert (boxes.high - boxes.low).astype(np.int64).prod(axis=1).sum() == published.space.size


def test_without_noise_a_question_along_the_cuts_is_answered_exactly() -> None:
    """What was measured comes back."""
    within = space(TOWN, TOWN)
    points = invented(within, 900)
    exact = release([halved(within, points, depth=4)])
    answer = exact.query({"start": "rows:0..8,columns:0..8", "end": "rows:0..8,columns:8..16"})
    low, high = np.array([0, 0, 0, 8]), np.array([8, 8, 8, 16])
    assert answer.estimate == pytest.approx(((points >= low) & (points < high)).all(axis=1).sum())


def test_a_question_may_be_asked_as_text_as_a_list_or_as_a_region() -> None:
    """The same place said in three ways has the same answer."""
    zones = zoned()
    asked = Region.everywhere(zones.space).zones("start", ["Harbour", "Airport"])
    assert zones.query({"start": "Harbour,Airport"}) == zones.query({"start": ["Harbour", "Airport"]})
    assert zones.query({"start": "Harbour,Airport"}) == zones.answer(asked)


def test_many_boxes_are_answered_at_once(published: PathRelease) -> None:
    """A row per question, as if each were asked alone."""
    low, high = np.array([[0, 0, 0, 0], [0, 0, 4, 4]]), np.array([[16, 16, 16, 16], [8, 8, 9, 9]])
    found = published.answers(low, high)
    alone = published.query({"start": "rows:0..8,columns:0..8", "end": "rows:4..9,columns:4..9"})
    assert found.estimate.tolist() == pytest.approx([published.query().estimate, alone.estimate])
    assert (found.low <= found.estimate).all() and (found.estimate <= found.high).all()


def test_ends_of_boxes_may_be_lists_of_whole_numbers(published: PathRelease) -> None:
    """They mean what arrays mean; fractions are refused rather than cut off."""
    low, high = [[0, 0, 4, 4]], [[8, 8, 9, 9]]
    array = published.answers(np.array(low), np.array(high))
    assert published.answers(low, high).estimate == pytest.approx(array.estimate)
    with pytest.raises(UniverseError, match="give integers"):
        published.answers(np.array(low) + 0.5, high)


def test_a_surer_interval_is_wider(published: PathRelease) -> None:
    """The confidence asked for is the one given back."""
    narrow, wide = (published.query({"end": "rows:0..5"}, confidence=c) for c in (0.5, 0.99))
    assert wide.low <= narrow.low <= narrow.high <= wide.high and wide.confidence == 0.99
    assert str(wide).endswith(f"(99%: {wide.low:,.0f} to {wide.high:,.0f})") and " paths " in str(wide)


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.5, float("nan")])
def test_impossible_confidences_are_refused(published: PathRelease, confidence: float) -> None:
    """One between zero and one is asked for."""
    with pytest.raises(ConfigError, match="between 0 and 1"):
        published.query(confidence=confidence)


def test_a_region_of_other_paths_is_refused(published: PathRelease) -> None:
    """A question about other stops has no answer here."""
    with pytest.raises(UniverseError, match="another space"):
        published.answer(Region.everywhere(bare().space))


def test_a_release_shows_itself(published: PathRelease) -> None:
    """In a line, and in a notebook as a fragment with a map."""
    assert repr(published) == (
        f"PathRelease('City trips', {published.total:,} paths through start, end in {len(published.boxes):,} boxes)"
    )
    fragment = published._repr_html_()
    assert fragment.startswith('<div class="quietway">') and "<svg" in fragment and "<script" not in fragment
