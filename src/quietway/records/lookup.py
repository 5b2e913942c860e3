"""Names of elements turned into positions by one join."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ibis.expr.types as ir


def look_up(table: ir.Table, column: str, labels: Sequence[str], into: str) -> ir.Table:
    """The table with the position of each row's label among `labels`; null where it is none of them.

    Labels are distinct, so a left join keeps every row exactly once.
    """
    import ibis
    import pyarrow as pa

    name = f"{into}_label"
    codes: Any = ibis.memtable(
        pa.table({name: pa.array(labels, pa.string()), into: pa.array(range(len(labels)))})
    )
    return table.left_join(codes, table[column].cast("string") == codes[name]).drop(name)
