"""Published paths that answer questions about their stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from quietway.errors import UniverseError
from quietway.estimate.boxes import BoxSolution, BoxTable, fit_paths
from quietway.estimate.solution import Estimates
from quietway.measurement import NoisyPaths
from quietway.publish.confidence import require_confidence
from quietway.publish.manifest import Manifest
from quietway.publish.paths.where import Where, region
from quietway.universe.paths import PathSpace
from quietway.universe.region import Region

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class PathAnswer:
    """How many paths have their stops where they were asked for.

    Of the paths that were kept, at most `max_trips` of each contributor. The
    interval from `low` to `high` is made to hold the truth with the confidence
    asked for: it covers the noise, and how unevenly paths may lie in boxes that
    the question cuts.
    """

    estimate: float
    low: float
    high: float
    confidence: float

    def __str__(self) -> str:
        return f"{max(0.0, self.estimate):,.0f} paths ({100 * self.confidence:.10g}%: {self.low:,.0f} to {self.high:,.0f})"


@dataclass(frozen=True, kw_only=True, eq=False)
class PathRelease:
    """Published paths: boxes over all stops with whole counts, and the measurements behind them.

    Everything here is made of noise already paid for, so it may be shown,
    queried and shared without limit.
    """

    space: PathSpace
    measurements: tuple[NoisyPaths, ...]
    manifest: Manifest

    @cached_property
    def solution(self) -> BoxSolution:
        """The fit: a function of the measurements, so it is found on first use."""
        return fit_paths(self.measurements, self.manifest.settings["fit"])

    @property
    def boxes(self) -> BoxTable:
        """The published boxes, which share out all that the stops can be."""
        return self.solution.boxes

    @property
    def name(self) -> str:
        """What the steward called it."""
        return self.manifest.name

    @property
    def total(self) -> int:
        """All published paths."""
        return int(self.boxes.count.sum())

    def query(
        self, where: Mapping[str, Where] | None = None, *, confidence: float = CONFIDENCE
    ) -> PathAnswer:
        """Paths by where their stops are: `query({"start": ["A", "B"], "noon": "circle:2.35,48.86,500m"})`.

        A stop takes a list of zones, or text as `quietway query` does; stops left out may be anywhere.
        """
        return self.answer(region(self.space, where or {}), confidence)

    def answer(self, asked: Region, confidence: float = CONFIDENCE) -> PathAnswer:
        """Paths in a region of this release's space."""
        require_confidence(confidence)
        if asked.space != self.space:
            raise UniverseError(
                f"the question is about stops {', '.join(asked.space.stops)} of another space; this release has "
                f"{', '.join(self.space.stops)}: ask with release.space"
            )
        found = self.solution.ask(asked, confidence)
        return PathAnswer(
            estimate=float(found.estimate[0]),
            low=float(found.low[0]),
            high=float(found.high[0]),
            confidence=confidence,
        )

    def answers(self, low: ArrayLike, high: ArrayLike, confidence: float = CONFIDENCE) -> Estimates:
        """Paths in many boxes at once: low <= index < high on every axis, a row per question."""
        require_confidence(confidence)
        return self.solution.answer(np.asarray(low), np.asarray(high), confidence)

    @cached_property
    def box_estimates(self) -> Estimates:
        """An estimate and its 95 % interval for each published box."""
        return self.answers(self.boxes.low, self.boxes.high)

    def _repr_html_(self) -> str:
        from quietway.publish.paths.notebook import release_html

        return release_html(self)

    def __repr__(self) -> str:
        stops = ", ".join(self.space.stops)
        return f"PathRelease({self.name!r}, {self.total:,} paths through {stops} in {len(self.boxes.count):,} boxes)"
