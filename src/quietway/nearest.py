"""What somebody probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def likely(word: str, known: Iterable[str]) -> str:
    """The end of a complaint that has listed what is known: the nearest of it, if one is near."""
    close = get_close_matches(word.lower(), list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a complaint: the nearest known words, or all of them if none is near."""
    words = list(known)
    close = get_close_matches(word, words, n=2, cutoff=0.5)
    if close:
        return "; did you mean " + " or ".join(f"'{name}'" for name in close) + "?"
    if not words:
        return "; there is none yet"
    return f"; known are {', '.join(words[:20])}{', ...' if len(words) > 20 else ''}"
