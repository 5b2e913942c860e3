"""Tables, numbers and verdicts in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quietway.reproduce.verdict import Verdict


def verdict_section(found: Iterable[Verdict], tried: str) -> str:
    """Every verdict, and what speaks against each that does not hold everywhere; `tried` says on what."""
    every = list(found)
    rows = [
        (
            verdict.says,
            verdict.source,
            f"**{verdict.word}**",
            f"{verdict.held} of {verdict.tried}"
            + (f", {verdict.close} too close to call" if verdict.close else ""),
        )
        for verdict in every
    ]
    failures = [
        f"- *{verdict.says}*: not for {_listed(verdict.failed)}. {verdict.why}".rstrip()
        for verdict in every
        if verdict.failed
    ]
    return (
        "## Verdicts\n\n"
        f"{tried}; too close to call is a difference within two standard errors.\n\n"
        + table(("ordering", "whose", "verdict", "held in"), rows, words=4)
        + ("\n\nWhere one does not hold:\n\n" + "\n".join(failures) if failures else "")
    )


def _listed(names: Sequence[str], most: int = 8) -> str:
    unlike = list(dict.fromkeys(names))
    rest = f"; and {len(unlike) - most} more" if len(unlike) > most else ""
    return "; ".join(unlike[:most]) + rest


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1) -> str:
    """A table in Markdown; the first `words` columns are text, the others numbers."""
    rule = "|---" * words + "|---:" * (len(head) - words) + "|"
    return "\n".join([_line(head), rule, *map(_line, rows)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def number(value: float) -> str:
    """Three figures."""
    if value >= 1000:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:#.3g}".rstrip(".") if value else "0"
