"""Rehearsals of paths: free, repeatable, marked, and judged by their own truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import quietway
from quietway.city import synthetic_paths
from quietway.counts import Paths
from quietway.paths.rehearsal import PathTrial, path_trials
from quietway.publish.paths.release import PathRelease
from quietway.rehearsal import Rehearsal
from quietway.universe import PrivacyUnit
from tests.path_town import PathTown
from tests.publish.paths.cases import TOWN, halved, release, space


@pytest.fixture
def town(tmp_path: Path) -> PathTown:
    """A small town of paths with a budget of one, and no records."""
    town = PathTown(tmp_path)
    town.limit()
    town.trips.unlink()
    return town


def rehearsed(town: PathTown, name: str, **more: int) -> tuple[Rehearsal, PathRelease]:
    """A rehearsal into a folder of its own."""
    rehearsal = quietway.rehearse(quietway.load_spec(town.file), town.folder / name, **more)
    assert isinstance(rehearsal.release, PathRelease)
    return rehearsal, rehearsal.release


def test_a_rehearsal_costs_nothing_and_says_so(town: PathTown) -> None:
    """No record is read, no ledger is touched, the same seed gives the same boxes, and they are marked."""
    (_, first), (_, second), (_, other) = (
        rehearsed(town, name, **more) for name, more in (("one", {}), ("two", {}), ("three", {"seed": 9}))
    )
    assert np.array_equal(first.boxes.count, second.boxes.count)
    assert first.boxes.count.tolist() != other.boxes.count.tolist()
    assert not first.manifest.private and first.manifest.rehearsal
    assert "NOT PRIVATE" in (town.folder / "one" / "statement.md").read_text().splitlines()[0]
    assert town.spent() == "0"
    assert json.loads((town.folder / "one" / "manifest.json").read_text())["ledger_entry"] is None


def test_every_stop_and_all_of_them_are_asked_about(town: PathTown) -> None:
    """Wide to narrow; the guess of the release file, or one's own, is how many paths there are."""
    rehearsal, published = rehearsed(town, "one", trips=3_000)
    assert rehearsal.trips == 3_000 and abs(published.total - 3_000) < 100
    asked = [trial.questions.split(",")[0] for trial in rehearsal.trials if isinstance(trial, PathTrial)]
    assert asked == ["start"] * 3 + ["end"] * 3 + ["every stop"] * 3


def exact(paths: int) -> tuple[PathRelease, Paths]:
    """A release without noise whose boxes are single cells, and what it was made of."""
    within = space(TOWN)
    points = synthetic_paths(within, paths=paths, seed=4)
    published = release([halved(within, points.astype(np.int64), depth=8)])
    return published, Paths(within, points, PrivacyUnit())


def test_a_release_without_noise_has_no_error() -> None:
    """Cell by cell the truth comes back, inside of every interval; spreading evenly is far off."""
    for trial in path_trials(*exact(5_000), seed=1):
        assert trial.estimate < 1e-6 and trial.covered == 1
        assert trial.uniform > 0.3


def test_errors_are_relative_to_the_truth_or_to_a_thousandth_of_all() -> None:
    """A release that holds every path twice is off by all of the truth, where there is more than a thousandth."""
    published, truth = exact(2_000)
    doubled = release([halved(truth.space, np.repeat(truth.points.astype(np.int64), 2, axis=0), depth=8)])
    wide = path_trials(doubled, truth, seed=1)[0]
    assert wide.estimate == pytest.approx(1.0, abs=0.1)
    assert path_trials(published, truth, seed=1)[0].estimate < 1e-6


def test_asking_again_with_the_same_seed_gives_the_same_errors() -> None:
    """The questions are drawn from the seed."""
    made = exact(500)
    assert path_trials(*made, seed=3) == path_trials(*made, seed=3)
    assert path_trials(*made, seed=3) != path_trials(*made, seed=4)
