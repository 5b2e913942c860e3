"""The methods a release file may name: how each is built, and which fits suit it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quietway.budget import geometric, uniform
from quietway.errors import ConfigError
from quietway.estimate.weights import PUBLISHED, Weights
from quietway.mechanisms.constraint import ConstraintBased
from quietway.mechanisms.hierarchy import Hierarchical
from quietway.mechanisms.laplace import FeatureLaplace
from quietway.mechanisms.mechanism import Mechanism, Named
from quietway.mechanisms.plan import candidates, with_coarser
from quietway.mechanisms.planned import PlannedMargins
from quietway.mechanisms.threshold import ThresholdCells
from quietway.nearest import nearest
from quietway.universe import Partition, PrivacyUnit, Universe

Split = Callable[[Sequence[int]], tuple[Fraction, ...]]
Usual = Callable[[Fraction, int], tuple[Fraction, ...]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Request:
    """What a mechanism is built from.

    `split` divides epsilon among partitions of given sizes; None leaves it to the method.
    """

    universe: Universe
    features: Named
    unit: PrivacyUnit
    epsilon: Fraction
    split: Split | None
    levels: tuple[str, ...] | None = None
    threshold: int | None = None
    measured: tuple[str, ...] | None = None
    weights: Weights = PUBLISHED
    prior: str = "none"
    fit: str | None = None

    @property
    def total(self) -> tuple[str, Partition]:
        """Everything in one block."""
        return "total", Partition.total(self.universe)

    @property
    def cells(self) -> tuple[str, Partition]:
        """Every cell a block."""
        return "cells", Partition.identity(self.universe)

    def divided(self, parts: Named, usual: Usual) -> tuple[Fraction, ...]:
        """An epsilon for each part: as asked for, or as this method usually does."""
        if self.split is None:
            return usual(self.epsilon, len(parts))
        return self.split([partition.blocks for _, partition in parts])


@dataclass(frozen=True, kw_only=True)
class Method:
    """A mechanism by name, and the fits that suit what it measures."""

    build: Callable[[Request], Mechanism]
    fits: tuple[str, ...]
    fitting: Callable[[Request], tuple[str, ...]] | None = None

    def suiting(self, request: Request) -> tuple[str, ...]:
        """The fits that suit this request; the first is the default."""
        return self.fits if self.fitting is None else self.fitting(request)


def _hierarchy(request: Request) -> Mechanism:
    levels = (request.total, *_chain(request), request.cells)
    return Hierarchical(levels=levels, epsilons=request.divided(levels, geometric), unit=request.unit)


def _laplace(request: Request) -> Mechanism:
    features = (request.total, *request.features, request.cells)
    return FeatureLaplace(features=features, epsilons=request.divided(features, uniform), unit=request.unit)


def _identity(request: Request) -> Mechanism:
    return FeatureLaplace(features=(request.cells,), epsilons=(request.epsilon,), unit=request.unit)


def _uniform(request: Request) -> Mechanism:
    return FeatureLaplace(features=(request.total,), epsilons=(request.epsilon,), unit=request.unit)


def _threshold(request: Request) -> Mechanism:
    parts = (request.total, request.cells)
    total, cells = request.divided(parts, lambda epsilon, _: (epsilon / 10, epsilon * 9 / 10))
    return ThresholdCells(
        universe=request.universe,
        epsilon_total=total,
        epsilon_cells=cells,
        unit=request.unit,
        threshold=request.threshold,
    )


def _constraint(request: Request) -> Mechanism:
    """With a prior what to measure is planned, and the cells are whatever it makes of that; without, the paper's way."""
    return _paper(request) if request.prior == "none" else _planned(request)


def _constraint_fits(request: Request) -> tuple[str, ...]:
    return ("cbdp", "free") if request.prior == "none" else ("tempered",)


def _planned(request: Request) -> Mechanism:
    found = candidates(request.universe, request.features)
    if request.measured is not None:
        known = dict((request.total, *((margin.name, margin.partition) for margin in with_coarser(found))))
        margins = _named(request.measured, known)
        margins = (request.total, *((name, part) for name, part in margins if name != "total"))
        return FeatureLaplace(features=margins, epsilons=request.divided(margins, uniform), unit=request.unit)
    if request.split is not None:
        raise ConfigError(
            "privacy.budget divides epsilon among margins that are named, and with a prior they are chosen later; "
            "leave it out, name them in method.margins, or use prior = 'none'"
        )
    return PlannedMargins(
        universe=request.universe,
        candidates=found,
        epsilon_plan=request.epsilon / 20,
        epsilon_margins=request.epsilon * 19 / 20,
        unit=request.unit,
    )


def _named(names: Sequence[str], known: dict[str, Partition]) -> Named:
    for name in names:
        if name not in known:
            raise ConfigError(f"method.margins: there is no margin '{name}'{nearest(name, known)}")
    return tuple((name, known[name]) for name in dict.fromkeys(names))


def _paper(request: Request) -> Mechanism:
    features = _measured(request)
    mechanism = ConstraintBased(
        features=features,
        epsilons=request.divided((*features, request.cells), uniform),
        unit=request.unit,
        weights=request.weights,
    )
    if request.fit == "free" and mechanism.is_hidden:
        raise ConfigError(
            f"method.fit: 'free' needs the noise of every cell, and {request.universe.size:,} cells are too many to list "
            f"(at most {mechanism.most_dense:,}); use fit = 'cbdp', or coarser axes"
        )
    return mechanism


def _measured(request: Request) -> Named:
    """The features asked for by name, or the total and all features; the cells themselves are measured anyway."""
    known = dict((request.total, *request.features))
    if request.measured is None:
        return tuple((name, partition) for name, partition in known.items() if not _is_cells(partition))
    asked = _named(request.measured, known)
    for name, partition in asked:
        if _is_cells(partition):
            raise ConfigError(
                f"method.margins: '{name}' is every cell on its own, which is measured anyway; leave it out"
            )
    return asked


def _is_cells(partition: Partition) -> bool:
    return partition.refines(Partition.identity(partition.universe))


def _chain(request: Request) -> Named:
    """The levels asked for by name, or else, in their order, the features that refine the one before.

    A feature that is the cells themselves is measured by the last level.
    """
    known = dict(request.features)
    if request.levels is not None:
        for name in request.levels:
            if name not in known:
                raise ConfigError(f"method.levels: there is no feature '{name}'{nearest(name, known)}")
        return tuple((name, known[name]) for name in request.levels)
    _, cells = request.cells
    chain = list[tuple[str, Partition]]()
    for name, partition in request.features:
        above = chain[-1][1] if chain else Partition.total(request.universe)
        if partition.refines(above) and not above.refines(partition) and not partition.refines(cells):
            chain.append((name, partition))
    return tuple(chain)


METHODS: dict[str, Method] = {
    "cbdp": Method(build=_constraint, fits=("cbdp", "free", "tempered"), fitting=_constraint_fits),
    "hierarchy": Method(build=_hierarchy, fits=("project", "prune")),
    "laplace": Method(build=_laplace, fits=("clip",)),
    "identity": Method(build=_identity, fits=("clip",)),
    "uniform": Method(build=_uniform, fits=("spread",)),
    "threshold": Method(build=_threshold, fits=("keep",)),
}
