"""Questions that are about one stop, all others being anywhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.boxes.solution import Index
from quietway.universe import PathSpace, Region


def about_one(
    space: PathSpace, stop: int, low: Index, high: Index, region: Region | None
) -> NDArray[np.bool_]:
    """Which questions leave all other stops anywhere."""
    others = np.arange(space.axes) // 2 != stop
    anywhere = (low == 0) & (high == np.array(space.shape))
    told = region is not None and any(
        area.places is not None for i, area in enumerate(region.areas) if i != stop
    )
    return anywhere[:, others].all(axis=1) & (not told)


def of_stop(
    stop: int, low: Index, high: Index, region: Region | None, space: PathSpace
) -> tuple[Index, Index, Region | None]:
    """The same questions asked of that stop alone, in a space of nothing else."""
    own = slice(2 * stop, 2 * stop + 2)
    alone = None if region is None else Region(space=space, areas=(region.areas[stop],))
    return np.ascontiguousarray(low[:, own]), np.ascontiguousarray(high[:, own]), alone
