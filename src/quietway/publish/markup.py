"""HTML from text that anyone may have written: everything is escaped on the way in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from quietway.publish.wording import whole

LONGEST_LABEL = 60
TOLERATED = 0.15


def text(value: object) -> str:
    """Text as HTML, quotes included, so that it also fits an attribute."""
    return escape(str(value), quote=True)


def short(value: str, length: int = LONGEST_LABEL) -> str:
    """A label cut to a length, as HTML; the whole of it shows on hover."""
    if len(value) <= length:
        return text(value)
    return f'<span title="{text(value)}">{text(value[: length - 1])}…</span>'


def element(tag: str, content: str, css: str = "") -> str:
    """A tag around content that is HTML already."""
    return f"<{tag}{_class(css)}>{content}</{tag}>"


def interval(low: float, high: float) -> str:
    """`120 to 180`, kept on one line."""
    return f"{whole(low)}&nbsp;to&nbsp;{whole(high)}"


def caution(share: float, what: str) -> str:
    """A warning where the published cells leave too many intervals, else nothing."""
    if share <= TOLERATED:
        return ""
    return (
        f'<p class="caution">In {percent(share)} of these {what} the published cells add up to a number outside the '
        "interval: such totals were not measured on their own, and making many small cells whole and not "
        "negative moved trips between them. For these totals, use the estimates.</p>"
    )


def percent(share: float) -> str:
    """A share, rounded to whole percents, written as intervals are."""
    return f"{100 * share:.0f}&nbsp;%"


def link(target: str, label: str) -> str:
    """A link to a file beside the page."""
    return f'<a href="{text(quote(target))}">{text(label)}</a>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, css: str = "", words: int = 1) -> str:
    """A table of cells that are HTML already; the first `words` columns are text, the others numbers."""
    top = "".join(_cell("th", name, i < words, ' scope="col"') for i, name in enumerate(head))
    body = "".join(_row(row, words) for row in rows)
    return (
        f'<div class="wide"><table{_class(css)}>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str], words: int) -> str:
    first = _cell("th", cells[0], True, ' scope="row"')
    return f"<tr>{first}{''.join(_cell('td', c, i < words) for i, c in enumerate(cells[1:], 1))}</tr>\n"


def _cell(tag: str, content: str, is_text: bool, extra: str = "") -> str:
    return f"<{tag}{extra}{_class('' if is_text else 'n')}>{content}</{tag}>"


def _class(css: str) -> str:
    return f' class="{css}"' if css else ""
