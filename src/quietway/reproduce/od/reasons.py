"""Why our numbers, and some orderings, differ from the paper's."""

from __future__ import annotations

from fractions import Fraction

from quietway.reproduce.markdown import number
from quietway.reproduce.od.case import Results

SHARE_FOR_CUTS = Fraction(3, 10)
"""The paper's q."""


def reasons(results: Results) -> str:
    """A numbered list."""
    every = (
        "**What is private.** As printed, DAF-Homogeneity draws its cuts with noise that spends up to p squared times the budget "
        "named for it, chooses at the root for free, and stops by true counts where the text leaves it open. Here every draw is "
        "paid for, cuts are chosen by permute-and-flip, and all that steers the tree is noisy. This takes budget from its counts.",
        _score(results),
        "**What is corrected.** A last part that would be lost is kept; levels are paid from what the root left; counts below zero "
        "count as zero when they decide; EUG's printed exponent stands as EUG, the one that its derivation gives as EUG corrected.",
        "**Negative answers.** The paper's answers add up noisy counts as they are. A release here knows that no count is negative "
        "and uses every count on the way to a leaf, at no cost.",
        "**Query sizes.** In two dimensions queries of a fixed side lie anywhere. In more, nearly all such boxes are empty and "
        "every answer is right, so they lie around random true paths. What the paper did is not told.",
        "**IDENTITY.** Where a matrix has more than 16 million cells, what stands out of the noise is listed and the rest told by a "
        "total. The paper leaves IDENTITY and MKM out of its figures 7 and 8.",
    )
    return "## Why ours differ\n\n" + "\n".join(f"{i}. {reason}" for i, reason in enumerate(every, 1))


def _score(results: Results) -> str:
    told = (
        "**What is scored.** The printed score of a cut, over all cells of a node, is blind where most cells are empty: all cuts are "
        "alike then, whatever the data. Cuts are scored by the node's counts along the axis that is cut."
    )
    sparse = [about for about in results.about if about.dimensions >= 4]
    if not sparse:
        return told
    noise = 4 / float(SHARE_FOR_CUTS * results.settings.epsilons[0])
    ranges = "; ".join(
        f"{about.name} {about.dimensions}-D {number(about.printed_range)} and {number(about.used_range)}"
        for about in sparse
    )
    return (
        f"{told} How far apart the scores of eight random ways to cut the first axis in eight lie, printed and ours: {ranges}. "
        f"The noise of the choice has a scale of {noise:.0f} at epsilon {float(results.settings.epsilons[0]):g}, if one cut had all "
        "of the budget for cuts."
    )
