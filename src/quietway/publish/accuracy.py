"""How far off a margin is expected to be, beside what an answer that knows nothing would get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from quietway.publish.release import Margin


class Estimated(Protocol):
    """Estimates of blocks, as margins and blocks of paths have them."""

    @property
    def estimate(self) -> NDArray[np.float64]:
        """One per block."""
        ...

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Its standard deviation."""
        ...

    @property
    def unbiased(self) -> bool:
        """Whether estimates are right on average."""
        ...


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Root-mean-square errors over the blocks of a margin, in trips.

    `expected` is how far the estimate is expected to be from the truth;
    `zero` and `average` are the errors of answering zero, or the mean,
    everywhere. `average` is None for a margin of one block, where it would be
    the answer itself.
    """

    expected: float
    zero: float
    average: float | None

    @property
    def gain(self) -> float:
        """How many times closer to the truth than the better of the answers that know nothing."""
        return min(self.zero, self.zero if self.average is None else self.average) / max(self.expected, 1e-9)


def agreement(margin: Margin) -> float:
    """The share of blocks whose published total lies inside the estimate's interval.

    The truth does so in as large a share as the intervals' confidence: where
    the published cells do so much less often, they are further off than the
    estimates' uncertainty explains.
    """
    return float(np.mean((margin.low <= margin.table) & (margin.table <= margin.high)))


def errors(margin: Estimated, total: Estimated) -> Errors | None:
    """Estimate the three errors from the estimates alone; None where only bounds are known.

    The square of an unbiased estimate exceeds the square of the truth by its
    variance on average, so the variances are taken off. Around the mean, the
    mean's own variance (that of the total over blocks squared) is given back.
    Of the mean of what may be believed, it is the other way round: the truth's
    square exceeds the estimate's by the variance, so variances are added.
    """
    if not np.isfinite(margin.deviation).all():
        return None
    variance, blocks = float(np.mean(margin.deviation**2)), margin.estimate.size
    sign = -1 if margin.unbiased else 1
    around = float(np.var(margin.estimate)) + sign * (variance - float(total.deviation[0] / blocks) ** 2)
    return Errors(
        expected=variance**0.5,
        zero=max(0.0, float(np.mean(margin.estimate**2)) + sign * variance) ** 0.5,
        average=None if blocks == 1 else max(0.0, around) ** 0.5,
    )
