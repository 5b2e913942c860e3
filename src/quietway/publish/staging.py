"""Where a release stands between being paid for and being published.

A hidden folder beside the output holds the measurements as soon as they are
made, durably. Fitting and publishing only read them, so whatever fails there
can be done again without paying twice; the last step renames the folder.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO

from quietway.errors import OutputError
from quietway.publish.durable import flush, flush_tree, write_json
from quietway.publish.kept import MANIFEST, load_manifest
from quietway.publish.manifest import Manifest


class EarlierRun(OutputError):
    """What an earlier run left must not be swept away by this one."""


BYTES_PER_VALUE = 40  # arrays, tables and matrices together, uncompressed


@dataclass(frozen=True)
class Staging:
    """The hidden folder of one output, held by one process."""

    folder: Path
    output: Path

    @classmethod
    def beside(cls, output: Path) -> Staging:
        """Where it stands for an output."""
        return cls(output.parent / f".{output.name}.paid", output)

    @property
    def is_paid(self) -> bool:
        """Whether complete measurements are waiting here."""
        return (self.folder / MANIFEST).is_file()

    def note(self, entry: int | None, epsilon: Fraction) -> None:
        """Leave word that this run is charged (None: about to be), until its measurements say so themselves."""
        write_json(self.folder / _NOTE, {"ledger_entry": entry, "epsilon": str(epsilon)})
        flush(self.folder)
        flush(self.folder.parent)

    def forget(self) -> None:
        """Nothing was charged after all."""
        (self.folder / _NOTE).unlink(missing_ok=True)

    @property
    def lost(self) -> str | None:
        """What a run that died here has paid, or may have paid, for nothing: the rest of a sentence about it."""
        try:
            note = json.loads((self.folder / _NOTE).read_text(encoding="utf-8"))
            entry, epsilon = note["ledger_entry"], note["epsilon"]
        except (OSError, ValueError, KeyError):
            return None
        if entry is None:
            return f"may have been charged epsilon {epsilon} (`quietway ledger show` tells)"
        return f"was charged epsilon {epsilon} (ledger entry {entry})"

    def require_unpaid(self) -> None:
        """Do not pay again for what has been paid, nor forget what was paid for nothing."""
        self._require_nothing_lost()
        if self.is_paid:
            raise OutputError(
                f"measurements for {self.output} are already paid for and wait in {self.folder}; "
                "publish them with --resume, or delete that folder to give them up"
            )

    def require_paid(self, spec_hash: str) -> Manifest:
        """Resume only what this very release file has paid for."""
        self._require_nothing_lost()
        if not self.is_paid:
            raise OutputError(f"nothing is waiting to be published as {self.output}; run without --resume")
        manifest = load_manifest(self.folder)
        if manifest.rehearsal:
            raise OutputError(
                f"{self.folder} holds an interrupted rehearsal, which no release may publish; delete that folder"
            )
        if manifest.spec_hash != spec_hash:
            raise OutputError(
                f"the measurements in {self.folder} were paid for by another version of the release file, or of "
                "a file that it names; restore that version to publish them, or delete the folder to give them up"
            )
        return manifest

    def _require_nothing_lost(self) -> None:
        if not self.is_paid and self.lost:
            raise EarlierRun(
                f"an earlier run for {self.output} {self.lost} and ended before its measurements were "
                f"saved; whatever it paid is lost. Delete {self.folder} to pay again"
            )

    def publish(self) -> None:
        """Make the finished folder the output, at once, and only when all of it would outlive a loss of power."""
        self.forget()
        flush_tree(self.folder)
        # The lock goes along, so that nobody can take the folder's name before the output has its own.
        self.folder.rename(self.output)
        (self.output / _LOCK).unlink(missing_ok=True)
        flush(self.output.parent)


_LOCK = ".lock"
_NOTE = ".charged.json"


@contextmanager
def staging(output: Path) -> Generator[Staging]:
    """Hold the hidden folder; on failure what was paid for stays, even if only a note of it, and is said to."""
    require_free(output)
    stage = Staging.beside(output)
    with _held(stage.folder, output):
        try:
            _require_absent(output)  # another process may have published it just before the lock was taken
            yield stage
        except BaseException as error:
            if output.exists() and not stage.folder.exists():
                _explain(error, f"{output} is complete, and nothing is left to do")
            elif stage.is_paid:
                _explain(error, _to_finish(error, stage))
            elif stage.lost is None:
                shutil.rmtree(stage.folder, ignore_errors=True)
                _explain_unpaid(error)
            elif not isinstance(error, EarlierRun):
                _explain(error, _to_pay_again(stage))
            raise


def require_free(output: Path) -> None:
    """The output must not exist, and must be possible."""
    _require_absent(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"the folder {output.parent} cannot be made: {error.strerror}") from error
    if not os.access(output.parent, os.W_OK):
        raise OutputError(
            f"the folder {output.parent} cannot be written to; publish elsewhere or change its rights"
        )


def _require_absent(output: Path) -> None:
    if output.exists() or output.is_symlink():
        raise OutputError(f"{output} already exists; name another output, or move it away")


def require_space(output: Path, values: int) -> None:
    """Refuse before anything is paid if the disk could not hold the release."""
    need, free = values * BYTES_PER_VALUE + 10_000_000, shutil.disk_usage(output.parent).free
    if free < need:
        raise OutputError(
            f"the disk of {output.parent} has {free / 1e6:,.0f} MB free and the release may need {need / 1e6:,.0f} MB; "
            "make room, or publish elsewhere. Nothing was spent"
        )


@contextmanager
def _held(folder: Path, output: Path) -> Generator[None]:
    """An exclusive lock that ends with this process, however it ends."""
    try:
        folder.mkdir(exist_ok=True)
        lock = (folder / _LOCK).open("w")
    except OSError as error:
        raise OutputError(f"{folder} cannot be written: {error.strerror}") from error
    with lock:
        if not _locked(lock, folder / _LOCK):
            raise OutputError(f"another process is publishing {output} right now; wait for it")
        yield


def _locked(lock: IO[str], path: Path) -> bool:
    """Whether the lock is ours, and still the one that others would ask for."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock.fileno()), path.stat())
    except OSError:
        return False


def _explain(error: BaseException, what_now: str) -> None:
    """Tell what stands and how to go on, with the error or in its place."""
    if isinstance(error, OSError):
        raise OutputError(f"publishing failed: {_reason(error)}. {what_now}") from error
    error.add_note(what_now)


def _explain_unpaid(error: BaseException) -> None:
    if isinstance(error, OSError):
        raise OutputError(
            f"publishing failed before there was anything to keep: {_reason(error)}. Nothing was spent"
        ) from error


def _reason(error: OSError) -> str:
    """The system's own words. Those of a library may quote what it was reading."""
    return error.strerror or "a file could not be read or written"


def _to_finish(error: BaseException, stage: Staging) -> str:
    full = isinstance(error, OSError) and error.errno == errno.ENOSPC
    reason = "the disk is full. Make room, then finish" if full else "Finish"
    return f"{reason} without paying again: run the same command with --resume (measurements wait in {stage.folder})"


def _to_pay_again(stage: Staging) -> str:
    return (
        f"This run {stage.lost}, and whatever it paid is lost: its measurements were not saved. "
        f"Delete {stage.folder} to pay again"
    )
