"""All numbers of the experiments as JSON: means and standard errors, for other programs."""

from __future__ import annotations

import json
from typing import Any

from quietway.reproduce.od.case import Case, Results
from quietway.reproduce.od.judgement import verdicts
from quietway.reproduce.verdict import standard_error


def as_json(results: Results) -> str:
    """By case and method; times; and the verdicts."""
    settings = results.settings
    return (
        json.dumps(
            {
                "private": False,
                "runs": settings.runs,
                "seed": settings.seed,
                "points": settings.points,
                "queries": settings.queries,
                "data": [vars(about) for about in results.about],
                "missing": [str(reason) for reason in results.missing],
                "cases": [_case(results, case) for case in results.cases()],
                "seconds": [vars(time) for time in results.times],
                "verdicts": [
                    {
                        "ordering": verdict.says,
                        "whose": verdict.source,
                        "verdict": verdict.word,
                        "held": verdict.held,
                        "too_close": verdict.close,
                        "failed": list(verdict.failed),
                    }
                    for verdict in verdicts(results)
                ],
            },
            indent=1,
        )
        + "\n"
    )


def _case(results: Results, case: Case) -> dict[str, Any]:
    return {
        "figure": str(case.figure),
        "data": case.data,
        "dimensions": case.dimensions,
        "epsilon": str(case.epsilon),
        "skew": case.skew or None,
        "coverage": case.coverage or None,
        "mean_relative_error": {
            method: {"mean": float(runs.mean()), "standard_error": standard_error(runs)}
            for method, runs in results.found[case].items()
        },
    }
