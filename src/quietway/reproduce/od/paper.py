"""What Shaham, Ghinita and Shahabi (EDBT 2022) print as numbers: table 3 alone. Their figures are pictures."""

from __future__ import annotations

TABLE_3 = {
    "IDENTITY": (89.0, 91.0, 111.0),
    "EUG": (87.0, 91.0, 111.0),
    "EBP": (87.0, 94.0, 110.0),
    "MKM": (177.0, 182.0, 272.0),
    "DAF-Entropy": (0.47, 0.38, 0.34),
    "DAF-Homogeneity": (0.5, 0.46, 0.48),
}
"""Seconds in two dimensions at epsilon 0.1, for each of the cities below."""
CITIES = ("New York", "Denver", "Detroit")
