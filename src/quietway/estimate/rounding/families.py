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
    def groups(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Both families and the rest."""
        return self.first, self.second, self.left_out

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
    kept, sides = list[int](), dict[int, int]()
    for feature in sorted(range(len(features)), key=lambda i: -features[i].count):
        found = _two_sides([*kept, feature], crossing)
        if found is not None:
            kept.append(feature)
            sides = found
    coarse = sorted(range(len(features)), key=lambda i: features[i].count)
    first, second, left_out = (tuple(i for i in coarse if sides.get(i, 2) == side) for side in range(3))
    return Families(first=first, second=second, left_out=left_out)


def _two_sides(features: Sequence[int], crossing: Sequence[set[int]]) -> dict[int, int] | None:
    """Sides on neither of which two features cross, the earlier features on side 0 where there is a choice."""
    among, sides = set(features), dict[int, int]()
    for start in features:
        pending = [] if start in sides else [start]
        sides.setdefault(start, 0)
        while pending:
            at = pending.pop()
            for other in crossing[at] & among:
                if other not in sides:
                    sides[other] = 1 - sides[at]
                    pending.append(other)
                elif sides[other] == sides[at]:
                    return None
    return sides
