"""What estimates are called: unbiased where they are, best estimates that lean on a prior where they are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quietway.publish.estimates import BEST, UNBIASED, words
from quietway.publish.notebook import release_html
from quietway.publish.release import Release
from quietway.publish.report import report_html
from quietway.publish.statement import statement


def pages(release: Release) -> dict[str, str]:
    """Everything that speaks of estimates."""
    return {
        "statement": statement(release.manifest, release),
        "report": report_html(release),
        "notebook": release_html(release),
    }


def test_a_release_knows_what_its_estimates_are(city: Release, guessed: Release) -> None:
    """Those of least squares are unbiased, those of a fit with a prior are not, and margins say the same."""
    assert city.unbiased and not guessed.unbiased
    assert city.margin(city.feature("by period")).unbiased
    assert not guessed.margin(guessed.feature("by period")).unbiased


def test_posterior_means_are_nowhere_called_unbiased(guessed: Release) -> None:
    """Neither that, nor right on average, nor their errors found by noise alone."""
    for page in pages(guessed).values():
        for claim in ("nbiased", "is right on average", "from the noisy data alone", "the noise taken off"):
            assert claim not in page
    for page in (pages(guessed)["statement"], pages(guessed)["report"]):
        assert "best estimate" in page


def test_pages_of_a_fit_with_a_prior_say_that_its_intervals_rest_on_a_model(guessed: Release) -> None:
    """Statement and report say so plainly, what was tested, and when intervals may fail."""
    for name in ("statement", "report"):
        page = pages(guessed)[name]
        assert "rest on a model and not on noise alone" in page
        assert "whose truth is known" in page and "how often 95 % intervals hold the truth" in page
        assert "may hold the truth less often" in page


def test_unbiased_estimates_are_called_so_and_no_model_is_spoken_of(city: Release) -> None:
    """As before: right on average, with intervals by the noise."""
    for name in ("statement", "report"):
        page = pages(city)[name]
        assert "unbiased estimate" in page
        assert "rest on a model" not in page
    assert "right on average and may fall below zero" in pages(city)["report"]


def test_a_release_without_margins_still_says_what_its_intervals_rest_on(guessed: Release) -> None:
    """The statement of one that names no margin."""
    bare = replace(guessed, features=())
    assert "rest on a model" in statement(bare.manifest, bare)


@pytest.mark.parametrize("unbiased", [True, False])
def test_words_follow_the_kind(unbiased: bool) -> None:
    """One set of phrases each."""
    assert words(unbiased) is (UNBIASED if unbiased else BEST)
