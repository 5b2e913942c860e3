"""Arrow, loaded when a table is written. It ships no types, so what it makes is `Any`."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def arrow(part: str = "") -> Any:
    """The pyarrow package, or one of its parts: `compute`, `csv`, `parquet`."""
    return import_module(f"pyarrow.{part}" if part else "pyarrow")
