"""Every method on every case: noise, answers, and the mean relative error of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from quietway.counts import Paths
from quietway.errors import InputError
from quietway.estimate.boxes import fit_paths
from quietway.mechanisms.od.registry import PathRequest
from quietway.noise import seeded
from quietway.reproduce.od.case import RANDOM, About, Case, Results, Runs
from quietway.reproduce.od.experiments import Experiment, invented, real
from quietway.reproduce.od.methods import METHODS, built, methods
from quietway.reproduce.od.settings import Settings
from quietway.reproduce.od.truth import Truth
from quietway.universe import PathSpace
