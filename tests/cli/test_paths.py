"""The commands on paths, as a steward and a planner type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..path_town import PathTown


@pytest.fixture
def town(tmp_path: Path) -> PathTown:
    """A small town of paths with a budget of one."""
    town = PathTown(tmp_path)
    town.limit()
    return town


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder that questions do not change."""
    import quietway

    town = PathTown(tmp_path_factory.mktemp("published"))
    town.limit()
    quietway.release(town.file)
    return town.output


def test_release_says_what_was_published_and_spent(town: PathTown, run) -> None:
    """The main job ends with the paths, the cost, the ledger's entry and the report to open."""
    code, out, err = run("release", town.file)
    assert code == 0
    assert "paths through start, end in" in out and "spent 1 of dataset 'small-town'" in out
    assert "report.html" in out and "charging the ledger" in err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["start=P1,P2"],
        ["start=P1,P2", "end=circle:0,48,20km"],
        ["end=0,48..0.25,48.25"],
        ["start=rows:0..2,columns:..3", "--confidence", "0.5"],
    ],
)
def test_query_answers_with_an_interval(published: Path, run, words: list[str]) -> None:
    """In words for people, and as JSON for programs."""
    code, out, _ = run("query", published, *words)
    assert code == 0 and " paths (" in out and len(out.splitlines()) == 1
    code, out, _ = run("query", published, *words, "--json")
    answer = json.loads(out)
    assert code == 0 and answer["low"] <= answer["estimate"] <= answer["high"]
    assert answer["confidence"] == (0.5 if "0.5" in words else 0.95)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["start"], "start=C01,C02"),
        (["star=P1"], "there is no stop 'star'"),
        (["start=P9"], "did you mean"),
        (["start=P1", "start=P2"], "given twice"),
        (["start=rows:5..2"], "0 <= start < stop"),
        (["start=0.2,48..0.1,48.1"], "inverted"),
        (["start=0.2,48..0.3"], "two corners"),
        (["start=circle:50,48,1km"], "holds no place"),
        (["--by", "start"], "folder stops/"),
        (["--confidence", "1"], "between 0 and 1"),
    ],
)
def test_wrong_queries_are_explained(published: Path, run, words: list[str], says: str) -> None:
    """Each mistake is a sentence on the error stream and exit code 2."""
    code, out, err = run("query", published, *words)
    assert (code, out) == (2, "") and says in err


def test_the_report_can_be_made_again(town: PathTown, run) -> None:
    """The page comes out the same from the published folder alone."""
    run("release", town.file)
    before = (town.output / "report.html").read_text()
    for name in ("paths.csv", "places.csv", "release.toml"):
        (town.folder / name).unlink()
    code, _, _ = run("report", town.output)
    assert code == 0 and (town.output / "report.html").read_text() == before


def test_rehearse_compares_with_uniform(town: PathTown, run) -> None:
    """Relative errors beside those of spreading evenly, coverage, and the mark."""
    town.trips.unlink()
    code, out, err = run("rehearse", town.file, "--trips", "2000")
    lines = out.splitlines()
    assert code == 0 and lines[0].startswith("2,000 invented paths came out as ")
    assert lines[1].split() == ["where", "questions", "estimate", "uniform", "interval", "held"]
    assert len([line for line in lines if line.rstrip().endswith("%")]) == 9
    assert "NOT PRIVATE" in lines[-1] and "comparing" in err
    code, out, _ = run("query", f"{town.output}.rehearsal", "start=P1")
    assert code == 0 and "NOT PRIVATE" in out


def test_the_ledger_verifies_a_release_of_paths(town: PathTown, run) -> None:
    """Its charge is found."""
    run("release", town.file)
    code, out, _ = run("ledger", "verify", town.output, "--ledger", town.ledger)
    assert code == 0 and "agrees with its release" in out


def test_the_example_says_what_to_do_next(tmp_path: Path, run) -> None:
    """Its last line is the command that works on what was written."""
    code, out, _ = run("example", tmp_path / "city", "--paths")
    assert code == 0 and out.splitlines()[-1] == f"next: quietway rehearse {tmp_path / 'city' / 'paths.toml'}"
    assert {path.name for path in (tmp_path / "city").iterdir()} == {
        "stops.csv",
        "paths.parquet",
        "paths.toml",
    }
