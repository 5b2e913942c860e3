"""The methods for paths that a release file may name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from quietway.mechanisms.od.adaptive import AdaptiveTrees
from quietway.mechanisms.od.daf_entropy import DafEntropy
from quietway.mechanisms.od.daf_homogeneity import DafHomogeneity
from quietway.mechanisms.od.density import DensityAware, split_axes
from quietway.mechanisms.od.ebp import EntropyBasedGrid
from quietway.mechanisms.od.eug import ExtendedUniformGrid
from quietway.mechanisms.od.grid import RuledGrid
from quietway.mechanisms.od.identity import IdentityPaths
from quietway.mechanisms.od.kdtree import KdTree
from quietway.mechanisms.od.mechanism import PathMechanism
from quietway.mechanisms.od.mkm import MEstimatorGrid
from quietway.mechanisms.od.privtree import PrivTree
from quietway.mechanisms.od.quadtree import Quadtree
from quietway.mechanisms.od.uniform import UniformPaths
from quietway.universe import PathSpace, PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class PathRequest:
    """What a mechanism for paths is built from.

    `published` asks for the paper's own choices where they are as private as
    the defaults; methods that have none of their own ignore it.
    """

    space: PathSpace
    unit: PrivacyUnit
    epsilon: Fraction
    published: bool = False

    @property
    def rough(self) -> Fraction:
        """For a first count that decides on the rest: a hundredth, equation (33) of Shaham, Ghinita and Shahabi (2022)."""
        return self.epsilon / 100

    @property
    def rest(self) -> Fraction:
        """What a first count leaves."""
        return self.epsilon - self.rough


PathBuild = Callable[[PathRequest], PathMechanism]


def _uniform(request: PathRequest) -> PathMechanism:
    return UniformPaths(epsilon=request.epsilon, unit=request.unit)


def _identity(request: PathRequest) -> PathMechanism:
    """The total tells of all that is not listed, so it takes a tenth."""
    total = request.epsilon / 10
    return IdentityPaths(epsilon_total=total, epsilon_cells=request.epsilon - total, unit=request.unit)


def _eug(request: PathRequest) -> PathMechanism:
    return ExtendedUniformGrid(
        epsilon_total=request.rough,
        epsilon_blocks=request.rest,
        unit=request.unit,
        published=request.published,
    )


def _grid(rule: type[RuledGrid]) -> PathBuild:
    return lambda request: rule(epsilon_total=request.rough, epsilon_blocks=request.rest, unit=request.unit)


def _density_aware(tree: type[DensityAware]) -> PathBuild:
    def build(request: PathRequest) -> PathMechanism:
        split_axes(request.space)
        return tree(
            epsilon_root=request.rough,
            epsilon_levels=request.rest,
            unit=request.unit,
            published=request.published,
        )

    return build


def _adaptive(request: PathRequest) -> PathMechanism:
    """Stops take a quarter where there are several; a single one is a path."""
    stops = request.epsilon / 4 if len(request.space.stops) > 1 else Fraction(0)
    return AdaptiveTrees(
        epsilon_stops=stops,
        epsilon_paths=request.epsilon - stops,
        stops=len(request.space.stops),
        unit=request.unit,
    )


def _privtree(request: PathRequest) -> PathMechanism:
    """Half for the decisions, as its authors have it."""
    half = request.epsilon / 2
    return PrivTree(
        epsilon_splits=half, epsilon_leaves=half, dimensions=request.space.dimensions, unit=request.unit
    )


def _quadtree(request: PathRequest) -> PathMechanism:
    return Quadtree.of(request.space, request.epsilon, request.unit)


def _kdtree(request: PathRequest) -> PathMechanism:
    """Three tenths for the cuts, as its authors have it."""
    cuts = request.epsilon * 3 / 10
    return KdTree(epsilon_cuts=cuts, epsilon_counts=request.epsilon - cuts, unit=request.unit)


PATH_METHODS: dict[str, PathBuild] = {
    "daf": _adaptive,
    "uniform": _uniform,
    "identity": _identity,
    "eug": _eug,
    "ebp": _grid(EntropyBasedGrid),
    "mkm": _grid(MEstimatorGrid),
    "daf-entropy": _density_aware(DafEntropy),
    "daf-homogeneity": _density_aware(DafHomogeneity),
    "privtree": _privtree,
    "quadtree": _quadtree,
    "kdtree": _kdtree,
}


def fits_of(method: str) -> tuple[str, ...]:
    """The fits that suit what a method measures; the first is the default."""
    return ("leaning", "even") if method == "daf" else ("even",)
