"""The wall: what the public side may import, lazily or not, and who may draw noise."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import quietway

ROOT = Path(quietway.__file__).parent
PUBLIC = {
    "nearest": set[str](),
    "errors": set[str](),
    "compiled": set[str](),
    "public_csv": {"errors", "nearest"},
    "universe": {"compiled", "errors", "nearest"},
    "measurement": {"universe", "errors"},
    "estimate": {"universe", "measurement", "compiled", "errors", "nearest"},
    "publish": {"universe", "estimate", "measurement", "errors", "nearest"},
}
INVENTED = {
    "reproduce": {
        "budget",
        "city",
        "compiled",
        "counts",
        "errors",
        "estimate",
        "measurement",
        "mechanisms",
        "noise",
        "publish",
        "universe",
    },
}
HANDLING = {"kinds", "paths", "pipeline"}
DYNAMIC = ("import_module", "__import__")
NOISY = {"noise", "mechanisms", "pipeline", "rehearsal", "reproduce"}
SENSITIVE = {
    "noise": {"compiled", "errors"},
    "counts": {"records", "universe", "errors", "nearest"},
    "records": {"public_csv", "universe", "errors", "nearest"},
    "budget": {"universe", "errors", "nearest"},
    "mechanisms": {
        "budget",
        "compiled",
        "counts",
        "noise",
        "measurement",
        "universe",
        "estimate",
        "errors",
        "nearest",
    },
}
WIELDERS = {
    "measure": {"mechanisms", "pipeline", "rehearsal", "reproduce"},
    "secure": {"noise", "pipeline"},
    "KeyedSource": {"noise"},
    "Keystream": {"noise"},
}


def part(path: Path) -> str:
    """The module or package directly under quietway that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[str]:
    """Every part of quietway that some code imports, wherever in the code; '?' where that cannot be known."""
    nodes = list(ast.walk(ast.parse(source)))
    harmless = {id(node.func) for node in nodes if isinstance(node, ast.Call) and _imports_others(node)}
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (
                _part_of(alias.name) for alias in node.names if alias.name.split(".")[0] == "quietway"
            )
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(node)
        elif getattr(node, "id", getattr(node, "attr", None)) in DYNAMIC and id(node) not in harmless:
            yield "?"


def _imported_from(node: ast.ImportFrom) -> Iterator[str]:
    module = node.module or ""
    if node.level or (module == "importlib" and any(alias.asname for alias in node.names)):
        yield "?"
    elif module == "quietway":
        yield from (alias.name for alias in node.names)
    elif module.startswith("quietway."):
        yield _part_of(module)


def _imports_others(call: ast.Call) -> bool:
    """A dynamic import of what is plainly not quietway: its name begins with a known word."""
    if getattr(call.func, "id", getattr(call.func, "attr", None)) not in DYNAMIC or not call.args:
        return False
    beginnings = [_beginning(name) for name in _alternatives(call.args[0])]
    return all(word and not word.startswith((".", "quietway")) for word in beginnings)


def _alternatives(name: ast.expr) -> list[ast.expr]:
    return [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]


def _beginning(name: ast.expr) -> str:
    first = name.values[0] if isinstance(name, ast.JoinedStr) else name
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _part_of(module: str) -> str:
    return [*module.split("."), "quietway"][1]


def mentioned(source: str) -> set[str]:
    """Every name that some code uses, whether bare, of an object, imported or spelt out; not what it defines."""
    kinds = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name", ast.Constant: "value"}
    used = (getattr(node, kinds.get(type(node), ""), None) for node in ast.walk(ast.parse(source)))
    return {name for name in used if isinstance(name, str)}


def trespasses(name: str, allowed: set[str]) -> list[str]:
    """The imports of a part of quietway that are not allowed to it."""
    files = [path for path in ROOT.rglob("*.py") if part(path) == name]
    assert files, f"there is no quietway.{name}"
    return [
        f"{path.relative_to(ROOT)} imports {found}"
        for path in files
        for found in imported(path.read_text(encoding="utf-8"))
        if found not in allowed | {name}
    ]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_public_side_imports_nothing_sensitive(name: str) -> None:
    """Right of the wall, only what is right of the wall is imported."""
    assert trespasses(name, PUBLIC[name]) == []


@pytest.mark.parametrize("name", SENSITIVE)
def test_the_sensitive_side_knows_its_place(name: str) -> None:
    """Records and counts draw no noise, and mechanisms publish nothing."""
    assert trespasses(name, SENSITIVE[name]) == []


@pytest.mark.parametrize("name", INVENTED)
def test_reproductions_know_invented_trips_alone(name: str) -> None:
    """They measure the example city with seeded noise, and have no way to records or to a release."""
    assert trespasses(name, INVENTED[name]) == []


def test_only_mechanisms_and_the_pipeline_reach_for_noise() -> None:
    """Noise is drawn by mechanisms; the pipeline, rehearsals and reproductions hand them the source."""
    reaching = {
        part(path) for path in ROOT.rglob("*.py") if "noise" in imported(path.read_text(encoding="utf-8"))
    }
    assert reaching <= NOISY


@pytest.mark.parametrize("name", WIELDERS)
def test_only_the_pipeline_measures(name: str) -> None:
    """No other part calls `measure` but what works on invented trips, and none but the pipeline takes the source that is secret, or makes one."""
    using = {part(path) for path in ROOT.rglob("*.py") if name in mentioned(path.read_text(encoding="utf-8"))}
    assert using == WIELDERS[name]


@pytest.mark.parametrize(
    "source",
    [
        "measure(counts, rng=rng)",
        "spec.mechanism.measure(counts, rng=rng)",
        "def late():\n    draw = mechanism.measure\n    return draw(counts)",
        "from quietway.pipeline import measure as look",
        "getattr(mechanism, 'measure')(counts)",
    ],
)
def test_measuring_does_not_escape(source: str) -> None:
    """Called, kept for later, renamed or spelt out, it is seen."""
    assert "measure" in mentioned(source)


def test_the_secret_source_does_not_escape_as_an_attribute() -> None:
    """`noise.secure()` is seen as `secure()` is; a sentence about it, or a longer name, is neither."""
    assert "secure" in mentioned("from quietway import noise\nrng = noise.secure()")
    assert "secure" in mentioned("rng = secure()")
    assert not {"secure", "measure"} & mentioned("measurement.insecure('with secure noise, measure')")


def test_protecting_code_uses_no_other_randomness() -> None:
    """Neither numpy's nor Python's generators appear where people are protected."""
    guarded = [path for path in ROOT.rglob("*.py") if part(path) in (SENSITIVE.keys() | HANDLING)]
    for path in guarded:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            )
            module = getattr(node, "module", "") or ""
            assert not {"random", "numpy.random"} & {*names, module}, path.name
            assert not (isinstance(node, ast.Attribute) and node.attr == "random"), path.name


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import quietway.records.trips", ["records"]),
        ("def late():\n    from quietway.noise import secure", ["noise"]),
        ("from quietway import counts", ["counts"]),
        ("from quietway.universe import Axis\nimport numpy", ["universe"]),
        ("from ..records import bound", ["?"]),
        ("import importlib\nimportlib.import_module('quietway.records')", ["?"]),
        ("from importlib import import_module\nimport_module(name)", ["?"]),
        ("from importlib import import_module\nimport_module(f'pyarrow.{part}')", []),
        ("from importlib import import_module\nanother = import_module", ["?"]),
    ],
)
def test_imports_are_seen_wherever_they_stand(source: str, expected: list[str]) -> None:
    """Lazy, relative and dynamic imports do not escape."""
    assert sorted(imported(source)) == sorted(expected)


@pytest.mark.parametrize(
    "module",
    [
        "quietway.publish.store",
        "quietway.publish.release",
        "quietway.publish.paths.release",
        "quietway.publish.paths.report",
        "quietway.estimate.registry",
    ],
)
def test_opening_a_release_loads_nothing_sensitive(module: str) -> None:
    """A planner's process that opens a release never loads what reads records, or the engine."""
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    forbidden = {
        "quietway.records",
        "quietway.counts",
        "quietway.mechanisms",
        "quietway.noise",
        "duckdb",
        "ibis",
    }
    assert not loaded & forbidden
