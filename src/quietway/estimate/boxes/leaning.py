"""A fit that leans on what is expected: children share a box as their mass says, but for what their counts tell.

Notation: rho is the clumping of a Dirichlet-multinomial law, learned for every depth of the tree: of p paths, those in
    a share f of the mass are f p but for a variance of f (1 - f) tau, with tau = p (1 + rho (p - 1)).
Given the parents, that is a Gaussian tree, solved exactly by one pass up and one down; least squares is the case of a
tau without bounds. As tau follows what is found, and rho what tau makes of the counts, passes are repeated.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quietway.estimate.boxes import cover_kernels, shape_kernels, tree_kernels
from quietway.estimate.boxes.mass import Mass
from quietway.estimate.boxes.nested import Nested
from quietway.estimate.boxes.solution import Floats, Index
from quietway.estimate.boxes.tree import TreeFit

ROUNDS = 4
UNBOUND = 1e12
CLUMPINGS = np.r_[0.0, np.geomspace(1e-5, 0.75, 12)]


def leaning(plain: TreeFit, tree: Nested, mass: Mass) -> TreeFit:
    """The fit of a tree by least squares, with values that count as far as they outweigh what was expected of them.

    What least squares says of noise stays: it leans on nothing, so intervals
    around the new values are as wide as those around the old, and wider where the two differ.
    """
    share, depth = shares(tree, mass), shape_kernels.depths(tree.parent)
    tau = np.full(len(share), UNBOUND * tree.variance[np.isfinite(tree.variance)].max())
    z, v, x, room = _passes(tree, share, tau)
    for _ in range(ROUNDS):
        chances = tree_kernels.clumping_chances(tree.parent, depth, z, v, share, x, CLUMPINGS)
        z, v, x, room = _passes(tree, share, _tau(x, CLUMPINGS[chances.argmax(axis=1)], depth))
    return replace(plain, value=tree_kernels.nonnegative(tree.end, x, room))


def _passes(tree: Nested, share: Floats, tau: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    z, v = tree_kernels.upward_leaning(tree.parent, tree.noisy, tree.variance, share, tau)
    return z, v, *tree_kernels.downward_leaning(tree.end, z, v, share, tau)


def shares(tree: Nested, mass: Mass) -> Floats:
    """Of all that lies in a node's parent, what part lies in the node; all children the same where nothing does."""
    held, up = np.maximum(cover_kernels.masses(tree.low, tree.high, mass.cover())[1:], 0.0), tree.parent[1:]
    children, above = (np.bincount(up, weights, len(tree.parent))[up] for weights in (None, held))
    return np.r_[1.0, np.divide(held, above, out=1 / children, where=above > 0)]


def _tau(x: Floats, clumping: Floats, depth: Index) -> Floats:
    """Of each node as a parent, whose children stand one depth below."""
    rho = np.r_[clumping, clumping[-1:]][depth + 1]
    paths = np.maximum(x, tree_kernels.FEW)
    return paths * (1 + rho * np.maximum(0.0, paths - 1))
