"""Time on a machine that may be shared: the best of several runs, on the wall's clock and on the processor's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Generic, TypeVar

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Timed(Generic[R]):
    """What the last run returned, and the seconds of the best runs."""

    result: R
    wall: float
    processor: float

    def times_faster(self, wall: float, processor: float) -> float:
        """How much longer the other took: by either clock, whichever says less."""
        return min(wall / self.wall, processor / self.processor)


def best(work: Callable[[], R], repeats: int) -> Timed[R]:
    """The best of some runs; the caller has warmed up what there is to warm up."""
    return min_of([once(work) for _ in range(repeats)])


def once(work: Callable[[], R]) -> Timed[R]:
    """One run."""
    wall, processor = perf_counter(), process_time()
    result = work()
    return Timed(result=result, wall=perf_counter() - wall, processor=process_time() - processor)


def min_of(runs: list[Timed[R]]) -> Timed[R]:
    """The least of each clock."""
    return Timed(
        result=runs[-1].result,
        wall=min(run.wall for run in runs),
        processor=min(run.processor for run in runs),
    )
