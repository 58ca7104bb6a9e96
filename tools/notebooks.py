"""Re-execute the book's notebooks in place, normalise them, and check what is stored.

    python tools/notebooks.py [--check] [NOTEBOOK ...]      (default: all in book/)

A stored notebook holds its outputs, so that nbval can compare them and a code host can
show them, but nothing that differs from run to run: no widget state, no execution times,
no machine paths. Cell ids are kept as they are, and given once where there is none.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import form
import nbformat

from fairness_lib.plots.svg import compact

BOOK = Path(__file__).resolve().parent.parent / "book"
TIMEOUT_S = 120

SVG = "image/svg+xml"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("mystnb", "tags")
OUT_OF_SIGHT = {"hide-cell", "hide-input", "remove-cell", "remove-input"}
KNOWN_TAGS = OUT_OF_SIGHT | {
    "full-width", "hide-output", "margin", "nbval-ignore-output", "nbval-skip", "output_scroll",
    "raises-exception", "remove-output", "remove-stderr", "remove-stdout",
}  # fmt: skip

VOLATILE = {
    "a memory address": re.compile(r"\bat 0x[0-9a-f]{6,}"),
    "a path of one machine": re.compile(r"(?<![\w.])/(?:home|root|tmp|Users)/\w|[A-Z]:\\Users"),
    "a random table id (give the Styler a uuid)": re.compile(r"id=\"T_[0-9a-f]{5}\d?\""),
}
FORBIDDEN = {
    "import *": re.compile(r"^\s*from\s+\S+\s+import\s+\*", re.M),
    "an edit of sys.path": re.compile(r"\bsys\.path\b"),
    "a request to the network": re.compile(r"\b(?:urllib|requests|httpx|urlopen|wget|curl)\b"),
    "a cell magic that writes or times": re.compile(r"^%%?(?:time|timeit|writefile)\b", re.M),
}
MAX_MEDIAN_LINES, MAX_LINES, MAX_LONG_SHARE = 5, 12, 0.1
MIN_ALT_LENGTH = 30
PHONE_PX, MIN_TEXT_PX = 360, 9


def notebooks() -> list[Path]:
    """Return all the book's notebooks, in order."""
    return sorted(BOOK.glob("*.ipynb"))


def execute(notebook: Any, folder: Path) -> None:
    """Run all cells in a fresh kernel; an error in a cell is raised."""
    from nbclient import NotebookClient

    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        record_timing=False,
    )
    client.execute()


def merge_streams(outputs: list[Any]) -> list[Any]:
    """Join neighbouring outputs of one stream: how they were cut depends on timing."""
    merged: list[Any] = []
    for output in outputs:
        last = merged[-1] if merged else None
        same = last is not None and last.output_type == output.output_type == "stream"
        if last is not None and same and last.name == output.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def normalise_output(output: Any) -> Any | None:
    """Drop what is random or tied to one run; None if nothing is left."""
    if "data" not in output:
        return output
    output.data.pop(WIDGET_VIEW, None)  # names a model that only the running kernel has
    output.metadata.pop("needs_background", None)
    if output.output_type == "execute_result":
        output.execution_count = None
    if SVG in output.data:
        output.data[SVG] = compact(output.data[SVG])
    return output if output.data else None


def normalise(notebook: Any) -> Any:
    """Bring a notebook into the one form in which it is stored."""
    own = {key: value for key, value in notebook.metadata.items() if key == "mystnb"}
    notebook.metadata = nbformat.from_dict({**NOTEBOOK_METADATA, **own})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    seen: set[str] = set()
    count = 0
    for place, cell in enumerate(notebook.cells):
        if not cell.get("id") or cell.id in seen:
            cell.id = sha256(f"{place}:{cell.source}".encode()).hexdigest()[:8]
        seen.add(cell.id)
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        )
        cell.pop("attachments", None) if not cell.get("attachments") else None
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
        if cell.cell_type != "code":
            continue
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        normal = (normalise_output(output) for output in merge_streams(cell.outputs))
        cell.outputs = [output for output in normal if output is not None]
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
    return notebook


def as_text(notebook: Any) -> str:
    """Return the stored form: sorted keys, one space of indent, a newline at the end."""
    return str(nbformat.writes(notebook, indent=1, sort_keys=True)).rstrip("\n") + "\n"


def code_lines(source: str) -> int:
    """Count the lines of a cell that are neither blank nor a comment."""
    lines = (line.strip() for line in source.split("\n"))
    return sum(1 for line in lines if line and not line.startswith("#"))


def texts(output: Any) -> Iterator[str]:
    """Yield all that an output shows as text."""
    if output.output_type == "stream":
        yield output.text
    for kind, content in output.get("data", {}).items():
        if kind.startswith("text/") or kind.endswith("text/plain"):
            yield content if isinstance(content, str) else json.dumps(content)


def least_text_px(svg: str) -> float:
    """Return the size of a figure's smallest text where the figure is as wide as a phone."""
    width = re.search(r'\bviewBox="0 0 ([\d.]+)', svg)
    sizes = [float(size) for size in re.findall(r"font-size:\s*([\d.]+)px", svg)]
    return min(sizes) * PHONE_PX / float(width[1]) if width and sizes else math.inf


def check_cell(cell: Any) -> Iterator[str]:
    """Yield what is wrong with one code cell."""
    tags = set(cell.metadata.get("tags", ()))
    for tag in sorted(tags - KNOWN_TAGS):
        yield f"unknown tag {tag!r}"
    for what, pattern in FORBIDDEN.items():
        if pattern.search(cell.source):
            yield f"{what} in the code"
    if cell.execution_count is None and cell.source.strip():
        yield "not executed"
    for output in cell.outputs:
        if output.output_type == "error" and "raises-exception" not in tags:
            yield f"ends in an error: {output.ename}: {output.evalue}"
        if output.output_type == "stream" and output.name == "stderr":
            yield f"writes to stderr: {output.text.strip()[:80]!r}"
        for text in texts(output):
            for what, pattern in VOLATILE.items():
                if found := pattern.search(text):
                    yield f"output holds {what}: {found.group()!r}"
        if "image/png" in output.get("data", {}):
            yield "figure is a bitmap: call plots.use_style() first"
        if svg := output.get("data", {}).get(SVG):
            if (least := least_text_px(svg)) < MIN_TEXT_PX:
                yield f"figure with text of {least:.1f} px on a phone (least {MIN_TEXT_PX})"
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "").strip()
            if len(alt) < MIN_ALT_LENGTH or re.search(r"\.(png|svg|jpe?g)$", alt):
                yield "figure without an alt text that tells the finding (mystnb.image.alt)"


def check(path: Path) -> list[str]:
    """Return all that is wrong with a stored notebook, each with its cell."""
    stored = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(stored, as_version=4)
    nbformat.validate(notebook)
    problems, lengths = form.check(notebook.cells, bool(re.match(r"\d\d_|decide\.", path.name))), []
    solutions = form.solution_cells(notebook.cells)
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        problems += [f"cell {place} ({cell.get('id')}): {problem}" for problem in check_cell(cell)]
        if place not in solutions and not OUT_OF_SIGHT & set(cell.metadata.get("tags", ())):
            lengths.append(code_lines(cell.source))
    if lengths and statistics.median(lengths) > MAX_MEDIAN_LINES:
        problems.append(f"median visible code cell has {statistics.median(lengths)} lines")
    if sum(length > MAX_LINES for length in lengths) > max(1, MAX_LONG_SHARE * len(lengths)):
        problems.append(f"more than one visible code cell in ten is over {MAX_LINES} lines")
    if as_text(normalise(notebook)) != stored:
        problems.append("not in its normal form: run `make notebooks`")
    return problems


def refresh(path: Path) -> None:
    """Execute one notebook and store it in its normal form, only once all of it has run."""
    notebook = nbformat.read(path, as_version=4)
    execute(notebook, path.parent)
    path.write_text(as_text(normalise(notebook)), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--check", action="store_true", help="change nothing, report problems")
    parser.add_argument(
        "--no-run", action="store_true", help="normalise what is stored, do not execute"
    )
    options = parser.parse_args(arguments)
    failed = 0
    for path in options.paths or notebooks():
        if options.check:
            problems = check(path)
            failed += bool(problems)
            print("\n".join(f"{path.name}: {problem}" for problem in problems or ["in order"]))
            continue
        print(f"{path.name} ...", end=" ", flush=True)
        if options.no_run:
            notebook = nbformat.read(path, as_version=4)
            path.write_text(as_text(normalise(notebook)), encoding="utf-8")
        else:
            refresh(path)
        print("done", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
