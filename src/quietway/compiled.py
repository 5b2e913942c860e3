"""Loops that numba compiles, kept beside their source.

Its cache notices a change of a function's own file only, so compiled functions that call each other stand in one file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba  # pyright: ignore[reportMissingTypeStubs]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function, compiled once and kept on disk."""
    return cast(Callable[P, R], cast(Any, numba).njit(cache=True)(function))
