"""One public dimension of a universe: zones, periods of the day, categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quietway.errors import UniverseError
from quietway.nearest import nearest


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A named dimension of known, public size.

    `labels` may be left out for large grids; a label is then the index itself.
    An ordered axis has neighbours (periods, grid steps), so ranges make sense
    on it; a categorical one has sets.
    """

    name: str
    size: int
    labels: tuple[str, ...] | None = None
    ordered: bool = False
    _index: dict[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name:
            raise UniverseError("an axis needs a name")
        if self.size < 1:
            raise UniverseError(f"axis '{self.name}' has size {self.size}; it needs at least one element")
        if self.labels is None:
            return
        if len(self.labels) != self.size:
            raise UniverseError(
                f"axis '{self.name}' has {self.size} elements but {len(self.labels)} labels; give one label each"
            )
        self._index.update({label: i for i, label in enumerate(self.labels)})
        if len(self._index) < self.size:
            raise UniverseError(
                f"axis '{self.name}' repeats the label '{_first_repeated(self.labels)}'; give it once"
            )

    def label(self, index: int) -> str:
        """The name of one element."""
        return str(index) if self.labels is None else self.labels[index]

    def index(self, label: str) -> int:
        """The position of a label."""
        if self.labels is not None:
            if label not in self._index:
                raise UniverseError(
                    f"axis '{self.name}' has no element '{label}'{nearest(label, self.labels)}"
                )
            return self._index[label]
        if not _is_number_below(self.size, label):
            raise UniverseError(
                f"axis '{self.name}' has no element '{label}'; give a number below {self.size}"
            )
        return int(label)


def _is_number_below(size: int, label: str) -> bool:
    """Whether this is the plain decimal text of a position: "7", but neither "07" nor "²"."""
    plain = label.isascii() and label.isdigit() and (label == "0" or label[0] != "0")
    return plain and len(label) <= len(str(size)) and int(label) < size


def _first_repeated(labels: Sequence[str]) -> str:
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            return label
        seen.add(label)
    raise AssertionError("no label repeats")
