"""A published table that answers range queries with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, UniverseError
from quietway.estimate import Solution
from quietway.estimate.prior import Background, PublicTable
from quietway.estimate.registry import FITS
from quietway.estimate.settings import FitSettings
from quietway.measurement import Measurement
from quietway.publish.confidence import require_confidence
from quietway.publish.manifest import Manifest
from quietway.universe import Partition, Range, Universe
from quietway.universe.range import Selection


@dataclass(frozen=True, kw_only=True)
class Answer:
    """How many trips lie in a range.

    Of the trips that were kept, at most `max_trips` of each contributor.
    `estimate` is unbiased, so it may be below zero, where the release says so;
    of a fit with a prior it is the mean of what may be believed. The interval
    from `low` to `high` holds the truth with the confidence asked for: by the
    noise's law if the estimate is unbiased, else as far as the model goes.
    `table` is what the published cells add up to.
    """

    estimate: float
    low: float
    high: float
    table: int
    confidence: float

    def __str__(self) -> str:
        return f"{max(0.0, self.estimate):,.0f} trips ({100 * self.confidence:.10g}%: {self.low:,.0f} to {self.high:,.0f})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Margin:
    """Trips in every block of a partition, as in `Answer`; `deviation` is the estimate's standard deviation.

    `unbiased` says whether estimates are right on average, or lean on a prior.
    """

    partition: Partition
    estimate: NDArray[np.float64]
    deviation: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    table: NDArray[np.int64]
    unbiased: bool = True

    def __repr__(self) -> str:
        by = ", ".join(self.partition.columns) or "nothing"
        return f"Margin({self.partition.blocks:,} blocks by {by}; estimates add up to {self.estimate.sum():,.0f})"


@dataclass(frozen=True, kw_only=True, eq=False)
class Release:
    """Published trips: integer counts of the non-empty cells, and the measurements behind them.

    Everything here is made of noise already paid for, so it may be shown,
    queried and shared without limit.
    """

    universe: Universe
    features: tuple[tuple[str, Partition], ...]
    places: dict[str, NDArray[np.float64]]
    measurements: tuple[Measurement, ...]
    manifest: Manifest
    prior: PublicTable | None = None

    @cached_property
    def solution(self) -> Solution:
        """The fit that the manifest names: a function of the measurements, so it is found on first use."""
        name = self.manifest.settings["fit"]
        if name not in FITS:
            raise ConfigError(f"this version knows no fit '{name}'; it knows {', '.join(FITS)}")
        return FITS[name](self.measurements, FitSettings.of(self.manifest.settings, self._background))

    @property
    def _background(self) -> Background:
        kind = self.manifest.settings.get("prior", "none")
        return Background(universe=self.universe, kind=kind, places=self.places, table=self.prior)

    @property
    def keys(self) -> NDArray[np.int64]:
        """The published cells that hold trips, as sorted keys."""
        return self.solution.keys

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many trips each of these cells holds."""
        return self.solution.counts

    @property
    def unbiased(self) -> bool:
        """Whether estimates are right on average, whatever was held beforehand."""
        return self.solution.errors.unbiased

    @property
    def name(self) -> str:
        """What the steward called it."""
        return self.manifest.name

    @property
    def total(self) -> int:
        """All published trips."""
        return int(self.counts.sum())

    def query(self, selections: Mapping[str, Selection] | None = None, *, confidence: float = 0.95) -> Answer:
        """Trips in a range given by labels: `query({"origin": ["A", "B"], "period": slice("08:00", "10:00")})`."""
        return self.answer(Range.of(self.universe, selections), confidence)

    def answer(self, range_: Range, confidence: float = 0.95) -> Answer:
        """Trips in a range."""
        require_confidence(confidence)
        self._require_universe(range_.universe)
        found = self.solution.errors.range(range_, confidence)
        return Answer(
            estimate=float(found.estimate[0]),
            low=float(found.low[0]),
            high=float(found.high[0]),
            table=int(self.counts[range_.contains(self.keys)].sum()),
            confidence=confidence,
        )

    def margin(self, partition: Partition, confidence: float = 0.95) -> Margin:
        """Trips in every block of a partition."""
        key = partition, confidence
        if key not in self._margins:
            self._margins[key] = self._margin(partition, confidence)
        return self._margins[key]

    def _margin(self, partition: Partition, confidence: float) -> Margin:
        require_confidence(confidence)
        self._require_universe(partition.universe)
        partition.require_list()
        found = self.solution.errors.margin(partition, confidence)
        return Margin(
            partition=partition,
            estimate=found.estimate,
            deviation=found.deviation,
            low=found.low,
            high=found.high,
            table=partition.totals(self.keys, self.counts),
            unbiased=self.unbiased,
        )

    def feature(self, name: str) -> Partition:
        """A published margin's partition by name."""
        known = dict(self.features)
        if name not in known:
            raise UniverseError(f"there is no margin '{name}'; the margins are {', '.join(known)}")
        return known[name]

    def _require_universe(self, asked: Universe) -> None:
        if asked != self.universe:
            raise UniverseError(
                f"the question is about the axes {', '.join(asked.names)} of another universe; this release has "
                f"{', '.join(self.universe.names)}: ask with release.universe"
            )

    @cached_property
    def _margins(self) -> dict[tuple[Partition, float], Margin]:
        """What was asked before: every face of a release shows the same margins."""
        return {}

    def _repr_html_(self) -> str:
        from quietway.publish.notebook import release_html

        return release_html(self)

    def __repr__(self) -> str:
        return f"Release({self.name!r}, {self.total:,} trips in {len(self.keys):,} of {self.universe.size:,} cells)"
