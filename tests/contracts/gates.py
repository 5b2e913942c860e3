"""The gates: functions that raise AssertionError where a mechanism breaks its promise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from fractions import Fraction

import numpy as np
from tests.contracts.neighbours import Pair
from tests.contracts.transcript import Draw, Recording, Replaying

from quietway.counts import Counts
from quietway.measurement import Floors, Measurement, NoisyBoxes, NoisyCells, NoisyGrid
from quietway.mechanisms import Mechanism
from quietway.noise import NoiseSource, seeded
from quietway.universe import Partition, PrivacyUnit

SLACK = 1e-9
Measured = Measurement | NoisyBoxes | NoisyGrid | NoisyCells


def replay(mechanism: Mechanism, pair: Pair, source: NoiseSource) -> float:
    """Force the answers of each data set upon the other: the larger loss, which epsilon must bound."""
    return max(_replay(mechanism, recorded, other, pair.name, source) for recorded, other in pair.both_ways())


def replay_all(mechanism: Mechanism, pairs: Iterable[Pair], *, seed: int = 1) -> float:
    """The largest loss of many pairs."""
    source = seeded(seed)
    return max(replay(mechanism, pair, source) for pair in pairs)


def _replay(mechanism: Mechanism, one: Counts, other: Counts, name: str, source: NoiseSource) -> float:
    epsilon = float(mechanism.cost.epsilon)
    recording = Recording(source=source, counts=one)
    first = mechanism.measure(one, rng=recording)
    replaying = Replaying(transcript=recording.draws, counts=other)
    second = mechanism.measure(other, rng=replaying)
    replaying.require_finished()
    require_alike(first, second)
    assert replaying.loss <= epsilon + SLACK, f"{name}: loss {replaying.loss:.4g} above epsilon {epsilon:.4g}"
    assert replaying.certificate <= epsilon + SLACK, f"{name}: certificate {replaying.certificate:.4g}"
    return replaying.loss


def require_alike(first: Sequence[Measured], second: Sequence[Measured]) -> None:
    """The same answers must give the same output, whatever the records: nothing else may cross the wall."""
    assert len(first) == len(second), "the number of measurements depends on the records"
    for one, other in zip(first, second, strict=True):
        assert type(one) is type(other), "what is measured depends on the records"
        for part in fields(one):
            assert _same(getattr(one, part.name), getattr(other, part.name)), (
                f"'{part.name}' depends on the records"
            )


def _same(one: object, other: object) -> bool:
    if isinstance(one, Floors) and isinstance(other, Floors):
        return _same(one.groups, other.groups) and _same(one.levels, other.levels)
    if isinstance(one, Partition) and isinstance(other, Partition):
        return one is other or (one.same_blocks(other) and one.columns == other.columns)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def price(draw: Draw, unit: PrivacyUnit) -> Fraction:
    """What a draw costs: sensitivity / scale, or 2 * bound / scale for a selection by counts."""
    moved = 2 * unit.bound if draw.kind in ("select", "choose") else unit.sensitivity
    return moved / draw.scale


def cost_is_spent(mechanism: Mechanism, counts: Counts, epsilon: Fraction) -> None:
    """Declared epsilon = cost = sum of the parts = what the draws are worth, exactly."""
    recording = Recording(source=seeded(3), counts=counts)
    mechanism.measure(counts, rng=recording)
    drawn = sum((price(draw, counts.unit) for draw in recording.draws), Fraction(0))
    parts = sum((part for _, part in mechanism.parts), Fraction(0))
    assert mechanism.cost.unit == counts.unit, "the cost is for another unit"
    assert mechanism.cost.epsilon == epsilon, (
        f"the cost is {mechanism.cost.epsilon}, not the declared {epsilon}"
    )
    assert parts == epsilon, f"the parts add up to {parts}, not {epsilon}"
    assert drawn == epsilon, f"the draws are worth {drawn}, not {epsilon}"


def output_is_integer(measurements: Sequence[Measurement]) -> None:
    """Every noisy number is an int64 and every scale an exact rational."""
    assert measurements, "nothing was measured"
    for measurement in measurements:
        assert measurement.noisy.dtype == np.int64, f"'{measurement.name}' holds {measurement.noisy.dtype}"
        assert type(measurement.scale) is Fraction, f"'{measurement.name}' has a scale that is no Fraction"
