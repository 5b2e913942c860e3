"""The true tables of the benchmarks: that they load, and are what their sources say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from quietway.errors import InputError

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SHAPES = {
    "weekday": (37_714, (130, 130, 48)),
    "weekend": (11_700, (130, 130, 48)),
    "new-york": (118_351, (263, 263, 24)),
    "chicago": (1_256_875, (387, 387)),
}


@pytest.fixture(autouse=True)
def _beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.mark.parametrize("name", SHAPES)
def test_tables_have_their_size_and_public_structure(name: str) -> None:
    """Trips, shape, one place per origin, and features, ends and zones of the same universe."""
    from true_tables import LOADERS

    try:
        table = LOADERS[name]()
    except InputError as missing:
        pytest.skip(str(missing))
    assert (table.total, table.universe.shape) == SHAPES[name]
    assert table.places.shape == (table.universe.shape[0], 2)
    for _, partition in (*table.features, *table.ends, ("zones", table.zones)):
        assert partition.universe == table.universe
        assert partition.totals(table.counts.keys, table.counts.values).sum() == table.total


def test_places_lie_where_the_city_is() -> None:
    """Coordinates are longitude and latitude, and the middle of New York's zones is in New York."""
    from true_tables import LOADERS

    try:
        places = LOADERS["new-york"]().places
    except InputError as missing:
        pytest.skip(str(missing))
    assert np.allclose(np.median(places, axis=0), [-73.95, 40.74], atol=0.05)


def test_absent_data_is_said_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the folder that was looked in and the variable to set."""
    from true_tables import data_folder

    monkeypatch.setenv("QUIETWAY_DATA", str(tmp_path))
    with pytest.raises(InputError, match=f"no folder 'nyc_tlc_2019' in {tmp_path}; set QUIETWAY_DATA"):
        data_folder("nyc_tlc_2019")
