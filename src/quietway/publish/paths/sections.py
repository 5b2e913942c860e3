"""The parts of the report of paths, each a section of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quietway.publish.markup import element, table, text
from quietway.publish.paths.blocks import blocks
from quietway.publish.paths.lines import line_map, line_table
from quietway.publish.paths.maps import stop_map
from quietway.publish.paths.reading import BOXES, INTERVALS
from quietway.publish.sections import Files, error_cells, kept, privacy_box, reference
from quietway.publish.wording import plural, whole

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease

COARSE = (4, 8, 16)
PAIRS = 4


def headline(release: PathRelease) -> str:
    """All paths with their interval, and the promise beside them."""
    answer = release.query()
    half = max(answer.high - answer.estimate, answer.estimate - answer.low)
    filled = int((release.boxes.count > 0).sum())
    told = (
        f'<p class="total">{whole(answer.estimate)} <small>± {whole(half)} paths</small></p>'
        f"<p>The best estimate of all paths{kept(release.manifest)}; their number lies between "
        f"{whole(answer.low)}&nbsp;and&nbsp;{whole(answer.high)} with 95&nbsp;% confidence. The published boxes add up to "
        f"{release.total:,}: {filled:,} of {plural(len(release.boxes), 'box', 'boxes')} hold a path or more, among "
        f"{_many(release.space.paths)} combinations of places.</p>"
    )
    box = privacy_box(release.manifest)
    return f'<section class="head" aria-label="In short"><div>{told}</div>{box}</section>'


def maps_section(release: PathRelease) -> str:
    """A map per stop."""
    figures = "".join(
        f"<figure><h3>{text(name)}</h3>{stop_map(release, stop)}</figure>"
        for stop, name in enumerate(release.space.stops)
    )
    note = (
        "The darker the ground, or the larger a disc, the more paths. Lines are the outlines, at that stop, of the "
        "published boxes that hold most paths: where they are small the release knows where paths are; shades inside of "
        "a box are drawn from the boxes next to it. Boxes that differ at another stop lie on top of each other."
    )
    side_by_side = {1: 1, 2: 2, 4: 2}.get(len(release.space.stops), 3)
    return (
        f"<section><h2>Where the stops are</h2><p>{note}</p>"
        f'<div class="maps across{side_by_side}">{figures}</div></section>'
    )


def lines_section(release: PathRelease) -> str:
    """The largest paths, on a map where the stops are on the ground."""
    rows = line_table(release)
    if not rows:
        none = (
            "No box with paths is narrower than half of every axis, so nothing can be said of single paths. A larger "
            "epsilon, more paths or fewer stops would tell more."
        )
        return f"<section><h2>The largest paths</h2><p>{none}</p></section>"
    drawn = line_map(release)
    note = (
        "A ring where paths start, a dot where they end. Lines run through the middles of boxes; the more paths, the "
        "wider."
    )
    picture = f'{drawn}<p class="note">{note}</p>' if drawn else ""
    warned = (
        "<p>Of the boxes that span at most half of every axis, those that hold most paths. They were picked by looking "
        "at noisy numbers, so the noise flatters those at the top; the intervals are right for boxes chosen "
        "beforehand.</p>"
    )
    return f"<section><h2>The largest paths</h2>{picture}{warned}{rows}</section>"


def accuracy_section(release: PathRelease) -> str:
    """The expected error of even blocks, beside two answers that know nothing."""
    total = blocks(release, [], 1)
    head = ("Paths by", "Blocks", "Expected error", "Answering zero", "Answering the average", "Verdict")
    rows = [
        [name, f"{len(found.estimate):,}", *error_cells(found, total)]
        for name, found in ((name, blocks(release, stops, side)) for name, stops, side in _cut(release))
    ]
    return (
        "<section><h2>How good is it?</h2><p>Root-mean-square error per block, in paths, when the ground is cut into "
        "even blocks. The last two errors are those of someone who answers zero, or the same average, everywhere: "
        f"an answer is worth reading only where its error is well below both.</p>{table(head, rows)}"
        '<p class="note">The expected error is what the noise and the model of unevenness inside of boxes '
        "expect.</p></section>"
    )


def _cut(release: PathRelease) -> Iterator[tuple[str, list[int], int]]:
    """What blocks are made of: each stop coarse to fine, then the first stop with the last."""
    stops = release.space.stops
    for i, name in enumerate(stops):
        yield from ((f"{text(name)}, {side} × {side}", [i], side) for side in COARSE)
    if len(stops) > 1:
        yield f"{text(stops[0])} and {text(stops[-1])}, {PAIRS} × {PAIRS} each", [0, len(stops) - 1], PAIRS


def files_section(release: PathRelease, files: Files) -> str:
    """Links to what lies beside the page, and how to read and cite it."""
    return reference(release.manifest, files, element("p", BOXES) + element("p", INTERVALS))


def _many(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{float(number):.1e}" if number < 10**300 else "very many"
