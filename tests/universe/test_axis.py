"""Axes: labels and positions."""

from __future__ import annotations

import pytest

from quietway.errors import UniverseError
from quietway.universe import Axis

NAMED = Axis(name="zone", size=3, labels=("Quay", "Mill", "Fort"))
PLAIN = Axis(name="cell", size=12)


@pytest.mark.parametrize("axis", [NAMED, PLAIN])
def test_labels_and_positions_are_inverse(axis: Axis) -> None:
    """Each element's label leads back to its position."""
    assert [axis.index(axis.label(i)) for i in range(axis.size)] == list(range(axis.size))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"name": "", "size": 2}, "needs a name"),
        ({"name": "zone", "size": 0}, "at least one element"),
        ({"name": "zone", "size": 3, "labels": ("a", "b")}, "3 elements but 2 labels"),
        ({"name": "zone", "size": 3, "labels": ("a", "b", "a")}, "repeats the label 'a'"),
    ],
)
def test_an_axis_that_cannot_be_is_refused(settings: dict[str, object], says: str) -> None:
    """No name, no elements, missing labels and repeated labels are errors that say so."""
    with pytest.raises(UniverseError, match=says):
        Axis(**settings)  # type: ignore[arg-type]


def test_an_unknown_label_is_answered_with_the_nearest() -> None:
    """A misspelling is answered with what was meant, anything else with what there is."""
    with pytest.raises(UniverseError, match="did you mean 'Quay'"):
        NAMED.index("Quai")
    with pytest.raises(UniverseError, match="known are Quay, Mill, Fort"):
        NAMED.index("xyz")


@pytest.mark.parametrize("label", ["12", "-1", "", "01", "1.0", "²", "٣", "9" * 5000])
def test_a_plain_axis_takes_plain_numbers_alone(label: str) -> None:
    """Anything but the decimal text of a position is refused, however odd."""
    with pytest.raises(UniverseError, match="give a number below 12"):
        PLAIN.index(label)


def test_axes_with_the_same_description_are_equal() -> None:
    """Equality is by value, so that universes read from a file match."""
    assert Axis(name="zone", size=2, labels=("a", "b")) == Axis(name="zone", size=2, labels=("a", "b"))
    assert Axis(name="zone", size=2, ordered=True) != Axis(name="zone", size=2)
