"""What Fioretto, Lee and Van Hentenryck (AAMAS 2018) print, number by number, and what the methods are called here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quietway.city import DayName

EPSILONS = tuple(map(Fraction, ("1", "0.1", "0.05", "0.01")))
RUNS = 50
TABLE_2_EPSILONS = tuple(map(Fraction, ("1", "0.1", "0.01")))
TABLE_2: dict[str, dict[DayName, tuple[float, float, float]]] = {
    "o5": {"weekday": (0.91, 3.87, 6.01), "weekend": (0.86, 2.69, 5.77)},
    "h5": {"weekday": (5.11, 56.6, 715), "weekend": (4.57, 50.9, 728)},
    "o5a": {"weekday": (35.6, 44.2, 108), "weekend": (42.2, 59.9, 120.5)},
    "o5b": {"weekday": (13.4, 15.7, 18.9), "weekend": (13.4, 14.5, 19.6)},
    "o5c": {"weekday": (1.50, 5.55, 15.2), "weekend": (1.34, 4.27, 18.4)},
}
"""Average distance between exact and private answers, in a norm that is not stated."""

TRIPS_OF_THE_DAY = {("lap", Fraction(1)): 261_032.0}
"""Section 6: trips that the Laplace mechanism makes of 37,714, on the weekday."""

TRIPS_AT_THE_PEAK = {
    ("lap", Fraction(1, 10)): 320_940.40,
    ("lap", Fraction(1, 20)): 656_577.40,
    ("lap", Fraction(1, 100)): 3_312_350.00,
    ("h5", Fraction(1, 10)): 839_150.50,
    ("h5", Fraction(1, 20)): 1_698_770.00,
    ("h5", Fraction(1, 100)): 8_543_366.50,
}
"""Section 10: the same from 8 to 10, of 4,878."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method by its name on the page; `part` says where it stands there, `what` what it is."""

    name: str
    part: str
    what: str


PAPER, EXTRA = "paper", "beside"
METHODS = {
    "lap rounded": Method(
        name="M_Lap",
        part=PAPER,
        what="real noise on every cell at all of epsilon, rounded, negative ones to 0",
    ),
    "lap truncated": Method(name="M_Lap, truncated", part=EXTRA, what="the same, decimals cut off"),
    "lap integers": Method(
        name="identity", part=EXTRA, what="integer noise on every cell, negative ones to 0: `identity` here"
    ),
    "h3": Method(name="M_H3", part=PAPER, what="hierarchy of periods and cells, least squares"),
    "h4": Method(name="M_H4", part=PAPER, what="with zone pairs between"),
    "h5": Method(name="M_H5", part=PAPER, what="with modes nested in zone pairs between"),
    "h3 pruned": Method(
        name="M_H3, pruned", part=EXTRA, what="M_H3, nodes that are not positive emptied with all below"
    ),
    "h4 pruned": Method(name="M_H4, pruned", part=EXTRA, what="M_H4, the same"),
    "h5 pruned": Method(name="M_H5, pruned", part=EXTRA, what="M_H5, the same"),
    "h5 projected": Method(
        name="M_H5, projected", part=EXTRA, what="M_H5, non-negative level by level: `hierarchy` here"
    ),
    "h5 even shares": Method(
        name="M_H5, even shares", part=EXTRA, what="M_H5, epsilon divided evenly among its levels"
    ),
    "h5 printed shares": Method(
        name="M_H5, printed shares",
        part=EXTRA,
        what="M_H5, epsilon divided for a tree of height 5, two of the six shares unused",
    ),
    "o3": Method(name="M_O3", part=PAPER, what="features total and period, and cells"),
    "o4": Method(name="M_O4", part=PAPER, what="and zone pairs by period"),
    "o5": Method(name="M_O5", part=PAPER, what="and modes by period"),
    "o5a": Method(name="M_O5(a)", part=PAPER, what="modes nested in zone pairs, uniform weights"),
    "o5b": Method(name="M_O5(b)", part=PAPER, what="modes nested in zone pairs, weights 1/n"),
    "o5c": Method(name="M_O5(c)", part=PAPER, what="as M_O5, uniform weights"),
    "o5 free": Method(name="M_O5, negative allowed", part=EXTRA, what="as M_O5 without x >= 0"),
    "o5 free unweighted": Method(
        name="M_O5(c), negative allowed", part=EXTRA, what="as M_O5(c) without x >= 0"
    ),
    "nested free": Method(name="M_O5(b), negative allowed", part=EXTRA, what="as M_O5(b) without x >= 0"),
    "nested free unweighted": Method(
        name="M_O5(a), negative allowed", part=EXTRA, what="as M_O5(a) without x >= 0"
    ),
    "o5 integers": Method(name="cbdp", part=EXTRA, what="M_O5 in integers that keep totals: `cbdp` here"),
    "o5 rounded alone": Method(
        name="M_O5, each cell rounded", part=EXTRA, what="M_O5 made whole as the paper does"
    ),
    "o5 two-phase": Method(
        name="M_O5, two phases",
        part=EXTRA,
        what="least squares by inverse variances, then the nearest non-negative table",
    ),
    "o5 cube-root shares": Method(
        name="M_O5, cube-root shares",
        part=EXTRA,
        what="M_O5, epsilon divided by the cube roots of the features' sizes",
    ),
    "uniform": Method(name="uniform", part=EXTRA, what="a noisy total, spread evenly over all cells"),
    "zero": Method(name="zero", part=EXTRA, what="no trips at all, for free"),
}
