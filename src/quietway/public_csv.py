"""Public CSV files, such as lists of places and of groups: their only reader.

What it refuses it may quote, because everything in these files is public.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quietway.errors import ConfigError
from quietway.nearest import nearest


def public_rows(path: Path, columns: Sequence[str], *, role: str) -> Iterator[list[str]]:
    """The values of the named columns, row by row, none of them empty; blank lines mean nothing.

    `role` says what the file is for; complaints begin with it and the path.
    """
    return (values for _, values in numbered_rows(path, columns, role=role))


def numbered_rows(path: Path, columns: Sequence[str], *, role: str) -> Iterator[tuple[int, list[str]]]:
    """The same, each with the line it begins on."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield from _chosen(_numbered(file), columns)
    except (ConfigError, OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{role} ({path}): {_complaint(error)}") from error


def _complaint(error: ConfigError | OSError | UnicodeDecodeError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file; correct `file`"
    if isinstance(error, OSError):
        return f"it cannot be read: {error.strerror}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not encoded in UTF-8; save it as UTF-8"
    return error.message


def _numbered(file: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line it begins on, which differs from its number where values hold line breaks."""
    # Leniently read, a quote that is never closed would swallow the rest of the file.
    reader = csv.reader(file, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigError(f"row {line} is not well-formed CSV ({error}); mend its quotes") from error


def _chosen(rows: Iterator[tuple[int, list[str]]], columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    _, header = next(rows, (1, []))
    positions = [_position(column, header) for column in columns]
    for line, row in rows:
        if row:
            _require_width(row, header, line)
            values = [row[position] for position in positions]
            if not all(map(str.strip, values)):
                raise _empty(row, header, positions, line)
            yield line, values


def _position(column: str, header: Sequence[str]) -> int:
    if not header:
        raise ConfigError(f"its first line is empty; it must name the columns, '{column}' among them")
    if column not in header:
        raise ConfigError(f"it has no column '{column}'{nearest(column, header)}")
    if header.count(column) > 1:
        raise ConfigError(f"it has more than one column '{column}'; rename all but one")
    return header.index(column)


def _require_width(row: Sequence[str], header: Sequence[str], line: int) -> None:
    if len(row) != len(header):
        raise ConfigError(f"row {line} has {len(row)} columns, and the header {len(header)}; make them agree")


def _empty(row: Sequence[str], header: Sequence[str], positions: Sequence[int], line: int) -> ConfigError:
    column = next(header[position] for position in positions if not row[position].strip())
    return ConfigError(f"row {line} is empty in column '{column}'; fill it in, or leave the row out")
