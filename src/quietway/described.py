"""What release files of every kind say: where things are, and what makes a release another one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quietway.config import ReleaseFile, Section
from quietway.errors import ConfigError
from quietway.paths.config import PathFile


@dataclass(frozen=True, kw_only=True, eq=False)
class Described:
    """A release file, and the folder from which its paths are meant."""

    file: ReleaseFile | PathFile
    folder: Path

    @property
    def output(self) -> Path:
        """The folder to publish into."""
        return self.folder / self.file.release.output

    @property
    def ledger(self) -> Path:
        """The ledger's file."""
        return self.folder / self.file.privacy.ledger

    @property
    def source(self) -> str:
        """Where the records are."""
        return str(self.folder / self.file.records.path)


def spec_hash(file: ReleaseFile | PathFile, folder: Path, sections: Iterable[Section], **besides: str) -> str:
    """What identifies a release: its settings and the public files its sections name, but not where things are kept."""
    settings = file.model_dump(
        mode="json", exclude={"release": {"output"}, "privacy": {"ledger"}, "rehearsal": True}
    )
    names = sorted(
        {str(path) for section in sections if (path := getattr(section, "file", None)) is not None}
    )
    told = {"settings": settings, "files": {name: _digest(folder / name) for name in names}} | besides
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ConfigError(
            f"{path}, which the release file names, cannot be read: {error.strerror}"
        ) from error
