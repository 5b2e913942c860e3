"""A process that releases again and again, and is killed at another point each time.

    python -m tests.contracts.killed FOLDER trips|paths

The n-th child works in FOLDER/n and is killed by the n-th event, whose name it
leaves in FOLDER/n/killed. Events lie before and after everything that lasts:
the charge, the noise, every flush to disk, every rename, every step.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.contracts.project import PATHS, RELEASE, few_trips, write_project

from quietway import pipeline
from quietway.budget import Ledger
from quietway.mechanisms.od.adaptive import AdaptiveTrees
from quietway.mechanisms.planned import PlannedMargins
from quietway.noise import secure
from quietway.publish import staging, store

MOST = 200
COMPILED = (
    ".nbi",
    ".nbc",
)  # what numba keeps on disk for the next process, now or later, is no part of a release
RELEASES = {"trips": RELEASE, "paths": PATHS}


@dataclass(frozen=True)
class Killer:
    """Counts events, and kills its process at one of them."""

    fatal: int
    note: Path
    seen: list[str] = field(default_factory=list)

    def event(self, name: str) -> None:
        """One more; the last, if it is the fatal one."""
        self.seen.append(name)
        if len(self.seen) > self.fatal:
            self.note.write_bytes(name.encode())
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str) -> None:
        """Make an event before and after each call of a function."""
        original: Callable[..., Any] = getattr(owner, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            if any(compiled in str(arg) for arg in args for compiled in COMPILED):
                return original(*args, **kwargs)
            self.event(f"before {name}")
            result = original(*args, **kwargs)
            self.event(f"after {name}")
            return result

        setattr(owner, name, watched)


def hook(killer: Killer) -> None:
    """Events at all that lasts."""
    for owner, name in (
        (Ledger, "charge"),
        (PlannedMargins, "measure"),
        (AdaptiveTrees, "measure"),
        (pipeline, "keep"),
        (store.np, "savez_compressed"),
        (os, "fsync"),
        (os, "replace"),
        (os, "rename"),
        (Path, "replace"),
        (Path, "rename"),
        (Path, "unlink"),
        (staging.Staging, "publish"),
    ):
        killer.around(owner, name)


def run(folder: Path, fatal: int, release: str) -> bool:
    """Release in a child, up to the fatal event. Whether it was done before that."""
    file = write_project(folder, release=release)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            sys.exit(os.WEXITSTATUS(status))
        return os.WIFEXITED(status)
    killer = Killer(fatal, folder / "killed")
    pipeline.count = few_trips
    hook(killer)
    try:
        pipeline.release(file, on_step=killer.event)
    finally:
        os._exit(0 if (folder / "published").exists() else 1)


def main(folder: Path, release: str) -> None:
    """One child after another, until one is done before it is killed."""
    # What is slow to load is loaded once, for all children.
    for module in ("pyarrow.csv", "pyarrow.parquet"):
        import_module(module)
    secure().laplace(np.zeros(9, dtype=np.int64), Fraction(9))
    # What has to be compiled is compiled once, or every child would compile it again.
    with TemporaryDirectory() as first:
        run(Path(first), sys.maxsize, release)
    for fatal in range(MOST):
        if run(folder / str(fatal), fatal, release):
            return
    sys.exit(f"the release is not done after {MOST} events")


if __name__ == "__main__":
    main(Path(sys.argv[1]), RELEASES[sys.argv[2]])
