"""A release that is killed, wherever that happens, wastes budget at worst: it never publishes what is not paid for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.contracts.project import EPSILON, PATHS, RELEASE, few_trips, ledger_of, spent, write_project

from quietway import pipeline
from quietway.errors import OutputError
from quietway.publish.store import load_release

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=["trips", "paths"])
def scenes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Path], set[str]]:
    """The folders that killed releases left behind, and the files of one that was not killed."""
    folder = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-m", "tests.contracts.killed", str(folder), request.param]
    subprocess.run(command, cwd=ROOT, check=True)
    runs = sorted(folder.iterdir(), key=lambda run: int(run.name))
    return runs[:-1], files(runs[-1] / "published")


def files(folder: Path) -> set[str]:
    """What a folder holds, but for the lock of the process that wrote it."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return found - {".lock"}


def test_the_release_is_killed_everywhere(scenes: tuple[list[Path], set[str]]) -> None:
    """Among the deaths are those around the charge, the noise, each flush, each face and the last rename."""
    runs, complete = scenes
    deaths = [(run / "killed").read_text() for run in runs]
    assert {"before charge", "after charge", "before measure", "after measure", "before publish"} <= set(
        deaths
    )
    assert {"before fsync", "after fsync", "before rename", "after rename"} <= set(deaths)
    assert ("writing trips.csv" if "trips.csv" in complete else "writing boxes.parquet") in deaths
    assert len(deaths) > 30


def paid_for(run: Path, complete: set[str]) -> None:
    """The gate: noise on disk means a charge in an intact ledger, and an output that exists is complete."""
    assert ledger_of(run).verify() == []
    assert spent(run) in (0, EPSILON)
    if any("charged.json" not in name for name in files(run / ".published.paid")):
        assert spent(run) == EPSILON, "noise that nobody paid for"
    if (run / "published").exists():
        assert spent(run) == EPSILON, "published without a charge"
        assert files(run / "published") == complete, "published in part"
        assert load_release(run / "published").manifest.epsilon == EPSILON


def test_what_is_on_disk_is_paid_for(scenes: tuple[list[Path], set[str]]) -> None:
    """Wherever a release is killed, what it leaves was charged before, and no output is half there."""
    runs, complete = scenes
    for run in runs:
        paid_for(run, complete)


@pytest.mark.parametrize("left", [".published.paid/arrays.npz", "published/trips.csv"])
def test_what_nobody_paid_for_is_caught(left: str, tmp_path: Path) -> None:
    """Noise or an output beside an uncharged ledger fails the gate."""
    write_project(tmp_path)
    (tmp_path / left).parent.mkdir()
    (tmp_path / left).touch()
    with pytest.raises(AssertionError, match=r"nobody paid for|without a charge"):
        paid_for(tmp_path, {"trips.csv"})


def test_half_an_output_is_caught(
    scenes: tuple[list[Path], set[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing file of the output fails the gate."""
    monkeypatch.setattr(pipeline, "count", few_trips)
    trips = "trips.csv" in scenes[1]
    pipeline.release(write_project(tmp_path, release=RELEASE if trips else PATHS))
    paid_for(tmp_path, scenes[1])
    (tmp_path / "published" / ("trips.csv" if trips else "boxes.parquet")).unlink()
    with pytest.raises(AssertionError, match="in part"):
        paid_for(tmp_path, scenes[1])


def test_a_killed_release_can_be_finished(
    scenes: tuple[list[Path], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was paid for and kept is published without paying again; what was lost is paid for once more."""
    monkeypatch.setattr(pipeline, "count", few_trips)
    runs, complete = scenes
    ways = {finish(run) for run in runs}
    for run in runs:
        assert files(run / "published") == complete, (run / "killed").read_text()
    assert ways == {"published", "resumed", "again"}


def finish(run: Path) -> str:
    """Do what the messages say, and check what it costs."""
    before = spent(run)
    if (run / "published").exists():
        with pytest.raises(OutputError, match="already exists"):
            pipeline.release(run / "release.toml")
        way, price = "published", 0
    elif (run / ".published.paid" / "manifest.json").exists():
        with pytest.raises(OutputError, match="--resume"):
            pipeline.release(run / "release.toml")
        pipeline.release(run / "release.toml", resume=True)
        way, price = "resumed", 0
    else:
        says = "without --resume"
        if (run / ".published.paid" / ".charged.json").exists():
            says = "Delete .* to pay again"
            with pytest.raises(OutputError, match=says):
                pipeline.release(run / "release.toml")
        with pytest.raises(OutputError, match=says):
            pipeline.release(run / "release.toml", resume=True)
        shutil.rmtree(run / ".published.paid", ignore_errors=True)
        pipeline.release(run / "release.toml")
        way, price = "again", EPSILON
    assert spent(run) == before + price, (run / "killed").read_text()
    return way


def test_resuming_draws_no_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measurements that wait are published as they are: two resumed copies hold the same table."""
    monkeypatch.setattr(pipeline, "count", few_trips)
    file = write_project(tmp_path)
    faces = pipeline.write_faces

    def fail(*_: object) -> None:
        raise OutputError("the disk is full")

    monkeypatch.setattr(pipeline, "write_faces", fail)
    with pytest.raises(OutputError):
        pipeline.release(file)
    waiting = load_release(tmp_path / ".published.paid")
    monkeypatch.setattr(pipeline, "write_faces", faces)
    monkeypatch.setattr(pipeline, "secure", fail)
    monkeypatch.setattr(pipeline, "count", fail)
    released = pipeline.release(file, resume=True)
    assert (
        released.counts.tolist() == waiting.counts.tolist()
        and released.keys.tolist() == waiting.keys.tolist()
    )
    assert spent(tmp_path) == EPSILON
