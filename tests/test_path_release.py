"""The whole flow on a small town of paths."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest

import quietway
from quietway import pipeline
from quietway.budget import Ledger
from quietway.counts import Paths
from quietway.errors import BudgetExceeded, DataError, OutputError, PrivacyError
from quietway.measurement import NoisyBoxes
from quietway.mechanisms.od.daf_entropy import DafEntropy
from quietway.noise import NoiseSource, secure
from quietway.publish.kept import load_manifest
from quietway.publish.paths.release import PathRelease
from quietway.publish.staging import Staging

from .contracts.project import Watching
from .path_town import PATHS, PathTown

FACES = {
    "boxes.parquet",
    "stops",
    "boxes.geojson",
    "paths.geojson",
    "matrices.omx",
    "statement.md",
    "report.html",
}
KEPT = {"manifest.json", "structure.json", "arrays.npz"}


@pytest.fixture
def town(tmp_path: Path) -> PathTown:
    """A small town of paths with a budget of one."""
    town = PathTown(tmp_path)
    town.limit()
    return town


def released(town: PathTown, **more: bool) -> PathRelease:
    """What its release file publishes."""
    published = quietway.release(town.file, **more)
    assert isinstance(published, PathRelease)
    return published


def test_a_release_publishes_every_face(town: PathTown) -> None:
    """The output folder holds the boxes in every format, the papers, and what queries need."""
    released(town)
    assert {path.name for path in town.output.iterdir()} == FACES | KEPT
    assert town.leftovers() == {"published"}


def test_a_release_charges_what_it_declares(town: PathTown) -> None:
    """The ledger, the manifest and the sum of the parts agree on what was spent."""
    manifest = released(town).manifest
    assert town.spent() == "1" == str(manifest.epsilon) == str(sum(epsilon for _, epsilon in manifest.parts))
    assert manifest.private and not manifest.rehearsal and manifest == load_manifest(town.output)
    assert Ledger.open(town.ledger).contains(manifest.ledger_entry or 0, manifest.ledger_hash or "")


def test_what_is_published_is_what_is_returned(town: PathTown) -> None:
    """The release in memory, the folder opened again, and the table of boxes tell the same paths."""
    first, again = released(town), quietway.load(town.output)
    assert isinstance(again, PathRelease)
    assert np.array_equal(first.boxes.count, again.boxes.count)
    assert sum(pq.read_table(town.output / "boxes.parquet")["paths"].to_pylist()) == first.total
    assert first.query({"start": ["P1", "P2"]}) == again.query({"start": ["P1", "P2"]})


@pytest.mark.parametrize("grid", [False, True])
def test_answers_are_near_the_truth(town: PathTown, grid: bool) -> None:
    """With a generous epsilon a question about one place at each end comes back close, zones or grid."""
    if grid:
        town.use_grid()
    town.edit('epsilon = "1"', 'epsilon = "60"')
    town.limit("60")
    rows = [line.split(",") for line in town.trips.read_text().splitlines()[1:]]
    true = sum(row[1] in ("P0", "P1") and row[2] == "P0" for row in rows)
    published = released(town)
    near = "circle:0.05,48.05,9km"
    answer = published.query({"start": near, "end": "circle:0,48,3km"}, confidence=0.99)
    assert published.query().low <= PATHS <= published.query().high
    assert answer.low <= true <= answer.high
    assert abs(answer.estimate - true) < 0.15 * true


def test_every_draw_is_paid_for_beforehand(town: PathTown, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever noise is asked for, the ledger already holds the charge."""
    asked: list[bool] = []

    def paid() -> bool:
        asked.append(town.spent() == "1")
        return asked[-1]

    monkeypatch.setattr(pipeline, "secure", lambda: Watching(secure(), paid))
    released(town)
    assert asked and all(asked)


def test_what_was_measured_is_what_the_folder_holds(town: PathTown, monkeypatch: pytest.MonkeyPatch) -> None:
    """One measurement, kept to the last number."""
    honest, made = DafEntropy.measure, list[NoisyBoxes]()

    def remembered(self: DafEntropy, paths: Paths, *, rng: NoiseSource) -> tuple[NoisyBoxes, ...]:
        made.extend(honest(self, paths, rng=rng))
        return tuple(made)

    monkeypatch.setattr(DafEntropy, "measure", remembered)
    released(town)
    (held,), (drawn,) = quietway.load(town.output).measurements, made
    for name in ("low", "high", "parent", "node", "noisy", "drawn"):
        assert np.array_equal(getattr(held, name), getattr(drawn, name)), name
    assert held.scales == drawn.scales and held.space == drawn.space  # type: ignore[union-attr]


def test_a_second_release_is_refused_when_the_budget_is_spent(town: PathTown) -> None:
    """Nothing is left behind."""
    released(town)
    town.edit('output = "published"', 'output = "second"')
    with pytest.raises(BudgetExceeded, match="0 left"):
        quietway.release(town.file)
    assert town.leftovers() == {"published"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows.append("r9999,P1,Nowhere,0,48,0,48"), "outside"),
        (lambda rows: rows.append("r9999,P1,,0,48,0,48"), "end"),
        (lambda rows: rows.clear(), "no"),
    ],
    ids=["outside", "empty", "none"],
)
def test_bad_records_cost_nothing(town: PathTown, change: Callable[[list[str]], None], says: str) -> None:
    """A stop outside of the places, a stop that is missing, no path at all: refused before the charge."""
    town.write_paths(20, change=change)
    with pytest.raises(DataError, match=says):
        quietway.release(town.file)
    assert town.spent() == "0" and not town.leftovers()


def test_a_full_disk_is_noticed_before_anything_is_spent(
    town: PathTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little room for the release is a refusal that says how much is needed."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1_000))
    with pytest.raises(OutputError, match="MB free"):
        quietway.release(town.file)
    assert town.spent() == "0"


def test_paths_are_not_measured_for_a_release_of_trips(town: PathTown, tmp_path: Path) -> None:
    """What one kind of release file counts is no use to the other."""
    spec = quietway.load_spec(town.file)
    counts = SimpleNamespace(seeded=True, unit=spec.unit)
    rng = SimpleNamespace(private=False)
    with pytest.raises(PrivacyError, match="the other way round"):
        pipeline.measure(spec, counts, Staging(tmp_path, tmp_path), charge=None, ledger=None, rng=rng)  # type: ignore[arg-type]


def test_a_release_that_fails_after_paying_is_finished_for_free(
    town: PathTown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--resume publishes the very same noise."""

    def fail(*_: object) -> Iterator[str]:
        raise OutputError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "write_faces", fail)
        with pytest.raises(OutputError):
            quietway.release(town.file)
    assert not town.output.exists()
    with np.load(town.folder / ".published.paid" / "arrays.npz") as kept:
        paid = kept["noisy 0"]
    with pytest.raises(OutputError, match="already paid for"):
        quietway.release(town.file)
    town.trips.unlink()
    assert np.array_equal(released(town, resume=True).measurements[0].noisy, paid)
    assert town.spent() == "1" and town.leftovers() == {"published"}


def killed(town: PathTown, owner: object, name: str) -> None:
    """Release in a child that is killed when it calls something."""
    child = os.fork()
    if not child:
        setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        try:
            quietway.release(town.file)
        finally:
            os._exit(3)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_run_killed_between_charge_and_measurement_is_told_to_the_next(town: PathTown) -> None:
    """What it paid is lost; nothing is drawn or charged again until that is acknowledged."""
    killed(town, DafEntropy, "measure")
    assert town.spent() == "1"
    for resume in (False, True):
        with pytest.raises(OutputError, match=r"was charged epsilon 1 .*Delete .* to pay again"):
            quietway.release(town.file, resume=resume)
    assert town.spent() == "1" and not town.output.exists()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_run_killed_after_measuring_is_resumed(town: PathTown) -> None:
    """Its measurements were durable before it went on, and are published without paying."""
    killed(town, pipeline, "finish")
    assert town.spent() == "1" and not town.output.exists()
    assert released(town, resume=True).manifest.private
    assert town.spent() == "1" and town.leftovers() == {"published"}


def test_a_release_of_paths_is_no_prior_of_trips(
    town: PathTown, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The refusal says what it holds."""
    from .conftest import Town

    released(town)
    trips = Town(tmp_path_factory.mktemp("trips"))
    trips.limit()
    trips.edit("[rehearsal]", f'[method]\nprior = "{town.output}"\n\n[rehearsal]')
    with pytest.raises(quietway.QuietwayError, match="holds paths, not trips"):
        quietway.load_spec(trips.file)
