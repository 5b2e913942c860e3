"""Which margins are worth measuring, told from public sizes and a noisy total alone.

Of a margin of n blocks over N trips whose noise has scale t, the noise's share n t / N is about the relative error
that measuring it leaves: its loudness. A margin is worth measuring if it is quieter than what is told of it anyway,
by enough to pay for the noise that sharing epsilon with one more adds to all others. How quiet that is depends on
what else the margin tells, so each kind has a limit of its own (docs/methods/tempered.md says how they were found).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quietway.errors import UniverseError
from quietway.mechanisms.mechanism import LARGEST_DENSE, Named
from quietway.universe import Partition, Universe
from quietway.universe.ends import endpoints

TOTALS = ("rough total", "total")
# How many margins' shares the total takes.
TOTAL_COUNTS = 2
# The finest margin that the user named, and coarser ones that it refines, or parts of it.
FINEST = 0.5
COARSER = 0.8
# A margin that crosses it tells of little but itself.
CROSSING = 0.11
CROSSING_PLACES = 0.02
# Trip ends, and places whatever the rest.
ENDS = 0.5
PLACES = 0.45
# Pairs of places and cells are sparse: a few stand out of a noise that drowns the average.
PAIRS = 9.0
CELLS = 100.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """A margin that might be measured.

    `loudest` is the loudness from which on it is not worth measuring;
    `instead` are coarser margins that take its place then.
    """

    name: str
    partition: Partition
    loudest: float
    instead: tuple[Candidate, ...] = ()


def candidates(universe: Universe, features: Named) -> tuple[Candidate, ...]:
    """The features, trip ends, pairs of places, and cells."""
    ends = endpoints(universe)
    rest = [axis for axis in universe.names if ends is None or axis not in ends]
    found = [_feature(name, partition, features, ends) for name, partition in features]
    alone = tuple(_other(Partition.margin(universe, [axis]), COARSER) for axis in rest)
    if ends is not None:
        places = tuple(_other(Partition.margin(universe, [end]), PLACES) for end in ends) if rest else ()
        found += [_other(Partition.margin(universe, [end, *rest]), ENDS, (*places, *alone)) for end in ends]
        found += [_other(Partition.margin(universe, ends), PAIRS, places)]
    found += [_other(Partition.identity(universe), CELLS if rest else PAIRS, alone)]
    return _distinct(found)


def chosen(found: Sequence[Candidate], *, noise: float, trips: float) -> tuple[Candidate, ...]:
    """What to measure, where `noise` is the scale that one margin alone would have: none, where all are too loud."""
    kept, waiting = list(found), list[Candidate]()
    while kept:
        loudness = noise * (TOTAL_COUNTS + len(kept)) / trips
        worst = max(kept, key=lambda margin: margin.partition.blocks / margin.loudest)
        if worst.partition.blocks * loudness <= worst.loudest:
            break
        kept.remove(worst)
        waiting += worst.instead
        for coarser in tuple(waiting):
            if not _is_told(coarser, kept):
                waiting.remove(coarser)
                kept.append(coarser)
    return tuple(kept)


def _is_told(margin: Candidate, kept: Sequence[Candidate]) -> bool:
    return any(finer.partition.refines(margin.partition) for finer in kept)


def _feature(name: str, partition: Partition, features: Named, ends: tuple[str, str] | None) -> Candidate:
    """A margin that the user named; what it says of places alone and of all else may take its place."""
    _, finest = max(features, key=lambda feature: feature[1].blocks)
    inside, outside = _parts(partition, ends)
    if not finest.refines(partition):
        instead = tuple(_other(part, CROSSING_PLACES) for part in inside)
        return Candidate(name=name, partition=partition, loudest=CROSSING, instead=instead)
    loudest = FINEST if partition.refines(finest) else COARSER
    instead = tuple(_other(part, COARSER) for part in (*inside, *outside))
    return Candidate(name=name, partition=partition, loudest=loudest, instead=instead)


def _parts(
    partition: Partition, ends: tuple[str, str] | None
) -> tuple[tuple[Partition, ...], tuple[Partition, ...]]:
    """What a margin says of places, and what of all else; nothing where it says of one of them only."""
    universe = partition.universe
    places = {universe.position(end) for end in ends or ()}
    inside = [rule for rule in partition.rules if places.issuperset(rule.axes)]
    outside = [rule for rule in partition.rules if places.isdisjoint(rule.axes)]
    if not inside or not outside:
        return (), ()
    return (Partition.by(universe, inside),), (Partition.by(universe, outside),)


def _other(partition: Partition, loudest: float, instead: tuple[Candidate, ...] = ()) -> Candidate:
    name = "cells" if partition.is_identity else " by ".join(partition.columns)
    return Candidate(name=name, partition=partition, loudest=loudest, instead=instead)


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
    _require_names(kept)
    return tuple(kept)


def with_coarser(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """All margins that may come to be measured: the candidates, each before what may take its place."""
    for candidate in found:
        yield from (candidate, *candidate.instead)


def _require_names(found: Sequence[Candidate]) -> None:
    """Whatever is chosen, no two margins share a name."""
    known = dict[str, Partition]()
    for margin in with_coarser(found):
        other = known.setdefault(margin.name, margin.partition)
        if margin.name in TOTALS or not _same(margin.partition, other):
            raise UniverseError(f"two margins would be called '{margin.name}'; give the feature another name")


def _same(one: Partition, other: Partition) -> bool:
    return one.blocks == other.blocks and one.same_blocks(other)
