"""A release that began with a prior is the same release when its folder is opened again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from tests.conftest import PLACES, RELEASE, Town
from tests.publish.conftest import manifest
from typer.testing import CliRunner

from quietway.cli import app
from quietway.counts import Counts
from quietway.mechanisms.constraint import ConstraintBased
from quietway.noise import seeded
from quietway.pipeline import release
from quietway.publish.release import Release
from quietway.publish.store import load_release, save_measurements
from quietway.spec import load_spec
from quietway.universe import Axis, Partition, PrivacyUnit, Universe


def with_prior(town: Town, prior: str, output: str = "published", more: str = "") -> Town:
    """The same with a prior and a folder of its own."""
    town.file.write_text(dedent(RELEASE))
    town.edit('output = "published"', f'output = "{output}"')
    town.edit("[rehearsal]", f'[method]\nprior = "{prior}"\n{more}\n[rehearsal]')
    return town


def same(one: Release, other: Release) -> bool:
    """Whether two releases hold the same table, measurements and prior."""
    assert [m.name for m in one.measurements] == [m.name for m in other.measurements]
    for mine, yours in zip(one.measurements, other.measurements, strict=True):
        assert mine.scale == yours.scale
        assert mine.partition.same_blocks(yours.partition)
        np.testing.assert_array_equal(mine.noisy, yours.noisy)
    assert (one.prior is None) == (other.prior is None)
    if one.prior is not None and other.prior is not None:
        assert one.prior.digest == other.prior.digest
    return np.array_equal(one.keys, other.keys) and np.array_equal(one.counts, other.counts)


def asked(release: Release) -> list[tuple[float, ...]]:
    """Estimates with intervals of some questions."""
    found = [release.margin(Partition.margin(release.universe, [name])) for name in release.universe.names]
    return [(*margin.estimate, *margin.low, *margin.high) for margin in found]


@pytest.mark.parametrize("prior", ["none", "uniform", "gravity"])
def test_a_release_with_a_prior_by_name_opens_as_it_was(town: Town, prior: str) -> None:
    """The table and the intervals come again from what is in the folder."""
    first = release(with_prior(town, prior).file)
    opened = load_release(town.output)
    assert opened.manifest.settings["prior"] == prior
    assert first.total > 0
    assert same(first, opened)
    assert asked(first) == asked(opened)


def test_the_command_publishes_what_opens_again(town: Town) -> None:
    """`quietway release` writes cells that are those of the opened folder."""
    result = CliRunner().invoke(app, ["release", str(with_prior(town, "gravity").file)])
    assert result.exit_code == 0, result.output
    first, again = load_release(town.output), load_release(town.output)
    assert first.manifest.settings["prior"] == "gravity"
    assert same(first, again)
    assert town.spent() == str(first.manifest.epsilon)


def test_a_public_table_stays_with_the_release(town: Town) -> None:
    """Its file may go: the folder holds what was held of the cells."""
    table = town.folder / "held.csv"
    table.write_text(
        "\n".join(["origin,trips", *(f"{place},{i + 1}" for i, place in enumerate(PLACES))]) + "\n"
    )
    first = release(with_prior(town, "held.csv").file)
    table.unlink()
    opened = load_release(town.output)
    assert first.prior is not None and opened.prior is not None
    assert opened.prior.partition.columns == ("origin",)
    np.testing.assert_array_equal(opened.prior.values, [1, 2, 3, 4, 5, 6])
    assert same(first, opened)
    assert asked(first) == asked(opened)


def test_a_public_table_sways_what_no_margin_tells(town: Town) -> None:
    """Where only periods are measured, trips start where the table says, but for a doubt."""
    (town.folder / "held.csv").write_text("origin,trips\nP0,1\n")
    town.limit("3")
    shares = dict[str, float]()
    for prior in ("held.csv", "uniform"):
        found = release(with_prior(town, prior, f"by {prior}", 'margins = ["period"]').file)
        starts = found.margin(Partition.margin(found.universe, ["origin"])).estimate
        shares[prior] = starts[0] / starts.sum()
    assert shares["held.csv"] == pytest.approx(0.9 + 0.1 / 6)
    assert shares["uniform"] == pytest.approx(1 / 6)


def test_an_earlier_release_stays_with_the_next(town: Town) -> None:
    """The earlier folder may go, and the next opens as it was."""
    town.limit("2")
    earlier = release(with_prior(town, "gravity", "earlier").file)
    first = release(with_prior(town, "earlier").file)
    (town.folder / "earlier").rename(town.folder / "gone")
    opened = load_release(town.output)
    assert opened.prior is not None
    assert opened.prior.partition.is_identity
    np.testing.assert_array_equal(opened.prior.blocks, earlier.keys)
    np.testing.assert_array_equal(opened.prior.values, earlier.counts)
    assert same(first, opened)
    assert asked(first) == asked(opened)


def test_the_manifest_carries_the_hash_of_the_file_with_its_table(town: Town) -> None:
    """What was paid for is tied to the public table that it began with."""
    (town.folder / "held.csv").write_text("origin,trips\nP0,1\n")
    spec = load_spec(with_prior(town, "held.csv").file)
    release(spec)
    assert load_release(town.output).manifest.spec_hash == spec.hash
    (town.folder / "held.csv").write_text("origin,trips\nP0,2\n")
    assert load_spec(town.file).hash != spec.hash


def test_floors_of_hidden_cells_are_kept(tmp_path: Path) -> None:
    """Cells that are listed only from a floor on come back with it, and the fit is the same."""
    universe = Universe((Axis(name="zone", size=8), Axis(name="hour", size=6)))
    features = (("total", Partition.total(universe)), ("hours", Partition.margin(universe, ["hour"])))
    mechanism = ConstraintBased(
        features=features, epsilons=(Fraction(1, 3),) * 3, unit=PrivacyUnit(), most_dense=10
    )
    keys = np.array([3, 10, 11, 40])
    counts = Counts(universe, keys, np.array([90, 30, 80, 70]), PrivacyUnit())
    measurements = mechanism.measure(counts, rng=seeded(5))
    save_measurements(
        tmp_path,
        manifest=manifest(method="cbdp", settings={"fit": "cbdp", "prior": "none"}),
        universe=universe,
        features=features[1:],
        places={},
        measurements=measurements,
    )
    opened = load_release(tmp_path)
    before, after = measurements[-1], opened.measurements[-1]
    assert before.floors is not None and after.floors is not None
    assert before.blocks is not None and after.blocks is not None
    assert after.floors.groups.same_blocks(before.floors.groups)
    np.testing.assert_array_equal(after.floors.levels, before.floors.levels)
    np.testing.assert_array_equal(after.blocks, before.blocks)
    np.testing.assert_array_equal(after.noisy, before.noisy)
    assert len(set(before.floors.levels.tolist())) > 1
    assert 0 < before.blocks.size < universe.size
    assert set(keys) <= set(opened.keys)
