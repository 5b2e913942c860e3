"""A release of paths as a notebook shows it: the total, and a map of the first stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quietway.publish.markup import interval, text
from quietway.publish.paths.lines import line_table
from quietway.publish.paths.maps import stop_map
from quietway.publish.promise import warning
from quietway.publish.report import asset
from quietway.publish.wording import exact, plural

if TYPE_CHECKING:
    from quietway.publish.paths.release import PathRelease


def release_html(release: PathRelease) -> str:
    """A fragment of HTML whose styles stay inside it."""
    alarm, answer = warning(release.manifest), release.query()
    banner = f'<p class="alarm">{text(alarm)}</p>' if alarm else ""
    facts = (
        f"{release.total:,} paths through {', '.join(map(text, release.space.stops))} in "
        f"{plural(len(release.boxes), 'box', 'boxes')}; in truth {interval(answer.low, answer.high)} (95&nbsp;%). "
        f"Epsilon {text(exact(release.manifest.epsilon))} per {text(release.manifest.unit.protects)}."
    )
    return (
        f'<div class="quietway"><style>{asset("notebook.css")}</style>{banner}'
        f"<p><b>{text(release.name)}</b><br>{facts}</p>"
        f"<p><b>{text(release.space.stops[0])}</b></p>{stop_map(release, 0)}{line_table(release)}</div>"
    )
