"""Exact integer noise over a cryptographic generator.

Only mechanisms may call it. `secure()` protects people; `seeded(n)` is for
rehearsals and tests, and says so.
"""

from quietway.noise.groups import HiddenCells, Revealed
from quietway.noise.source import NoiseSource, Survivors, secure, seeded

__all__ = ["HiddenCells", "NoiseSource", "Revealed", "Survivors", "secure", "seeded"]
