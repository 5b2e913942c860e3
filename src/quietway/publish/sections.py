"""The parts of the report, each a section of HTML over a release."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quietway.publish.accuracy import Estimated, agreement, errors
from quietway.publish.choices import prior
from quietway.publish.estimates import Words, words
from quietway.publish.figures import Room, figure
from quietway.publish.flow_table import flow_table
from quietway.publish.flowmap import flow_map
from quietway.publish.markup import element, link, percent, table, text
from quietway.publish.pairs import pairs
from quietway.publish.promise import (
    INTENDED,
    caution,
    guarantee,
    is_private,
    limits,
    meaning,
    protected,
)
from quietway.publish.tables import LARGEST_MARGIN
from quietway.publish.wording import exact, measured, odds_in_short, plural, whole
from quietway.universe.ends import endpoints
from quietway.universe.partition import Partition
from quietway.universe.range import Range
from quietway.universe.unit import Protects

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest
    from quietway.publish.release import Margin, Release

Margins = Sequence[tuple[str, "Margin"]]
Files = Sequence[tuple[str, str]]


def drawn_margins(release: Release) -> Margins:
    """The margins published by name that a page can hold, computed once."""
    features = [(name, part) for name, part in release.features if 1 < part.blocks <= LARGEST_MARGIN]
    return [(name, release.margin(partition)) for name, partition in features]


def headline(release: Release) -> str:
    """All trips with their interval, and the promise beside them."""
    answer = release.answer(Range.of(release.universe))
    half = max(answer.high - answer.estimate, answer.estimate - answer.low)
    outside = not answer.low <= release.total <= answer.high
    note = (
        f"The published cells add up to {release.total:,}, outside of that interval: making cells whole and "
        "not negative has a price here. For totals, trust the estimate."
        if outside
        else f"The published cells add up to {release.total:,}."
    )
    cells = f"{plural(release.keys.size, 'cell')} of {release.universe.size:,}"
    trips = (
        f'<p class="total">{whole(answer.estimate)} <small>± {whole(half)} trips</small></p>'
        f"<p>{words(release.unbiased).one} of all trips{kept(release.manifest)}; their number lies between "
        f"{whole(answer.low)}&nbsp;and&nbsp;{whole(answer.high)} "
        f"with 95&nbsp;% confidence. {note} They fill {cells}.</p>"
    )
    box = privacy_box(release.manifest)
    return f'<section class="head" aria-label="In short"><div>{trips}</div>{box}</section>'


def kept(manifest: Manifest) -> str:
    """Which trips are counted at all."""
    unit = manifest.unit
    if unit.protects is Protects.TRIP:
        return ""
    return f" that were kept, at most {unit.bound} of each {unit.protects}"


def privacy_box(manifest: Manifest) -> str:
    """The facts a privacy officer looks for first."""
    facts = [
        ("Epsilon", exact(manifest.epsilon)),
        (
            "Odds change by a factor",
            odds_in_short(manifest.epsilon) if is_private(manifest) else "without limit",
        ),
        ("Protects", f"each {manifest.unit.protects}"),
        ("Trips kept of each", str(manifest.unit.bound)),
        ("Neighbours", str(manifest.unit.neighbours)),
        ("Ledger entry", "none" if manifest.ledger_entry is None else str(manifest.ledger_entry)),
    ]
    rows = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in facts)
    hardly = "" if caution(manifest) is None else '<p class="caution">This promises next to nothing.</p>'
    more = '<p class="note"><a href="#privacy">What this means</a></p>'
    return f'<aside class="box"><h2>Privacy</h2><dl>{rows}</dl>{hardly}{more}</aside>'


def margins_section(release: Release, margins: Margins) -> str:
    """Every margin published by name, drawn as its shape asks."""
    if not margins:
        return ""
    room = Room.shared(len(margins))
    figures = "".join(
        f"<h3>{text(name)} <small>{plural(margin.partition.blocks, 'block')}</small></h3>"
        f"{figure(name, margin, room)}"
        for name, margin in margins
    )
    return f"<section><h2>Where and when people travel</h2>{_key(words(release.unbiased))}{figures}{_too_large(release)}</section>"


def flows_section(release: Release) -> str:
    """The largest flows, on a map where places are known."""
    ends = endpoints(release.universe)
    if ends is None:
        return ""
    flows = pairs(release, origin=ends[0], destination=ends[1])
    if not len(flows):
        return "<section><h2>The largest flows</h2><p>No cell is published, so there are none.</p></section>"
    drawn = flow_map(release, flows)
    note = (
        "Each curve is thick where trips start and thin where they end; trips that stay in one place "
        "are not drawn."
    )
    picture = f'{drawn}<p class="note">{note}</p>' if drawn else ""
    warned = (
        "<p>They were picked by looking at noisy numbers, so the noise flatters those at the top; the intervals "
        "are right for flows chosen beforehand.</p>"
    )
    return f"<section><h2>The largest flows</h2>{picture}{warned}{flow_table(release, flows)}</section>"


def accuracy_section(release: Release, margins: Margins) -> str:
    """The expected error of each margin, beside two answers that know nothing."""
    if not margins:
        return ""
    total, said = release.margin(Partition.total(release.universe)), words(release.unbiased)
    head = (
        "Margin",
        "Blocks",
        "Expected error",
        "Answering zero",
        "Answering the average",
        "Verdict",
        "Cells agree",
    )
    rows = [
        [text(name), f"{margin.partition.blocks:,}", *error_cells(margin, total), percent(agreement(margin))]
        for name, margin in margins
    ]
    return (
        "<section><h2>How good is it?</h2><p>Root-mean-square error per block, in trips. The last two errors "
        "are those of someone who answers zero, or the same average, everywhere: a margin is worth reading "
        "only where its error is well below both. "
        f"{said.baselines}</p>"
        f'{table(head, rows)}<p class="note">{said.error} '
        "“Cells agree” says in how many blocks the published cells add up to a number inside the "
        "estimate’s interval. Where few do, making the cells whole and not negative has moved trips between "
        f"blocks by more than {said.moved}: there, use the estimates.</p></section>"
    )


def error_cells(margin: Estimated, total: Estimated) -> list[str]:
    """The expected error, the two beside it, and what to think of them."""
    found = errors(margin, total)
    if found is None:
        return ["bounds only", "–", "–", "see the intervals"]
    average = "–" if found.average is None else measured(found.average)
    return [measured(found.expected), measured(found.zero), average, _verdict(found.gain)]


def _verdict(gain: float) -> str:
    if gain >= 2:
        return element("span", f"{min(gain, 9999):,.0f} times closer", "good")
    if gain > 1.1:
        return f"{gain:.1f} times closer"
    return element("span", "lost in noise", "bad")


def privacy_section(manifest: Manifest, *, chosen: str | None = None, meant: str | None = None) -> str:
    """The promise, what was spent, and what is not covered.

    `chosen` tells what it was spent on where that was decided on the way, and
    `meant` what the promise means by a trip.
    """
    spent = [[text(name), text(exact(cost))] for name, cost in manifest.parts]
    spent.append(["<b>Whole release</b>", f"<b>{text(exact(manifest.epsilon))}</b>"])
    uncovered = "".join(
        f"<dt>{text(name)}</dt><dd>{text(sentence)}</dd>" for name, sentence in limits(manifest)
    )
    intended = "" if is_private(manifest) else INTENDED
    hardly = caution(manifest)
    told = element("p", text(chosen), "note") if chosen else ""
    meaning_of_trip = element("p", text(meant)) if meant else ""
    warned = element("p", text(hardly), "caution") if hardly else ""
    return (
        f'<section id="privacy"><h2>What is promised, and to whom</h2><p>{text(guarantee(manifest))}</p>{warned}'
        f"<p>{intended}{text(meaning(manifest))}</p><p>{text(protected(manifest.unit))}</p>{meaning_of_trip}"
        f"<h3>What was spent</h3>{table(('Measurement', 'Epsilon'), spent)}{told}{_ledger(manifest)}"
        f'<h3>What is not covered</h3><dl class="limits">{uncovered}</dl></section>'
    )


def _ledger(manifest: Manifest) -> str:
    if manifest.ledger_entry is None:
        return element("p", "Nothing was charged to a ledger.", "note")
    digest = f", hash <code>{text(manifest.ledger_hash)}</code>" if manifest.ledger_hash else ""
    return element(
        "p", f"Charged before any noise was drawn: ledger entry {manifest.ledger_entry}{digest}.", "note"
    )


def files_section(release: Release, files: Files) -> str:
    """Links to what lies beside the page, and how to read and cite it."""
    said = words(release.unbiased)
    reading = (
        "<p><b>Published</b> counts are whole, never negative, and add up: use them as a trip "
        f"table. An <b>estimate</b> {said.reading}. "
        f"Its <b>interval</b> {said.held}. A cell without trips may hold a few in truth, and a cell with a few may hold none."
        f"</p>{_held(release.manifest)}{_model(said)}"
    )
    return reference(release.manifest, files, reading)


def reference(manifest: Manifest, files: Files, reading: str) -> str:
    """The files, how to read their numbers, and how to cite them."""
    rows = [[link(path, path), text(purpose)] for path, purpose in files]
    promise = (
        f"{exact(manifest.epsilon)}-differential privacy per {manifest.unit.protects}"
        if is_private(manifest)
        else "no privacy guarantee"
    )
    cite = (
        f"{manifest.name}. Published on {manifest.created[:10]} with Quietway {manifest.quietway} under "
        f"{promise}. Specification {manifest.spec_hash[:12]}."
    )
    return (
        "<section><h2>Files, reading and "
        f"citing</h2>{table(('File', 'What it holds'), rows, words=2) if rows else ''}<h3>How to read the "
        f"numbers</h3>{reading}"
        f'<h3>How to cite</h3><p class="cite">{text(cite)}</p></section>'
    )


def _held(manifest: Manifest) -> str:
    held = prior(manifest)
    return "" if held is None else element("p", text(f"The prior is {held}."))


def _model(said: Words) -> str:
    parts = (said.single, said.model)
    return "".join(element("p", text(part.replace("`", ""))) for part in parts if part)


def _key(said: Words) -> str:
    bar = '<svg viewBox="0 0 34 14" aria-hidden="true"><path class="bar" d="M0 2H34V12H0Z"/></svg>'
    line = (
        '<svg viewBox="0 0 34 14" aria-hidden="true"><path class="err" d="M2 4V10M2 7H32M32 4V10"/>{}</svg>'
    )
    dot = '<circle class="dot" cx="17" cy="7" r="2.2"/>'
    return (
        f'<ul class="key"><li>{bar}published trips</li>'
        f"<li>{line.format(dot)}{said.name} and its 95&nbsp;% interval</li></ul>"
    )


def _too_large(release: Release) -> str:
    names = [text(name) for name, part in release.features if part.blocks > LARGEST_MARGIN]
    return (
        element("p", f"Too large to draw: {', '.join(names)}. The tables of cells hold them.", "note")
        if names
        else ""
    )
