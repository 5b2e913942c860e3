"""What is wrong with a release file, in its own terms."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from quietway.nearest import likely, nearest

Location = tuple[int | str, ...]


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The tables of the file: the whole, its sections, and the kinds of entries that a list of kinds holds."""

    whole: type[BaseModel]
    sections: Mapping[str, type[BaseModel]]
    kinds: Mapping[str, type[BaseModel]]
    listed: str = "axes"
    kind: str = "kind of axis"

    def keys(self, table: Location) -> list[str]:
        """The keys of the table at a place in the file."""
        if not table:
            return list(self.whole.model_fields)
        section = self.kinds[str(table[2])] if table[0] == self.listed else self.sections[str(table[0])]
        return list(section.model_fields)


def complaint(problem: Any, record: dict[str, Any], tables: Tables) -> str:
    """One sentence for one of pydantic's errors: where, and what would be accepted."""
    location: Location = problem["loc"]
    where, kind = _where(location, record, tables), problem["type"]
    if kind == "extra_forbidden":
        return f"{where}: unknown key{nearest(str(location[-1]), tables.keys(location[:-1]))}"
    if kind == "missing" and isinstance(location[-1], int):
        return f"{_where(location[:-1], record, tables)}: the list is too short; it needs {location[-1] + 1} entries"
    if kind == "missing":
        return f"{where}: this key is missing"
    if kind == "union_tag_not_found":
        return f"{where}.kind: this key is missing; known are {', '.join(tables.kinds)}"
    if kind == "union_tag_invalid":
        tag = str(problem["ctx"]["tag"])
        return f"{where}.kind: '{tag}' is no {tables.kind}{nearest(tag, tables.kinds)}"
    if kind == "literal_error":
        known = re.findall(r"'([^']*)'", str(problem["ctx"]["expected"]))
        return f"{where}: '{problem['input']}' is none of {', '.join(known)}{likely(str(problem['input']), known)}"
    if kind == "too_short":
        return f"{where}: the list is empty; name at least one"
    if kind == "greater_than_equal":
        return f"{where}: {written(problem['input'])} is too small; give at least {problem['ctx']['ge']}"
    if kind == "greater_than":
        return (
            f"{where}: {written(problem['input'])} is too small; give a number above {problem['ctx']['gt']:g}"
        )
    if kind.startswith("float_"):
        return f"{where}: {written(problem['input'])} is no number; write one without quotes"
    if kind == "string_too_short":
        return f"{where}: the text is empty; write something in the quotes"
    if kind == "string_type":
        return f"{where}: {written(problem['input'])} is no text; write it in quotes"
    if kind == "tuple_type":
        return f"{where}: {written(problem['input'])} is no list; write it in brackets, as in [...]"
    if kind.startswith("int_"):
        return f"{where}: {problem['input']!r} is no whole number; write it without quotes and decimals"
    message = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {message[0].lower()}{message[1:]}"


def written(value: Any) -> str:
    """A value about as the file has it."""
    return json.dumps(value, default=str, ensure_ascii=False)


def _where(location: Location, record: dict[str, Any], tables: Tables) -> str:
    """The place as the file has it: an entry of a list by its name, and no kind after it."""
    section, *inside = location or ("the file",)
    parts = [str(section), *(str(part) for part in inside)]
    written_as: Any = record.get(str(section))
    if section == tables.listed and isinstance(written_as, dict):
        del parts[1:3]
        return ".".join(parts)
    if inside and isinstance(index := inside[0], int):
        entry: Any = written_as[index]
        name = entry.get("name", entry.get("stop")) if isinstance(entry, dict) else None
        parts[1] = name if isinstance(name, str) and name else f"{index + 1}"
    if section == tables.listed:
        del parts[2:3]
    return ".".join(parts)
