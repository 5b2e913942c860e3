"""Which records a release takes at all, and what having taken them tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quietway.publish.manifest import Manifest

HEAD = "That the records were accepted"
SAID = (
    "The promise compares sets of records that this release accepts. A row that is empty or "
    "unreadable in a column that is needed, or holds an impossible time or place, {stops}. Records without "
    "a single row, or with most longitudes and latitudes exchanged, stop it too. That the release was "
    "published therefore tells everyone that there was no such row and no such mistake; this fact is not "
    "protected.{left_out}"
)
SILENT = (
    " {which} do not stop it: they are left out silently, and how many there were is not published, not even "
    "with noise."
)
RULES = {
    "outside": (
        "a path with a stop outside of the listed places",
        "Paths with a stop outside of the listed places",
    ),
    "fewer": ("a path with fewer stops than are asked for", "Paths with fewer stops than are asked for"),
    "more": ("a path with more stops than are asked for", "Paths with more stops than are asked for"),
    "twice": (
        "a path two of whose stops claim one place in its order",
        "Paths two of whose stops claim one place",
    ),
}
APPLYING = {"paths": ("outside",), "stops": tuple(RULES), "sightings": ("outside", "fewer", "more")}


def accepted(manifest: Manifest) -> tuple[str, str]:
    """A heading and what stands under it, for trips or for paths."""
    return HEAD, _of_paths(manifest) if "rows" in manifest.settings else _of_trips(manifest)


def _of_trips(manifest: Manifest) -> str:
    if manifest.settings.get("outside", "refuse") == "drop":
        silent = SILENT.format(which="Trips outside the listed zones and periods")
        return SAID.format(stops="stops the release", left_out=silent)
    return SAID.format(
        stops="stops the release, and so does a trip outside the listed zones and periods", left_out=""
    )


def _of_paths(manifest: Manifest) -> str:
    """Of each rule for paths that do not fit, whether it stops the release or leaves them out."""
    told = manifest.settings
    rules = [rule for rule in APPLYING[told["rows"]] if rule != "more" or "frames" not in told]
    chosen = {rule: told.get(rule, "refuse") for rule in rules}
    stops = [RULES[rule][0] for rule, choice in chosen.items() if choice == "refuse"]
    silent = [SILENT.format(which=RULES[rule][1]) for rule, choice in chosen.items() if choice == "drop"]
    also = f", and so does {', or '.join(stops)}" if stops else ""
    return SAID.format(stops=f"stops the release{also}", left_out="".join(silent))
