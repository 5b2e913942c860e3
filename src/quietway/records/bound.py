"""Keep at most k trips of each contributor, drawn at random."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Any

from quietway.records.engine import ROW
from quietway.records.trips import TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir


def bound(trips: TripTable, *, seed: int | None = None) -> ir.Table:
    """At most `max_trips` rows of each contributor: a uniform sample without replacement.

    Each row is ranked among its contributor's by a keyed mix of its number.
    Row numbers are distinct and the key is fresh and secret, so the ranks are
    a uniformly random order, whatever the rows hold: equal rows are as likely
    as any others, and each set of k rows is as likely as any other. The order
    depends on nothing that another contributor did but the row's number, and
    the distribution of a mixed number does not depend on the number. Should
    two mixed numbers ever be equal, the limit holds all the same.

    `seed` makes the draw repeatable, for rehearsals and tests; without it the
    key comes from the operating system.
    """
    import ibis

    if not trips.contributor:
        return trips.table
    drawn = trips.table.mutate(**{ROW: _mixed(trips.table[ROW], _keys(seed))})
    rank: Any = ibis.row_number().over(ibis.window(group_by=trips.contributor, order_by=drawn[ROW]))
    ranked: Any = drawn.mutate(quietway_rank=rank)
    return ranked.filter(ranked["quietway_rank"] < trips.unit.bound).drop("quietway_rank", ROW)


def _keys(seed: int | None) -> tuple[int, int]:
    """128 secret bits."""
    bits = secrets.token_bytes(16) if seed is None else hashlib.sha256(f"bound {seed}".encode()).digest()
    return int.from_bytes(bits[:8]), int.from_bytes(bits[8:16])


def _mixed(number: Any, keys: tuple[int, int]) -> Any:
    """Two rounds of key and permutation, for the engine's hash of one integer permutes 64-bit integers.

    One round would not do: orders under `hash(n) ^ key` are pairwise fair but
    not jointly uniform.
    """
    import ibis

    @ibis.udf.scalar.builtin(name="hash", signature=(("uint64",), "uint64"))
    def permute(value: Any) -> Any: ...

    mixed = number.cast("uint64")
    for key in keys:
        key_bits: Any = ibis.literal(key, "uint64")
        mixed = permute(mixed ^ key_bits)
    return mixed
