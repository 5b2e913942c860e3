"""The methods that are compared, and what each is called."""

from __future__ import annotations

from dataclasses import dataclass, field

from quietway.mechanisms.od.mechanism import PathMechanism
from quietway.mechanisms.od.registry import PATH_METHODS, PathRequest

PAPER, BESIDE = "paper", "beside"


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method by its name on the page; `part` says whose it is, `what` what it is."""

    name: str
    part: str
    what: str
    registered: str = ""
    options: dict[str, str] = field(default_factory=dict[str, str])


METHODS = {
    "identity": Method(name="IDENTITY", part=PAPER, what="noise on every cell"),
    "eug": Method(
        name="EUG", part=PAPER, what="a grid of equal blocks, as many as balance both errors, corrected"
    ),
    "eug printed": Method(
        name="EUG, as printed",
        part=PAPER,
        what="the same with the printed exponent",
        registered="eug",
        options={"eug": "as-published"},
    ),
    "ebp": Method(name="EBP", part=PAPER, what="a grid of equal blocks, as many as its entropy rule says"),
    "mkm": Method(name="MKM", part=PAPER, what="a grid of equal blocks, by Lei's rule"),
    "daf-entropy": Method(
        name="DAF-Entropy", part=PAPER, what="one axis after the other, each box cut evenly by its noisy count"
    ),
    "daf-homogeneity": Method(
        name="DAF-Homogeneity", part=PAPER, what="the same with cuts chosen privately where they part dense from empty"
    ),
    "uniform": Method(name="UNIFORM", part=BESIDE, what="a noisy total, spread evenly"),
    "daf": Method(name="daf", part=BESIDE, what="what Quietway does where nothing else is asked for"),
    "privtree": Method(name="PrivTree", part=BESIDE, what="boxes halved along every axis while they seem full"),
    "quadtree": Method(name="quadtree", part=BESIDE, what="boxes halved along every axis to a fixed depth"),
    "kdtree": Method(name="k-d tree", part=BESIDE, what="boxes halved at private medians"),
}
DEFAULT = "daf"
DATA_INDEPENDENT = ("identity", "eug", "ebp", "mkm")
DAF = ("daf-entropy", "daf-homogeneity")


def methods() -> dict[str, Method]:
    """Those that can be built."""
    return {key: method for key, method in METHODS.items() if (method.registered or key) in PATH_METHODS}


def built(key: str, request: PathRequest) -> PathMechanism:
    """A method, for some space, unit and epsilon."""
    return PATH_METHODS[METHODS[key].registered or key](request)
