"""The privacy statement: one page for the officer who must answer for a release."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from quietway.publish.accuracy import agreement
from quietway.publish.choices import chosen_margins, prior
from quietway.publish.estimates import words
from quietway.publish.promise import (
    INTENDED,
    UNITS,
    caution,
    change,
    guarantee,
    is_private,
    limits,
    meaning,
    protected,
    warning,
)
from quietway.publish.sections import drawn_margins
from quietway.publish.wording import exact, plural

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest
    from quietway.publish.release import Release

__all__ = ["guarantee", "statement"]

CELLS = (
    "The published cells are whole numbers, never negative, and consistent: whatever is added up from them fits "
    "everything else that is. Use them as a trip table."
)
ESTIMATES = (
    "For a single total, `margins/` holds {} with its interval. The published cells may leave "
    "the interval of a total that was not measured on its own, because making many small cells whole and not "
    "negative moves trips between them: for such totals, use the estimates in `margins/`."
)

MOST = "That is most of them: here the published cells are no trip table. Use the estimates, or publish by another fit."


def statement(manifest: Manifest, release: Release) -> str:
    """Markdown: what is promised, to whom, what was spent, and what is not covered."""
    return composed(manifest, _published(release), _reading(release), chosen=chosen_margins(release))


def composed(manifest: Manifest, *told: list[str], chosen: str | None = None) -> str:
    """What every statement says, around what this one has to tell of its numbers."""
    alarm = warning(manifest)
    sections = (
        [f"**{alarm}**"] if alarm else [],
        [f"# Privacy statement: {plain(manifest.name)}", _origin(manifest)],
        _promise(manifest),
        _spent(manifest, chosen),
        *told,
        _limits(manifest),
        _made_with(manifest),
    )
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"


def plain(text: str) -> str:
    """Text that no Markdown reader takes for markup, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|!~&])", r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """Text set as code, which a backtick of its own cannot leave."""
    return f"`{' '.join(text.replace('`', '').split())}`"


def _origin(manifest: Manifest) -> str:
    return f"Made from data set {plain(manifest.dataset)} on {plain(manifest.created)} (UTC)."


def _promise(manifest: Manifest) -> list[str]:
    unit = manifest.unit
    terms = (
        ("What one contributor is", UNITS[unit.protects]),
        ("Most trips each may keep", str(unit.bound)),
        ("Neighbouring data sets", f"{unit.neighbours}: {change(unit)}"),
        ("Epsilon", exact(manifest.epsilon)),
    )
    intended = "" if is_private(manifest) else INTENDED
    hardly = caution(manifest)
    return [
        "## What is promised, and to whom",
        guarantee(manifest),
        *([f"**{hardly}**"] if hardly else []),
        intended + meaning(manifest),
        protected(unit),
        table(("Term", "Value"), terms),
    ]


def _spent(manifest: Manifest, chosen: str | None) -> list[str]:
    parts = [(plain(name), exact(cost)) for name, cost in manifest.parts]
    rows = [*parts, ("**Whole release**", f"**{exact(manifest.epsilon)}**")]
    told = [plain(chosen)] if chosen else []
    return ["## What was spent", table(("Measurement", "Epsilon"), rows), *told, _ledger(manifest)]


def _ledger(manifest: Manifest) -> str:
    if manifest.ledger_entry is None:
        return "Nothing was charged to a ledger."
    digest = f", hash {code(manifest.ledger_hash)}" if manifest.ledger_hash else ""
    return (
        f"Charged before any noise was drawn: ledger entry {manifest.ledger_entry}{digest}. "
        "`quietway ledger verify --ledger FILE` tells whether that entry still stands as it was written."
    )


def _published(release: Release) -> list[str]:
    axes = ", ".join(f"{plain(axis.name)} ({axis.size:,})" for axis in release.universe.axes)
    margins = [(plain(name), f"{partition.blocks:,}") for name, partition in release.features]
    cells = (
        f"Whole numbers of trips over {plural(release.universe.size, 'cell')}: {axes}. Everything in the "
        "folder was computed from the noisy measurements alone, so looking at it in any way, any number of "
        "times, costs nothing."
    )
    return [
        "## What is published",
        cells,
        table(("Margin published by name", "Blocks"), margins)
        if margins
        else "No margin is published by name.",
    ]


def _reading(release: Release) -> list[str]:
    """Which numbers to use for what, and where the published cells should not be added up."""
    margins = [
        (plain(name), margin.partition.blocks, round(margin.partition.blocks * (1 - agreement(margin))))
        for name, margin in drawn_margins(release)
    ]
    said = words(release.unbiased)
    model = [part for part in (said.single, said.model) if part]
    if not margins:
        return ["## How to read the numbers", CELLS, *model]
    blocks, outside = (sum(column) for column in list(zip(*margins, strict=True))[1:])
    how_many = f"{outside:,}" if outside else "none"
    found = f"Here {how_many} of the {blocks:,} blocks of margins published by name leave theirs"
    rows = [(name, f"{left:,} of {size:,}") for name, size, left in margins if left]
    outer = [f"{found}:", table(("Margin", "Blocks outside their interval"), rows)] if rows else [f"{found}."]
    warned = [f"**{MOST}**"] if 2 * outside > blocks else []
    return [
        "## How to read the numbers",
        f"{CELLS} {ESTIMATES.format(said.one.lower())}",
        *outer,
        *warned,
        *model,
    ]


def _limits(manifest: Manifest) -> list[str]:
    return ["## What is not covered", *(f"- **{head}.** {text}" for head, text in limits(manifest))]


def _made_with(manifest: Manifest) -> list[str]:
    versions = [("quietway", manifest.quietway), *sorted(manifest.versions.items())]
    held = prior(manifest)
    rows = [("Method", plain(manifest.method)), *([("Prior", plain(held))] if held else [])]
    rows += [("Specification", code(manifest.spec_hash))]
    rows += [(plain(name), plain(version)) for name, version in versions]
    return ["## How it was made", table(("", ""), rows)]


def table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    """Two columns, in Markdown."""
    lines = [head, ("---", "---"), *rows]
    return "\n".join(f"| {name} | {value} |" for name, value in lines)
