"""`quietway reproduce`, as a researcher types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_a_small_reproduction_prints_the_page_and_keeps_it(tmp_path: Path, run) -> None:
    """The page on the screen and in the folder is one, with the plot and the numbers beside; the command repeats it."""
    words = ("reproduce", "cbdp", "--runs", 1, "--epsilon", "0.1", "--seed", 3, "--output")
    code, out, err = run(*words, tmp_path / "first")
    assert code == 0 and "weekday, epsilon 0.1, 1 run" in err and "NOT PRIVATE" in out
    text = (tmp_path / "first" / "cbdp.md").read_text(encoding="utf-8")
    assert text in out and "quietway reproduce cbdp --runs 1 --seed 3 --epsilon 1/10" in text
    assert json.loads((tmp_path / "first" / "cbdp.json").read_text(encoding="utf-8"))["runs"] == 1
    assert (tmp_path / "first" / "cbdp.svg").read_text(encoding="utf-8").startswith("<svg")
    assert run(*words, tmp_path / "second")[0] == 0
    assert (tmp_path / "second" / "cbdp.md").read_text(encoding="utf-8") == text


def test_the_picture_of_flows_has_a_command(tmp_path: Path, run) -> None:
    """It lands in the folder and nothing else does."""
    code, out, _ = run("reproduce", "cbdp", "--gallery", "--output", tmp_path / "pictures")
    assert code == 0 and "flows.svg" in out
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["flows.svg"]


def test_the_paper_on_stops_is_reproduced_without_real_data(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Invented points alone; what is missing is told; the same command gives the same errors, though not the same seconds."""
    monkeypatch.delenv("QUIETWAY_DATA", raising=False)
    monkeypatch.setattr("quietway.reproduce.od.settings.POINTS", 20_000)
    words = ("reproduce", "od", "--quick", "--seed", 2, "--output")
    code, out, err = run(*words, tmp_path / "first")
    assert (
        code == 0 and "Fig. 4: Gaussian 2-D" in err and "give --data FOLDER" in err and "NOT PRIVATE" in out
    )
    text = (tmp_path / "first" / "od.md").read_text(encoding="utf-8")
    assert text in out and "quietway reproduce od --quick --seed 2\n" in text
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == ["od.json", "od.md", "od.svg"]
    assert run(*words, tmp_path / "second")[0] == 0
    first, second = (json.loads((tmp_path / name / "od.json").read_text()) for name in ("first", "second"))
    assert first["cases"] == second["cases"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["od", "--quick", "--runs", "2"], "--quick means one run"),
        (["od", "--runs", "0"], "0 runs would show nothing"),
        (["od", "--seed", "-1"], "--seed -1 is negative"),
        (["od", "--gallery"], "--gallery is cbdp's"),
        (["od", "--data", "/no/such/folder"], "no folder '/no/such/folder'"),
        (["cbpd"], "did you mean 'cbdp'"),
        (["cbdp", "--runs", "0"], "0 runs would show nothing"),
        (["cbdp", "--runs", "-2"], "-2 runs would show nothing"),
        (["cbdp", "--runs", "3", "--quick"], "--quick means 5 runs"),
        (["cbdp", "--seed", "-1"], "--seed -1 is negative"),
        (["cbdp", "--epsilon", "0"], "give a positive number"),
        (["cbdp", "--epsilon", "nan"], "give a positive number"),
        (["cbdp", "--output", "."], "exists already"),
        (["cbdp", "--gallery"], "say where with --output"),
        (["cbdp", "--gallery", "--runs", "2"], "shows one run"),
        (["cbdp", "--gallery", "--epsilon", "1", "--epsilon", "2"], "shows one epsilon"),
    ],
)
def test_wrong_words_are_explained_before_anything_runs(words: list[str], says: str, run) -> None:
    """Each mistake is a sentence on the error stream and exit code 2."""
    code, out, err = run("reproduce", *words)
    assert (code, out) == (2, "") and says in err and "epsilon 1," not in err


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path, run) -> None:
    """A file stands where a folder should."""
    (tmp_path / "file").write_text("")
    code, _, err = run("reproduce", "cbdp", "--output", tmp_path / "file" / "page")
    assert code == 2 and "cannot make the folder" in err


def test_a_reproduction_that_fails_leaves_no_folder(
    tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the same command can be given again."""

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("quietway.reproduce.cbdp.run", fail)
    code, _, err = run("reproduce", "cbdp", "--output", tmp_path / "page")
    assert code == 1 and "unforeseen RuntimeError" in err and not (tmp_path / "page").exists()
