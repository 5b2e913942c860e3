"""How a rehearsal of paths came out: questions asked of the release and of the invented truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws
from quietway.counts import Paths
from quietway.estimate.boxes.nested import places_of
from quietway.publish.paths.release import PathRelease

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

QUESTIONS = 200
SHARES = (0.5, 0.25, 0.1)
LEAST = 1000


@dataclass(frozen=True, kw_only=True)
class PathTrial:
    """How one kind of question came out: mean relative errors, and how often the interval held the truth.

    A relative error is that of the answer over the truth, or over a
    thousandth of all paths where the truth is less. `uniform` is that of
    spreading the release's own total evenly over all places.
    """

    questions: str
    asked: int
    estimate: float
    uniform: float
    covered: float


def path_trials(release: PathRelease, truth: Paths, seed: int) -> tuple[PathTrial, ...]:
    """Random ranges of one stop, and of all stops together, from wide to narrow."""
    kinds = [(stop, share) for stop in (*range(len(release.space.stops)), None) for share in SHARES]
    return tuple(
        _trial(release, truth, stop, share, Draws(seed, 3, i)) for i, (stop, share) in enumerate(kinds)
    )


def _trial(release: PathRelease, truth: Paths, stop: int | None, share: float, draws: Draws) -> PathTrial:
    space = release.space
    low, high = _ranges(truth, stop, share, draws)
    found, true = release.answers(low, high), _true(truth, low, high)
    part = places_of(low.astype(np.int32), high.astype(np.int32), space.frames) / float(space.paths)
    least = max(len(truth.points) / LEAST, 1.0)
    return PathTrial(
        questions=f"{'every stop' if stop is None else space.stops[stop]}, {share:.0%} of each side",
        asked=len(low),
        estimate=_relative(found.estimate, true, least),
        uniform=_relative(release.query().estimate * part, true, least),
        covered=float(((found.low <= true) & (true <= found.high)).mean()),
    )


def _ranges(truth: Paths, stop: int | None, share: float, draws: Draws) -> tuple[Ints, Ints]:
    """Ranges of a share of each axis, and all of the axes that are not asked about.

    Those of one stop are anywhere. Those of every stop are around an invented
    path each: anywhere at all, next to none would hold a path.
    """
    space = truth.space
    low = np.zeros((QUESTIONS, space.axes), dtype=np.int64)
    high = np.tile(np.array(space.shape, dtype=np.int64), (QUESTIONS, 1))
    path = draws.below(max(1, len(truth.points)), QUESTIONS)
    for axis in range(space.axes) if stop is None else space.axes_of((stop,)):
        side = space.shape[axis]
        width = max(1, round(share * side))
        start = draws.below(side - width + 1, QUESTIONS)
        if stop is None and len(truth.points):
            start = np.clip(truth.points[path, axis] - draws.below(width, QUESTIONS), 0, side - width)
        low[:, axis], high[:, axis] = start, start + width
    return low, high


def _true(truth: Paths, low: Ints, high: Ints) -> Ints:
    """How many invented paths lie in each range."""
    columns = np.ascontiguousarray(truth.points.T)
    return np.array(
        [
            _inside(columns, start, end, truth.space.shape)
            for start, end in zip(low.tolist(), high.tolist(), strict=True)
        ],
        dtype=np.int64,
    )


def _inside(columns: NDArray[np.int32], low: list[int], high: list[int], shape: tuple[int, ...]) -> int:
    inside = np.ones(columns.shape[1], dtype=np.bool_)
    for column, start, end, side in zip(columns, low, high, shape, strict=True):
        if (start, end) != (0, side):
            inside &= (column >= start) & (column < end)
    return int(inside.sum())


def _relative(answer: Floats, true: Ints, least: float) -> float:
    return float(np.mean(np.abs(answer - true) / np.maximum(true, least)))
