"""The methods for paths that a release file may name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from quietway.mechanisms.od.mechanism import PathMechanism
from quietway.universe import PathSpace, PrivacyUnit


@dataclass(frozen=True, kw_only=True)
class PathRequest:
    """What a mechanism for paths is built from."""

    space: PathSpace
    unit: PrivacyUnit
    epsilon: Fraction


PathBuild = Callable[[PathRequest], PathMechanism]
PATH_METHODS: dict[str, PathBuild] = {}
