"""Every mechanism for paths that must keep the promise, one line each.

A mechanism joins all the contract tests of paths with its line in `PATH_CASES`.
The gates are those of all mechanisms: a table of counts stands for as many paths
as it counts, so neighbours, canaries, transcripts and exact ratios are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from quietway.budget import Cost
from quietway.counts import Counts, Paths
from quietway.mechanisms.od.kernels import GRID
from quietway.mechanisms.od.mechanism import NoisyPaths, PathMechanism
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest
from quietway.noise import NoiseSource
from quietway.universe import Frame, PathSpace, PrivacyUnit, Universe

PathBuild = Callable[[PathSpace, PrivacyUnit, Fraction], PathMechanism]


@dataclass(frozen=True, kw_only=True)
class OverPaths:
    """A mechanism for paths that takes counts: a cell of n is n paths."""

    honest: PathMechanism
    space: PathSpace

    @property
    def cost(self) -> Cost:
        """The same."""
        return self.honest.cost

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """The same."""
        return self.honest.parts

    def measure(self, counts: Counts, *, rng: NoiseSource) -> tuple[NoisyPaths, ...]:
        """What the mechanism makes of the paths."""
        return self.honest.measure(paths_of(self.space, counts), rng=rng)


@dataclass(frozen=True, kw_only=True)
class PathCase:
    """A mechanism: how it is built, and which method it is, if one.

    `exchangeable`: k times the paths at epsilon is the same as k times epsilon.
    `fixed`: scales follow from epsilon alone. `used`: how much of epsilon an
    outcome of three cells can cost at the least. `apart`: how far a path may
    move two scores of a choice apart; by 2 steps of 1/GRID up, and 2 down, if nothing else is said.
    """

    name: str
    build: PathBuild
    method: str | None = None
    exchangeable: bool = False
    fixed: bool = False
    used: float = 1.0
    apart: int = 4 * GRID

    def over(self, universe: Universe, unit: PrivacyUnit, epsilon: Fraction) -> OverPaths:
        """The mechanism on a space of the universe's shape."""
        space = space_of(universe.shape)
        return OverPaths(honest=self.build(space, unit, epsilon), space=space)


def space_of(shape: Sequence[int]) -> PathSpace:
    """Two axes a stop; where one is left over, the last stop is a row."""
    sides = [*shape[:-1], 1, shape[-1]] if len(shape) % 2 else list(shape)
    frames = tuple(Frame(rows=sides[i], columns=sides[i + 1]) for i in range(0, len(sides), 2))
    return PathSpace(stops=tuple("abcdefgh"[: len(frames)]), frames=frames)


def paths_of(space: PathSpace, counts: Counts) -> Paths:
    """As many paths in every cell as are counted."""
    cells = np.repeat(counts.keys, counts.values)
    points = np.column_stack(np.unravel_index(cells, space.shape)).astype(np.int32)
    return Paths(space, points, counts.unit)


def path_method(name: str, *, published: bool = False, **options: Any) -> PathBuild:
    """A method of the registry, some of its settings replaced."""

    def build(space: PathSpace, unit: PrivacyUnit, epsilon: Fraction) -> PathMechanism:
        mechanism = PATH_METHODS[name](
            PathRequest(space=space, unit=unit, epsilon=epsilon, published=published)
        )
        return replace(mechanism, **options) if options else mechanism  # type: ignore[type-var]

    return build


PATH_CASES = (
    PathCase(name="daf", build=path_method("daf"), method="daf"),
    PathCase(name="daf, impatient", build=path_method("daf", patience=0.2)),
    PathCase(name="daf, eight boxes at most", build=path_method("daf", patience=0.2, most_boxes=8)),
    PathCase(name="privtree", build=path_method("privtree"), method="privtree", used=0.6),
    PathCase(
        name="quadtree", build=path_method("quadtree"), method="quadtree", exchangeable=True, fixed=True
    ),
    PathCase(name="kdtree", build=path_method("kdtree", depth=3), method="kdtree", used=0.6, apart=2),
    PathCase(name="uniform", build=path_method("uniform"), method="uniform", exchangeable=True, fixed=True),
    PathCase(name="identity", build=path_method("identity"), method="identity", fixed=True),
    PathCase(name="identity, threshold 3", build=path_method("identity", threshold=3), fixed=True),
    PathCase(name="eug", build=path_method("eug"), method="eug", exchangeable=True, fixed=True),
    PathCase(name="eug, published", build=path_method("eug", published=True), exchangeable=True, fixed=True),
    PathCase(name="ebp", build=path_method("ebp"), method="ebp", exchangeable=True, fixed=True),
    PathCase(name="mkm", build=path_method("mkm"), method="mkm", fixed=True),
    PathCase(name="daf-entropy", build=path_method("daf-entropy"), method="daf-entropy", exchangeable=True),
    PathCase(
        name="daf-entropy, published", build=path_method("daf-entropy", published=True), exchangeable=True
    ),
    PathCase(name="daf-entropy, four boxes at most", build=path_method("daf-entropy", most_boxes=4)),
    PathCase(
        name="daf-homogeneity",
        build=path_method("daf-homogeneity", candidates=2),
        method="daf-homogeneity",
        used=0.7,
    ),
    PathCase(
        name="daf-homogeneity, exponential",
        build=path_method("daf-homogeneity", candidates=2, rule="exponential"),
        used=0.7,
    ),
    PathCase(
        name="daf-homogeneity, published",
        build=path_method("daf-homogeneity", published=True, candidates=2),
        used=0.7,
    ),
)

PATH_HONEST = {case.name: case for case in PATH_CASES}


def over_paths(cases: Sequence[PathCase]) -> pytest.MarkDecorator:
    """Run a test once for each case."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


every_path_case = over_paths(PATH_CASES)
every_exchangeable_case = over_paths([case for case in PATH_CASES if case.exchangeable])
every_fixed_case = over_paths([case for case in PATH_CASES if case.fixed])
