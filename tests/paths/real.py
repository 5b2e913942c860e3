"""Real data, which are no part of the project: where they are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def real(name: str) -> Path:
    """A file among the real data; the test is skipped where they are not at hand."""
    folder = Path(os.environ.get("QUIETWAY_DATA", PROJECT.parent / "shared" / "data"))
    if not (folder / name).exists():
        pytest.skip(f"real data are not at hand: QUIETWAY_DATA names no folder that holds {name}")
    return folder / name
