"""What the paper says of its figures 4 to 8: which method errs less than which, and where."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from quietway.reproduce.od.case import Case, Figure, Results
from quietway.reproduce.od.methods import DAF, DATA_INDEPENDENT, METHODS
from quietway.reproduce.verdict import Outcome, Verdict, sign, tallied

Pairs = Iterable[tuple[str, str]]
Only = Callable[[Case], bool]


def gaussian_plane(case: Case) -> bool:
    """Figure 4's first row."""
    return case.figure == Figure.GAUSSIAN and case.dimensions == 2


def gaussian(case: Case) -> bool:
    """Figure 4."""
    return case.figure == Figure.GAUSSIAN


def zipf(case: Case) -> bool:
    """Figure 5."""
    return case.figure == Figure.ZIPF


def cities(case: Case) -> bool:
    """Figures 6 and 7."""
    return case.figure == Figure.CITIES


def stops(case: Case) -> bool:
    """Figure 8."""
    return case.figure == Figure.STOPS


def four(case: Case) -> bool:
    """Figure 8 as the paper has it."""
    return stops(case) and case.dimensions == 4


def everywhere(_: Case) -> bool:
    """All that was run."""
    return True


@dataclass(frozen=True, kw_only=True)
class Claim:
    """That the first of each pair errs less than the second, by a factor or more, in some cases."""

    says: str
    source: str
    pairs: tuple[tuple[str, str], ...]
    only: Only
    factor: float = 1.0
    why: str = ""


def judged(results: Results, claim: Claim) -> Verdict:
    """The claim, tried on every case that it speaks of, run by run."""
    outcomes = [
        (
            sign(results.runs(case, worse) - claim.factor * results.runs(case, better)),
            f"{better} against {worse}, {case}",
        )
        for case in results.cases(claim.only)
        for better, worse in claim.pairs
        if {better, worse} <= set(results.found[case])
    ]
    return tallied(claim.says, claim.source, outcomes, claim.why)


def on_average(results: Results, claim: Claim) -> Verdict:
    """The claim, tried once for each pair: on the geometric mean of the errors over all its cases."""
    outcomes = list[Outcome]()
    for better, worse in claim.pairs:
        logs = [
            np.log(results.runs(case, worse) / (claim.factor * results.runs(case, better)))
            for case in results.cases(claim.only)
            if {better, worse} <= set(results.found[case])
        ]
        if logs:
            outcomes.append((sign(np.mean(logs, axis=0)), f"{better} against {worse}"))
    return tallied(claim.says, claim.source, outcomes, claim.why)


GRIDS = ("EUG", "EBP")
BASELINES = ("IDENTITY", "MKM")

IN_EVERY_CASE = (
    Claim(
        says="in two dimensions EBP and DAF-Entropy err less than EUG, DAF-Homogeneity, MKM and IDENTITY",
        source="section 6.2, Fig. 4(a-c)",
        pairs=tuple(product(("EBP", "DAF-Entropy"), ("EUG", "DAF-Homogeneity", *BASELINES))),
        only=gaussian_plane,
    ),
    Claim(
        says="in two dimensions DAF-Homogeneity and EUG err less than MKM and IDENTITY",
        source="section 6.2, Fig. 4(a-c)",
        pairs=tuple(product(("DAF-Homogeneity", "EUG"), BASELINES)),
        only=gaussian_plane,
    ),
    Claim(
        says="in two dimensions MKM and IDENTITY err within a factor of 2 of each other",
        source="section 6.2, Fig. 4(a-c)",
        pairs=(("IDENTITY", "MKM"), ("MKM", "IDENTITY")),
        factor=0.5,
        only=gaussian_plane,
    ),
    Claim(
        says="DAF errs less than the data-independent methods, on Gaussian points",
        source="section 6.2: in almost all experiments",
        pairs=tuple(product(DAF, DATA_INDEPENDENT)),
        only=gaussian,
    ),
    Claim(
        says="DAF-Entropy errs less than DAF-Homogeneity, on Gaussian points",
        source="section 6.2: generally",
        pairs=(DAF,),
        only=gaussian,
    ),
    Claim(
        says="EUG, EBP and DAF err less than IDENTITY and MKM by a factor of 10 or more, on Zipf points",
        source="section 6.2, Fig. 5",
        pairs=tuple(product((*GRIDS, *DAF), BASELINES)),
        factor=10,
        only=zipf,
    ),
    Claim(
        says="DAF errs less than the data-independent methods, on Zipf points",
        source="section 6.2, Fig. 5: similar trends",
        pairs=tuple(product(DAF, DATA_INDEPENDENT)),
        only=zipf,
    ),
    Claim(
        says="EUG, EBP and DAF err less than IDENTITY and MKM by a factor of 10 or more, on real places",
        source="section 6.3, Fig. 6",
        pairs=tuple(product((*GRIDS, *DAF), BASELINES)),
        factor=10,
        only=cities,
    ),
    Claim(
        says="EUG errs more than EBP and DAF, on real places",
        source="section 6.3, Fig. 7",
        pairs=tuple(product(("EBP", *DAF), ("EUG",))),
        only=cities,
    ),
    Claim(
        says="EBP errs less than EUG and DAF, on real places",
        source="section 6.3, Fig. 7: Detroit and New York; section 6.4: in lower dimensions",
        pairs=tuple(product(("EBP",), ("EUG", *DAF))),
        only=cities,
    ),
    Claim(
        says="DAF-Homogeneity errs less than EBP and DAF-Entropy, on real places",
        source="section 6.3, Fig. 7: Denver",
        pairs=tuple(product(("DAF-Homogeneity",), ("EBP", "DAF-Entropy"))),
        only=cities,
    ),
    Claim(
        says="DAF errs less than EUG and EBP, on real paths of more than two dimensions",
        source="section 6.4",
        pairs=tuple(product(DAF, GRIDS)),
        only=stops,
    ),
    Claim(
        says="what the paper proposes errs less than UNIFORM, which knows the total alone",
        source="asked here: any method should",
        pairs=tuple(product((*GRIDS, *DAF), ("uniform",))),
        only=everywhere,
    ),
)
ON_AVERAGE = (
    Claim(
        says="on average DAF-Entropy errs less than EUG, EBP and DAF-Homogeneity, on real paths in four dimensions",
        source="section 6.3, Fig. 8",
        pairs=tuple(product(("DAF-Entropy",), (*GRIDS, "DAF-Homogeneity"))),
        only=four,
    ),
    Claim(
        says="on average DAF-Entropy errs less than DAF-Homogeneity, on everything",
        source="section 6.4",
        pairs=(DAF,),
        only=everywhere,
    ),
    Claim(
        says="on average the correction of EUG's exponent lowers its error, in more than two dimensions",
        source="asked here",
        pairs=(("EUG corrected", "EUG"),),
        only=lambda case: case.dimensions > 2,
    ),
    Claim(
        says="on average a method of the paper errs less as Quietway has it: corrected, with every count used, fitted",
        source="asked here",
        pairs=tuple((method.lower(), method) for method in ("IDENTITY", *GRIDS, "MKM", *DAF)),
        only=everywhere,
    ),
    Claim(
        says="on average daf errs less than every other method, on real places and paths",
        source="asked here: the default should",
        pairs=tuple(product(("daf",), (method for method in METHODS if method != "daf"))),
        only=lambda case: cities(case) or stops(case),
    ),
)
