"""The embedded engine that reads the records, kept from leaving traces of them."""

from __future__ import annotations

import glob
import gzip
import shutil
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from quietway.errors import DataError
from quietway.records.source import Format, Source

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

Result = TypeVar("Result")
ROW = "quietway_row"
ROWS_A_FILE = 2**40
OURS = "quietway_"
VIRTUAL = ("file_row_number", "file_index")


def connect() -> Any:
    """An Ibis backend over an in-memory DuckDB.

    What does not fit in memory spills into a folder that only this user can
    read, removed with the connection. Nothing is downloaded.
    """
    import duckdb
    import ibis

    spill = tempfile.mkdtemp(prefix="quietway-")
    backend: Any = ibis.duckdb.connect(temp_directory=spill, autoinstall_known_extensions=False)
    weakref.finalize(backend, shutil.rmtree, spill, ignore_errors=True)
    # DuckDB would turn "the first k of each user" into an aggregate of lists, which takes twice the time and
    # four times the memory of the window it replaces.
    backend.raw_sql("SET disabled_optimizers = 'top_n_window_elimination'")
    with suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets has no bar to switch off
        backend.raw_sql("SET enable_progress_bar = false")
    return backend


def attach(backend: Any, source: Source, *, numbered: bool) -> ir.Table:
    """The records as a lazy table; `numbered` adds a stable number to each row, in the column ROW."""
    number = f", {_row_number(source)} AS {ROW}" if numbered else ""
    scan = guarded(source, lambda: _scan(backend, source))
    _require_free_names(source, guarded(source, lambda: _columns(backend, scan)), numbered)
    view = f"trips_{len(backend.list_tables())}"
    guarded(source, lambda: backend.raw_sql(f"CREATE VIEW {view} AS SELECT *{number} FROM {scan}"))
    return backend.table(view)


def scan_as_guessed(backend: Any, source: Source) -> ir.Table:
    """The records with the types the engine guesses, for a first look only."""
    files = _paths(source)
    match source.format:
        case Format.PARQUET:
            return backend.read_parquet(files, union_by_name=True, hive_partitioning=source.partitioned)
        case Format.CSV:
            return backend.read_csv(
                files, header=True, union_by_name=True, hive_partitioning=source.partitioned
            )
        case Format.JSONL:
            return backend.read_json(files, format="newline_delimited", hive_partitioning=source.partitioned)


def fetched(query: ir.Table) -> pa.Table:
    """The rows of a query, whole: a stream of them would keep the engine waiting.

    This is Ibis' `to_pyarrow` short of its last step, which imports pandas to change nothing.
    """
    backend: Any = query.get_backend()
    return backend._to_duckdb_relation(query).to_arrow_table()


def guarded(source: Source, read: Callable[[], Result]) -> Result:
    """What `read` returns; the engine's own complaints quote values, so they go to `sensitive`."""
    import duckdb

    try:
        return read()
    except duckdb.Error as error:
        complaint = str(error)
    # Raised outside the handler, so that no traceback carries the engine's words along.
    raise DataError(f"{source.name} cannot be read as {_NAMES[source.format]}", sensitive=complaint)


_NAMES = {
    Format.PARQUET: "Parquet: it is damaged, or its files do not agree on their columns",
    Format.CSV: "CSV: every row needs as many values as the header has names, in UTF-8, and lines must all end alike",
    Format.JSONL: "JSON lines: every line must be one JSON object",
}


def _require_free_names(source: Source, columns: list[str], numbered: bool) -> None:
    """Refuse columns that would stand in for the reader's own: rows would be numbered, and drawn, by the data."""
    names = {name.lower() for name in columns}
    if ours := sorted(name for name in names if name.startswith(OURS)):
        raise DataError(
            f"{source.name} has a column whose name begins with '{OURS}', as Quietway's own do; rename that column",
            sensitive=f"the columns are {', '.join(ours)}",
        )
    virtual = VIRTUAL if numbered and source.format is Format.PARQUET else ()
    for name in virtual:
        if name in names:
            raise DataError(
                f"{source.name} has a column '{name}', which is what the reader calls its own numbers of rows "
                "and files; rename that column"
            )


def _row_number(source: Source) -> str:
    """Distinct and stable; no column of the records bears these names (see `_require_free_names`)."""
    if source.format is Format.PARQUET:
        return f"file_index::BIGINT * {ROWS_A_FILE} + file_row_number"
    return "row_number() OVER ()"


def _scan(backend: Any, source: Source) -> str:
    files = "[" + ", ".join(map(_quoted, _paths(source))) + "]"
    options = f"union_by_name = true, hive_partitioning = {source.partitioned}, hive_types_autocast = false"
    match source.format:
        case Format.PARQUET:
            return f"read_parquet({files}, {options})"
        case Format.CSV:
            return f"read_csv({files}, {_dialect(source)}, all_varchar = true, {options})"
        case Format.JSONL:
            scan = f"read_json({files}, format = 'newline_delimited', {options}"
            columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in _columns(backend, f"{scan})"))
            return f"{scan}, columns = {{{columns}}})"


def _columns(backend: Any, scan: str) -> list[str]:
    """The names of the records' columns, those in folder names included."""
    return [row[0] for row in backend.raw_sql(f"DESCRIBE SELECT * FROM {scan}").fetchall()]


def _paths(source: Source) -> list[str]:
    """The files as the engine must be told of them: it takes every path for a pattern."""
    paths = [str(file) for file in source.files]
    for path in paths:
        if "\\" in path and glob.has_magic(path):
            raise DataError(
                f"{path}: a path with a backslash and one of *, ? and [ cannot be read; rename it"
            )
    return [glob.escape(path) for path in paths]


def _dialect(source: Source) -> str:
    """How the header is written; told rather than guessed, as guesses may skip rows that fit no pattern."""
    first = source.files[0]
    opened = gzip.open if first.suffix.lower() == ".gz" else open
    with opened(first, "rb") as file:
        header = file.readline().decode(errors="replace")
    delimiter = max(",;\t|", key=header.count)
    return f"header = true, delim = '{delimiter}', quote = '\"', escape = '\"', skip = 0, comment = ''"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
