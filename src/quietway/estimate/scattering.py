"""The compiled loop behind the error bars of posterior means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quietway.compiled import compiled

Floats = NDArray[np.float64]
Index = NDArray[np.int64]


@compiled
def scatter(
    held: Floats,
    block: Index,
    element: Index,
    whole: Index,
    of_whole: Floats,
    share: Floats,
    effect: Floats,
    out: Floats,
) -> None:
    """Add  e h (h - 2 p w)  of every unit to its block: h what it holds, w what its element holds of the block above.

    Summed with p^2 e w^2 over the elements of the block above, that is the variance which effects e on the elements
    give to a share p of that block.
    """
    for i in range(held.size):
        j = block[i]
        out[j] += effect[element[i]] * held[i] * (held[i] - 2.0 * share[j] * of_whole[whole[i]])
