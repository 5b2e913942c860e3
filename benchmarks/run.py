"""Run a benchmark by name: prints ratios and tables, and keeps them in benchmarks/out/NAME.json.

A part is a module with a function `run`, which returns ratios by name, or a
pair of them and of tables by name.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = {
    "spine": ("noise", "ledger", "ingest", "release"),
    "cbdp": ("cbdp_fit", "cbdp_growth", "cbdp_universe"),
    "peers_cbdp": ("peers_cbdp",),
    "plans": ("plans",),
    "coverage": ("interval_coverage",),
    "od": ("od_partition", "od_queries", "od_errors", "od_ingest"),
    "od_coverage": ("od_intervals",),
    "od_choices": ("od_choices",),
}
WITH_RUNS = ("peers_cbdp", "interval_coverage", "od_errors", "od_intervals")
"""Parts that take --runs and --quick."""


def main() -> int:
    """Run the parts of one benchmark, each a module beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--only", choices=sorted({part for parts in NAMES.values() for part in parts}))
    parser.add_argument("--runs", type=int, help="how many runs to average, where a benchmark averages")
    parser.add_argument("--quick", action="store_true", help="fewer runs and cases, where that is possible")
    arguments = parser.parse_args()
    settings = {key: getattr(arguments, key) for key in ("runs", "quick") if getattr(arguments, key)}
    if settings and not set(NAMES[arguments.name]) & set(WITH_RUNS):
        parser.error(f"{arguments.name} takes neither --runs nor --quick; only {', '.join(WITH_RUNS)} do")
    sys.path.insert(0, str(HERE))
    ratios: dict[str, float] = {}
    tables: dict[str, object] = {}
    for part in NAMES[arguments.name]:
        if arguments.only in (None, part):
            print(f"\n== {part}", flush=True)
            found = import_module(part).run(**(settings if part in WITH_RUNS else {}))
            more_ratios, more_tables = found if isinstance(found, tuple) else (found, {})
            ratios |= more_ratios
            tables |= more_tables
    width = max(map(len, ratios), default=0)
    print("\nratio".ljust(width + 3) + "value")
    for key, value in ratios.items():
        print(f"{key:<{width}}  {value:,.2f}")
    if arguments.only is None:
        out = HERE / "out" / f"{arguments.name}.json"
        out.parent.mkdir(exist_ok=True)
        out.write_text(
            json.dumps({"name": arguments.name, "ratios": ratios, "tables": tables}, indent=1) + "\n"
        )
        print(f"\nkept in {out.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
