"""The reader of public CSV files, and what it refuses."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quietway.errors import ConfigError
from quietway.public_csv import public_rows

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@pytest.fixture
def stops(tmp_path: Path) -> Path:
    """Where the file of a test goes."""
    return tmp_path / "stops.csv"


def rows(file: Path, content: str | bytes, *columns: str) -> list[list[str]]:
    """What is read of some content."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(public_rows(file, columns or ("id",), role="groups.stop"))


def complaint(file: Path, content: str | bytes, *columns: str) -> str:
    """What is said of some content, without the words that all complaints begin with."""
    with pytest.raises(ConfigError) as caught:
        rows(file, content, *columns)
    start = f"groups.stop ({file}): "
    assert caught.value.message.startswith(start)
    return caught.value.message.removeprefix(start)


def test_columns_come_in_the_order_asked_for(stops: Path) -> None:
    """The same column may be asked for twice, and others are left alone, filled or not."""
    assert rows(stops, "zone,note,id\nnorth,,A\nsouth,x,B\n", "id", "zone", "id") == [
        ["A", "north", "A"],
        ["B", "south", "B"],
    ]


@pytest.mark.parametrize(
    "content",
    ["id\r\nGenève\r\n\r\n7\r\n", "\ufeffid\nGenève\n7", "\n".join(['"id"', "Genève", '"7"', "", ""])],
)
def test_files_as_programs_save_them(stops: Path, content: str) -> None:
    """Byte order marks, line endings of all kinds, quotes and blank lines change nothing."""
    assert rows(stops, content) == [["Genève"], ["7"]]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(listed=st.lists(st.tuples(TEXTS.filter(str.strip), TEXTS.filter(str.strip)), max_size=5))
def test_what_is_written_is_read(stops: Path, listed: list[tuple[str, str]]) -> None:
    """Commas, quotes, line breaks and every script survive."""
    with stops.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "zone"), *listed])
    assert list(public_rows(stops, ["id", "zone"], role="groups.stop")) == [list(row) for row in listed]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("id,zone\nA,north\nB\n", "row 3 has 1 columns, and the header 2; make them agree"),
        ("id,zone\nA,north,x\n", "row 2 has 3 columns, and the header 2; make them agree"),
        ("id,zone\n\nA,north\n,south\n", "row 4 is empty in column 'id'; fill it in, or leave the row out"),
        ("id,zone\nA,  \n", "row 2 is empty in column 'zone'; fill it in, or leave the row out"),
        ('id,zone\n"A\nB",north\nC\n', "row 4 has 1 columns, and the header 2; make them agree"),
        ("idd,zone\nA,north\n", "it has no column 'id'; did you mean 'idd'?"),
        ("stop;zone\nA;north\n", "it has no column 'id'; known are stop;zone"),
        ("id,zone,id\nA,north,B\n", "it has more than one column 'id'; rename all but one"),
        ("", "its first line is empty; it must name the columns, 'id' among them"),
        ("\nid,zone\n", "its first line is empty; it must name the columns, 'id' among them"),
    ],
)
def test_what_is_wrong_is_told_by_column_and_line(stops: Path, content: str, says: str) -> None:
    """Each complaint names the column with the nearest known, or the line on which the row begins."""
    assert complaint(stops, content, "id", "zone") == says


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
@pytest.mark.parametrize("lines", [1, 50_000])
def test_another_encoding_is_told_as_such(stops: Path, encoding: str, lines: int) -> None:
    """Wherever the first letter that gives it away stands, the advice is to save as UTF-8."""
    content = ("id\n" + "Geneva\n" * lines + "Genève\n").encode(encoding)
    assert complaint(stops, content) == "it is not encoded in UTF-8; save it as UTF-8"


def test_an_open_quote_does_not_swallow_rows(stops: Path) -> None:
    """Rows after a quote that is never closed are not silently left out."""
    said = complaint(stops, 'id,name\nA,Mill\nB,"Quay\nC,Hill\n')
    assert said.startswith("row 3 is not well-formed CSV (")


def test_what_cannot_be_opened_is_named(stops: Path) -> None:
    """A missing file is not a folder, and both are said with their path."""
    with pytest.raises(ConfigError, match=r"groups\.stop .*stops\.csv\): there is no such file; correct"):
        list(public_rows(stops, ["id"], role="groups.stop"))
    stops.mkdir()
    with pytest.raises(ConfigError, match=r"groups\.stop .*stops\.csv\): it cannot be read: Is a directory"):
        list(public_rows(stops, ["id"], role="groups.stop"))
