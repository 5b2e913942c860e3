"""Public structure: what could be counted, and how it is cut. No data in here."""

from quietway.universe.area import Area
from quietway.universe.axis import Axis
from quietway.universe.frame import Frame
from quietway.universe.partition import Partition
from quietway.universe.paths import PathSpace
from quietway.universe.range import Range
from quietway.universe.region import Region
from quietway.universe.rule import Rule, each, grouped, grouped_by_rows
from quietway.universe.unit import Neighbours, PrivacyUnit, Protects
from quietway.universe.universe import Universe
from quietway.universe.workload import Workload, identity, margins, prefix, random_ranges

__all__ = [
    "Area",
    "Axis",
    "Frame",
    "Neighbours",
    "Partition",
    "PathSpace",
    "PrivacyUnit",
    "Protects",
    "Range",
    "Region",
    "Rule",
    "Universe",
    "Workload",
    "each",
    "grouped",
    "grouped_by_rows",
    "identity",
    "margins",
    "prefix",
    "random_ranges",
]
