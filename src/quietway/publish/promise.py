"""What a manifest promises, to whom, and what not: sentences shared by the statement and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.wording import certainty, exact, odds_factor
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest

CONTRIBUTION = {
    Protects.TRIP: "one trip",
    Protects.USER: "all the kept trips of one person",
    Protects.USER_DAY: "all the kept trips of one person on one day",
}

DOUBT = {
    Protects.TRIP: "a given trip is",
    Protects.USER: "a given person's trips are",
    Protects.USER_DAY: "a given person's trips of a given day are",
}


def is_private(manifest: Manifest) -> bool:
    """Whether anything is promised: real records under noise that nobody can redraw."""
    return manifest.private and not manifest.rehearsal


def warning(manifest: Manifest) -> str | None:
    """Why nothing is promised, or None when something is."""
    reasons: list[str] = []
    if manifest.rehearsal:
        reasons.append("this is a rehearsal on made-up records, so it says nothing about real travel")
    if not manifest.private:
        reasons.append("its noise comes from a seed, so whoever knows the seed can take the noise away")
    return f"NOT PRIVATE: {'; '.join(reasons)}." if reasons else None


def guarantee(manifest: Manifest) -> str:
    """The promise in one sentence."""
    if not is_private(manifest):
        return (
            "This release promises nothing to anyone. It shows what a release with the same settings would "
            "look like, and must not be published as if it protected people."
        )
    epsilon = exact(manifest.epsilon)
    return (
        f"This release is {epsilon}-differentially private (pure: delta is 0): {change(manifest.unit)} "
        f"multiplies the probability of any published outcome by at most {odds_factor(manifest.epsilon)} (e "
        "to the power epsilon, rounded up)."
    )


def change(unit: PrivacyUnit) -> str:
    """The difference between two neighbouring data sets, as the subject of a sentence."""
    contribution = CONTRIBUTION[unit.protects]
    if unit.neighbours is Neighbours.ADD_REMOVE:
        return f"adding or removing {contribution}"
    return f"replacing {contribution} by any other"


def meaning(manifest: Manifest) -> str:
    """What epsilon lets an onlooker learn, in plain words."""
    doubt = f"{DOUBT[manifest.unit.protects]} among them"
    if manifest.unit.neighbours is Neighbours.REPLACE_ONE:
        doubt = f"they hold {CONTRIBUTION[manifest.unit.protects]} or another in its place"
    return (
        f"Take someone who knows everything else in the records and wonders whether {doubt}. "
        "This release can change the odds they give it by a factor of at most "
        f"{odds_factor(manifest.epsilon)}, in either direction. If they found it as likely as not, they can "
        f"become at most {certainty(manifest.epsilon)} sure."
    )


def protected(unit: PrivacyUnit) -> str:
    """Who is protected, and up to how many trips."""
    if unit.protects is Protects.TRIP:
        return (
            "Each single trip is protected, not the person who made it. For someone with several trips in "
            "the records the protection weakens in proportion: with 10 trips, epsilon is 10 times as large."
        )
    span = "" if unit.protects is Protects.USER else " on each day"
    kept = f"at most {unit.bound} trip{'' if unit.bound == 1 else 's'}{span}"
    sentence = (
        f"Of every person {kept} count{'s' if unit.bound == 1 else ''}; trips beyond that were dropped at "
        "random, before anything was measured, so that nobody weighs more."
    )
    if unit.protects is Protects.USER_DAY:
        sentence += (
            " One day of one person is protected; someone present on several days is protected less, in "
            "proportion to their number."
        )
    return sentence


def limits(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """What the promise does not cover: a heading and a sentence each."""
    return (
        (
            "Other releases about the same people",
            (
                "Promises add up: two releases that cost 1 each protect the same riders as one that costs 2. "
                "The ledger adds up what this data set has spent; it cannot see other data sets, or other "
                "organisations, that hold the same riders."
            ),
        ),
        (
            "What was public from the start",
            (
                "Zones, periods, labels, the list of published margins, the limit of trips kept, epsilon and "
                "every other setting are taken as public. They must have been chosen without looking at the "
                "records; if they were not, what they reveal is not covered."
            ),
        ),
        _size_of_data(manifest.unit),
        (
            "Facts that many people share",
            (
                "If most trips from a quarter go to one factory, this release will show it, and anyone may "
                "conclude it about a resident who is not in the records at all. Such conclusions about a "
                "group are its purpose."
            ),
        ),
        (
            "People who travel together",
            (
                "Households, school classes and colleagues make nearly the same trips. What is said of one "
                "contributor holds for a group of g with g times the epsilon."
            ),
        ),
        (
            "Records outside the universe",
            (
                "Trips outside the listed zones and periods are not in the table; the release file says "
                "whether they were left out or would have stopped the release. How many there were is not "
                "published, not even with noise."
            ),
        ),
        (
            "How the computation behaved",
            (
                "How long it took, how much memory it used, its logs and the machine it ran on are not "
                "protected. They should stay with whoever holds the records."
            ),
        ),
    )


def _size_of_data(unit: PrivacyUnit) -> tuple[str, str]:
    if unit.neighbours is Neighbours.ADD_REMOVE:
        return (
            "Being in the data set by other means",
            (
                "Whether someone is among the records is protected here; it is not if it is known from "
                "elsewhere, for instance from a list of subscribers."
            ),
        )
    return (
        "How many contributors there are",
        (
            "Neighbouring data sets have the same number of contributors, so that number, and whether "
            "someone is among them, is not protected."
        ),
    )
