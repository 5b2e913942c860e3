"""Which axes are the ends of a trip, and which tells when."""

from __future__ import annotations

from quietway.universe import Axis, Universe
from quietway.universe.ends import endpoints, period_axis


def test_ends_are_found_by_name_or_by_their_places() -> None:
    """Axes named origin and destination are the ends; without them, two axes over the same places."""
    places, hours = ("A", "B"), Axis(name="hour", size=2, labels=("8", "9"), ordered=True)
    home, work = Axis(name="home", size=2, labels=places), Axis(name="work", size=2, labels=places)
    named = [Axis(name=name, size=3) for name in ("destination", "origin")]
    assert endpoints(Universe((*named, hours))) == ("origin", "destination")
    assert endpoints(Universe((home, hours, work))) == ("home", "work")
    assert endpoints(Universe((home, hours))) is None


def test_the_period_is_the_axis_of_that_name_or_the_only_ordered_one() -> None:
    """An axis named period tells when; else the only ordered axis that is no end of a trip."""
    ends = [Axis(name=name, size=3) for name in ("origin", "destination")]
    hour, length = (Axis(name=name, size=2, ordered=True) for name in ("hour", "length"))
    period = Axis(name="period", size=2)
    assert period_axis(Universe((*ends, hour, period)), "origin", "destination") == "period"
    assert period_axis(Universe((*ends, hour)), "origin", "destination") == "hour"
    assert period_axis(Universe((*ends, hour, length)), "origin", "destination") is None
