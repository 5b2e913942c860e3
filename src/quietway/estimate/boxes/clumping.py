"""How paths lie inside boxes, learnt from how they lie among boxes next to each other.

Notation: rho is the clumping of a Dirichlet-multinomial law: of n paths in a
    box, the number in a part with a share f of its mass has the variance
    f (1 - f) (n + rho n (n - 1)). 0: each path falls for itself; 1: all fall together.
    tau is how far the boxes that one query cuts lean the same way, as they do on
    a slope: the covariance of two boxes is tau times the product of their deviations.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from quietway.estimate.boxes import cover_kernels, shape_kernels
from quietway.estimate.boxes.solution import Floats, Index
from quietway.universe import PathSpace
from quietway.universe.path_workload import random_boxes

QUERIES, FEWEST, MOST_PAIRS = 200, 10, 200_000
SEED = 1
DOUBT = 0.1
UNTOLD = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Clumping:
    """rho of every node, and tau."""

    rho: Floats
    tau: float

    def doubting(self, even: Clumping) -> Clumping:
        """Halfway to what would be learnt without densities: these err too, and in all boxes alike."""
        rho = np.sqrt(self.rho * np.maximum(self.rho, even.rho))
        return Clumping(rho=rho, tau=max(self.tau, even.tau, DOUBT))


def learn(
    nodes: cover_kernels.Nodes, parent: Index, space: PathSpace, cover: cover_kernels.Cover
) -> Clumping:
    """From the published tree alone.

    A leaf is taken to be as uneven inside as the most uneven of the levels next
    to it: its own, where others were cut further, its parent's, and as many
    above as it takes to cut all axes, so that no axis is left out.
    """
    depth = shape_kernels.depths(parent)
    inner = nodes.end > np.arange(len(depth)) + 1
    levels = [np.flatnonzero(inner & (depth == level)) for level in range(int(depth.max()))]
    found = _by_level([cover_kernels.unevenness(nodes, level, cover).T for level in levels])
    tau = _tau(nodes, levels, found, space, cover)
    reach = _levels_that_cut_all(space.dimensions, inner)
    near = [max(found[max(0, i - reach) : i + 1], default=1.0) for i in range(len(levels) + 1)]
    return Clumping(rho=np.array(near)[depth], tau=tau)


def _levels_that_cut_all(axes: int, inner: NDArray[np.bool_]) -> int:
    """How many levels of the tree halve every axis: one of a quadtree's, as many as axes of a binary tree's."""
    children = (len(inner) - 1) / max(1, int(inner.sum()))
    return ceil(axes * log(2) / log(max(2.0, children)))


def _by_level(levels: list[Floats]) -> list[float]:
    """rho at each depth by the method of moments, and a standard error more.

    Where a level tells little, what the one above told stands; at the root anything is believed.
    """
    mean, wide, found = 0.5, 0.5, list[float]()
    for excess, most, noise in levels:
        together = float(most.sum())
        if together > 0:
            rho = min(1.0, max(0.0, float(excess.sum()) / together))
            scatter = max(float(((excess - rho * most) ** 2).sum()), float(noise.sum()))
            error = scatter / together**2 + 2 * max(rho, mean) ** 2 / len(most)
            mean = (rho / error + mean / wide**2) / (1 / error + 1 / wide**2)
            found.append(min(1.0, mean + (1 / error + 1 / wide**2) ** -0.5))
        else:
            found.append(min(1.0, mean + wide))
        wide = max(2 * mean, 0.05)
    return found


def _tau(
    nodes: cover_kernels.Nodes,
    levels: list[Index],
    rho: list[float],
    space: PathSpace,
    cover: cover_kernels.Cover,
) -> float:
    """By the method of moments over random queries, answered with and without each level, and a standard error more.

    A few queries' worth of evidence says a half beforehand: where one box holds most, its neighbours tell nothing.
    """
    rows = list[Floats]()
    for level, clumping in zip(levels, rho, strict=True):
        queries = max(FEWEST, min(QUERIES, MOST_PAIRS // len(level)))
        low, high = random_boxes(space, queries, seed=SEED)
        rows.append(cover_kernels.coarsened(nodes, level, low, high, cover, clumping))
    if not rows:
        return 1.0
    change, noise, alone, together = np.concatenate(rows).T
    weight = 1 / np.maximum(noise + alone + together, 1e-9)
    excess, slope = weight * (change**2 - noise - alone), weight * together
    evidence = float((slope**2).sum())
    tau = max(0.0, float((excess * slope).sum()) + UNTOLD * 0.5) / (evidence + UNTOLD)
    error = float((((excess - tau * slope) * slope) ** 2).sum()) ** 0.5 / (evidence + UNTOLD)
    return min(1.0, tau + error)
