"""The methods that are compared, what each is called, and whose noise it reads."""

from __future__ import annotations

from dataclasses import dataclass

from quietway.mechanisms.od.registry import PATH_METHODS
from quietway.universe import PathSpace

PAPER, BESIDE = "paper", "beside"
EVERY_CELL, EUG_AS_PRINTED = "every cell", "eug as printed"
LARGEST_DENSE = 2**24


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method by its name on the page.

    `part` says whose it is, `source` whose noise it reads; where it is not
    `fitted`, it answers as the paper does.
    """

    name: str
    part: str
    source: str
    fitted: bool = True
    what: str


def _paper(name: str, source: str, what: str) -> Method:
    return Method(name=name, part=PAPER, source=source, fitted=False, what=what)


def _fitted(name: str, source: str) -> Method:
    return Method(
        name=f"{name}, fitted", part=BESIDE, source=source, what=f"{name}'s noise, fitted as Quietway fits it"
    )


METHODS = {
    "identity": _paper("IDENTITY", EVERY_CELL, "noise on every cell"),
    "eug": _paper(
        "EUG", "eug", "a grid of equal blocks, as many as balance both kinds of error; the exponent corrected"
    ),
    "eug printed": _paper("EUG, as printed", EUG_AS_PRINTED, "the same with the printed exponent"),
    "ebp": _paper("EBP", "ebp", "a grid of equal blocks, as many as its rule of entropy says"),
    "mkm": _paper("MKM", "mkm", "a grid of equal blocks by Lei's rule, whatever the noise"),
    "daf-entropy": _paper(
        "DAF-Entropy",
        "daf-entropy",
        "one axis after the other, each box cut evenly into as many parts as its noisy count suggests",
    ),
    "daf-homogeneity": _paper(
        "DAF-Homogeneity", "daf-homogeneity", "the same with cuts chosen privately where dense and empty part"
    ),
    "uniform": _paper("UNIFORM", "uniform", "a noisy total, spread evenly"),
    "identity fitted": Method(
        name="identity",
        part=BESIDE,
        source="identity",
        what="noise on every cell, of which those are kept that stand out, fitted",
    ),
    "eug fitted": _fitted("EUG", "eug"),
    "ebp fitted": _fitted("EBP", "ebp"),
    "mkm fitted": _fitted("MKM", "mkm"),
    "daf-entropy fitted": _fitted("DAF-Entropy", "daf-entropy"),
    "daf-homogeneity fitted": _fitted("DAF-Homogeneity", "daf-homogeneity"),
    "privtree": Method(
        name="PrivTree",
        part=BESIDE,
        source="privtree",
        what="boxes halved along every axis while they seem full",
    ),
    "quadtree": Method(
        name="quadtree", part=BESIDE, source="quadtree", what="boxes halved along every axis to a depth"
    ),
    "kdtree": Method(name="k-d tree", part=BESIDE, source="kdtree", what="boxes halved at private medians"),
    "daf": Method(
        name="daf", part=BESIDE, source="daf", what="what Quietway does where nothing else is asked for"
    ),
}
DEFAULT = "daf"
DATA_INDEPENDENT = ("identity", "eug", "ebp", "mkm")
DAF = ("daf-entropy", "daf-homogeneity")


def sources(space: PathSpace) -> dict[str, list[str]]:
    """The methods that can be had for a space, by whose noise they read.

    Where the cells are too many to write down, IDENTITY is what its sparse form is, fitted.
    """
    found = dict[str, list[str]]()
    for key, method in METHODS.items():
        source = method.source
        if source == EVERY_CELL and space.size > LARGEST_DENSE:
            source = "identity"
        if source in (EVERY_CELL, EUG_AS_PRINTED) or source in PATH_METHODS:
            found.setdefault(source, []).append(key)
    return found
