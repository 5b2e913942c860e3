"""How paths lie inside boxes, learnt from how they lie among boxes next to each other.

Notation: rho is the clumping of a Dirichlet-multinomial law: of n paths in a
    box, the number in a part with a share f of its mass has the variance
    f (1 - f) (n + rho n (n - 1)). 0: each path falls for itself; 1: all fall together.
    tau is how far the boxes that one query cuts lean the same way, as they do on
    a slope: with deviations d that sum to D, the variance of all is the sum of theirs plus tau D^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quietway.estimate.boxes import kernels
from quietway.estimate.boxes.solution import Floats, Index
from quietway.universe import PathSpace
from quietway.universe.path_workload import random_boxes

QUERIES = 200
MOST_PARENTS = 20_000
SEED = 1


@dataclass(frozen=True, kw_only=True)
class Clumping:
    """rho and tau."""

    rho: float
    tau: float


def learn(nodes: kernels.Nodes, space: PathSpace, cover: kernels.Cover) -> Clumping:
    """From the published tree alone."""
    parents = kernels.lowest(nodes.end)
    if not len(parents):
        return Clumping(rho=1.0, tau=0.0)
    rho = _rho(*kernels.unevenness(nodes, parents, cover).T)
    return Clumping(rho=rho, tau=_tau(nodes, parents, space, cover, rho))


def _rho(excess: Floats, most: Floats, noise: Floats) -> float:
    """By the method of moments over all nodes whose children are leaves, on the safe side.

    One standard error is added, and one node more whose paths are all together,
    so that little evidence means wide intervals, and none the widest.
    """
    together = float(most.sum())
    if together <= 0:
        return 1.0
    rho = min(1.0, max(0.0, float(excess.sum()) / together))
    scatter = max(float(((excess - rho * most) ** 2).sum()), float(noise.sum())) ** 0.5
    one = together / len(most)
    return min(1.0, (rho * together + scatter + one) / (together + one))


def _tau(nodes: kernels.Nodes, parents: Index, space: PathSpace, cover: kernels.Cover, rho: float) -> float:
    """By the method of moments over random queries, answered with the lowest leaves and without them."""
    low, high = random_boxes(space, QUERIES, seed=SEED)
    change, noise, alone, leaning = kernels.coarsened(nodes, parents, low, high, cover, rho).T
    weight = 1 / np.maximum(noise + alone + leaning**2, 1e-9) ** 2
    excess = change**2 - noise - alone
    evidence = float((weight * leaning**4).sum())
    return min(1.0, max(0.0, float((weight * excess * leaning**2).sum()) / evidence)) if evidence > 0 else 0.0
