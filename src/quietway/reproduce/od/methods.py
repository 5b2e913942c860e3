"""The methods that are compared, and whose noise each of them reads."""

from __future__ import annotations

from dataclasses import dataclass

from quietway.mechanisms.od.registry import PATH_METHODS
from quietway.universe import PathSpace

PAPER, OURS = "the paper's", "Quietway's"
EVERY_CELL = "every cell"
LARGEST_DENSE = 2**24


@dataclass(frozen=True, kw_only=True)
class Source:
    """Some noise: a registered method, or every cell; `published` is as the paper has it, corrected only where privacy or sense asks for it."""

    method: str
    published: bool = False


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method by its name on the page. The paper's answer as the paper does; Quietway's are fitted."""

    name: str
    part: str
    source: Source
    what: str


def _paper(name: str, method: str, what: str, *, published: bool = True) -> Method:
    return Method(name=name, part=PAPER, source=Source(method=method, published=published), what=what)


def _ours(name: str, what: str) -> Method:
    return Method(name=name, part=OURS, source=Source(method=name), what=what)


_EVERY = (
    _paper("IDENTITY", EVERY_CELL, "noise on every cell"),
    _paper("EUG", "eug", "a grid of equal blocks, as many as its two kinds of error ask for"),
    _paper("EUG corrected", "eug", "the same with the exponent that the derivation gives", published=False),
    _paper("EBP", "ebp", "a grid of equal blocks, as many as its rule of entropy says"),
    _paper("MKM", "mkm", "a grid of equal blocks by Lei's rule, whatever the noise"),
    _paper(
        "DAF-Entropy",
        "daf-entropy",
        "axis after axis, each box cut evenly into as many parts as its noisy count asks for",
    ),
    _paper(
        "DAF-Homogeneity",
        "daf-homogeneity",
        "the same, with cuts chosen privately where dense and empty part",
    ),
    _ours("uniform", "a noisy total, spread evenly"),
    _ours("identity", "of noise on every cell, those that stand out, and a total"),
    _ours("eug", "EUG's corrected grid"),
    _ours("ebp", "EBP's grid"),
    _ours("mkm", "MKM's grid"),
    _ours("daf-entropy", "DAF-Entropy's boxes, every count on the way to a leaf used"),
    _ours("daf-homogeneity", "DAF-Homogeneity's boxes, every count on the way to a leaf used"),
    _ours("privtree", "boxes halved along every axis while they seem full"),
    _ours("quadtree", "boxes halved along every axis to a depth"),
    _ours("kdtree", "boxes halved at private medians"),
    _ours("daf", "the default"),
)
METHODS = {method.name: method for method in _EVERY}
DEFAULT = "daf"
DATA_INDEPENDENT = ("IDENTITY", "EUG", "EBP", "MKM")
DAF = ("DAF-Entropy", "DAF-Homogeneity")


def sources(space: PathSpace) -> dict[Source, list[Method]]:
    """The methods that can be had for a space, by whose noise they read.

    Where there are too many cells to write down, IDENTITY is what Quietway makes of it.
    """
    found = dict[Source, list[Method]]()
    for method in METHODS.values():
        source = method.source
        if source.method == EVERY_CELL and space.size > LARGEST_DENSE:
            source = Source(method="identity")
        if source.method == EVERY_CELL or source.method in PATH_METHODS:
            found.setdefault(source, []).append(method)
    return found
