"""From real values to integers, so that cells and totals stay next to their real values."""

from quietway.estimate.rounding.controlled import Rounded, round_consistently

__all__ = ["Rounded", "round_consistently"]
