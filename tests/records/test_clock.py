"""Civil time, against the standard library one instant at a time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from quietway.errors import ConfigError
from quietway.records import Clock, open_trips
from quietway.records.clock import FIRST, SECOND, offsets
from quietway.universe import PrivacyUnit
from tests.records.conftest import Count, Write, cells, hours

TRANSITIONS = {
    "Europe/Paris": (datetime(2024, 3, 31, tzinfo=UTC), datetime(2024, 10, 27, tzinfo=UTC)),
    "America/Detroit": (datetime(2024, 3, 10, tzinfo=UTC), datetime(2024, 11, 3, tzinfo=UTC)),
    "Australia/Lord_Howe": (datetime(2024, 4, 6, tzinfo=UTC), datetime(2024, 10, 5, tzinfo=UTC)),
    "Asia/Kathmandu": (datetime(2024, 1, 1, tzinfo=UTC), datetime(1985, 12, 31, tzinfo=UTC)),
    "UTC": (datetime(2024, 1, 1, tzinfo=UTC),),
}


def walls(write: Write, zone: str, instants: list[datetime], *, aware: bool) -> list[datetime]:
    """The wall clock that the engine finds."""
    naive = [instant.replace(tzinfo=None) for instant in instants]
    column = pa.array(naive, pa.timestamp("us", tz="UTC" if aware else None))
    axis = hours(timezone=zone, clock="local" if aware else "utc")
    trips = open_trips(write(time=column), axes=[axis], unit=PrivacyUnit())
    micros = trips.collect(axis.time.tell(trips.table, "wall"))["wall"].to_pylist()
    return [FIRST.replace(tzinfo=None) + timedelta(microseconds=wall) for wall in micros]


@pytest.mark.parametrize("aware", [True, False])
@pytest.mark.parametrize("zone", TRANSITIONS)
def test_the_wall_clock_is_that_of_zoneinfo(write: Write, zone: str, aware: bool) -> None:
    """Every quarter of an hour around both changes of clock, and one microsecond before."""
    starts = [start - timedelta(hours=12) for start in TRANSITIONS[zone]]
    exact = [start + timedelta(minutes=15 * i) for start in starts for i in range(4 * 50)]
    instants = exact + [instant - timedelta(microseconds=1) for instant in exact]
    expected = [instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for instant in instants]
    assert walls(write, zone, instants, aware=aware) == expected


@pytest.mark.parametrize("zone", ["Europe/Paris", "America/Detroit", "Africa/Casablanca", "Europe/Dublin"])
def test_offsets_hold_for_two_centuries(zone: str) -> None:
    """The table agrees with the standard library every 36.7 hours, and changes at the very second."""
    table = offsets(zone)
    step = timedelta(hours=36, minutes=42)
    place = ZoneInfo(zone)
    index = 0
    for i in range(int((datetime(2099, 12, 1, tzinfo=UTC) - FIRST) / step)):
        instant = FIRST + i * step
        while (
            index + 1 < len(table.since)
            and table.since[index + 1] <= (instant - FIRST).total_seconds() * SECOND
        ):
            index += 1
        assert timedelta(microseconds=table.micros[index]) == instant.astimezone(place).utcoffset()
    for since in table.since[1:]:
        after = FIRST + timedelta(microseconds=since)
        before = after - timedelta(seconds=1)
        assert before.astimezone(place).utcoffset() != after.astimezone(place).utcoffset()


@pytest.mark.parametrize(
    ("zone", "day"), [("Europe/Paris", datetime(2024, 10, 27)), ("America/Detroit", datetime(2024, 11, 3))]
)
def test_a_long_day_passes_its_extra_hour_twice(write: Write, count: Count, zone: str, day: datetime) -> None:
    """On a day of 25 hours, both passes through the repeated hour are in one period."""
    place = ZoneInfo(zone)
    start = day.replace(tzinfo=place).astimezone(UTC)
    instants = [start + timedelta(minutes=30 + 60 * i) for i in range(25)]
    counts = cells(count(write(time=pa.array(instants, pa.timestamp("us", tz=zone))), hours(timezone=zone)))
    repeated = "02:00" if zone == "Europe/Paris" else "01:00"
    assert counts == {f"{hour:02d}:00": 1 + (f"{hour:02d}:00" == repeated) for hour in range(24)}


@pytest.mark.parametrize(
    ("zone", "day"), [("Europe/Paris", datetime(2024, 3, 31)), ("America/Detroit", datetime(2024, 3, 10))]
)
def test_a_short_day_skips_its_missing_hour(write: Write, count: Count, zone: str, day: datetime) -> None:
    """On a day of 23 hours, nothing falls into the hour that never was."""
    start = day.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    instants = [start + timedelta(minutes=30 + 60 * i) for i in range(23)]
    counts = cells(count(write(time=pa.array(instants, pa.timestamp("ms", tz="UTC"))), hours(timezone=zone)))
    assert counts == {f"{hour:02d}:00": 1 for hour in range(24) if hour != 2}


def test_a_local_column_is_read_as_it_stands(write: Write, count: Count) -> None:
    """A column without a zone under clock = "local" is the wall clock, also at 02:30 on the shortest day."""
    assert cells(count(write(time=[datetime(2024, 3, 31, 2, 30)]), hours())) == {"02:00": 1}


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_precision_does_not_matter(write: Write, count: Count, unit: str) -> None:
    """Seconds to nanoseconds fall into the same periods."""
    times = pa.array([datetime(2024, 7, 1, 23, 59, 59), datetime(2024, 7, 1)], pa.timestamp(unit))
    assert cells(count(write(time=times), hours())) == {"00:00": 1, "23:00": 1}
    assert cells(count(write(time=times), hours(clock="utc"))) == {"01:00": 1, "02:00": 1}


@pytest.mark.parametrize("clock", ["local", "utc"])
@pytest.mark.parametrize("zone", ["+02:00", "+02", "+0200"])
def test_text_with_a_zone_is_an_instant(write: Write, count: Count, clock: str, zone: str) -> None:
    """Offsets written into the text are honoured, whatever `clock` says."""
    written = [f"2024-07-01T08:30:00{zone}", "2024-07-01 08:30:00Z"]
    assert cells(count(write(time=written), hours(clock=clock))) == {"08:00": 1, "10:00": 1}


def test_text_without_a_zone_follows_the_clock(write: Write, count: Count) -> None:
    """The same text is a wall clock or UTC."""
    source = write(time=["2024-07-01T08:30:00.250"])
    assert cells(count(source, hours(clock="local"))) == {"08:00": 1}
    assert cells(count(source, hours(clock="utc"))) == {"10:00": 1}


def test_an_unknown_zone_is_refused() -> None:
    """The complaint offers names that exist."""
    with pytest.raises(ConfigError, match="Europe/Paris"):
        Clock(column="time", timezone="Europe/Pairs")
    with pytest.raises(ConfigError, match="'local' or 'utc'"):
        Clock(column="time", timezone="UTC", clock="gmt")  # type: ignore[arg-type]
