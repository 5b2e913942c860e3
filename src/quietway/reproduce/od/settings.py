"""How much of the experiments to run."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from quietway.errors import ConfigError
from quietway.reproduce.od.generators import POINTS

EPSILONS = tuple(map(Fraction, ("0.1", "0.3", "0.5")))
QUERIES = 1_000
RUNS = 3
SHARES = (0.02, 0.1, 0.3, 1.0)
"""Standard deviations of the Gaussian cloud, as shares of the width."""
EXPONENTS = (1.1, 1.5, 2.0, 2.5)
COVERAGES = (0.01, 0.05, 0.1)
CITIES = ("gowalla-2d", "beijing-starts", "beijing-ends", "sf-starts", "sf-ends", "tours-2d")
STOPS = (
    "gowalla-4d",
    "taxis-4d",
    "melbourne-4d",
    "toronto-4d",
    "tours-3d",
    "gowalla-6d",
    "melbourne-6d",
    "toronto-6d",
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The paper's, but for what it does not print: variances, exponents, the number of runs."""

    runs: int = RUNS
    seed: int = 0
    epsilons: tuple[Fraction, ...] = EPSILONS
    points: int = POINTS
    queries: int = QUERIES
    dimensions: tuple[int, ...] = (2, 4, 6)
    shares: tuple[float, ...] = SHARES
    exponents: tuple[float, ...] = EXPONENTS
    coverages: tuple[float, ...] = COVERAGES
    cities: tuple[str, ...] = CITIES
    stops: tuple[str, ...] = STOPS
    data: Path | None = None

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise ConfigError(f"{self.runs} runs would show nothing; give 1 or more")
        if not self.epsilons:
            raise ConfigError("no epsilon is named; name one or more, for instance 0.1")
        if self.data is not None and not self.data.is_dir():
            raise ConfigError(f"there is no folder '{self.data}' of real data; name one that is there")
        object.__setattr__(self, "epsilons", tuple(sorted(set(self.epsilons))))

    @classmethod
    def quick(
        cls, *, seed: int = 0, epsilons: tuple[Fraction, ...] = EPSILONS[:1], data: Path | None = None
    ) -> Settings:
        """One run of fewer cases, on a tenth of the points."""
        return cls(
            runs=1,
            seed=seed,
            epsilons=epsilons,
            points=POINTS // 10,
            shares=(0.02, 0.3),
            exponents=(1.5, 2.0),
            coverages=(0.01, 0.1),
            cities=("gowalla-2d", "sf-starts", "tours-2d"),
            stops=("gowalla-4d", "taxis-4d", "melbourne-4d", "tours-3d", "gowalla-6d"),
            data=data,
        )
