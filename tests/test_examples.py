"""The notebook that the README names runs from top to bottom."""

from __future__ import annotations

import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_notebook_shows_a_release_as_a_table_and_a_chart(tmp_path: Path) -> None:
    """Every cell runs, and the release's cell holds HTML with a table and a drawing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nbformat
        from nbclient import NotebookClient

        notebook = nbformat.read(ROOT / "examples" / "first_release.ipynb", as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", {})
    ]
    assert any("<table" in html and "<svg" in html for html in shown)
    assert (tmp_path / "city" / "published" / "report.html").is_file()
