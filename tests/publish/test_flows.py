"""Flows as GeoJSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quietway.errors import OutputError
from quietway.publish import flows
from quietway.publish.flows import write_geojson
from quietway.publish.release import Release

from .conftest import HOURS, NASTY


def features(release: Release, path: Path, **settings: Any) -> list[dict[str, Any]]:
    """What a map reads."""
    write_geojson(release, path, **settings)
    return json.loads(path.read_text(encoding="utf-8"))["features"]


def dense(release: Release) -> np.ndarray:
    """All cells as an array shaped like the universe."""
    cells = np.zeros(release.universe.size, dtype=np.int64)
    cells[release.keys] = release.counts
    return cells.reshape(release.universe.shape)


def test_every_flow_is_there_once_with_its_trips(city: Release, tmp_path: Path) -> None:
    """Trips of each flow and of each of its periods are those of the published cells."""
    cells, axis = dense(city), city.universe.axis("origin")
    found = features(city, tmp_path / "flows.geojson")
    seen: set[tuple[int, int]] = set()
    for feature in found:
        says = feature["properties"]
        pair = axis.index(says["origin"]), axis.index(says["destination"])
        assert says["trips"] == cells[pair].sum() > 0
        assert says["periods"] == {hour: n for hour, n in zip(HOURS, cells[pair].tolist(), strict=True) if n}
        seen.add(pair)
    assert len(seen) == len(found) == (cells.sum(axis=2) > 0).sum()


def test_flows_come_largest_first_and_can_be_cut(city: Release, tmp_path: Path) -> None:
    """The first flows of a full file are all of a shorter one."""
    full = features(city, tmp_path / "full.geojson")
    trips = [feature["properties"]["trips"] for feature in full]
    assert trips == sorted(trips, reverse=True)
    assert features(city, tmp_path / "few.geojson", largest=5) == full[:5]


def test_lines_run_from_origin_to_destination(city: Release, tmp_path: Path) -> None:
    """A line starts at the origin's coordinates; trips within a place are a point there."""
    axis, places = city.universe.axis("origin"), city.places["origin"]
    for feature in features(city, tmp_path / "flows.geojson"):
        start, end = (places[axis.index(feature["properties"][name])] for name in ("origin", "destination"))
        geometry = feature["geometry"]
        inside = feature["properties"]["origin"] == feature["properties"]["destination"]
        assert geometry["type"] == ("Point" if inside else "LineString")
        assert np.allclose(geometry["coordinates"], start if inside else [start, end], atol=1e-6)


def test_flows_written_in_runs_are_the_same(city: Release, tmp_path: Path, monkeypatch) -> None:
    """How many flows are written at once changes nothing in the file."""
    features(city, tmp_path / "once.geojson")
    monkeypatch.setattr(flows, "FLOWS_AT_ONCE", 4)
    features(city, tmp_path / "runs.geojson")
    assert (tmp_path / "once.geojson").read_bytes() == (tmp_path / "runs.geojson").read_bytes()


def test_labels_are_quoted_for_json(city: Release, tmp_path: Path) -> None:
    """A label with quotes, a newline or markup comes back as it was."""
    nasty = ('say "hi"\n', "back\\slash", "ü", NASTY, "E", "F")
    axes = tuple(
        type(axis)(name=axis.name, size=6, labels=nasty) if axis.name != "period" else axis
        for axis in city.universe.axes
    )
    release = replace(city, universe=type(city.universe)(axes))
    found = features(release, tmp_path / "flows.geojson")
    assert {feature["properties"]["origin"] for feature in found} <= set(nasty)
    assert len({feature["properties"]["origin"] for feature in found}) == 6


def test_a_place_without_coordinates_has_no_geometry(city: Release, tmp_path: Path) -> None:
    """Flows to a place that nobody located keep their trips and have a null geometry."""
    lost = city.places["origin"].copy()
    lost[0] = np.nan
    release = replace(city, places={"origin": lost, "destination": lost})
    found = features(release, tmp_path / "flows.geojson")
    for feature in found:
        ends = {feature["properties"]["origin"], feature["properties"]["destination"]}
        assert (feature["geometry"] is None) == ("Harbour" in ends)


def test_flows_without_places_are_refused(city: Release, tmp_path: Path) -> None:
    """Without coordinates for an axis, the error names it and says what to give."""
    release = replace(city, places={"origin": city.places["origin"]})
    with pytest.raises(OutputError, match="axis 'destination'"):
        write_geojson(release, tmp_path / "flows.geojson")


def test_an_empty_release_has_no_flows(empty: Release, tmp_path: Path) -> None:
    """Without any published cell the file is an empty collection."""
    assert features(empty, tmp_path / "flows.geojson") == []
