"""The report: a release on one page that opens anywhere and asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from string import Template
from typing import TYPE_CHECKING

from quietway.publish import sections
from quietway.publish.choices import chosen_margins
from quietway.publish.contents import contents
from quietway.publish.markup import text
from quietway.publish.promise import warning
from quietway.publish.tables import margin_files
from quietway.publish.wording import plural

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest
    from quietway.publish.release import Release

PAGE = "report.html"
PURPOSES = {
    "trips.parquet": "a row per non-empty cell, typed",
    "trips.csv": "the same rows as text",
    "matrices.omx": "origin-destination matrices per period, for transport models",
    "flows.geojson": "flows as lines, for maps",
    "statement.md": "the privacy statement",
    "manifest.json": "what the release says about itself, for machines",
}


def report_html(release: Release, *, files: Sequence[str] | None = None) -> str:
    """A whole HTML page: no script, no font, no picture from anywhere else.

    `files` are the paths to link to, relative to the page; left out, those
    that every published folder holds.
    """
    margins = sections.drawn_margins(release)
    body = (
        sections.headline(release),
        sections.margins_section(release, margins),
        sections.flows_section(release),
        sections.accuracy_section(release, margins),
        sections.privacy_section(release.manifest, chosen=chosen_margins(release)),
        sections.files_section(release, _links(release, files)),
    )
    return page(release.manifest, _lede(release), body)


def page(manifest: Manifest, lede: str, body: Iterable[str]) -> str:
    """A page of sections, with the name above and any warning above all."""
    alarm = warning(manifest)
    return Template(asset("report.html")).substitute(
        title=text(manifest.name),
        style=asset("report.css"),
        banner=f'<div class="alarm" role="note"><p>{text(alarm)}</p></div>' if alarm else "",
        lede=lede,
        sections="\n".join(part for part in body if part),
        footer=_footer(manifest),
    )


def asset(name: str) -> str:
    """A file of the page's looks that ships with the package."""
    return (resources.files("quietway.publish") / "assets" / name).read_text(encoding="utf-8")


def _footer(manifest: Manifest) -> str:
    return (
        f"Made with Quietway {text(manifest.quietway)} from noisy measurements alone; "
        "opening, copying or analysing this page costs no privacy."
    )


def _lede(release: Release) -> str:
    axes = " × ".join(f"{text(axis.name)} ({axis.size:,})" for axis in release.universe.axes)
    manifest = release.manifest
    return (
        f"Trips from data set {text(manifest.dataset)}, counted by {axes}: "
        f"{plural(release.universe.size, 'cell')}. Published {text(manifest.created[:10])}."
    )


def _links(release: Release, given: Sequence[str] | None) -> list[tuple[str, str]]:
    margins = {
        f"margins/{file}": f"margin {name}, with intervals"
        for name, file in margin_files(release.features).items()
    }
    paths = _usual(release, margins) if given is None else given
    return [(path, PURPOSES.get(path) or margins.get(path, "")) for path in paths]


def _usual(release: Release, margins: Iterable[str]) -> Iterator[str]:
    """What a published folder holds beside this page."""
    for name in contents(release):
        if name != PAGE:
            yield from margins if name == "margins" else (name,)
    yield "manifest.json"
