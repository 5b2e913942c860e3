"""Processes that race for the last epsilon, and processes that are killed while they pay."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from random import Random
from time import sleep
from types import FrameType
from typing import Any

import pytest

import quietway.budget
from quietway.budget import Charge, Cost, Ledger
from quietway.errors import BudgetExceeded
from quietway.universe.unit import PrivacyUnit

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
Pay = Callable[[str], Charge]
HOME = str(Path(quietway.budget.__file__).parent)
GRAIN = Cost(Fraction(1, 10_000), PrivacyUnit())
RACERS, ROUNDS, WON, LOST = 4, 6, 10, 20


def child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process that never comes back here, and return its id."""
    process = os.fork()
    if process == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return process


def grab(path: Path, start: Barrier) -> None:
    """Ask for everything that is left, at the same moment as the others."""
    start.wait()
    try:
        Ledger.open(path).charge("rides", Cost(Fraction(1), PrivacyUnit()), purpose="race", spec_hash="")
    except BudgetExceeded:
        os._exit(LOST)
    os._exit(WON)


def test_of_processes_racing_for_the_last_epsilon_one_wins(tmp_path: Path) -> None:
    """Round after round, exactly one is charged and every other is refused."""
    processes = get_context("fork")
    for race in range(ROUNDS):
        ledger = Ledger.open(tmp_path / f"ledger{race}")
        ledger.limit("rides", Fraction(1))
        start = processes.Barrier(RACERS)
        racers = [processes.Process(target=grab, args=(ledger.path, start)) for _ in range(RACERS)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert sorted(racer.exitcode or 0 for racer in racers) == [WON, *[LOST] * (RACERS - 1)]
        assert ledger.account("rides").left == 0
        assert ledger.verify() == []


def begin(path: Path, start: Barrier, dataset: str) -> None:
    """Create the ledger at the same moment as the others, and leave a limit in it."""
    start.wait()
    Ledger.open(path).limit(dataset, Fraction(1))


def test_processes_racing_to_create_share_one_ledger(tmp_path: Path) -> None:
    """Nobody's entries are lost when the file is made twice at once."""
    processes = get_context("fork")
    for race in range(ROUNDS):
        path, start = tmp_path / f"ledger{race}", processes.Barrier(RACERS)
        racers = [processes.Process(target=begin, args=(path, start, f"rides{i}")) for i in range(RACERS)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert len(Ledger.open(path).accounts()) == RACERS
    assert len(list(tmp_path.iterdir())) == ROUNDS


def die_at(line: int) -> None:
    """Kill this process when it reaches that many lines of the ledger's own code."""
    reached = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal reached
        reached += event == "line"
        if reached >= line:
            os.kill(os.getpid(), signal.SIGKILL)
        return step

    sys.settrace(lambda frame, event, argument: step if frame.f_code.co_filename.startswith(HOME) else None)


def was_killed(process: int) -> bool:
    """Wait for a child: True if it was killed on its way, False if it finished well."""
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def test_a_charge_killed_at_any_line_is_whole_or_absent(tmp_path: Path) -> None:
    """Killed at each line in turn, the ledger is intact, charged or not, and usable; never anything between."""
    ledger = Ledger.open(tmp_path / "ledger")
    ledger.limit("rides", Fraction(1))
    fresh = ledger.path.read_bytes()
    charged_at = list[bool]()
    for line in range(1, 2000):
        ledger.path.write_bytes(fresh)

        def pay_and_die(line: int = line) -> None:
            die_at(line)
            ledger.charge("rides", GRAIN, purpose="killed", spec_hash="")
            sys.settrace(None)

        killed = was_killed(child(pay_and_die))
        assert ledger.verify() == []
        spent = ledger.account("rides").spent
        assert spent in (0, GRAIN.epsilon)
        charged_at.append(spent > 0)
        if line % 10 == 0 or not killed:
            ledger.charge("rides", GRAIN, purpose="after", spec_hash="")
        if not killed:
            break
    assert charged_at == sorted(charged_at)  # once charged, a later death changes nothing
    assert charged_at[-1]
    assert charged_at.count(False) > 40
    assert charged_at.count(True) > 1  # some of the deaths came after the commit


def test_what_was_acknowledged_survives_a_kill_at_any_moment(ledger: Ledger) -> None:
    """A process killed at random times, in the middle of commits too, has paid for what it was told, or one more."""
    moments = Random(20260105)
    for _ in range(12):
        before = ledger.account("rides").spent
        reader, writer = os.pipe()

        def pay_forever(writer: int = writer) -> None:
            while True:
                ledger.charge("rides", GRAIN, purpose="stream", spec_hash="")
                os.write(writer, b".")

        process = child(pay_forever)
        os.close(writer)
        acknowledged = len(os.read(reader, 1))
        sleep(moments.uniform(0, 0.01))
        os.kill(process, signal.SIGKILL)
        assert was_killed(process)
        while more := os.read(reader, 4096):
            acknowledged += len(more)
        os.close(reader)
        charged = (ledger.account("rides").spent - before) / GRAIN.epsilon
        assert acknowledged >= 1
        assert charged - acknowledged in (0, 1)
        assert ledger.verify() == []
