"""Between payment and publication: one process at a time, nothing lost, nothing left over."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quietway.errors import ConfigError, OutputError
from quietway.publish import staging as module
from quietway.publish.release import Release
from quietway.publish.staging import Staging, require_space, staging
from quietway.publish.store import load_release, save_measurements

HOLD = """
import sys
from pathlib import Path
from quietway.publish.staging import staging
with staging(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Where to publish."""
    return tmp_path / "out" / "published"


def pay(stage: Staging, release: Release) -> None:
    """Put complete measurements into the folder."""
    save_measurements(
        stage.folder,
        manifest=release.manifest,
        universe=release.universe,
        features=release.features,
        places=release.places,
        measurements=release.measurements,
    )


@contextmanager
def another_process(output: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the folder until told to end."""
    command = [sys.executable, "-c", HOLD, str(output)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def test_publishing_renames_the_whole_folder(output: Path, city: Release) -> None:
    """What was staged is the output, complete, with nothing hidden left inside or beside."""
    with staging(output) as stage:
        pay(stage, city)
        stage.publish()
    assert load_release(output).total == city.total
    assert [path.name for path in output.parent.iterdir()] == ["published"]
    assert not [path for path in output.iterdir() if path.name.startswith(".")]


def test_nothing_is_published_that_a_loss_of_power_could_take(
    output: Path, city: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file and folder is flushed before the folder gets its name, and the name after that."""
    flushed, rename = list[Path](), Path.rename
    monkeypatch.setattr(module, "flush", flushed.append)
    monkeypatch.setattr(module, "flush_tree", lambda folder: flushed.extend([*folder.rglob("*"), folder]))
    monkeypatch.setattr(Path, "rename", lambda path, to: (flushed.append(to), rename(path, to))[1])
    with staging(output) as stage:
        pay(stage, city)
        (stage.folder / "margins").mkdir()
        (stage.folder / "margins" / "period.csv").touch()
        stage.publish()
    held = {stage.folder / path.relative_to(output) for path in output.rglob("*")} | {stage.folder}
    assert held <= set(flushed[: flushed.index(output)])
    assert flushed[-2:] == [output, output.parent]


def test_a_failure_once_published_does_not_deny_it(
    output: Path, city: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the rename the release stands, and whatever fails then says so."""
    flush = module.flush

    def failing(path: Path) -> None:
        if output.exists():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        flush(path)

    monkeypatch.setattr(module, "flush", failing)
    with (
        pytest.raises(OutputError, match=r"Input/output error\. .*published is complete"),
        staging(output) as stage,
    ):
        pay(stage, city)
        stage.publish()
    assert load_release(output).total == city.total


def test_only_one_process_publishes(output: Path) -> None:
    """While another process holds the folder, it is refused, and not disturbed."""
    with another_process(output) as process:
        with pytest.raises(OutputError, match="another process is publishing"), staging(output):
            pytest.fail("two processes hold one folder")
        assert (output.parent / ".published.paid").is_dir()
        process.communicate("")
    assert process.returncode == 0


def test_a_killed_process_does_not_hold_the_folder(output: Path) -> None:
    """The lock ends with its process, however that ends."""
    with another_process(output) as process:
        process.kill()
        process.wait()
    with staging(output) as stage:
        assert not stage.is_paid


def test_a_lock_on_a_folder_that_went_away_is_none(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waited for a lock whose folder was removed meanwhile does not own the next one."""
    flock = module.fcntl.flock

    def late(lock: object, flags: int) -> None:
        shutil.rmtree(output.parent / ".published.paid")
        flock(lock, flags)  # type: ignore[arg-type]

    monkeypatch.setattr(module.fcntl, "flock", late)
    with pytest.raises(OutputError, match="another process"), staging(output):
        pytest.fail("the lock is on a file that nobody else can find")


def test_an_output_published_meanwhile_is_noticed(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the output appears between the first look and the lock, nothing is measured again."""
    flock = module.fcntl.flock

    def late(lock: object, flags: int) -> None:
        output.mkdir()
        flock(lock, flags)  # type: ignore[arg-type]

    monkeypatch.setattr(module.fcntl, "flock", late)
    with pytest.raises(OutputError, match="already exists"), staging(output):
        pytest.fail("the output is there")


def test_an_unpaid_failure_leaves_nothing(output: Path) -> None:
    """What fails before measurements are complete is removed, and its own error is raised."""
    with pytest.raises(ConfigError, match="bad"), staging(output) as stage:
        (stage.folder / "half").write_text("half")
        raise ConfigError("bad")
    assert list(output.parent.iterdir()) == []


def test_an_unpaid_failure_of_the_disk_is_explained(output: Path) -> None:
    """A disk that fills up before anything is complete says so, and whether anything was spent."""
    with pytest.raises(OutputError, match=r"No space left.*Nothing was spent"), staging(output):
        raise OSError(errno.ENOSPC, "No space left on device")
    with (
        pytest.raises(OutputError, match=r"No space left.*was charged epsilon 1/2 \(ledger entry 7\)"),
        staging(output) as stage,
    ):
        stage.note(7, Fraction(1, 2))
        raise OSError(errno.ENOSPC, "No space left on device")
    assert stage.lost


def test_a_run_that_died_after_paying_is_not_forgotten(output: Path) -> None:
    """The next run is told what was lost, whether it resumes or not, and nothing is swept away."""
    dead = Staging.beside(output)
    dead.folder.mkdir(parents=True)
    dead.note(7, Fraction(1, 2))
    for check in (Staging.require_unpaid, lambda stage: stage.require_paid("any")):
        with (
            pytest.raises(OutputError, match=r"was charged epsilon 1/2 .*Delete .* to pay again"),
            staging(output) as stage,
        ):
            check(stage)
        assert dead.lost
    dead.note(None, Fraction(1, 2))
    assert dead.lost == "may have been charged epsilon 1/2 (`quietway ledger show` tells)"


def test_a_paid_failure_keeps_and_explains(output: Path, city: Release) -> None:
    """What is paid for stays, and the error carries how to go on for free."""
    with pytest.raises(ConfigError) as caught, staging(output) as stage:
        pay(stage, city)
        raise ConfigError("bad")
    assert any("--resume" in note and str(stage.folder) in note for note in caught.value.__notes__)
    assert load_release(stage.folder).total == city.total


@pytest.mark.parametrize(
    ("code", "says"),
    [(errno.ENOSPC, "the disk is full. Make room, then finish"), (errno.EIO, "Finish without")],
)
def test_a_paid_failure_of_the_disk_is_explained(output: Path, city: Release, code: int, says: str) -> None:
    """A disk that fails while publishing says so, and that nothing need be paid again."""
    with pytest.raises(OutputError, match=rf"{says}.*--resume"), staging(output) as stage:
        pay(stage, city)
        raise OSError(code, os.strerror(code))
    assert stage.is_paid


def test_an_interrupt_keeps_what_is_paid(output: Path, city: Release) -> None:
    """Stopping the program by hand loses nothing that was paid for."""
    with pytest.raises(KeyboardInterrupt), staging(output) as stage:
        pay(stage, city)
        raise KeyboardInterrupt
    assert stage.is_paid


def test_paid_measurements_are_resumed_by_the_file_that_paid(output: Path, city: Release) -> None:
    """The next run must resume, and only the same release file may."""
    with pytest.raises(KeyboardInterrupt), staging(output) as stage:
        pay(stage, replace(city, manifest=replace(city.manifest, spec_hash="mine")))
        raise KeyboardInterrupt
    with pytest.raises(OutputError, match="already paid for"), staging(output) as stage:
        stage.require_unpaid()
    with pytest.raises(OutputError, match="another version of the release file"), staging(output) as stage:
        stage.require_paid("another")
    with staging(output) as stage:
        stage.require_paid("mine")
        stage.publish()
    assert load_release(output).total == city.total


def test_there_must_be_something_to_resume(output: Path) -> None:
    """Resuming what nobody paid for is refused."""
    with pytest.raises(OutputError, match="run without --resume"), staging(output) as stage:
        stage.require_paid("mine")
    with staging(output) as stage:
        stage.require_unpaid()


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_an_existing_output_is_not_touched(output: Path, kind: str) -> None:
    """Whatever stands at the output's place, it is refused and left as it is."""
    output.parent.mkdir()
    {"folder": output.mkdir, "file": output.touch, "dangling link": lambda: output.symlink_to("nowhere")}[
        kind
    ]()
    with pytest.raises(OutputError, match="already exists; name another output"), staging(output):
        pytest.fail("the output is taken")
    assert [path.name for path in output.parent.iterdir()] == ["published"]


def test_a_parent_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file where a folder is needed is an error that names the folder."""
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="file cannot be made"), staging(tmp_path / "file" / "published"):
        pytest.fail("the parent is a file")


def test_a_parent_without_rights_is_told(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that may not be written to is refused before anything is made in it."""
    monkeypatch.setattr(module.os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="cannot be written to; publish elsewhere"), staging(output):
        pytest.fail("the parent is read-only")
    assert list(output.parent.iterdir()) == []


def test_a_hidden_folder_that_cannot_be_made_is_told(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rights look fine but writing fails, the folder is named."""
    mkdir = Path.mkdir

    def refuse(path: Path, *args: object, **kwargs: object) -> None:
        if path.name.startswith("."):
            raise PermissionError(errno.EACCES, "Permission denied")
        mkdir(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", refuse)
    with (
        pytest.raises(OutputError, match=r"\.published\.paid cannot be written: Permission denied"),
        staging(output),
    ):
        pytest.fail("the folder cannot be made")


def test_a_disk_too_small_is_noticed_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that could not fit is refused with what it needs and that nothing was spent."""
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage._replace(free=20_000_000))
    require_space(tmp_path / "published", 200_000)
    with pytest.raises(OutputError, match=r"20 MB free .* may need 50 MB; .*Nothing was spent"):
        require_space(tmp_path / "published", 1_000_000)
