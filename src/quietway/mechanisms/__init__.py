"""The only callers of noise: one file per mechanism."""

from quietway.mechanisms.constraint import ConstraintBased
from quietway.mechanisms.hierarchy import Hierarchical
from quietway.mechanisms.laplace import FeatureLaplace
from quietway.mechanisms.mechanism import Mechanism
from quietway.mechanisms.threshold import ThresholdCells

__all__ = ["ConstraintBased", "FeatureLaplace", "Hierarchical", "Mechanism", "ThresholdCells"]
