"""The privacy statement."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quietway.publish.promise import is_private
from quietway.publish.release import Release
from quietway.publish.statement import code, guarantee, plain, statement
from quietway.publish.wording import exact
from quietway.universe import Neighbours, Partition, PrivacyUnit, Protects

from .conftest import manifest, publishing

USER = PrivacyUnit(protects=Protects.USER, max_trips=4)


@pytest.mark.parametrize(
    "changes", [{"rehearsal": True}, {"private": False}, {"rehearsal": True, "private": False}]
)
def test_first_line_says_when_nothing_is_promised(city: Release, changes: dict[str, Any]) -> None:
    """A rehearsal or a seeded release says NOT PRIVATE in its first line and guarantees nothing."""
    says = manifest(**changes)
    assert "NOT PRIVATE" in statement(says, city).splitlines()[0]
    assert "promises nothing" in guarantee(says)
    assert "differentially private" not in statement(says, city)


def test_a_private_release_is_not_called_otherwise(city: Release) -> None:
    """The warning stands nowhere in the statement of a private release."""
    assert "NOT PRIVATE" not in statement(manifest(), city)


def test_without_a_ledger_nothing_is_promised(city: Release) -> None:
    """Secure noise that no ledger was charged for is called NOT PRIVATE, and guarantees nothing."""
    says = manifest(ledger_entry=None, ledger_hash=None)
    assert is_private(manifest()) and not is_private(says)
    first, *_ = statement(says, city).splitlines()
    assert "NOT PRIVATE" in first and "no ledger was charged" in first
    assert "promises nothing" in guarantee(says)


def test_a_rehearsal_is_not_blamed_for_charging_nothing(city: Release) -> None:
    """Of a rehearsal, the first line says what it is, not that no ledger was charged."""
    says = manifest(rehearsal=True, private=False, ledger_entry=None, ledger_hash=None)
    first, *_ = statement(says, city).splitlines()
    assert "rehearsal" in first and "ledger" not in first


def test_an_epsilon_that_hardly_protects_is_cautioned_against(city: Release) -> None:
    """Above 10 the statement says that next to nothing is promised and by how much odds may change; at 10 not."""
    text = statement(manifest(epsilon=Fraction(12)), city)
    assert "promises next to nothing" in text and "a factor of up to 162,755" in text
    assert "promises next to nothing" in statement(manifest(epsilon=Fraction(101, 10), unit=USER), city)
    assert "next to nothing" not in statement(manifest(epsilon=Fraction(10)), city)


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**30), Fraction(10**99)])
def test_every_epsilon_that_can_be_paid_has_a_statement(city: Release, epsilon: Fraction) -> None:
    """Neither a tiny nor a huge epsilon keeps a release that is paid for from being published."""
    assert "## How it was made" in statement(manifest(epsilon=epsilon), city)


def test_guarantee_names_epsilon_unit_and_factor() -> None:
    """The sentence holds the exact epsilon, what may change, and e^epsilon rounded up."""
    sentence = guarantee(manifest(epsilon=Fraction(1, 3)))
    assert "1/3 (about 0.3333)-differentially private" in sentence
    assert "adding or removing one trip" in sentence
    assert "at most e to the power epsilon, here 1.40." in sentence


def test_statement_says_what_was_spent_and_where_it_is_written(city: Release) -> None:
    """Each part's cost, their total, the ledger's entry and hash, and the versions are there."""
    text = statement(manifest(), city)
    for words in (
        "| by period | 1/6 (about 0.1667) |",
        "| **Whole release** | **0.5** |",
        "entry 7",
        "`9d3e`",
    ):
        assert words in text
    assert "| numpy | 2.4.6 |" in text and "`5f1c0a9be77d4c21`" in text


def test_without_a_ledger_the_statement_says_so(city: Release) -> None:
    """A release that charged no ledger does not pretend to."""
    assert "Nothing was charged" in statement(manifest(ledger_entry=None, ledger_hash=None), city)


def test_a_persons_trips_beyond_the_limit_are_said_to_be_dropped(city: Release) -> None:
    """Under unit user the statement tells how many trips count, and that the others were dropped."""
    text = statement(manifest(unit=USER), city)
    assert "at most 4 trips count; trips beyond that were dropped" in text
    assert "not the person who made it" not in text


def test_a_days_protection_is_said_to_weaken_over_days(city: Release) -> None:
    """Under unit user-day the statement warns whoever travels on several days."""
    unit = PrivacyUnit(protects=Protects.USER_DAY, max_trips=1)
    assert "at most 1 trip on each day counts" in statement(manifest(unit=unit), city)
    assert "several days" in statement(manifest(unit=unit), city)


def test_a_single_trips_protection_is_not_sold_as_a_persons(city: Release) -> None:
    """Under unit trip the statement warns whoever made several trips."""
    assert "Each single trip is protected, not the person who made it" in statement(manifest(), city)


def test_replacing_does_not_hide_how_many_there_are(city: Release) -> None:
    """Under replace-one the number of contributors is listed among what is not covered."""
    replaced = PrivacyUnit(neighbours=Neighbours.REPLACE_ONE)
    text = statement(manifest(unit=replaced), city)
    assert "whether they hold one trip or another in its place" in text
    assert "replacing one trip by any other" in text and "How many contributors there are" in text
    assert "How many contributors there are" not in statement(manifest(), city)


@pytest.mark.parametrize(
    "words",
    ["Other releases", "public from the start", "many people share", "travel together", "outside", "logs"],
)
def test_limits_are_named(city: Release, words: str) -> None:
    """Composition, public settings, shared facts, households, dropped rows and side channels are not covered."""
    assert words in statement(manifest(), city).split("## What is not covered")[1]


def planned(release: Release, **settings: str) -> Release:
    """The same as if a rough total had chosen what to measure."""
    says = manifest(
        method="cbdp",
        epsilon=Fraction(1),
        parts=(("rough total", Fraction(1, 20)), ("total and margins", Fraction(19, 20))),
        settings={"fit": "tempered"} | settings,
    )
    return replace(release, manifest=says)


def test_margins_that_were_chosen_on_the_way_are_named(guessed: Release) -> None:
    """What was measured, and at which epsilon, is told although the budget speaks of all margins together."""
    release = planned(guessed, prior="uniform")
    scale = release.measurements[1].scale
    spent = statement(release.manifest, release).split("## What was spent")[1].split("## ")[0]
    assert f"total, {exact(1 / release.measurements[0].scale)}; by period, {exact(1 / scale)}." in spent
    assert "chose to measure" not in statement(manifest(), guessed)


def test_the_prior_is_named(guessed: Release) -> None:
    """Whoever must answer for the release sees what filled its cells, and that a table is taken for public."""
    release = planned(guessed, prior="table", prior_from="survey.csv")
    text = statement(release.manifest, release)
    assert "| Prior | a table: cells stand to each other as in survey.csv," in text
    assert "the table of the prior" in text.split("## What is not covered")[1]
    assert "cells are alike" in statement(planned(guessed, prior="uniform").manifest, guessed)
    assert "Prior" not in statement(manifest(), guessed) and "of the prior" not in statement(
        manifest(), guessed
    )


def test_being_published_is_said_to_tell_something(city: Release) -> None:
    """By default a row outside stops the release, and that none did is named as a fact that is not protected."""
    for settings in ({"fit": "project"}, {"fit": "project", "outside": "refuse"}):
        text = statement(manifest(settings=settings), city).split("## What is not covered")[1]
        assert "empty or unreadable" in text and "this fact is not protected" in text
        assert "so does a trip outside the listed zones and periods" in text and "silently" not in text


def test_a_table_that_the_fit_began_from_is_named(city: Release) -> None:
    """A prior that is an earlier release has its own epsilon, which adds up; other priors reveal nothing."""
    for prior in ("none", "uniform", "gravity"):
        assert "names a table of trips as prior" not in statement(manifest(settings={"prior": prior}), city)
    text = statement(manifest(settings={"prior": "table"}), city).split("## What is not covered")[1]
    assert "names a table of trips as prior" in text and "the two add up" in text


def test_dropped_rows_are_said_to_be_left_out_silently(city: Release) -> None:
    """Where rows outside are dropped, they do not stop the release, and their number is not published."""
    text = statement(manifest(settings={"outside": "drop"}), city).split("## What is not covered")[1]
    assert "left out silently" in text and "so does a trip outside" not in text
    assert "empty or unreadable" in text and "this fact is not protected" in text


def test_blocks_whose_cells_disagree_are_counted(city: Release) -> None:
    """The statement counts the blocks that the published cells miss, per margin, and sends to the estimates."""
    name, partition = city.features[1]
    moved = publishing(city, city.keys[:1], np.array([city.total]), features=((name, partition),))
    margin = moved.margin(partition)
    outside = int(((margin.table < margin.low) | (margin.table > margin.high)).sum())
    text = statement(manifest(), moved).split("## How to read the numbers")[1].split("\n## ")[0]
    assert 1 < outside <= 6 and f"Here {outside} of the 6 blocks" in text
    assert f"| from each zone | {outside} of 6 |" in text and "use the estimates in `margins/`" in text
    assert ("are no trip table" in text) is (2 * outside > 6)


def test_a_table_that_misses_most_blocks_is_called_none(city: Release) -> None:
    """Where few blocks agree nobody should take the cells for a table, and where most do they may."""
    partition = Partition.margin(city.universe, ["origin"])
    swollen = publishing(city, city.keys, 100 * city.counts, features=(("from each zone", partition),))
    assert "here the published cells are no trip table" in statement(manifest(), swollen)
    assert "are no trip table" not in statement(manifest(), city)


def test_a_single_cell_is_said_to_be_no_estimate(city: Release, guessed: Release) -> None:
    """With a prior most cells are a share of many, which who reads one of them must know."""
    assert "A single cell is no estimate" in statement(guessed.manifest, guessed)
    assert "A single cell is no estimate" not in statement(manifest(), city)


def test_blocks_that_agree_are_said_to(city: Release) -> None:
    """A margin that was measured keeps to its intervals, and the statement lists no exceptions."""
    text = statement(manifest(), publishing(city, city.keys, city.counts, features=city.features[:1]))
    assert "Here none of the 16 blocks" in text and "Blocks outside" not in text


def test_without_margins_no_file_of_them_is_named(city: Release) -> None:
    """A release without named margins explains its cells alone."""
    text = statement(manifest(), publishing(city, city.keys, city.counts, features=()))
    assert "consistent" in text and "`margins/`" not in text


def test_names_cannot_become_markup(city: Release) -> None:
    """A name with Markdown or HTML in it stays a name, on its own line."""
    text = statement(manifest(name="# <b>x</b> |\n# y", dataset="[a](b)", ledger_hash="`x`"), city)
    assert "<b>" not in text and "\n# y" not in text and "[a](b)" not in text and "``" not in text


@given(st.text(max_size=40))
def test_plain_text_holds_no_markup(text: str) -> None:
    """Every character that Markdown could read has a backslash before it, and lines are joined."""
    made = plain(text)
    assert "\n" not in made
    assert not any(c in "*_<>|`#[]" and (i == 0 or made[i - 1] != "\\") for i, c in enumerate(made))
    assert code(text).count("`") == 2


def test_an_empty_release_has_a_statement(empty: Release) -> None:
    """The statement stands without any published cell: what was spent and promised is the same."""
    said = statement(manifest(), empty)
    assert guarantee(manifest()) in said
    assert "## What was spent" in said
    assert "nan" not in said
