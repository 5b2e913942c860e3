"""The mode is a public function of origin and destination, and an honest shortest way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from quietway.city import City
from quietway.city.city import SEED
from quietway.city.draws import Draws
from quietway.city.modes import MODES, SHUTTLE_LEGS, assign_modes, hub_stops
from quietway.city.places import HUBS, scatter_stops
from quietway.city.service import LINES, Service, bus_seconds


def test_all_twelve_modes_occur(city: City) -> None:
    """Every pair has one mode, and each of the twelve serves some pair."""
    assert city.modes.shape == (130, 130)
    assert city.modes.dtype == np.int8
    assert (np.bincount(city.modes.ravel(), minlength=12) > 0).all()
    assert len(set(MODES)) == 12


def test_modes_are_a_function_of_public_structure(city: City) -> None:
    """Assigning again from the stops alone gives the same matrix."""
    modes, seconds = assign_modes(scatter_stops(Draws(SEED, 0)), Service())
    assert (modes == city.modes).all()
    assert (seconds == city.seconds).all()


def test_staying_is_for_the_same_stop_only(city: City) -> None:
    """`stay` is the diagonal; everywhere else takes time."""
    same = np.eye(130, dtype=bool)
    assert ((city.modes == MODES.index("stay")) == same).all()
    assert ((city.seconds == 0) == same).all()


def test_short_ways_are_walked(city: City) -> None:
    """Up to 400 metres one walks; beyond, never."""
    near = (city.stops.kilometres() <= 0.4) & ~np.eye(130, dtype=bool)
    assert ((city.modes == MODES.index("walk")) == near).all()


def test_a_bus_without_a_shuttle_joins_hubs(city: City) -> None:
    """Ways that start (end) with a bus start (end) at a hub."""
    starts = np.isin(city.modes, [i for i, mode in enumerate(MODES) if mode.startswith("B")])
    ends = np.isin(city.modes, [i for i, mode in enumerate(MODES) if mode.endswith("B")])
    assert city.stops.hub[np.nonzero(starts)[0]].all()
    assert city.stops.hub[np.nonzero(ends)[1]].all()


def test_shuttles_stay_in_their_zone(city: City) -> None:
    """One shuttle joins two stops of a zone, or a hub with a stop of a zone it serves."""
    hubs = dict(zip(hub_stops(city.stops).tolist(), HUBS, strict=True))
    zone = city.stops.zone
    for o, d in np.argwhere(city.modes == MODES.index("S")).tolist():
        reached = {*hubs[o].reached_from} if o in hubs else set[int]()
        back = {*hubs[d].reached_from} if d in hubs else set[int]()
        assert zone[o] == zone[d] or zone[d] in reached or zone[o] in back


def test_shuttle_legs_are_counted_by_mode() -> None:
    """A mode needs as many shuttle rides as its name has letters S."""
    legs = dict(zip(MODES, SHUTTLE_LEGS.tolist(), strict=True))
    assert (legs["stay"], legs["B-B"], legs["S-B"], legs["S-S"], legs["S-B-B-S"]) == (0, 0, 1, 2, 2)


def test_ways_are_the_shortest_and_bear_their_name(city: City) -> None:
    """Pairs of every mode equal a search over all hubs, lines and changes, written out step by step."""
    for mode in range(2, len(MODES)):
        pairs = np.argwhere(city.modes == mode)
        for o, d in pairs[:: max(1, len(pairs) // 3)].tolist():
            seconds, name = _shortest(city, o, d)
            assert city.seconds[o, d] == pytest.approx(seconds, abs=1)
            assert MODES[mode] == name


def _shortest(city: City, o: int, d: int) -> tuple[float, str]:
    service, apart, hubs = Service(), city.stops.kilometres(), hub_stops(city.stops).tolist()
    buses = [bus_seconds(line, apart[np.ix_(hubs, hubs)], service) for line in LINES]

    def served(hub: int, stop: int) -> bool:
        return hub in hubs and city.stops.zone[stop] in HUBS[hubs.index(hub)].reached_from

    def shuttle(a: int, b: int) -> float:
        fits = city.stops.zone[a] == city.stops.zone[b] or served(a, b) or served(b, a)
        return 155 + apart[a, b] * 1.35 * 150 if fits and a != b else np.inf

    def reach(a: int, b: int) -> tuple[float, str]:
        return (0.0, "") if a == b else (shuttle(a, b), "S")

    ways = [(shuttle(o, d), "S"), *((shuttle(o, h) + shuttle(h, d), "SS") for h in hubs)]
    for (i, h), (k, g) in product(enumerate(hubs), repeat=2):
        (to, first), (off, last) = reach(o, h), reach(g, d)
        ways += [(to + bus[i, k] + off, f"{first}B{last}") for bus in buses]
        changes = product(range(len(buses)), range(len(buses)), range(len(hubs)))
        ways += [
            (to + buses[a][i, m] + buses[b][m, k] + off, f"{first}BB{last}")
            for a, b, m in changes
            if a != b and i != k
        ]
    seconds, name = min(ways)
    return seconds, "-".join(name)


def test_lines_take_longer_the_further_they_go(city: City) -> None:
    """Along the trunk every further hub takes longer, the same both ways, and other hubs are not reached."""
    hubs = hub_stops(city.stops)
    seconds = bus_seconds(LINES[0], city.stops.kilometres()[np.ix_(hubs, hubs)], Service())
    along = seconds[LINES[0].hubs[0], list(LINES[0].hubs[1:])]
    kilometres = city.stops.kilometres()[hubs[5], hubs[0]]
    assert along[0] == pytest.approx(150 + 20 + kilometres * 1.35 * 120)
    assert (np.diff(along) > 20).all()
    assert (seconds == seconds.T).all()
    assert np.isinf(seconds[1]).all()
