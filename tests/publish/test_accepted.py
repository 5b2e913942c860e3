"""What is said of the records that a release takes."""

from __future__ import annotations

from quietway.publish.accepted import accepted

from .conftest import manifest


def said(**settings: object) -> str:
    """The sentences under the heading."""
    return accepted(manifest(settings=settings))[1]


def test_trips_outside_stop_a_release_or_are_left_out() -> None:
    """As the release file says."""
    assert "so does a trip outside the listed zones" in said(fit="project")
    assert "Trips outside the listed zones and periods do not stop it" in said(fit="project", outside="drop")


def test_of_paths_every_rule_is_told() -> None:
    """What stops the release, what is left out silently, and nothing of rules that do not apply."""
    told = said(rows="stops", outside="refuse", fewer="drop", more="ends")
    assert "so does a path with a stop outside of the listed places, or a path two of whose stops" in told
    assert "Paths with fewer stops than are asked for do not stop it: they are left out silently" in told
    assert "more stops" not in told
    whole = said(rows="paths", outside="drop")
    assert "Paths with a stop outside of the listed places do not stop it" in whole
    assert "fewer stops" not in whole and "so does" not in whole


def test_nothing_is_left_to_fill_in() -> None:
    """No placeholder shows."""
    for settings in ({"fit": "project"}, {"rows": "paths"}, {"rows": "sightings", "fewer": "drop"}):
        assert "{" not in said(**settings) and "  " not in said(**settings)


def test_frames_of_the_day_have_no_more_stops_than_frames() -> None:
    """So nothing is said of paths with more, which cannot be."""
    told = said(rows="sightings", outside="drop", fewer="refuse", frames=["morning 06:00 to 12:00"])
    assert "fewer stops" in told and "more stops" not in told
    assert "more stops" in said(rows="sightings", outside="drop", radius=200.0, minutes=10)
