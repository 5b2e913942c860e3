"""An axis of named values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quietway.errors import ConfigError
from quietway.records.column import Column, Kind
from quietway.records.lookup import look_up
from quietway.universe import Axis

if TYPE_CHECKING:
    import ibis.expr.types as ir


@dataclass(frozen=True, kw_only=True)
class CategoryAxis:
    """Trips told apart by the value of a column, among values listed in public."""

    name: str
    column: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ConfigError(f"axis '{self.name}' lists no values; name every value to count")
        self.axis()

    @property
    def needs(self) -> tuple[Column, ...]:
        """The columns of the records that this axis reads."""
        return (Column(name=self.column, kind=Kind.LABEL),)

    @property
    def coordinates(self) -> None:
        """A category has no place."""

    def axis(self) -> Axis:
        """The public dimension."""
        return Axis(name=self.name, size=len(self.values), labels=self.values)

    def places(self) -> None:
        """A category has no place."""

    def locate(self, table: ir.Table, into: str) -> ir.Table:
        """The table with each row's position on this axis, null when outside."""
        return look_up(table, self.column, self.values, into)
