"""What the blocks of all features are owed while items are rounded one after the other.

Each item is rounded so that the squares of what its blocks are owed stay least: up, if its part and the mean of what
they are owed reach one half. With nested features these are running sums; crossing ones, and those that no flow can
keep as well, stay near their real totals too. Blocks begin at evenly spread places: if all began alike, the same of
their cells would get nothing every time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quietway.estimate.kernels import compiled
from quietway.estimate.rounding.flow import Flags, Index, Short
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.parts import OUTER, evenly
from quietway.estimate.solution import Floats


def owed_before(features: Sequence[Blocks], classes: Index, part: Floats, alone: Flags) -> Floats:
    """What the blocks of each item are owed, on average, when its turn comes.

    The features are those of classes of cells, and `classes` has the items'. Items that stand alone go where they are
    nearest, whatever is owed.
    """
    starts = np.cumsum([0, *(feature.count for feature in features)])
    columns = [feature.number + start for feature, start in zip(features, starts[:-1], strict=True)]
    blocks = np.column_stack([column[classes] for column in columns] + [np.full(part.size, starts[-1])])
    return balance(blocks.astype(np.int32), evenly(int(starts[-1]) + 1, OUTER) - 0.5, part, alone)


@compiled
def balance(blocks: Short, owed: Floats, part: Floats, alone: Flags) -> Floats:
    """Round the items in turn, and return the means of what their blocks were owed before."""
    before = np.empty(part.size)
    for i in range(part.size):
        mean = 0.0
        for f in range(blocks.shape[1]):
            mean += owed[blocks[i, f]]
        mean = min(1.0, max(-1.0, mean / blocks.shape[1]))
        before[i] = mean
        heeded = 0.0 if alone[i] else mean
        gap = part[i] - (1.0 if part[i] > 0.0 and part[i] + heeded >= 0.5 else 0.0)
        for f in range(blocks.shape[1]):
            owed[blocks[i, f]] += gap
    return before
