"""The commands, as a steward types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import Town


def test_release_says_what_was_spent_and_where_to_look(town: Town, run) -> None:
    """The main job ends with the cost, the ledger's entry and the report to open."""
    code, out, err = run("release", town.file)
    assert code == 0
    assert "spent 1 of dataset 'small-town'" in out and "report.html" in out
    assert "charging the ledger" in err and "measuring" in err


def test_query_answers_with_an_interval(town: Town, run) -> None:
    """A range is answered in words, and as JSON for programs."""
    run("release", town.file)
    code, out, _ = run("query", town.output, "origin=P1,P2", "period=06:00..18:00")
    assert code == 0 and "trips (95%:" in out and "the published cells add up to" in out
    code, out, _ = run("query", town.output, "period=06:00..", "--json", "--confidence", "0.5")
    answer = json.loads(out)
    assert answer["low"] <= answer["high"] and answer["confidence"] == 0.5


def test_query_shows_a_margin(town: Town, run) -> None:
    """--by lists a published margin, one line per block."""
    run("release", town.file)
    code, out, _ = run("query", town.output, "--by", "period")
    assert code == 0 and out.splitlines()[0].split() == ["period", "published", "estimate", "low", "high"]
    assert len(out.splitlines()) == 5


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["origin"], "AXIS=VALUES"),
        (["orign=P1"], "no axis 'orign'"),
        (["origin=P9"], "did you mean"),
        (["origin=P1..P3"], "no order"),
        (["period=18:00..06:00"], "ends at or before its start"),
        (["--by", "zone"], "no margin 'zone'"),
        (["--confidence", "1"], "between 0 and 1"),
    ],
)
def test_wrong_queries_are_explained(town: Town, run, words: list[str], says: str) -> None:
    """Each mistake is a sentence on the error stream and exit code 2."""
    run("release", town.file)
    code, out, err = run("query", town.output, *words)
    assert (code, out) == (2, "") and says in err


def test_a_folder_that_is_no_release_is_explained(tmp_path: Path, run) -> None:
    """Query and report want a published folder."""
    for command in ("query", "report"):
        code, _, err = run(command, tmp_path)
        assert code == 2 and "not a published release" in err


def test_the_report_can_be_made_again(town: Town, run) -> None:
    """The page comes out the same from the published folder alone."""
    run("release", town.file)
    before = (town.output / "report.html").read_text()
    for path in ("trips.csv", "places.csv", "release.toml"):
        (town.folder / path).unlink()
    code, out, _ = run("report", town.output)
    assert code == 0 and "report.html" in out
    assert (town.output / "report.html").read_text() == before


def test_ledger_commands_tell_the_story(town: Town, run) -> None:
    """Limit, release, show and verify agree."""
    run("ledger", "limit", "small-town", "3", "--ledger", town.ledger)
    run("release", town.file)
    code, out, _ = run("ledger", "show", "--ledger", town.ledger)
    assert code == 0 and out.splitlines()[1].split()[-3:] == ["3", "1", "2"]
    code, out, _ = run("ledger", "verify", town.output, "--ledger", town.ledger)
    assert code == 0 and "agrees with its release" in out


def test_a_tampered_ledger_does_not_verify(town: Town, run) -> None:
    """An entry changed behind the ledger's back is found."""
    import sqlite3

    run("release", town.file)
    with sqlite3.connect(town.ledger) as connection:
        names = connection.execute("select name from sqlite_master where type = 'trigger'").fetchall()
        for (name,) in names:
            connection.execute(f"drop trigger {name}")
        connection.execute("update entries set epsilon = '1/100' where kind = 'charge'")
    code, _, err = run("ledger", "verify", "--ledger", town.ledger)
    assert code == 2 and "cannot be trusted" in err


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "much"])
def test_a_limit_must_be_a_positive_number(town: Town, run, epsilon: str) -> None:
    """Nonsense limits are refused."""
    code, _, err = run("ledger", "limit", "small-town", "--ledger", town.ledger, "--", epsilon)
    assert code == 2 and "error:" in err


def test_a_limit_below_what_is_spent_is_refused(town: Town, run) -> None:
    """The message names both numbers."""
    run("release", town.file)
    code, _, err = run("ledger", "limit", "small-town", "1/2", "--ledger", town.ledger)
    assert code == 2 and "already spent 1" in err


def test_init_writes_a_file_that_needs_only_the_marked_edits(town: Town, run) -> None:
    """After the EDIT lines are filled in, the file rehearses and releases."""
    town.file.unlink()
    code, out, _ = run("init", town.trips, "--output", town.file)
    assert code == 0 and "sensitive" in out and "EDIT" in town.file.read_text()
    for before, after in (("minutes = 30", "minutes = 360"), ("America/Detroit", "Europe/Paris")):
        town.edit(before, after)
    town.edit('dataset = "trips"', 'dataset = "small-town"')
    code, out, err = run("rehearse", town.file, "--trips", "1000")
    assert code == 0, err
    assert "interval held" in out and "NOT PRIVATE" in out
    code, _, err = run("release", town.file)
    assert code == 0, err


def test_init_does_not_overwrite(town: Town, run) -> None:
    """A release file is the steward's work."""
    before = town.file.read_text()
    code, _, err = run("init", town.trips, "--output", town.file)
    assert code == 2 and "already exists" in err and town.file.read_text() == before


def test_sensitive_details_are_shown_only_on_request(town: Town, run) -> None:
    """An unknown place is named with --verbose, marked, and hidden without."""

    def spoil(rows: list[str]) -> None:
        rows[3] = rows[3].replace(",P", ",Elsewhere", 1)

    town.write_trips(50, change=spoil)
    code, out, err = run("release", town.file)
    assert code == 2 and "Elsewhere" not in out + err and "--verbose" in err
    code, out, err = run("--verbose", "release", town.file)
    assert code == 2 and "Elsewhere" in err and "SENSITIVE" in err


def test_unknown_keys_name_the_nearest_valid_one(town: Town, run) -> None:
    """A typo in the release file is found with its table and a suggestion."""
    town.edit("max_trips = 2", "max_tirps = 2")
    code, _, err = run("release", town.file)
    assert code == 2 and "unit.max_tirps: unknown key; did you mean 'max_trips'?" in err


def test_demo_can_be_run_again(tmp_path: Path, run) -> None:
    """The demo publishes once, and then says where it is."""
    folder = tmp_path / "city"
    code, out, err = run("demo", folder)
    assert code == 0, err
    assert "37," in out or "trips in" in out
    code, out, _ = run("demo", folder)
    assert code == 0 and "already published" in out


def test_help_is_quick_to_import() -> None:
    """Printing help loads no numerical, geographic or database library."""
    script = (
        "import sys; sys.argv = ['quietway', '--help']\n"
        "from quietway.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'scipy', 'ibis', 'duckdb', 'pyarrow', 'pandas', 'geopandas'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "release" in done.stdout and done.stderr.strip() == "[]"


def test_a_defect_shows_no_value(town: Town, run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception nobody foresaw may quote a record, so its text is hidden unless asked for."""

    def broken(spec: object) -> None:
        raise ValueError("rider r17 of P3")

    monkeypatch.setattr("quietway.pipeline.count", broken)
    code, out, err = run("release", town.file)
    assert code == 1 and "r17" not in out + err and "defect" in err
    assert "r17" in run("--verbose", "release", town.file)[2]
    assert town.spent() == "0"


@pytest.mark.parametrize(("end", "code"), [(KeyboardInterrupt(), 130), (ValueError("r17"), 1)])
def test_whoever_stops_a_release_is_told_what_stands(
    town: Town, run, monkeypatch: pytest.MonkeyPatch, end: BaseException, code: int
) -> None:
    """By hand or by a defect: what was paid, and how to go on, is on the screen."""

    def ended(*_: object) -> None:
        raise end

    monkeypatch.setattr("quietway.pipeline.write_faces", ended)
    found, _, err = run("release", town.file)
    assert found == code and "without paying again: run the same command with --resume" in err
    assert "r17" not in err


def test_a_damaged_ledger_is_not_shown_as_empty(town: Town, run) -> None:
    """A page that lost its content is damage, and refused as such."""
    run("release", town.file)
    content = bytearray(town.ledger.read_bytes())
    content[4096:4696] = (b"\x0d" + b"\x00" * 599)[:600]
    town.ledger.write_bytes(content)
    code, out, err = run("ledger", "show", "--ledger", town.ledger)
    assert (code, out) == (2, "") and "damaged" in err


def test_a_ledger_that_is_not_there_is_explained(town: Town, run) -> None:
    """The message names the option, or the folder to make."""
    code, _, err = run("ledger", "show", "--ledger", town.folder / "other.sqlite")
    assert code == 2 and "no ledger at" in err and "--ledger FILE" in err
    code, _, err = run("ledger", "limit", "x", "1", "--ledger", town.folder / "nowhere" / "ledger")
    assert code == 2 and f"the folder {town.folder / 'nowhere'} does not exist" in err


@pytest.mark.parametrize("epsilon", ["-1", "-0.5", "-1/3"])
def test_a_negative_limit_is_a_number_and_not_an_option(town: Town, run, epsilon: str) -> None:
    """Whoever types it reads that it must be positive."""
    code, _, err = run("ledger", "limit", "small-town", epsilon, "--ledger", town.ledger)
    assert code == 2 and f"epsilon is '{epsilon}'; give a positive number" in err


def test_a_refusal_names_the_command_that_works(town: Town, run) -> None:
    """The advice to raise the limit names the ledger that refused."""
    town.edit('epsilon = "1"', 'epsilon = "2"')
    code, _, err = run("release", town.file)
    assert code == 2 and f"quietway ledger limit small-town EPSILON --ledger {town.ledger}" in err


def test_verify_compares_what_releases_say_with_what_was_paid(town: Town, run) -> None:
    """Every manifest that says something else than its entry is told, with the folders that cannot be read."""
    run("release", town.file)
    run("rehearse", town.file, "--output", town.folder / "rehearsal")
    forged = town.folder / "forged"
    forged.mkdir()
    manifest = json.loads((town.output / "manifest.json").read_text())
    (forged / "manifest.json").write_text(json.dumps({**manifest, "epsilon": "1/100", "dataset": "others"}))
    words = (town.output, forged, town.folder / "rehearsal", town.folder)
    code, out, err = run("ledger", "verify", *words, "--ledger", town.ledger)
    assert (code, out) == (2, "")
    for problem in (
        f"{forged} states dataset 'others', but entry 3 was charged for 'small-town'",
        f"{forged} states epsilon 1/100, but entry 3 was charged for 1",
        f"{town.folder / 'rehearsal'} is a rehearsal",
        f"{town.output} and {forged} name the same entry 3",
        f"{town.folder} is not a published release",
    ):
        assert problem in err
    code, out, _ = run("ledger", "verify", town.output, f"{town.output}/", "--ledger", town.ledger)
    assert code == 0 and "agrees with its release" in out


@pytest.mark.parametrize(
    ("protects", "before", "after"),
    [
        ("user", 'user = "rider"', 'user = "start"'),
        ("user-day", 'user = "rider"', 'user = "start"'),
        ("user-day", "Europe/Paris", "America/Detroit"),
    ],
)
def test_a_dataset_keeps_its_contributors(town: Town, run, protects: str, before: str, after: str) -> None:
    """Losses of users in another column, or of days from other midnights, are not added up: nothing is spent."""
    town.edit('epsilon = "1"', 'epsilon = "1/4"')
    if protects == "user-day":
        town.edit('protects = "user"', 'protects = "user-day"\ntime = "departed_at"')
    code, _, err = run("release", town.file)
    assert code == 0, err
    town.edit('output = "published"', 'output = "again"')
    town.edit(before, after)
    code, _, err = run("release", town.file)
    assert code == 2 and "what different contributors lose does not add up" in err
    assert town.spent() == "1/4"
