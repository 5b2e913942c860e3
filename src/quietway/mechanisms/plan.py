"""Which margins are worth measuring, told from public sizes and a noisy total alone.

A block's noise has the scale K * sensitivity / epsilon when K margins share epsilon evenly, and a margin of n blocks
over N trips expects N / n in each. Their ratio, the margin's loudness, is about the relative error that measuring it
leaves. Louder margins than the limit tell less than what coarser ones say of them, and only thin out the others'
shares; so the loudest is left out until none is too loud.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quietway.errors import UniverseError
from quietway.mechanisms.mechanism import LARGEST_DENSE, Named
from quietway.universe import Partition, Universe
from quietway.universe.ends import endpoints

LOUDEST = 0.7
LOUDEST_PAIRS = 6.0
CLEAR = 0.25


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """A margin that might be measured.

    `asked` says whether the user named it; `loudest` is the loudness from
    which on it is not worth measuring. Pairs of places and cells are sparse,
    so that a few of them stand out of a noise that drowns the average.
    """

    name: str
    partition: Partition
    asked: bool
    loudest: float = LOUDEST


def candidates(universe: Universe, features: Named) -> tuple[Candidate, ...]:
    """The features, what they say of places alone and of all else, trip ends, pairs of places, and cells."""
    found = [Candidate(name=name, partition=partition, asked=True) for name, partition in features]
    ends = endpoints(universe)
    places = {universe.position(end) for end in ends} if ends else set[int]()
    others = [axis for axis in universe.names if ends is None or axis not in ends]
    parts = [part for _, partition in features for part in _parts(partition, places)]
    if ends is not None:
        first, second = ends
        parts += [Partition.margin(universe, [first]), Partition.margin(universe, [second])]
        parts += [Partition.margin(universe, [first, *others]), Partition.margin(universe, [second, *others])]
        parts += [Partition.margin(universe, [first, second])]
    else:
        parts += [Partition.margin(universe, [axis]) for axis in others]
    parts += [Partition.identity(universe)]
    found += [Candidate(name=_called(part), partition=part, asked=False) for part in parts]
    return _distinct([_limited(candidate, places) for candidate in found])


def chosen(candidates: Sequence[Candidate], *, noise: float, trips: float) -> tuple[Candidate, ...]:
    """What to measure, where `noise` is the scale that one margin alone would have; at least one, if there is any."""
    kept = list(candidates)
    while len(kept) > 1:
        drop = _too_loud(kept, noise * len(kept) / trips) or _told_by_finer(kept, noise * len(kept) / trips)
        if drop is None:
            break
        kept.remove(drop)
    return tuple(kept)


def _too_loud(kept: Sequence[Candidate], noise: float) -> Candidate | None:
    """The loudest margin by its own limit, if it is beyond it."""
    loudest = max(kept, key=lambda margin: margin.partition.blocks / margin.loudest)
    return loudest if loudest.partition.blocks * noise > loudest.loudest else None


def _told_by_finer(kept: Sequence[Candidate], noise: float) -> Candidate | None:
    """A margin that nobody asked for, and that one which is measured clearly tells anyway."""
    clear = [margin for margin in kept if margin.partition.blocks * noise < CLEAR]
    for margin in kept:
        if not margin.asked and any(
            finer is not margin and finer.partition.refines(margin.partition) for finer in clear
        ):
            return margin
    return None


def _parts(partition: Partition, places: set[int]) -> list[Partition]:
    """What a feature says of places alone, and what of all else."""
    inside = [rule for rule in partition.rules if places.issuperset(rule.axes)]
    outside = [rule for rule in partition.rules if places.isdisjoint(rule.axes)]
    return [Partition.by(partition.universe, rules) for rules in (inside, outside) if rules]


def _limited(candidate: Candidate, places: set[int]) -> Candidate:
    read = {i for rule in candidate.partition.rules for i in rule.axes if rule.labels is None}
    if places <= read and (places or candidate.partition.is_identity):
        return Candidate(
            name=candidate.name,
            partition=candidate.partition,
            asked=candidate.asked,
            loudest=LOUDEST_PAIRS,
        )
    return candidate


def _distinct(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Without the total, what is too big to noise, and what cuts the universe as an earlier one does."""
    kept = list[Candidate]()
    for candidate in found:
        partition = candidate.partition
        if not 1 < partition.blocks <= LARGEST_DENSE:
            continue
        if any(_same(partition, other.partition) for other in kept):
            continue
        kept.append(candidate)
    names = [candidate.name for candidate in kept]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UniverseError(f"two margins would be called '{twice}'; give the feature another name")
    return tuple(kept)


def _same(one: Partition, other: Partition) -> bool:
    return one.blocks == other.blocks and one.same_blocks(other)


def _called(partition: Partition) -> str:
    return "cells" if partition.is_identity else " by ".join(partition.columns)
