"""A new folder for what a long work makes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from quietway.errors import OutputError

Write = Callable[[str, str], None]


@contextmanager
def new_folder(output: Path | None) -> Generator[Write]:
    """A way to write files into it, made before the long work so that this cannot fail for want of one, and gone if the work does."""
    if output is None:
        yield lambda name, text: None
        return
    _make(output)
    try:
        yield lambda name, text: _write(output / name, text)
    except BaseException:
        _remove(output)
        raise


def _make(output: Path) -> None:
    try:
        output.mkdir(parents=True)
    except FileExistsError as error:
        raise OutputError(
            f"'{output}' exists already; name a folder that does not, or remove it first"
        ) from error
    except OSError as error:
        raise OutputError(f"cannot make the folder '{output}': {error.strerror}; choose another") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(
            f"cannot write '{path}': {error.strerror}; free the place or choose another"
        ) from error


def _remove(output: Path) -> None:
    """Only what was written here: the folder was new."""
    for path in output.iterdir():
        path.unlink()
    output.rmdir()
