"""How unevenly paths lie inside boxes, learnt from how unevenly they lie among the boxes next to each other.

Notation: rho is the clumping of a Dirichlet-multinomial law: of n paths in a
    box, the number in a part with a share f of its mass has the variance
    f (1 - f) (n + rho n (n - 1)). 0: each path falls for itself; 1: all fall together.
"""

from __future__ import annotations

from quietway.estimate.boxes import kernels
from quietway.estimate.boxes.solution import Floats


def clumping(nodes: kernels.Nodes, x: Floats, variance: Floats, cover: kernels.Cover) -> float:
    """By the method of moments over all nodes whose children are leaves, on the safe side.

    One standard error is added, and one node more whose paths are all together,
    so that little evidence means wide intervals, and none the widest.
    """
    excess, most, noise = kernels.unevenness(nodes, x, variance, cover).T
    together = float(most.sum())
    if together <= 0:
        return 1.0
    rho = min(1.0, max(0.0, float(excess.sum()) / together))
    scatter = max(float(((excess - rho * most) ** 2).sum()), float(noise.sum())) ** 0.5
    one = together / len(most)
    return min(1.0, (rho * together + scatter + one) / (together + one))
