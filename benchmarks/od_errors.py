"""Errors of every method for paths, on invented points and on real paths: is the default the best on average?

A method's score on a data set is the geometric mean of its mean relative errors over epsilons (0.1, 0.3, 0.5), skews of
invented points, and kinds of queries (random boxes; boxes of 1, 5 and 10 % of every side), 1,000 queries each. A ratio
is the geometric mean over data sets of one method's score over another's. The best baseline is the one method, of the
paper's and of Quietway's other than the default, whose scores are least on average over the data sets.
"""

from __future__ import annotations

from quietway.cli.screen import table
from quietway.reproduce.markdown import number
from quietway.reproduce.od.averages import Scores, best, ratio, scores
from quietway.reproduce.od.case import Case, Runs
from quietway.reproduce.od.experiments import invented, real
from quietway.reproduce.od.methods import DEFAULT, METHODS, OURS, PAPER
from quietway.reproduce.od.runs import every_error
from quietway.reproduce.od.settings import Settings
from true_tables import data_folder

RUNS = 1
WORKERS = 2
ANY = "dpbench"


def run(runs: int = RUNS, quick: bool = False) -> tuple[dict[str, float], dict[str, object]]:
    """Print the scores; return the default's ratios."""
    data = data_folder(ANY).parent
    settings = Settings.quick(data=data) if quick else Settings(runs=runs, data=data)
    found = scores(measured(settings))
    print_scores(found)
    return ratios(found), {"od mean relative errors": [_row(key, row) for key, row in found.items()]}


def measured(settings: Settings) -> dict[Case, dict[str, Runs]]:
    """Every case of the reproduction."""
    experiments = [
        *invented(settings),
        *(real(settings, name)[0] for name in (*settings.cities, *settings.stops)),
    ]
    return every_error(experiments, settings, workers=WORKERS)


def ratios(found: Scores) -> dict[str, float]:
    """Below 1 the default errs less."""
    complete = [name for name in METHODS if all(name in row for row in found.values())]
    if DEFAULT not in complete:
        return {}
    baseline = best(found, [name for name in complete if name != DEFAULT])
    print(f"\nbest single baseline: {baseline}")
    real_only = {data: row for data, row in found.items() if data[0] not in ("Gaussian", "Zipf")}
    return {
        "default_vs_best_baseline_mre": ratio(found, DEFAULT, baseline),
        "default_vs_best_baseline_mre_real_data": ratio(real_only, DEFAULT, baseline),
        "default_vs_daf_entropy_mre": ratio(found, DEFAULT, "DAF-Entropy"),
        "default_vs_our_daf_entropy_mre": ratio(found, DEFAULT, "daf-entropy"),
    }


def print_scores(found: Scores) -> None:
    """A row per data set, a column per method; last, the geometric mean of each method's ratio to DAF-Entropy."""
    for part in (PAPER, OURS):
        names = [
            name
            for name, method in METHODS.items()
            if method.part == part and all(name in row for row in found.values())
        ]
        rows = [(f"{data} {d}-D", *(number(row[name]) for name in names)) for (data, d), row in found.items()]
        rows.append(
            ("of DAF-Entropy's, on average", *(f"{ratio(found, n, 'DAF-Entropy'):.2f}" for n in names))
        )
        print("\n" + table((f"{part}, error in %", *names), rows))


def _row(data: tuple[str, int], row: dict[str, float]) -> dict[str, object]:
    return {"data": data[0], "dimensions": data[1], **row}
