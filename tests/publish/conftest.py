"""Releases to publish: a small city under known noise, with none of the sensitive side involved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from quietway.measurement import Measurement
from quietway.publish.manifest import Manifest
from quietway.publish.release import Release
from quietway.universe import Axis, Partition, PrivacyUnit, Universe

MakeRelease = Callable[..., Release]
MakeManifest = Callable[..., Manifest]
NASTY = "<script>alert(1)</script>"


def manifest(**changes: Any) -> Manifest:
    """A plausible manifest."""
    settings: dict[str, Any] = {
        "name": "City trips",
        "dataset": "city",
        "created": "2026-11-18T09:00:00Z",
        "quietway": "0.1.0",
        "versions": {"numpy": "2.4.6", "python": "3.11.7"},
        "spec_hash": "5f1c0a9be77d4c21",
        "unit": PrivacyUnit(),
        "epsilon": Fraction(1, 2),
        "parts": (("total", Fraction(1, 6)), ("by period", Fraction(1, 6)), ("cells", Fraction(1, 6))),
        "method": "hierarchy",
        "settings": {"fit": "project"},
        "rehearsal": False,
        "private": True,
        "ledger_entry": 7,
        "ledger_hash": "9d3e",
    }
    return Manifest(**settings | changes)


def universe(zones: tuple[str, ...], periods: tuple[str, ...]) -> Universe:
    """Trips between zones, by period."""
    return Universe(
        (
            Axis(name="origin", size=len(zones), labels=zones),
            Axis(name="destination", size=len(zones), labels=zones),
            Axis(name="period", size=len(periods), labels=periods, ordered=True),
        )
    )


def gravity(within: Universe, trips: int, seed: int) -> NDArray[np.int64]:
    """Made-up counts of every cell: few zones attract most, and mornings and evenings are busy."""
    draw = np.random.default_rng(seed)
    pull = draw.pareto(1.3, within.axes[0].size) + 0.1
    clock = np.arange(within.axes[2].size) / within.axes[2].size * 24
    busy = 0.1 + np.exp(-((clock - 8) ** 2) / 4) + 0.8 * np.exp(-((clock - 17.5) ** 2) / 6)
    weight = np.einsum("i,j,k->ijk", pull, pull, busy).ravel()
    return draw.multinomial(trips, weight / weight.sum()).astype(np.int64)


def release(
    within: Universe, truth: NDArray[np.int64], *, scale: Fraction = Fraction(6), **changes: Any
) -> Release:
    """Publish counts of every cell through three nested noisy partitions."""
    draw = np.random.default_rng(11)
    keys = np.arange(within.size, dtype=np.int64)
    levels = {
        "total": Partition.total(within),
        "by period": Partition.margin(within, ["period"]),
        "cells": Partition.identity(within),
    }
    measured = tuple(
        Measurement(
            name=name, partition=level, noisy=noisy(level.totals(keys, truth), scale, draw), scale=scale
        )
        for name, level in levels.items()
    )
    says = manifest(**changes)
    around = draw.normal((2.35, 48.85), (0.06, 0.04), (within.axes[0].size, 2))
    return Release(
        universe=within,
        features=(
            ("by period", levels["by period"]),
            ("from each zone", Partition.margin(within, ["origin"])),
            ("zones over time", Partition.margin(within, ["origin", "period"])),
            ("cells", levels["cells"]),
        ),
        places={"origin": around, "destination": around},
        measurements=measured,
        manifest=says,
    )


def publishing(
    release: Release, keys: NDArray[np.int64], counts: NDArray[np.int64], **changes: Any
) -> Release:
    """The same release, as if its fit had ended in this table."""
    changed = replace(release, **changes)
    vars(changed)["solution"] = replace(release.solution, keys=keys, counts=counts)
    return changed


def noisy(totals: NDArray[np.int64], scale: Fraction, draw: np.random.Generator) -> NDArray[np.int64]:
    """Discrete Laplace noise, for tests alone."""
    success = 1 - np.exp(-1 / float(scale))
    return totals + draw.geometric(success, totals.size) - draw.geometric(success, totals.size)


HOURS = tuple(f"{hour:02d}:00" for hour in range(6, 22))
ZONES = ("Harbour", "Old Town", "Airport", "University", "Mill & Sons", NASTY)


@pytest.fixture(scope="session")
def city() -> Release:
    """Six zones, one of them maliciously named, over sixteen hours."""
    within = universe(ZONES, HOURS)
    return release(within, gravity(within, 20_000, 3))


@pytest.fixture(scope="session")
def empty() -> Release:
    """A release without a single published cell."""
    within = universe(ZONES, HOURS)
    full = release(within, np.zeros(within.size, dtype=np.int64))
    none = np.zeros(0, dtype=np.int64)
    return publishing(full, none, none)


@pytest.fixture(scope="session")
def guessed() -> Release:
    """The city again, by a fit that begins with a prior: its estimates are means of what may be believed."""
    within = universe(ZONES, HOURS)
    full = release(within, gravity(within, 20_000, 3))
    says = manifest(method="cbdp", settings={"fit": "tempered", "prior": "uniform"})
    return replace(full, manifest=says, measurements=full.measurements[:2])
