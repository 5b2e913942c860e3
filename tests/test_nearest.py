"""Suggestions at the end of complaints."""

from __future__ import annotations

from quietway.nearest import nearest


def test_a_near_word_is_suggested() -> None:
    """A misspelling is answered with what was probably meant."""
    assert nearest("epsilom", ["epsilon", "budget"]) == "; did you mean 'epsilon'?"


def test_far_words_are_listed() -> None:
    """If nothing is near, what is known is listed, and a long list is cut visibly."""
    assert nearest("xyz", ["epsilon", "budget"]) == "; known are epsilon, budget"
    assert nearest("xyz", [f"zone {i}" for i in range(40)]).endswith("zone 19, ...")


def test_nothing_known_is_said() -> None:
    """An empty list is not printed as one."""
    assert nearest("xyz", []) == "; there is none yet"
