"""From real values to integers: every cell and every total next to its real value, and no set of integers nearer.

    minimise   sum over cells of |integer - value|   over the integers next to the values, such that every class of
    cells and every block of two families of nested features is next to its sum, and the total is the nearest integer

Units flow from the total down the tree of one family, through the classes, and up the tree of the other. The values
themselves are a flow of fractions within the bounds, so there is one of integers (Cox 1987, for two-way tables). With
each cell next to its value the sum of squares has the same minimum: both grow by 1 - 2 * (part above the floor), or
half of it, where a cell is rounded up. Light cells are rounded as `items` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quietway.errors import FitError
from quietway.estimate.rounding.families import Families, families_of
from quietway.estimate.rounding.flow import Index, cheapest
from quietway.estimate.rounding.groups import Blocks, blocks_of, classes_of
from quietway.estimate.rounding.items import Items
from quietway.estimate.rounding.parts import split
from quietway.estimate.rounding.tree import network_of, tree_of, units_of
from quietway.estimate.solution import Floats
from quietway.universe import Partition


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounded:
    """Integers in place of values, and by how much each feature's totals differ from the real ones at most.

    Below one means that every total is next to its real value.
    """

    counts: NDArray[np.int64]
    off: dict[str, float]
    status: str


def round_consistently(
    keys: NDArray[np.int64], values: Floats, features: Sequence[tuple[str, Partition]]
) -> Rounded:
    """Values of cells, none of them negative, as integers. The same cells in another order are rounded alike.

    Features that cross more than two ways cannot all be kept: see `families_of` for which are. What the others'
    totals are off by is reported.
    """
    if not np.isfinite(values).all() or (values < 0).any():
        raise FitError(
            "only finite values that are not negative can be rounded to counts; check what fitted them"
        )
    counts, part = split(values)
    moving = np.flatnonzero(part)
    moving = moving[np.argsort(keys[moving], kind="stable")]
    blocks = blocks_of(keys[moving], [partition for _, partition in features])
    families, up = _round_up(part[moving], values[moving], blocks)
    counts[moving] += up
    gap = up - part[moving]
    off = {
        name: float(np.abs(of.sums(gap)).max(initial=0.0))
        for (name, _), of in zip(features, blocks, strict=True)
    }
    return Rounded(counts=counts, off=off, status=_status(off, families))


def _round_up(part: Floats, value: Floats, features: Sequence[Blocks]) -> tuple[Families, Index]:
    """How many units each cell gets above its floor, and the families that say so."""
    classes = classes_of(features, part.size)
    per_class = [Blocks(classes.of_each(feature.number), feature.count) for feature in features]
    families = families_of(per_class)
    rank = _ranked([per_class[i] for i in families.order], classes.count)
    per_class = [Blocks(rank.of_each(feature.number), feature.count) for feature in per_class]
    ranked = rank.number[classes.number]
    order = np.argsort(ranked, kind="stable")
    first, second, left_out = ([per_class[i] for i in of] for of in families.groups)
    items = Items.of(
        Blocks(ranked[order], classes.count), [*first[::-1], *second], left_out, part[order], value[order]
    )
    units = _units(items, first, second)
    up = np.empty(part.size, dtype=np.int64)
    up[order] = items.rounded(units)
    return families, up


def _ranked(features: Sequence[Blocks], classes: int) -> Blocks:
    """The place of each class where those of a block stand together, the first feature's, and so on within."""
    number = np.empty(classes, dtype=np.int64)
    order = np.lexsort([feature.number for feature in reversed(features)]) if features else np.arange(classes)
    number[order] = np.arange(classes)
    return Blocks(number, classes)


def _units(items: Items, first: Sequence[Blocks], second: Sequence[Blocks]) -> Index:
    """How many units each class gets."""
    classes = items.in_classes()
    total = int(np.rint(items.part.sum()))
    down, up = tree_of(first, classes, total), tree_of(second, classes, total)
    network = network_of(down, up, classes)
    return units_of(network, cheapest(network), down, classes)


def _status(off: dict[str, float], families: Families) -> str:
    if not off:
        return "rounded to integers"
    names = list(off)
    if not families.left_out:
        name = max(off, key=lambda name: off[name])
        return f"rounded to integers, which moves no total by more than {off[name]:.3g} (in '{name}')"
    left = ", ".join(f"'{names[i]}' by up to {off[names[i]]:.3g}" for i in families.left_out)
    return (
        "rounded to integers, which moves totals by less than one, except where more than two features cross each "
        f"other: those of {left}"
    )
