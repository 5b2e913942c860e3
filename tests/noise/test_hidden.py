"""Hidden noise has the joint law of noising every cell first, however it is asked for."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.errors import PrivacyError, UniverseError
from quietway.noise import HiddenCells, Revealed, seeded
from quietway.noise.hidden import ladder
from quietway.noise.testing import ConstantNoise, FlippedNoise, ListedCells, ZeroNoise

from .samples import IMPOSSIBLE, WRONG, fits_laplace, p_value

Ints = NDArray[np.int64]
NONE = np.empty(0, dtype=np.int64)
WORLDS, CELLS, SPAN = 60_000, 3, 9
SCALE = Fraction(3, 2)


def fixed(*levels: int) -> Callable[[Ints, Ints, int], Ints]:
    """The same levels in every world."""
    return lambda before, shown, turn: np.full_like(before, levels[turn])


def adaptive(before: Ints, shown: Ints, turn: int) -> Ints:
    """Deeper, in each world by how many cells are shown and by their values: across zero, to it, or not at all."""
    fall = np.array([4, 1, 2, 0])[(shown.sum(axis=1) + (shown > 2).sum(axis=1)) % 4]
    return np.where(turn == 0, 2, before - fall)


STRATEGIES = {
    "slice by slice": fixed(3, 1, 0, -1, -3),
    "past zero at once": fixed(2, -2),
    "to zero exactly": fixed(0, -1),
    "up and down": fixed(1, 4, -1, 2),
    "adaptive": adaptive,
}


def outcomes(
    cells: HiddenCells, worlds: int, strategy: Callable[[Ints, Ints, int], Ints], turns: int
) -> Ints:
    """What each world shows in the end, as a number: worlds are groups of cells."""
    levels, shown = np.zeros(worlds, dtype=np.int64), np.zeros((worlds, CELLS), dtype=np.int64)
    code = np.zeros(worlds, dtype=np.int64)
    for turn in range(turns):
        levels = strategy(levels, shown, turn)
        found = cells.reveal(levels)
        shown = np.zeros((worlds, CELLS), dtype=np.int64)
        shown[np.divmod(found.positions, CELLS)] = np.clip(found.noisy, -SPAN, 4) + SPAN + 1
        code = code * 7 + shown @ (14**2, 14, 1)
    return code * 7 + levels % 7


def chances(scale: Fraction, true: Ints) -> tuple[Ints, NDArray[np.float64]]:
    """Every table of noisy values that is not very unlikely, and its exact probability."""
    ratio, noise = np.exp(-1 / float(scale)), np.arange(-25, 26)
    single = (1 - ratio) / (1 + ratio) * ratio ** np.abs(noise)
    axes = np.meshgrid(*(noise + value for value in true), indexing="ij")
    weight = single[:, None, None] * single[None, :, None] * single[None, None, :]
    return np.stack([axis.ravel() for axis in axes], axis=1).astype(np.int64), weight.ravel()


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_joint_law_is_that_of_noising_every_cell(name: str) -> None:
    """One occupied and two empty cells, asked in turns: the whole story has its exact probability."""
    strategy, turns = STRATEGIES[name], {"slice by slice": 5, "up and down": 4, "adaptive": 4}.get(name, 2)
    where, sizes = np.arange(WORLDS) * CELLS + 1, np.full(WORLDS, CELLS)
    hidden = seeded(11).hide(np.ones(WORLDS, dtype=np.int64), where, sizes, SCALE)
    seen = outcomes(hidden, WORLDS, strategy, turns)
    for scale, right in ((SCALE, True), (SCALE * WRONG, False)):
        tables, weight = chances(scale, np.array([0, 1, 0]))
        every = ListedCells(tables.ravel(), np.full(len(tables), CELLS))
        code = outcomes(every, len(tables), strategy, turns)
        known, number = np.unique(code, return_inverse=True)
        expected = np.bincount(number, weight)
        assert expected.sum() == pytest.approx(1, abs=1e-5)
        at = np.searchsorted(known, seen).clip(max=known.size - 1)
        assert (known[at] == seen).all(), "an outcome that cannot be"
        assert (p_value(np.bincount(at, minlength=known.size), expected) > IMPOSSIBLE) == right


def test_what_was_shown_stays_as_it_was() -> None:
    """Cells keep their values while others appear, and show exactly from their level on."""
    sizes, random = np.array([400, 0, 90, 1, 700]), np.random.default_rng(2)
    where = np.sort(random.choice(sizes.sum(), 60, replace=False))
    hidden = seeded(5).hide(random.integers(1, 9, 60), where, sizes, Fraction(4))
    known: dict[int, int] = {}
    lowest = np.full(5, 2**40)
    for _ in range(30):
        levels = random.integers(-6, 12, 5)
        shown = hidden.reveal(levels)
        values = dict(zip(shown.positions.tolist(), shown.noisy.tolist(), strict=True))
        group = np.searchsorted(np.cumsum(sizes), shown.positions, side="right")
        assert (np.diff(shown.positions) > 0).all() and (shown.noisy >= levels[group]).all()
        old = {cell: value for cell, value in known.items() if value >= levels[_group(sizes, cell)]}
        assert old.items() <= values.items()
        fresh = values.keys() - known.keys() - set(where.tolist())
        assert all(values[cell] < lowest[_group(sizes, cell)] for cell in fresh)
        known |= values
        lowest = np.minimum(lowest, levels)


def _group(sizes: Ints, cell: int) -> int:
    return int(np.searchsorted(np.cumsum(sizes), cell, side="right"))


def test_huge_groups_cost_what_they_show() -> None:
    """Of 3 * 10^18 cells, as many appear as expected, at uniform places, in a first and in a second slice."""
    sizes, scale = np.array([10**18, 2 * 10**18]), Fraction(5)
    ratio = np.exp(-1 / 5)
    high, low = 170, 168
    tail = ratio ** np.array([high, low]) / (1 + ratio) * 3e18
    runs = [seeded(seed).hide(NONE, NONE, sizes, scale) for seed in range(4)]
    first = [run.reveal(np.array([high, high])) for run in runs]
    both = [run.reveal(np.array([low, low])) for run in runs]
    for shown, expected in ((first, tail[0]), (both, tail[1])):
        count = sum(one.noisy.size for one in shown)
        assert abs(count - 4 * expected) < 5 * (4 * expected) ** 0.5
        places = np.concatenate([one.positions for one in shown]) * (12 / 3e18)
        assert p_value(np.bincount(places.astype(np.int64), minlength=12), np.full(12, 1 / 12)) > IMPOSSIBLE


def test_groups_fall_on_their_own() -> None:
    """A group that is not asked for stays hidden, however many cells it has, and does not delay the others."""
    beside = seeded(8).hide(NONE, NONE, np.array([10**17, 5000]), Fraction(3))
    shown = beside.reveal(np.array([2**40, -(2**62)]))
    assert np.array_equal(shown.positions - 10**17, np.arange(5000))
    assert fits_laplace(shown.noisy, Fraction(3))


@pytest.mark.parametrize(
    "scale", [Fraction(1, 5), Fraction(1), Fraction(7, 2), Fraction(300), Fraction(2**40)]
)
@pytest.mark.parametrize("cells", [0, 1, 10**6, 2**62])
def test_a_ladder_leads_from_the_top_through_zero_to_the_bottom(cells: int, scale: Fraction) -> None:
    """It falls strictly, its slices lie on one side of zero, and it has few rungs for any scale."""
    rungs = ladder(cells, scale)
    assert (np.diff(rungs.astype(object)) < 0).all()
    assert 0 in rungs and rungs[-1] == -(2**62)
    assert rungs.size < 200
    expected_above_first = cells * np.exp(-float(rungs[1]) / float(scale))
    assert expected_above_first <= 1


def test_too_many_cells_are_refused_before_they_are_drawn() -> None:
    """A level that half of 10^12 cells reach is refused by public numbers alone."""
    hidden = seeded(1).hide(NONE, NONE, np.array([10**12]), Fraction(3))
    with pytest.raises(UniverseError, match="would be listed"):
        hidden.reveal(np.array([0]))
    assert hidden.reveal(np.array([70])).noisy.size < 1000


def test_nobody_copies_or_prints_hidden_noise() -> None:
    """No pickle, no values in the repr, and no revealing in a forked child."""
    hidden = seeded(1).hide(np.array([4321]), np.array([0]), np.array([5]), Fraction(1))
    with pytest.raises(PrivacyError, match="copied or pickled"):
        pickle.dumps(hidden)
    assert "5 cells" in repr(hidden) and "4321" not in repr(hidden)
    child = os.fork()
    if not child:
        refused = False
        try:
            hidden.reveal(np.array([1]))
        except PrivacyError:
            refused = True
        finally:
            os._exit(0 if refused else 1)
    assert os.waitpid(child, 0)[1] == 0


TRUE, WHERE, SIZES = np.array([5, 2]), np.array([1, 4]), np.array([2, 3])


def shown(found: Revealed) -> list[tuple[int, int]]:
    """Positions with their values."""
    return list(zip(found.positions.tolist(), found.noisy.tolist(), strict=True))


def test_zero_and_constant_noise_hide_the_truth_shifted() -> None:
    """Empty cells all hold the shift: those of a group appear together, in their places."""
    zero = ZeroNoise().hide(TRUE, WHERE, SIZES, Fraction(1))
    assert shown(zero.reveal(np.array([3, 3]))) == [(1, 5)]
    assert shown(zero.reveal(np.array([9, 0]))) == [(2, 0), (3, 0), (4, 2)]
    shifted = ConstantNoise(-2).hide(TRUE, WHERE, SIZES, Fraction(1))
    assert shown(shifted.reveal(np.array([-2, -1]))) == [(0, -2), (1, 3), (4, 0)]
    vast = ZeroNoise().hide(TRUE, WHERE, np.array([2, 10**18]), Fraction(1))
    assert shown(vast.reveal(np.array([1, 1]))) == [(1, 5), (4, 2)]


def test_flipped_noise_hides_the_mirror_image() -> None:
    """Every cell's noise is the source's with its sign turned."""
    dense = seeded(3).laplace(np.array([0, 5, 0, 0, 2]), Fraction(4))
    flipped = FlippedNoise(seeded(3)).hide(TRUE, WHERE, SIZES, Fraction(4)).reveal(np.array([-99, -99]))
    assert (flipped.noisy + dense == 2 * np.array([0, 5, 0, 0, 2])).all()
