"""OMX files, opened again with the reference reader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import openmatrix
import pytest

from quietway.errors import OutputError, UniverseError
from quietway.publish import omx
from quietway.publish.omx import is_matrix, matrix_names, write_omx, zone_numbers
from quietway.publish.release import Release
from quietway.universe import Axis, Universe

from .conftest import HOURS, ZONES


def dense(release: Release) -> np.ndarray:
    """All cells as an array shaped like the universe."""
    cells = np.zeros(release.universe.size)
    cells[release.keys] = release.counts
    return cells.reshape(release.universe.shape)


def test_the_reference_reader_gets_every_matrix_back(city: Release, tmp_path: Path) -> None:
    """Each period's matrix equals the published cells of that period."""
    write_omx(city, tmp_path / "trips.omx", origin="origin", destination="destination", period="period")
    cells = dense(city)
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        assert file.shape() == (6, 6)
        assert sorted(file.list_matrices()) == sorted(f"period_{hour.replace(':', '_')}" for hour in HOURS)
        for i, name in enumerate(matrix_names(city.universe.axis("period"))):
            assert (np.array(file[name]) == cells[:, :, i]).all()
            assert file[name].attrs["label"] == HOURS[i]


def test_matrices_written_in_slabs_are_the_same(city: Release, tmp_path: Path, monkeypatch) -> None:
    """How many rows are written at once changes nothing in a matrix."""
    monkeypatch.setattr(omx, "CELLS_AT_ONCE", 25)
    write_omx(city, tmp_path / "trips.omx")
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        found = np.stack(
            [np.array(file[name]) for name in matrix_names(city.universe.axis("period"))], axis=2
        )
    assert (found == dense(city)).all()


def test_without_a_period_all_trips_are_one_matrix(city: Release, tmp_path: Path) -> None:
    """With no period asked for, every other axis is summed over."""
    write_omx(city, tmp_path / "trips.omx", period=None)
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        assert file.list_matrices() == ["trips"]
        assert (np.array(file["trips"]) == dense(city).sum(axis=2)).all()


def test_zones_named_in_words_get_numbers_and_a_lookup(city: Release, tmp_path: Path) -> None:
    """Labels that are no numbers are numbered from 1, with the labels beside them."""
    write_omx(city, tmp_path / "trips.omx")
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        assert list(file.mapping("zone")) == [1, 2, 3, 4, 5, 6]
        assert [label.decode() for label in file.map_entries("zone_label")] == list(ZONES)


def test_zones_with_numbers_keep_them(city: Release, tmp_path: Path) -> None:
    """Labels that are whole numbers are the mapping themselves."""
    zones = ("10", "20", "7", "4", "5", "6")
    axes = [Axis(name=name, size=6, labels=zones) for name in ("origin", "destination")]
    release = replace(city, universe=Universe((*axes, city.universe.axis("period"))))
    write_omx(release, tmp_path / "trips.omx")
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        assert file.list_mappings() == ["zone"]
        assert list(file.mapping("zone")) == [10, 20, 7, 4, 5, 6]


@pytest.mark.parametrize("labels", [("1", "01"), ("1", "-2"), ("1", "2.0"), ("1", "٣"), ("1", str(2**32))])
def test_labels_that_no_mapping_can_hold_are_not_numbers(labels: tuple[str, ...]) -> None:
    """Leading zeros, signs, points, other scripts and numbers beyond 32 bits are words."""
    assert zone_numbers(Axis(name="zone", size=2, labels=labels)) is None


def test_matrix_names_are_distinct_identifiers() -> None:
    """Labels that look alike once made safe still name two matrices."""
    names = matrix_names(Axis(name="8h", size=3, labels=("8:00", "8.00", "ü/..")))
    assert names == ["m_8h_8_00", "m_8h_8_00_2", "m_8h"]


def test_axes_over_different_places_are_refused(city: Release, tmp_path: Path) -> None:
    """Origins and destinations that list different places make no square matrix."""
    there = Axis(name="destination", size=6, labels=tuple("ABCDEF"))
    universe = Universe((city.universe.axis("origin"), there, city.universe.axis("period")))
    release = replace(city, universe=universe)
    with pytest.raises(OutputError, match="different places"):
        write_omx(release, tmp_path / "trips.omx")
    assert is_matrix(city.universe) and not is_matrix(universe)


def test_one_axis_cannot_be_both_ends(city: Release, tmp_path: Path) -> None:
    """The same axis as origin and destination is refused."""
    with pytest.raises(UniverseError, match="two different axes"):
        write_omx(city, tmp_path / "trips.omx", destination="origin")


def test_an_empty_release_has_matrices_of_zeros(empty: Release, tmp_path: Path) -> None:
    """Without any published cell every matrix is there and holds zeros."""
    write_omx(empty, tmp_path / "trips.omx")
    with openmatrix.open_file(str(tmp_path / "trips.omx")) as file:
        assert len(file.list_matrices()) == 16
        assert not np.array(file["period_08_00"]).any()


def test_equal_releases_make_equal_files(city: Release, tmp_path: Path) -> None:
    """Writing twice gives the same bytes: no clock is recorded."""
    for name in ("one", "two"):
        write_omx(city, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
