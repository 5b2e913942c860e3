"""What estimates are called, and what may be said of them: some are unbiased, others lean on public knowledge."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Words:
    """Phrases about the estimates of a release, and whether their intervals rest on noise alone."""

    name: str
    one: str
    error: str
    baselines: str
    reading: str
    held: str
    moved: str
    model: str | None = None
    single: str | None = None


UNBIASED = Words(
    name="unbiased estimate",
    one="An unbiased estimate",
    error="The expected error is that of the unbiased estimate.",
    baselines="They are estimated from the noisy data alone, the noise taken off.",
    reading="is what the noisy measurements say of one total on their own; it is right on average and may fall below zero",
    held="holds the truth in at least 95 of 100 releases",
    moved="the noise explains",
)

BEST = Words(
    name="best estimate",
    one="The best estimate",
    error="The expected error is what the model of the fit expects of the best estimate.",
    baselines="They are what the model expects of them, given the noisy data.",
    reading=(
        "is the mean of what may be believed of one total after the noisy measurements, beginning from the prior; "
        "it is as honest as the prior, and not right on average"
    ),
    held="is made to hold the truth of 95 in 100 totals, if trips scatter around the prior about as they did where this was tested",
    moved="the estimates' own uncertainty explains",
    model=(
        "The intervals rest on a model and not on noise alone. What was measured is uncertain by its noise, whose law is "
        "known; how trips share themselves out within what was measured is not known, and is taken to scatter around "
        "the prior and the fitted margins by amounts that were set on four tables whose truth is known: trips of one "
        "day of the example city, of another, of New York's taxis and of a model of Chicago, each at epsilon 0.01, 0.1 "
        "and 1, counting how often 95 % intervals hold the truth: on average 97 in 100 did, and 88 in 100 where they "
        "did worst. `docs/methods/tempered.md` shows how often they did. Where the prior misleads in ways that none of these tables shows, intervals may hold the truth less often."
    ),
    single=(
        "A single cell is no estimate. Where many cells each expect less than half a trip, the trips they share are spread "
        "evenly among them, so which of them holds one says nothing. For one cell or a few, ask for the estimate "
        "(`quietway query`)."
    ),
)


def words(unbiased: bool) -> Words:
    """The phrases for estimates of one kind or the other."""
    return UNBIASED if unbiased else BEST
