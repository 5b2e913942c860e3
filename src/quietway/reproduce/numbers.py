"""All numbers of a reproduction as JSON: means and standard errors, for other programs."""

from __future__ import annotations

import json

from quietway.reproduce.cbdp import Results
from quietway.reproduce.judgement import verdicts
from quietway.reproduce.paper import METHODS
from quietway.reproduce.verdict import standard_error


def as_json(results: Results) -> str:
    """By day, epsilon, method and score; and the verdicts."""
    settings = results.settings
    return (
        json.dumps(
            {
                "private": False,
                "runs": settings.runs,
                "seed": settings.seed,
                "cases": [
                    {
                        "day": case.day,
                        "epsilon": str(case.epsilon),
                        "methods": {
                            METHODS[method].name: {
                                score: {"mean": float(runs.mean()), "standard_error": standard_error(runs)}
                                for score, runs in every.items()
                            }
                            for method, every in results.found[case].items()
                        },
                    }
                    for case in results.cases()
                ],
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
