"""Features sorted into two families, the blocks of each nested like a tree's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from quietway.estimate.rounding.groups import Blocks


@dataclass(frozen=True, kw_only=True)
class Families:
    """Positions of features: two families, coarse ones first, and what fits into neither."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    left_out: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """All of them, in the order in which cells are run through."""
        return (*self.first, *self.second, *self.left_out)


def families_of(features: Sequence[Blocks]) -> Families:
    """Two families that hold as many blocks as can be had by taking features from the one with the most blocks down.

    Two features cross if neither lies in the other. They must not be in one family, so what is taken falls into two
    if and only if there is no odd ring of crossing features among it.
    """
    crossing = [set[int]() for _ in features]
    for i, j in combinations(range(len(features)), 2):
        if not (features[i].lie_in(features[j]) or features[j].lie_in(features[i])):
            crossing[i].add(j)
            crossing[j].add(i)
    sides: dict[int, int] = {}
    for feature in sorted(range(len(features)), key=lambda i: -features[i].count):
        sides = _with(feature, sides, crossing) or sides
    coarse = sorted(range(len(features)), key=lambda i: features[i].count)
    first, second, left_out = (tuple(i for i in coarse if sides.get(i, 2) == side) for side in range(3))
    return Families(first=first, second=second, left_out=left_out)


def _with(new: int, sides: dict[int, int], crossing: Sequence[set[int]]) -> dict[int, int] | None:
    """The sides once the new feature is among them, the features that it meets changing over where they must."""
    changed, pending = {new: 0}, [new]
    while pending:
        at = pending.pop()
        for other in crossing[at] & (sides.keys() | changed.keys()):
            if other not in changed:
                changed[other] = 1 - changed[at]
                pending.append(other)
            elif changed[other] == changed[at]:
                return None
    return sides | changed
