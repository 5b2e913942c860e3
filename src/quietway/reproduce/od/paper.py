"""What Shaham, Ghinita and Shahabi (EDBT 2022) print as numbers: table 3 alone. Their figures are pictures."""

from __future__ import annotations

TABLE_3 = {
    "identity": (89.0, 91.0, 111.0),
    "eug": (87.0, 91.0, 111.0),
    "ebp": (87.0, 94.0, 110.0),
    "mkm": (177.0, 182.0, 272.0),
    "daf-entropy": (0.47, 0.38, 0.34),
    "daf-homogeneity": (0.5, 0.46, 0.48),
}
"""Seconds in two dimensions at epsilon 0.1, for each of the cities below."""
CITIES = ("New York", "Denver", "Detroit")
