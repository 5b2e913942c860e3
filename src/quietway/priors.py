"""The prior that a release file asks for: what is held of the cells before anything is measured.

Everything read here is public: places, a table of trips that anyone may see, or a release that was paid for before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quietway.errors import ConfigError, InputError
from quietway.estimate.prior import PublicTable, located_ends
from quietway.nearest import likely
from quietway.prior_table import read_table
from quietway.publish.kept import MANIFEST
from quietway.publish.promise import is_private
from quietway.publish.release import Release
from quietway.publish.staging import Staging
from quietway.publish.store import load_release
from quietway.universe import Partition, Universe

if TYPE_CHECKING:
    from quietway.config import MethodSection

MOST_LISTED = 10_000_000
KINDS = ("none", "uniform", "gravity")

Places = Mapping[str, NDArray[np.float64]]


def chosen_prior(
    method: MethodSection, folder: Path, universe: Universe, places: Places, *, paid: Staging
) -> tuple[str, PublicTable | None]:
    """The kind of prior, and the table if it is one; without a word of it, the best that the universe allows.

    A release that was interrupted after paying keeps its table with its measurements (`paid`), so
    that it can be finished when the table itself is gone.
    """
    if method.name != "cbdp":
        return "none", None
    if method.prior is None:
        return _usual(method, universe, places), None
    if method.prior != "none":
        _require_listed(universe)
        _require_no_weights(method)
    if method.prior == "gravity" and located_ends(universe, places) is None:
        raise ConfigError(
            "method.prior: 'gravity' needs two axes of places with coordinates; give both lon and lat, or use 'uniform'"
        )
    if method.prior in KINDS:
        return method.prior, None
    path = folder / method.prior
    return "table", (None if path.exists() else _kept(paid, universe)) or _table(path, universe)


def _usual(method: MethodSection, universe: Universe, places: Places) -> str:
    """Settings of the fit without a prior ask for none."""
    if universe.size > MOST_LISTED or method.weights is not None or method.fit in ("cbdp", "free"):
        return "none"
    return "uniform" if located_ends(universe, places) is None else "gravity"


def _require_listed(universe: Universe) -> None:
    if universe.size > MOST_LISTED:
        raise ConfigError(
            f"method.prior: a prior lists every cell, and {universe.size:,} are too many (at most {MOST_LISTED:,}); "
            "use coarser axes, or prior = 'none', which lists only what stands out"
        )


def _require_no_weights(method: MethodSection) -> None:
    if method.weights is not None:
        raise ConfigError(
            "method.weights goes with prior = 'none'; with a prior, what is measured weighs by its noise"
        )


def _kept(paid: Staging, universe: Universe) -> PublicTable | None:
    """What an interrupted release had read; whether it was this very one is for its hash to tell."""
    if not paid.is_paid:
        return None
    waiting = load_release(paid.folder)
    table = waiting.prior if isinstance(waiting, Release) else None
    return table if table is not None and table.partition.universe == universe else None


def _table(path: Path, universe: Universe) -> PublicTable:
    if path.is_dir():
        return _released(path, universe)
    if not path.is_file():
        raise ConfigError(
            f"method.prior: there is no file or folder {path}; name a table of trips or a published folder, "
            f"or one of {', '.join(KINDS)}{likely(path.name, KINDS)}"
        )
    return read_table(path, universe)


def _released(path: Path, universe: Universe) -> PublicTable:
    if not (path / MANIFEST).is_file():
        raise ConfigError(f"method.prior: {path} is not a published folder: it holds no {MANIFEST}")
    try:
        release = load_release(path)
        trips = release.total
    except InputError as error:
        raise ConfigError(f"method.prior: {error.message}") from error
    if not isinstance(release, Release):
        raise ConfigError(
            f"method.prior: the release in {path} holds paths, not trips; name a release of trips"
        )
    _require_private(path, release)
    if release.universe != universe:
        raise ConfigError(
            f"method.prior: the release in {path} has other axes or other labels than this file; "
            "use its table over the axes that both have, as a file"
        )
    if not trips:
        raise ConfigError(f"method.prior: the release in {path} holds no trips; use 'uniform'")
    return PublicTable(
        partition=Partition.identity(universe), blocks=release.keys, values=release.counts.astype(np.float64)
    )


def _require_private(path: Path, release: Release) -> None:
    """What was not paid for must not be published again inside of something that was."""
    if not is_private(release.manifest):
        raise ConfigError(
            f"method.prior: the release in {path} is marked NOT PRIVATE; name one that a ledger was charged for, "
            "or a table that is public"
        )
