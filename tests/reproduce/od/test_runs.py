"""The experiments, run small."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from quietway.errors import ConfigError
from quietway.reproduce.od.case import RANDOM, Case, Figure, Results
from quietway.reproduce.od.experiments import invented, real
from quietway.reproduce.od.generators import gaussian
from quietway.reproduce.od.methods import METHODS, sources
from quietway.reproduce.od.queries import around_paths, asked_of
from quietway.reproduce.od.runs import errors, every_error
from quietway.reproduce.od.settings import Settings


def test_every_figure_is_run_at_every_epsilon(results: Results) -> None:
    """Four data sets of invented points at two skews, one of places and two of paths at three kinds of queries."""
    per_figure = {figure: len(results.cases(lambda case, f=figure: case.figure == f)) for figure in Figure}
    assert per_figure == {Figure.GAUSSIAN: 8, Figure.ZIPF: 8, Figure.CITIES: 6, Figure.STOPS: 12}
    for every in results.found.values():
        assert all(
            runs.shape == (2,) and np.isfinite(runs).all() and (runs >= 0).all() for runs in every.values()
        )


def test_every_method_is_run_on_every_case(results: Results) -> None:
    """Of the paper's six methods none is missing, wherever its cells can be written down."""
    paper = {"IDENTITY", "EUG", "EBP", "MKM", "DAF-Entropy", "DAF-Homogeneity", "uniform", "daf-entropy"}
    assert all(paper <= set(every) <= set(METHODS) for every in results.found.values())


def test_what_is_missing_is_told_and_the_rest_is_run(results: Results) -> None:
    """Neither check-ins nor taxis are in the folder."""
    assert len(results.missing) == 2 and {about.name for about in results.about} == {
        "San Francisco cabs, starts",
        "Flickr Melbourne",
    }


def test_more_budget_and_more_data_err_less(results: Results) -> None:
    """IDENTITY has ten times less noise at ten times the budget, so about a tenth of the error."""
    for low, high in results.steps("epsilon", lambda case: case.figure == Figure.GAUSSIAN):
        assert results.mean(low, "IDENTITY") / results.mean(high, "IDENTITY") == pytest.approx(10, rel=0.5)


def test_the_seed_decides_the_errors(settings: Settings) -> None:
    """Of every method; another seed gives other ones."""
    small = replace(settings, runs=1, epsilons=(Fraction(1),))
    experiment = next(iter(invented(small)))
    first, again = (errors(experiment, small) for _ in range(2))
    assert all(np.array_equal(first[case][m], again[case][m]) for case in first for m in first[case])
    other = replace(small, seed=1)
    (moved,) = errors(next(iter(invented(other))), other).values()
    (stayed,) = first.values()
    assert all(moved[method][0] != stayed[method][0] for method in stayed)


def test_workers_find_the_same_errors(settings: Settings) -> None:
    """Two at a time or one, an experiment has its own noise."""
    small = replace(settings, runs=1, epsilons=(Fraction(1),), dimensions=(2,), exponents=(2.0,))
    experiments = [*invented(small), real(small, "sf-starts")[0]]
    one, two = (every_error(experiments, small, workers=workers) for workers in (1, 2))
    assert list(one) == list(two)
    assert all(np.array_equal(one[case][m], two[case][m]) for case in one for m in one[case])


def test_methods_that_read_one_noise_are_measured_once() -> None:
    """Four methods of the paper and Quietway's are grids alike; IDENTITY is dense while its cells can be written down."""
    read = sources(gaussian(2, 4.0, seed=0, points=100).space)
    assert sum(map(len, read.values())) > len(read) - 1
    assert [method.name for method in read[METHODS["IDENTITY"].source]] == ["IDENTITY"]
    wide = sources(gaussian(4, 4.0, seed=0, points=100, side=1_000).space)
    assert {method.name for method in wide[METHODS["identity"].source]} == {"IDENTITY", "identity"}


def test_queries_of_a_fixed_side_lie_around_paths_in_more_than_two_dimensions() -> None:
    """None of them is empty; in two dimensions they lie anywhere."""
    paths = gaussian(4, 1.0, seed=0, points=500, side=200)
    asked = asked_of(paths, (RANDOM, 0.05), 60, seed=1)
    assert (asked[0.05].true > 0).all() and (asked[0.05].high - asked[0.05].low == 10).all()
    plane = asked_of(gaussian(2, 1.0, seed=0, points=500, side=200), (0.05,), 60, seed=1)
    assert (plane[0.05].true == 0).any()
    for one in (*asked.values(), *plane.values()):
        assert one.true.shape == (60,)


def test_boxes_around_paths_stay_inside() -> None:
    """And hold the path they were made for, even at the border."""
    paths = gaussian(3, 1e6, seed=0, points=300, side=9)
    side = np.tile(np.minimum(5, np.array(paths.space.shape)), (200, 1))
    low, high = around_paths(paths.space, paths.points, side, seed=3)
    assert (low >= 0).all() and (high <= paths.space.shape).all() and (high - low == side).all()
    held = [
        np.any(np.all((paths.points >= a) & (paths.points < b), axis=1))
        for a, b in zip(low, high, strict=True)
    ]
    assert all(held)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"runs": 0}, "0 runs"),
        ({"epsilons": ()}, "no epsilon"),
        ({"data": Path("/nowhere/at/all")}, "no folder"),
    ],
)
def test_settings_that_show_nothing_are_refused(wrong: dict[str, object], says: str) -> None:
    """Before anything is run."""
    with pytest.raises(ConfigError, match=says):
        Settings(**wrong)  # type: ignore[arg-type]


def test_steps_are_between_neighbours_that_differ_in_one_thing() -> None:
    """Sorted by it, each group on its own."""
    cases = [
        Case(figure=Figure.ZIPF, data="Zipf", dimensions=2, epsilon=e, skew=a)
        for a in (2.0, 1.0, 3.0)
        for e in (Fraction(1, 2), Fraction(1, 10))
    ]
    results = Results(settings=Settings(), found={case: {} for case in cases})
    found = list(results.steps("skew", lambda case: case.epsilon < Fraction(1, 5)))
    assert [(low.skew, high.skew) for low, high in found] == [(1.0, 2.0), (2.0, 3.0)]
    assert len(list(results.steps("epsilon", lambda _: True))) == 3
