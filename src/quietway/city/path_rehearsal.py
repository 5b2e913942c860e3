"""Invented paths over any stops, for rehearsals: made from public structure and a public guess of their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.city.draws import Draws
from quietway.errors import InputError

if TYPE_CHECKING:
    from quietway.universe import Frame, PathSpace

# Of a town of everyday life: a few busy quarters, of which some draw far more than others, seldom far apart in habit.
QUARTERS = 6
POPULAR = np.array([32, 16, 10, 7, 5, 4])
SPREAD = 0.035
ALONE, FAITHFUL, BACK = 0.1, 0.55, 0.35


def synthetic_paths(space: PathSpace, *, paths: int, seed: int = 0) -> NDArray[np.int32]:
    """A row per path, an index per axis; the same for the same arguments.

    Each stop has a few quarters where most paths are, some busier than
    others. Who is in one quarter tends toward the same next one, and a third
    ends where it began. A tenth of all stops are anywhere. No records are
    read, and the space is never listed.
    """
    if paths < 0:
        raise InputError("the guessed number of paths is negative; give 0 or more")
    draws = Draws(seed, 1)
    quarter = draws.pick(POPULAR, paths)
    stops: list[NDArray[np.int32]] = []
    for frame in space.frames:
        centres = _centres(frame, Draws(seed, 2, frame.rows, frame.columns))
        stops.append(_settled(frame, _around(centres[quarter], draws)))
        quarter = _next(quarter, draws)
    if len(stops) > 2 and space.frames[0] == space.frames[-1]:
        back = draws.uniform(paths) < BACK
        stops[-1] = np.where(back[:, None], stops[0], stops[-1])
    return np.hstack(stops) if paths else np.zeros((0, space.axes), dtype=np.int32)


def _centres(frame: Frame, draws: Draws) -> NDArray[np.float64]:
    """The middle of each quarter, as shares of the way up and across; of zones, where some are."""
    if frame.cell is None:
        return 0.15 + 0.7 * np.column_stack([draws.uniform(QUARTERS), draws.uniform(QUARTERS)])
    return _zones(frame)[draws.below(len(frame.cell), QUARTERS)]


def _zones(frame: Frame) -> NDArray[np.float64]:
    """Where each zone stands: as shares of the way from south to north, and from west to east."""
    assert frame.points is not None
    upward = frame.points[:, ::-1]
    return (upward - upward.min(axis=0)) / np.maximum(np.ptp(upward, axis=0), 1e-12)


def _around(centres: NDArray[np.float64], draws: Draws) -> NDArray[np.float64]:
    """Places scattered around the centres, in a hill shape; some are anywhere."""
    n = len(centres)
    bells = [sum(draws.uniform(n) for _ in range(4)) - 2.0 for _ in range(2)]
    anywhere = np.column_stack([draws.uniform(n), draws.uniform(n)])
    alone = draws.uniform(n) < ALONE
    return np.where(alone[:, None], anywhere, centres + SPREAD * np.sqrt(3.0) * np.column_stack(bells))


def _settled(frame: Frame, shares: NDArray[np.float64]) -> NDArray[np.int32]:
    """Rows and columns of places; the nearest zone's where there are zones."""
    if frame.cell is None:
        return np.floor(np.clip(shares, 0.0, 1.0 - 1e-9) * frame.shape).astype(np.int32)
    from scipy.spatial import KDTree

    _, zone = KDTree(_zones(frame)).query(shares)
    return frame.cell[zone].astype(np.int32)


def _next(quarter: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
    """Most go on to the quarter that people of theirs go to; others to any, the busy ones more often."""
    faithful = draws.uniform(quarter.size) < FAITHFUL
    return np.where(faithful, (2 * quarter + 1) % QUARTERS, draws.pick(POPULAR, quarter.size))
