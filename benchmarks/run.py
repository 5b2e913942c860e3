"""Run a benchmark by name: prints a table of ratios and keeps them in benchmarks/out/NAME.json."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAMES = {"spine": ("noise", "ledger", "ingest", "release")}


def main() -> int:
    """Run the parts of one benchmark, each a module beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--only", choices=sorted({part for parts in NAMES.values() for part in parts}))
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE))
    ratios: dict[str, float] = {}
    for part in NAMES[arguments.name]:
        if arguments.only in (None, part):
            print(f"\n== {part}", flush=True)
            ratios |= import_module(part).run()
    width = max(map(len, ratios), default=0)
    print("\nratio".ljust(width + 3) + "value")
    for key, value in ratios.items():
        print(f"{key:<{width}}  {value:,.2f}")
    if arguments.only is None:
        out = HERE / "out" / f"{arguments.name}.json"
        out.parent.mkdir(exist_ok=True)
        out.write_text(json.dumps({"name": arguments.name, "ratios": ratios}, indent=1) + "\n")
        print(f"\nkept in {out.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
