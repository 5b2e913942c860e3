"""The private-pgm package (mbi) as a peer: its MST and AIM style of release, in pure differential privacy.

mbi estimates a distribution of maximal entropy from noisy margins by mirror
descent; which margins to measure, and with how much noise, is up to the
mechanism on top. Two are written here after their papers, with Laplace noise
and the exponential mechanism in place of Gaussian noise and zCDP, so that they
stand under the same guarantee as ours: epsilon, one trip added or removed.

What is done to suit them:
- Columns are origin, destination and period, and public attributes derived of
  them: zones of origin and of destination, and whatever groups pairs (mode,
  distance). Both peers may measure zones; AIM any combination.
- What a derived attribute says about stops is exact: all margins are sums of
  one table of (pair of places) x (period), which mbi holds as one clique.
  Pairs that nothing measured tells apart are merged, with their number as
  base measure. The estimate is the one that a junction tree would give.
- mbi's line search starts at a step thousands of times too small for such a
  clique and grows by 1 % at a time; here it starts too large and grows by
  20 %, and 50 iterations get further than 500 did. Running on to convergence
  fits the noise: on the example city at epsilon 0.1, 400 iterations had larger
  errors in all margins than 50.
- The estimate is taken as it is, in real numbers: no records are sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from typing import Any

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_enable_compilation_cache", False)

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from mbi import CliqueVector, Domain, Factor, LinearMeasurement, MarginalLossFn, estimation  # noqa: E402
from numpy.typing import NDArray  # noqa: E402
from scipy.sparse import csr_array  # noqa: E402

from quietway.universe import Partition, Rule, each  # noqa: E402
from true_tables import Table  # noqa: E402

Floats = NDArray[np.float64]
Index = NDArray[np.int64]
Published = tuple[Index, Floats]

CLIQUE = ("pair", "period")
ITERATIONS = 50
LAST_ITERATIONS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """A margin, as a group for each pair of places, and whether periods are kept apart."""

    group: Index
    groups: int
    periods: bool
    axes: frozenset[str] = frozenset()

    def of(self, trips: Floats) -> Floats:
        """The margin of a table with one row per pair and one column per period."""
        rows = self._sum @ trips
        return rows if self.periods else rows.sum(axis=1)

    @cached_property
    def _sum(self) -> csr_array:
        pairs = len(self.group)
        return csr_array((np.ones(pairs), (self.group, np.arange(pairs))), shape=(self.groups, pairs))

    def times(self, other: View) -> View:
        """The margin over both."""
        return View(
            group=self.group * other.groups + other.group,
            groups=self.groups * other.groups,
            periods=self.periods or other.periods,
            axes=self.axes | other.axes,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Noisy:
    """A measured margin; `scale` is of the Laplace noise, for all cells or for each group."""

    view: View
    values: Floats
    scale: Floats

    @property
    def linear(self) -> LinearMeasurement:
        """As mbi wants it to estimate the total from."""
        scale = float(np.sqrt(np.mean(self.scale**2)))
        return LinearMeasurement(self.values.ravel(), CLIQUE, stddev=scale * 2**0.5)


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """An estimate: expected trips of each class of pairs and period, and the potentials that gave them."""

    kind: Index
    sizes: Floats
    potential: Floats
    expected: Floats

    def trips(self) -> Floats:
        """For each pair and period."""
        return (self.expected / self.sizes[:, None])[self.kind]

    @classmethod
    def empty(cls, pairs: int, periods: int) -> Model:
        """All pairs alike."""
        nothing = np.zeros((1, periods))
        return cls(
            kind=np.zeros(pairs, np.int64), sizes=np.array([pairs * 1.0]), potential=nothing, expected=nothing
        )


@dataclass(frozen=True)
class Eager(estimation.MirrorDescent):
    """Mirror descent whose line search starts high and recovers fast."""

    def _init(self, *arguments: Any, **named: Any) -> Any:
        state = super()._init(*arguments, **named)
        return state._replace(alpha=jnp.asarray(state.alpha * 4.0**8))

    def _step(self, state: Any, *arguments: Any) -> Any:
        new = super()._step(state, *arguments)
        return new._replace(alpha=jnp.where(new.alpha > state.alpha, 1.2 * state.alpha, new.alpha))


def fit(noisy: Sequence[Noisy], before: Model, *, iterations: int) -> Model:
    """mbi's estimate from noisy margins, started from the last one."""
    kind = _kinds([one.view for one in noisy])
    _, first = np.unique(kind, return_index=True)
    sizes = np.bincount(kind).astype(np.float64)
    start = before.potential[before.kind[first]] + np.log(sizes)[:, None]
    domain = Domain(CLIQUE, start.shape)
    loss = MarginalLossFn(
        (CLIQUE,),
        _loss,
        tuple(
            (jnp.asarray(one.view.group[first]), jnp.asarray(one.values), jnp.asarray(one.scale * 2**0.5))
            for one in noisy
        ),
        lipschitz=max(
            float(1 / (2 * one.scale.min() ** 2)) * _widest(one.view, sizes, kind) for one in noisy
        ),
    )
    model = Eager().estimate(
        domain,
        loss,
        known_total=estimation.minimum_variance_unbiased_total([one.linear for one in noisy]),
        warm_start=CliqueVector(domain, [CLIQUE], {CLIQUE: Factor(domain, jnp.asarray(start))}),
        iters=iterations,
    )
    return Model(
        kind=kind,
        sizes=sizes,
        potential=np.asarray(model.potentials[CLIQUE].values) - np.log(sizes)[:, None],
        expected=np.asarray(model.marginals[CLIQUE].values),
    )


def _loss(marginals: CliqueVector, data: Sequence[tuple[jax.Array, jax.Array, jax.Array]]) -> jax.Array:
    trips, loss = marginals.project(CLIQUE).values, jnp.zeros(())
    for group, values, deviation in data:
        rows = jax.ops.segment_sum(trips, group, len(values))
        misfit = (rows if values.ndim == 2 else rows.sum(axis=1)) - values
        loss += 0.5 * jnp.sum((misfit.T / deviation) ** 2)
    return loss


def _kinds(views: Sequence[View]) -> Index:
    """Pairs that no view tells apart have one number."""
    kind = np.zeros(len(views[0].group), np.int64)
    for view in views:
        _, kind = np.unique(kind * view.groups + view.group, return_inverse=True)
    return kind


def _widest(view: View, sizes: Floats, kind: Index) -> float:
    """The most cells that one number of a view sums."""
    group = np.zeros(len(sizes), np.int64)
    group[kind] = view.group
    return float(np.bincount(group).max())


def shape(table: Table) -> tuple[int, int]:
    """How many pairs and periods."""
    size = table.universe.shape
    return size[0] * size[1], size[2] if len(size) > 2 else 1


def view(table: Table, rules: Sequence[Rule]) -> View:
    """The margin over the combinations of some rules."""
    pairs, periods = shape(table)
    kept = [rule for rule in rules if max(rule.axes) < 2]
    partition = Partition.by(table.universe, kept)
    return View(
        group=partition.block_of(np.arange(pairs, dtype=np.int64) * periods),
        groups=partition.blocks,
        periods=len(kept) < len(rules),
        axes=frozenset(table.universe.names[axis] for rule in rules for axis in rule.axes),
    )


def grouping(table: Table, axis: int) -> Rule:
    """The zones of one end."""
    return next(rule for rule in table.zones.rules if rule.axes == (axis,))


@cache
def candidates(table: Table) -> tuple[tuple[View, ...], tuple[int, ...], tuple[float, ...]]:
    """Every combination of levels of origin, destination (or a grouping of both) and period.

    With the places of the one-way margins of stops and periods among them, and
    AIM's weights: how many axes each shares with each margin of the workload.
    """
    names = table.universe.names
    levels = [[(), (grouping(table, end),), (each(table.universe, names[end]),)] for end in (0, 1)]
    pairs = [(*origin, *destination) for origin, destination in product(*levels)]
    pairs += [(rule,) for _, partition in table.features for rule in partition.rules if rule.axes == (0, 1)]
    times = [(), *[(each(table.universe, name),) for name in names[2:]]]
    rules = [(*pair, *time) for pair, time in product(pairs, times) if pair or time]
    views = tuple(view(table, chosen) for chosen in rules)
    one_way = tuple(
        number
        for number, chosen in enumerate(rules)
        if len(chosen) == 1 and chosen[0].labels is None and len(chosen[0].axes) == 1
    )
    workload = [view(table, partition.rules).axes for _, partition in (*table.features, *table.ends)]
    weights = tuple(float(sum(len(one.axes & axes) for axes in workload)) for one in views)
    return views, one_way, weights


def choose(draw: np.random.Generator, scores: Floats, epsilon: float, *, sensitivity: float) -> int:
    """The exponential mechanism, by the largest of Gumbel-noised scores."""
    return int(np.argmax(scores * epsilon / (2 * sensitivity) + draw.gumbel(size=len(scores))))


def laplace(draw: np.random.Generator, chosen: View, truth: Floats, epsilon: float) -> Noisy:
    """A margin in which one trip changes one number by one."""
    values = chosen.of(truth)
    return Noisy(
        view=chosen, values=values + draw.laplace(0, 1 / epsilon, values.shape), scale=np.array([1 / epsilon])
    )


def published(model: Model) -> Published:
    """Every cell with what is expected in it."""
    trips = model.trips().ravel()
    return np.arange(len(trips), dtype=np.int64), trips


@dataclass(frozen=True, kw_only=True)
class Aim:
    """Adaptive rounds: measure what the model gets most wrong for its size, refit, and go on.

    Source: McKenna, Mullins, Sheldon & Miklau (2022), AIM, Algorithm 4, with
        per-round epsilons that add up, Laplace noise (expected error `scale`
        per cell) and a budget for 16 rounds to begin with where the paper has 16
        per column: half as many did about as well on New York's table and
        worse on Chicago's.
        One tenth of a round selects; the model may take `megabytes` in
        proportion to what has been spent; a round that changed its margin by
        less than its noise doubles the next rounds' budget.
    """

    rounds: int = 16
    selecting: float = 0.1
    megabytes: float = 80.0

    def __call__(self, table: Table, epsilon: Fraction, seed: int) -> Published:
        """The table, published."""
        draw, most = np.random.default_rng(seed), float(epsilon)
        pairs, periods = shape(table)
        truth = table.counts.dense().reshape(pairs, periods).astype(np.float64)
        views, one_way, _ = candidates(table)
        step, spent, noisy = most / self.rounds, 0.0, dict[int, Noisy]()
        for number in one_way:
            noisy[number] = laplace(draw, views[number], truth, (1 - self.selecting) * step)
            spent += (1 - self.selecting) * step
        model = _refit(noisy, Model.empty(pairs, periods), ITERATIONS)
        while spent < most * (1 - 1e-9):
            step = most - spent if most - spent < 2 * step else step
            trips, scale = model.trips(), 1 / ((1 - self.selecting) * step)
            allowed = self._small_enough(views, noisy, periods, (spent + step) / most)
            number = self._select(draw, table, allowed, truth - trips, step)
            chosen = laplace(draw, views[number], truth, (1 - self.selecting) * step)
            noisy[number] = _pooled(noisy.get(number), chosen)
            spent += step
            last = spent >= most * (1 - 1e-9)
            model = _refit(noisy, model, LAST_ITERATIONS if last else ITERATIONS)
            if _gain(views[number], model.trips() - trips, scale) <= 0:
                step *= 2
        return published(model)

    def _select(
        self, draw: np.random.Generator, table: Table, allowed: list[int], error: Floats, step: float
    ) -> int:
        """The candidate with the largest weighted error above its noise, privately."""
        views, _, weights = candidates(table)
        scale = 1 / ((1 - self.selecting) * step)
        scores = np.array([weights[number] * _gain(views[number], error, scale) for number in allowed])
        most = max(weights[number] for number in allowed)
        return allowed[choose(draw, scores, self.selecting * step, sensitivity=most)]

    def _small_enough(
        self, views: Sequence[View], noisy: dict[int, Noisy], periods: int, part: float
    ) -> list[int]:
        """The candidates with which the model would not be too large; those it has are never."""
        kind = _kinds([one.view for one in noisy.values()])
        known = int(kind.max()) + 1
        most = max(known, self.megabytes * part * 2**20 / 8 / periods)
        return [
            number
            for number, one in enumerate(views)
            if number in noisy or len(np.unique(kind * one.groups + one.group)) <= most
        ]


def _refit(noisy: dict[int, Noisy], before: Model, iterations: int) -> Model:
    """In the order of the candidates, so that mbi compiles the same set once."""
    return fit([noisy[number] for number in sorted(noisy)], before, iterations=iterations)


def _gain(one: View, error: Floats, scale: float) -> float:
    """By how much a margin of the errors exceeds the noise of measuring it."""
    return float(np.abs(one.of(error)).sum()) - scale * _cells(one, error.shape[1])


def _cells(one: View, periods: int) -> int:
    return one.groups * (periods if one.periods else 1)


def _pooled(old: Noisy | None, new: Noisy) -> Noisy:
    """Two measurements of one margin, averaged by their precision."""
    if old is None:
        return new
    weight = new.scale**2 / (old.scale**2 + new.scale**2)
    return replace(
        new,
        values=weight * old.values + (1 - weight) * new.values,
        scale=old.scale * new.scale / np.sqrt(old.scale**2 + new.scale**2),
    )


@dataclass(frozen=True, kw_only=True)
class Mst:
    """One-way margins, a tree of two-way margins chosen privately, and one estimate.

    Source: McKenna, Miklau & Sheldon (2021), Winning the NIST contest. A third
        each for one-way margins, for choosing and for the tree. As there,
        places whose count is less than three deviations of its noise are
        merged, here within their zone. Departures: an edge may join zones
        instead of places (where a place stands in a tree its zone comes free),
        and the noise an edge would take is held against it, as in AIM;
        without both, this method picked the largest table at every epsilon.
    """

    deviations: float = 3.0

    def __call__(self, table: Table, epsilon: Fraction, seed: int) -> Published:
        """The table, published."""
        draw, third = np.random.default_rng(seed), float(epsilon) / 3
        pairs, periods = shape(table)
        truth = table.counts.dense().reshape(pairs, periods).astype(np.float64)
        names = table.universe.names
        one_way = [
            laplace(draw, view(table, [each(table.universe, name)]), truth, third / len(names))
            for name in names
        ]
        merged = [self._merge(table, end, one_way[end]) for end in (0, 1)] + one_way[2:]
        columns = [[one.view] for one in merged]
        for end in (0, 1):
            columns[end].append(view(table, [grouping(table, end)]))
        edges = self._tree(draw, columns, merged, truth, third / (len(columns) - 1))
        noisy = [*merged, *[laplace(draw, edge, truth, third / len(edges)) for edge in edges]]
        return published(fit(noisy, Model.empty(pairs, periods), iterations=LAST_ITERATIONS))

    def _merge(self, table: Table, end: int, places: Noisy) -> Noisy:
        """Rare places of a zone together."""
        zone = grouping(table, end).table
        rare = places.values < self.deviations * 2**0.5 * places.scale
        own = np.where(rare, zone, zone.max() + 1 + np.arange(len(zone)))
        _, kind, size = np.unique(own, return_inverse=True, return_counts=True)
        merged = replace(places.view, group=kind[places.view.group], groups=len(size))
        return Noisy(view=merged, values=np.bincount(kind, places.values), scale=places.scale * np.sqrt(size))

    def _tree(
        self,
        draw: np.random.Generator,
        columns: Sequence[Sequence[View]],
        one_way: Sequence[Noisy],
        truth: Floats,
        epsilon: float,
    ) -> list[View]:
        """Edges that join all columns, one drawn after the other."""
        parts = [one.values.clip(0) / max(1.0, float(one.values.clip(0).sum())) for one in one_way]
        alone = _independent(one_way, parts, *truth.shape)
        joined, edges = [{number} for number in range(len(columns))], list[View]()
        while len(joined) > 1:
            open_ = [
                (a, b, one.times(other))
                for a, b in product(range(len(columns)), repeat=2)
                if a < b and not any({a, b} <= part for part in joined)
                for one, other in product(columns[a], columns[b])
            ]
            scores = [_gain(edge, truth - alone, 1 / epsilon) for _, _, edge in open_]
            a, b, edge = open_[choose(draw, np.array(scores), epsilon, sensitivity=1.0)]
            edges.append(edge)
            union = next(part for part in joined if a in part) | next(part for part in joined if b in part)
            joined = [union, *[part for part in joined if not part & union]]
        return edges


def _independent(one_way: Sequence[Noisy], parts: Sequence[Floats], pairs: int, periods: int) -> Floats:
    """What the one-way margins say if columns have nothing to do with each other."""
    trips = np.full((pairs, periods), max(1.0, float(np.mean([one.values.sum() for one in one_way]))))
    for one, part in zip(one_way, parts, strict=True):
        if one.view.periods:
            trips *= part
        else:
            trips *= (part / np.bincount(one.view.group))[one.view.group][:, None] * (pairs**0.5)
    return trips


PEERS: dict[str, Callable[[Table, Fraction, int], Published]] = {
    "mst": Mst(),
    "aim": Aim(),
}
