"""Write the script that "Your own policy" loads when it is asked for, beside the pages' own."""

from __future__ import annotations

from pathlib import Path

from fairness_lib.explorer.yours import workshop
from sphinx.application import Sphinx


def write(app: Sphinx, error: Exception | None) -> None:
    """Write it into the built site's static files."""
    if error is None and app.builder.format == "html":
        Path(app.outdir, "_static", "workshop.js").write_text(workshop(), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write it in the end, when the static files are there."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
