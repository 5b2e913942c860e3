"""Keep at most k trips of each contributor, drawn at random."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from quietway.records.engine import ROW
from quietway.records.trips import TripTable

if TYPE_CHECKING:
    import ibis.expr.types as ir

RANK = "quietway_rank"


def no_others(table: Any) -> bool:
    """The draw alone decides."""
    return False


def bound(
    trips: TripTable, *, seed: int | None = None, besides: Callable[[Any], Any] = no_others
) -> ir.Table:
    """At most `max_trips` rows of each contributor: a uniform sample without replacement.

    Each row is ranked among its contributor's by a keyed mix of its number.
    Row numbers are distinct, so the mixed ones are, and the order is settled
    by the key and the numbers alone, whatever the rows hold.

    That each set of k rows is as likely as any other, and that the draw tells
    nothing of how other contributors' rows moved the numbers, rests on one
    assumption: under a fresh secret key the mix behaves like a random
    permutation. It is a fast mix and not a proven cipher. The limit itself
    rests on no assumption: no more than k rows are kept under any key.

    Rows that `besides` tells take up their contributor's limit as any do, and
    are shown whether they are drawn or not: they are looked at, never counted.

    `seed` makes the draw repeatable, for rehearsals and tests; without it the
    key comes from the operating system.
    """
    if not trips.contributor:
        return trips.table
    drawn: Any = ranked(trips, seed=seed)
    return drawn.filter((drawn[RANK] < trips.unit.bound) | besides(drawn)).drop(RANK, ROW)


def ranked(trips: TripTable, *, seed: int | None = None, apart: Sequence[str] = ()) -> ir.Table:
    """The rows with their place in their contributor's draw, from 0 on, in RANK.

    Rows that differ in the columns `apart` are drawn apart from each other.
    """
    import ibis

    drawn = trips.table.mutate(**{ROW: _mixed(trips.table[ROW], _key_literals(seed))})
    among = [*trips.contributor, *apart]
    rank: Any = ibis.row_number().over(ibis.window(group_by=among, order_by=drawn[ROW]))
    return drawn.mutate(**{RANK: rank})


def _key_literals(seed: int | None) -> tuple[Any, Any]:
    """128 secret bits, as two constants of a query."""
    import ibis

    bits = secrets.token_bytes(16) if seed is None else hashlib.sha256(f"bound {seed}".encode()).digest()
    first, second = (ibis.literal(int.from_bytes(half), "uint64") for half in (bits[:8], bits[8:16]))
    return first, second


def _mixed(number: Any, keys: tuple[Any, Any]) -> Any:
    """Two rounds of key and permutation, for the engine's hash of one integer permutes 64-bit integers.

    One round would not do: its orders are pairwise fair but not jointly
    uniform where numbers differ in bits 32 apart, which its shifts lay over each other.
    """
    import ibis

    @ibis.udf.scalar.builtin(name="hash", signature=(("uint64",), "uint64"))
    def permute(value: Any) -> Any: ...

    mixed = number.cast("uint64")
    for key in keys:
        mixed = permute(mixed ^ key)
    return mixed
