"""The product's own methods on a true table, as a release file that names nothing else would have them."""

from __future__ import annotations

from fractions import Fraction

from quietway.estimate.prior import Background
from quietway.estimate.registry import FITS
from quietway.estimate.settings import FitSettings
from quietway.estimate.solution import Solution
from quietway.mechanisms.registry import METHODS, Request
from quietway.noise import seeded
from quietway.universe.ends import endpoints
from true_tables import Table


def solved(table: Table, epsilon: Fraction, seed: int, *, method: str, prior: str = "none") -> Solution:
    """A release of the table by one method; `prior` is of cbdp alone."""
    request = Request(
        universe=table.universe,
        features=table.features,
        unit=table.counts.unit,
        epsilon=epsilon,
        split=None,
        prior=prior,
    )
    chosen = METHODS[method]
    measurements = chosen.build(request).measure(table.counts, rng=seeded(seed))
    places = dict.fromkeys(endpoints(table.universe) or (), table.places)
    background = Background(universe=table.universe, kind=prior, places=places)
    return FITS[chosen.suiting(request)[0]](measurements, FitSettings(background=background))
