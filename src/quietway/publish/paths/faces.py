"""Every face of a published folder of paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from quietway.publish.paths.box_table import write_boxes
from quietway.publish.paths.geojson import write_areas, write_lines
from quietway.publish.paths.matrix import write_matrix
from quietway.publish.paths.release import PathRelease
from quietway.publish.paths.report import report_html
from quietway.publish.paths.statement import statement
from quietway.publish.paths.stop_tables import write_stops


def _statement(release: PathRelease, path: Path) -> None:
    path.write_text(statement(release), encoding="utf-8")


def _report(release: PathRelease, path: Path) -> None:
    path.write_text(report_html(release), encoding="utf-8")


WRITERS: dict[str, Callable[[PathRelease, Path], object]] = {
    "boxes.parquet": write_boxes,
    "stops": write_stops,
    "boxes.geojson": write_areas,
    "paths.geojson": write_lines,
    "matrices.omx": write_matrix,
    "statement.md": _statement,
    "report.html": _report,
}
