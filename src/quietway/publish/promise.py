"""What a manifest promises, to whom, and what not: sentences shared by the statement and the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.accepted import accepted
from quietway.publish.wording import certainty, exact, odds_factor, odds_in_short
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest

INTENDED = "With real records, secure noise and a charge to the ledger it would mean the following. "
LARGEST_SENSIBLE = 10

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

UNITS = {Protects.TRIP: "a trip", Protects.USER: "a person", Protects.USER_DAY: "a person's day"}


def is_private(manifest: Manifest) -> bool:
    """Whether anything is promised: real records under noise that nobody can redraw and a ledger has paid for."""
    return warning(manifest) is None


def warning(manifest: Manifest) -> str | None:
    """Why nothing is promised, or None when something is."""
    reasons: list[str] = []
    if manifest.rehearsal:
        reasons.append("this is a rehearsal on made-up records, so it says nothing about real travel")
    if not manifest.private:
        reasons.append("its noise comes from a seed, so whoever knows the seed can take the noise away")
    if manifest.ledger_entry is None and not manifest.rehearsal:
        reasons.append(
            "no ledger was charged for it, so nothing bounds what it and other releases say together"
        )
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
        "multiplies the probability of any published outcome by at most e to the power epsilon, here "
        f"{odds_factor(manifest.epsilon)}."
    )


def caution(manifest: Manifest) -> str | None:
    """What to think of an epsilon that hardly protects, or None when it is a sensible one."""
    if manifest.epsilon <= LARGEST_SENSIBLE:
        return None
    return (
        f"Caution: epsilon is {exact(manifest.epsilon)}, and one above {LARGEST_SENSIBLE} promises next to "
        f"nothing: the odds of a guess about {UNITS[manifest.unit.protects]} may change by a factor of "
        f"{odds_in_short(manifest.epsilon)}, enough to turn a faint suspicion into near certainty. "
        "Do not tell people that such a release protects them."
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
        "This release can change the odds they give it, in either direction, by a factor of "
        f"{odds_in_short(manifest.epsilon)}. If they found it as likely as not, they can "
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
        *_prior(manifest),
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
        accepted(manifest),
        (
            "How the computation behaved",
            (
                "How long it took, how much memory it used, its logs and the machine it ran on are not "
                "protected. They should stay with whoever holds the records."
            ),
        ),
    )


def _prior(manifest: Manifest) -> tuple[tuple[str, str], ...]:
    """What a table that the fit began from tells by itself."""
    if manifest.settings.get("prior") != "table":
        return ()
    return (
        (
            "The table that the fit began from",
            (
                "The release file names a table of trips as prior, and the folder holds what was taken from it: "
                "the table of the prior must be public, or an earlier release: then this promise comes on top of that release's own, "
                "and for the same riders the two add up."
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
