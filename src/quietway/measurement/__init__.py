"""All that crosses the wall: noisy answers, already paid for."""

from quietway.measurement.boxes import NoisyBoxes, NoisyCells, NoisyGrid, NoisyPaths
from quietway.measurement.partition import Floors, Measurement, variance_of

__all__ = ["Floors", "Measurement", "NoisyBoxes", "NoisyCells", "NoisyGrid", "NoisyPaths", "variance_of"]
