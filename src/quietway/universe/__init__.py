"""Public structure: what could be counted, and how it is cut. No data in here."""

from quietway.universe.axis import Axis
from quietway.universe.partition import Partition
from quietway.universe.range import Range
from quietway.universe.rule import Rule, each, grouped, grouped_by_rows
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects
from quietway.universe.universe import Universe

__all__ = [
    "Axis",
    "Neighbours",
    "Partition",
    "PrivacyUnit",
    "Protects",
    "Range",
    "Rule",
    "Universe",
    "each",
    "grouped",
    "grouped_by_rows",
]
