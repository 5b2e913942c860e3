"""What light items are owed by rounding those before them, and what decides between solid cells that cost the same.

Where every feature is in a family, the flow keeps all blocks, and running sums tell what is owed. Where some are left
out, items are rounded so that the squares of what their blocks are owed stay least: up, if an item's part and the mean
of what its blocks are owed reach one half. Blocks begin at evenly spread places: if all began alike, the same of their
cells would get nothing every time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quietway.compiled import compiled
from quietway.estimate.rounding.flow import Flags, Index, Short
from quietway.estimate.rounding.groups import Blocks
from quietway.estimate.rounding.parts import OUTER, evenly
from quietway.estimate.solution import Floats


def running(parts: Floats, start: Floats) -> Floats:
    """What rounding the running sums, each from its start on, owes before each part: from minus to plus one half."""
    before = np.cumsum(parts) - parts + start
    return before - np.floor(before + 0.5)


def balanced(features: Sequence[Blocks], classes: Index, part: Floats, is_solid: Flags) -> Floats:
    """What the blocks of each item are owed, on average, when its turn comes.

    The features are those of classes of cells, and `classes` has the items'. Solid items go where they are nearest,
    whatever is owed; the light ones make up for them.
    """
    starts = np.cumsum([0, *(feature.count for feature in features)])
    columns = [feature.number + start for feature, start in zip(features, starts[:-1], strict=True)]
    blocks = np.column_stack([column[classes] for column in columns] + [np.full(part.size, starts[-1])])
    return balance(blocks.astype(np.int32), evenly(int(starts[-1]) + 1, OUTER) - 0.5, part, is_solid)


@compiled
def balance(blocks: Short, owed: Floats, part: Floats, is_solid: Flags) -> Floats:
    """Round the items in turn, and return the means of what their blocks were owed before."""
    before = np.empty(part.size)
    for i in range(part.size):
        mean = 0.0
        for f in range(blocks.shape[1]):
            mean += owed[blocks[i, f]]
        mean = min(1.0, max(-1.0, mean / blocks.shape[1]))
        before[i] = mean
        heeded = 0.0 if is_solid[i] else mean
        gap = part[i] - (1.0 if part[i] > 0.0 and part[i] + heeded >= 0.5 else 0.0)
        for f in range(blocks.shape[1]):
            owed[blocks[i, f]] += gap
    return before
