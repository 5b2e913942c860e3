"""Stops lie where they should, apart from each other, in zones that do not mix."""

from __future__ import annotations

import numpy as np

from quietway.city import City
from quietway.city.draws import Draws
from quietway.city.places import HUBS, LEAST_APART_KM, ZONES, scatter_stops


def test_zones_have_their_number_of_stops(city: City) -> None:
    """130 stops: 45 Central, 20 Medical, 40 North, 25 South, named by zone letter."""
    assert city.stops.size == 130
    assert np.bincount(city.stops.zone).tolist() == [45, 20, 40, 25]
    assert city.stops.ids[6] == "C07"
    letters = [ZONES[zone].letter for zone in city.stops.zone]
    assert [stop[0] for stop in city.stops.ids] == letters
    assert len(set(city.stops.ids)) == 130


def test_stops_keep_their_distance(city: City) -> None:
    """No two stops are closer than the least distance, across zones too."""
    apart = city.stops.kilometres() + 9 * np.eye(130)
    assert apart.min() >= LEAST_APART_KM


def test_stops_lie_in_ann_arbor(city: City) -> None:
    """Every stop is on the right piece of the map, longitude first."""
    (west, south), (east, north) = city.places.min(axis=0), city.places.max(axis=0)
    assert -83.77 < west < east < -83.68
    assert 42.24 < south < north < 42.31


def test_stops_are_nearest_to_their_own_campus(city: City) -> None:
    """Zones are compact: nearly all stops are closer to their own centre of mass than to another."""
    at = city.places * (82.36, 111.08)
    centres = np.stack([at[city.stops.zone == zone].mean(axis=0) for zone in range(4)])
    nearest = np.linalg.norm(at[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == city.stops.zone).mean() > 0.9


def test_hubs_stand_at_their_published_coordinates(city: City) -> None:
    """The six hub stops are the real places, in order."""
    hubs = city.places[city.stops.hub]
    assert hubs.tolist() == [[hub.lon, hub.lat] for hub in HUBS]


def test_other_seeds_give_other_stops(city: City) -> None:
    """Invented stops come from the draws: another stream moves them, and leaves the hubs."""
    other = scatter_stops(Draws(99))
    assert (other.lon[other.hub] == city.stops.lon[city.stops.hub]).all()
    assert (other.lon[~other.hub] != city.stops.lon[~city.stops.hub]).all()
