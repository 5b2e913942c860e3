"""What the package offers, and what its documents point at."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import quietway
from quietway import config, errors
from quietway.cli import app
from quietway.estimate.registry import FITS
from quietway.mechanisms.registry import METHODS

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])


def test_every_public_name_is_there() -> None:
    """`quietway.X` resolves for each name in `__all__`, and for no other."""
    assert list(quietway.__all__) == sorted(quietway.__all__)
    for name in quietway.__all__:
        assert getattr(quietway, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'load_release'"):
        quietway.load_release  # noqa: B018


def test_the_release_file_names_what_the_registries_hold() -> None:
    """Methods and fits that a release file may name are those that exist."""
    methods = config.MethodSection.model_fields["name"].annotation.__args__
    assert set(methods) == set(METHODS)
    assert {fit for method in METHODS.values() for fit in method.fits} == set(FITS)


def test_errors_forget_what_is_sensitive() -> None:
    """Neither text nor pickle of an error holds its sensitive part."""
    import pickle

    error = errors.DataError("column 'a' is wrong", sensitive="canary")
    assert "canary" not in str(error) + repr(error)
    assert b"canary" not in pickle.dumps(error)
    assert pickle.loads(pickle.dumps(error)).sensitive is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(page: Path) -> None:
    """A relative link names a file of the repository."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readme_names_commands_that_exist() -> None:
    """Every `quietway COMMAND` in the README is one."""
    named = set(re.findall(r"quietway ([a-z]+)", (ROOT / "README.md").read_text()))
    commands = {command.name for command in app.registered_commands} | {
        group.name for group in app.registered_groups
    }
    assert named <= commands, named - commands
