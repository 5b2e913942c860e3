"""Which files hold the records, and in what format."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from quietway.errors import DataError


class Format(StrEnum):
    """A format that records come in."""

    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"


SUFFIXES = {
    ".parquet": Format.PARQUET,
    ".pq": Format.PARQUET,
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".json": Format.JSONL,
}
CHUNK = 2**20
PARQUET_MAGIC = b"PAR1"
ACCEPTED = "Parquet (.parquet), CSV (.csv) or JSON lines (.jsonl)"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Files of one format, in a fixed order; `partitioned` ones carry columns in their path (mode=bus)."""

    name: str
    format: Format
    files: tuple[Path, ...]
    partitioned: bool

    @property
    def is_text(self) -> bool:
        """Whether values arrive as text, whatever they mean."""
        return self.format is not Format.PARQUET


def find_source(source: str | Path, format: str = "auto") -> Source:
    """The files behind a path, a glob or a folder, checked to be there and to be what they claim."""
    name = str(source)
    files = _files(name)
    kind = _common_format(name, files) if format == "auto" else Format(format)
    for file in files:
        _require_content(file, kind)
    return Source(name=name, format=kind, files=files, partitioned=not Path(name).is_file())


def _files(name: str) -> tuple[Path, ...]:
    path = Path(name)
    if path.is_file():
        return (path,)
    if path.is_dir():
        found = [file for file in path.rglob("*") if _visible(file, path) and _format_of(file) is not None]
        complaint = f"the folder {name} holds no file of records; accepted are {ACCEPTED}"
    else:
        root = Path(path.anchor)
        found = [file for file in root.glob(str(path.relative_to(root))) if file.is_file()]
        complaint = f"there is no file, folder or match for {name}; 'path' must name the records"
    if not found:
        raise DataError(complaint)
    return tuple(sorted(found))


def _visible(file: Path, root: Path) -> bool:
    return file.is_file() and not any(part.startswith((".", "_")) for part in file.relative_to(root).parts)


def _format_of(file: Path) -> Format | None:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def _common_format(name: str, files: Iterable[Path]) -> Format:
    formats = {_format_of(file) for file in files}
    if None in formats:
        raise DataError(f"{name}: the format cannot be told from the file's name; accepted are {ACCEPTED}")
    if len(formats) > 1:
        raise DataError(f"{name} mixes formats; give files of one format, or a glob that selects them")
    (format,) = formats
    assert format is not None
    return format


def _require_content(file: Path, format: Format) -> None:
    try:
        with file.open("rb") as stream:
            start = stream.read(len(PARQUET_MAGIC))
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}; let this user read it") from None
    if not start:
        raise DataError(f"{file} is empty; it must hold trips as {ACCEPTED}")
    if format is Format.PARQUET and start != PARQUET_MAGIC:
        raise DataError(
            f"{file} is not a Parquet file; accepted are {ACCEPTED}, told apart by the file's suffix"
        )
    if file.suffix.lower() == ".gz" and not _unzips(file):
        raise DataError(f"{file} is not a whole gzip file: it is damaged or was cut short; fetch it again")


def _unzips(file: Path) -> bool:
    """Whether every byte is there. The engine does not ask, and would leave out the trips that are not."""
    try:
        with gzip.open(file) as stream:
            while stream.read(CHUNK):
                pass
    except (OSError, EOFError, zlib.error):
        return False
    return True
