"""The notebooks as they are stored: executed, diffable, described, short-celled.

That their stored outputs are what the library computes now is nbval's part
(`make test-notebooks`).
"""

from __future__ import annotations

import copy
from pathlib import Path

import form
import nbformat
import notebooks
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PATHS = notebooks.notebooks()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_stored_notebook_is_in_order(path: Path) -> None:
    assert notebooks.check(path) == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_notebook_is_in_the_table_of_contents(path: Path) -> None:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))

    def files(node: object) -> set[str]:
        if isinstance(node, dict):
            own = {str(node[key]) for key in ("file", "root") if key in node}
            return own.union(*(files(value) for value in node.values()))
        if isinstance(node, list):
            return set().union(*(files(item) for item in node))
        return set()

    listed = {name.removesuffix(".ipynb") for name in files(toc)}
    assert f"book/{path.stem}" in listed


def figure(font_px: float, width: float = 417) -> nbformat.NotebookNode:
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 200">'
        f'<text style="font-size: {font_px}px">wait</text></svg>'
    )
    data = {"image/svg+xml": drawing, "text/plain": "<Figure>"}
    return nbformat.v4.new_output("display_data", data)


def example() -> nbformat.NotebookNode:
    """Return a small notebook in its normal form, one cell of each kind."""
    alt = "Under FIFO every tenant waits; under DRR only the bursting one does."
    cells = [
        nbformat.v4.new_markdown_cell("# Title"),
        nbformat.v4.new_code_cell("import math", execution_count=1),
        nbformat.v4.new_code_cell(
            "plot()",
            execution_count=2,
            metadata={"mystnb": {"image": {"alt": alt}}},
            outputs=[figure(11)],
        ),
    ]
    return notebooks.normalise(nbformat.v4.new_notebook(cells=cells))


def problems_of(notebook: nbformat.NotebookNode, folder: Path) -> str:
    path = folder / "example.ipynb"
    path.write_text(notebooks.as_text(notebook), encoding="utf-8")
    return "\n".join(notebooks.check(path))


def test_check_accepts_a_notebook_in_order(tmp_path: Path) -> None:
    assert problems_of(example(), tmp_path) == ""


def stdout(text: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def spoil_metadata(notebook: nbformat.NotebookNode) -> None:
    notebook.metadata["widgets"] = {"state": {}}


def spoil_timing(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[1].metadata["execution"] = {"iopub.status.busy": "2026-01-01T00:00:00Z"}


def spoil_count(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[1].execution_count = None


def spoil_alt(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[2].metadata = nbformat.from_dict({})


def spoil_text(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[2].outputs = [notebooks.normalise_output(figure(10))]


def spoil_width(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[2].outputs = [notebooks.normalise_output(figure(11, 500))]


def spoil_drawing(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[2].outputs = [figure(11)]


def spoil_format(notebook: nbformat.NotebookNode) -> None:
    data = {"image/png": "AAAA", "text/plain": "<Figure>"}
    notebook.cells[2].outputs = [nbformat.v4.new_output("display_data", data)]


def spoil_address(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[1].outputs = [stdout("<Run object at 0x7f0a12345678>")]


def spoil_path(notebook: nbformat.NotebookNode) -> None:
    notebook.cells[1].outputs = [stdout("written to /home/me/runs.csv")]


def spoil_widget(notebook: nbformat.NotebookNode) -> None:
    data = {notebooks.WIDGET_VIEW: {"model_id": "00ff"}, "text/plain": "VBox()"}
    notebook.cells[1].outputs = [nbformat.v4.new_output("display_data", data)]


def spoil_length(notebook: nbformat.NotebookNode) -> None:
    for cell in notebook.cells[1:]:
        cell.source = "\n".join(f"x{i} = {i}" for i in range(8))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_metadata, "normal form"),
        (spoil_timing, "normal form"),
        (spoil_widget, "normal form"),
        (spoil_count, "not executed"),
        (spoil_alt, "alt text"),
        (spoil_text, "text of 8.6 px"),
        (spoil_width, "text of 7.9 px"),
        (spoil_drawing, "normal form"),
        (spoil_format, "bitmap"),
        (spoil_address, "memory address"),
        (spoil_path, "path of one machine"),
        (spoil_length, "median visible code cell"),
    ],
)
def test_check_notices(spoil, said: str, tmp_path: Path) -> None:
    notebook = example()
    spoil(notebook)
    assert said in problems_of(notebook, tmp_path)


def test_normal_form_is_a_fixed_point() -> None:
    notebook = example()
    once = notebooks.as_text(notebooks.normalise(copy.deepcopy(notebook)))
    twice = notebooks.as_text(notebooks.normalise(nbformat.reads(once, as_version=4)))
    assert once == twice


# --- the form of a chapter ------------------------------------------------------------------

HEAD = """# Title

:::{admonition} In this chapter
:class: note

You will be able to

- **read** it.

**You need** nothing. **It takes** about 1 minutes to read, 9 with the exercises.
:::"""
PREDICT = """:::{predict} Which?
- **A.** One.
- **B.** Another.
:::"""
ANSWER = """:::{answer} B
So it is.
:::"""
EXERCISE = """## Exercises

:::{exercise} Try
What comes out?
:::
:::{hint}
Look.
:::"""
END = """:::{solution}
Two.
:::

## What this did not show

Much.

## Next

[Chapter 2](02_metrics.ipynb)."""


def chapter() -> list[nbformat.NotebookNode]:
    """Return the cells of a small chapter in the book's form."""
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    imports = code("import math", metadata={"tags": ["hide-input"]})
    return [
        *(text(HEAD), imports, text(PREDICT), code("1 + 1"), text(ANSWER)),
        *(text(EXERCISE), code("long = 1\n" * 40), text(END)),
    ]


def test_a_chapter_in_form_has_nothing_said_of_it() -> None:
    assert form.check(chapter(), chapter=True) == []


def test_only_the_cells_of_solutions_are_out_of_sight() -> None:
    assert form.solution_cells(chapter()) == {6}


@pytest.mark.parametrize(
    ("place", "old", "new", "said"),
    [
        (0, "In this chapter", "At a glance", "no head"),
        (0, "You will be able to", "You might", "You will be able to"),
        (0, "**You need**", "You need", "**You need**"),
        (0, ", 9 with the exercises", "", "M with the exercises"),
        (0, "about 1 minutes", "about 4 minutes", "4 minutes to read"),
        (0, ", 9 with", ", 4 with", "4 minutes with the exercises; at least 5"),
        (1, "import math", "plot()", "does not begin with the imports"),
        (2, "- **A.** One.\n", "", "needs options"),
        (2, "- **A.** One.\n- **B.** Another.", "Guess.", "needs options"),
        (2, "**B.**", "**C.**", "needs options"),
        (2, "**B.**", "B.", "needs options"),
        (2, " Which?", "", "{predict} without a title"),
        (2, "Another.\n:::", "Another.", "{predict} is not closed in its cell"),
        (2, "{predict} Which?", "{admonition} Predict", "in place of the directive"),
        (2, PREDICT, ":::{note}\n:class: dropdown\n:::", "in place of the directive"),
        (2, PREDICT, "", "{answer} without its question"),
        (3, "1 + 1", "x = " + "1" * 73, "77 columns, over 76"),
        (3, "1 + 1", "1 + 1\n" * 6, "median of the code in sight is 6 lines, over 5"),
        (4, "{answer} B", "{answer} C", "'C' is not one of its options A, B, or none"),
        (4, "{answer} B", "{answer}", "'' is not one of its options A, B, or none"),
        (4, ANSWER, "", "{predict} without {answer} before the next heading"),
        (
            4,
            ANSWER,
            "## A section\n" + ANSWER,
            "{predict} without {answer} before the next heading",
        ),
        (5, "{exercise} Try", "{exercise}", "{exercise} without a title"),
        (7, ":::{solution}\nTwo.\n:::", "", "{hint} without {solution} before the next heading"),
        (7, "## Next", "## What is next", "last two headings"),
        (7, "[Chapter 2](02_metrics.ipynb)", "Chapter 2", "'Next' links to no page"),
    ],
)
def test_form_notices(place: int, old: str, new: str, said: str) -> None:
    cells = chapter()
    assert old in cells[place].source
    cells[place].source = cells[place].source.replace(old, new)
    assert said in "\n".join(form.check(cells, chapter=True))


def test_form_notices_hidden_imports() -> None:
    cells = chapter()
    cells[1].metadata["tags"] = ["remove-input"]
    assert "does not begin with the imports" in "\n".join(form.check(cells, chapter=True))


def test_a_page_that_shows_no_code_needs_no_imports() -> None:
    cells = [cell for cell in chapter() if cell.cell_type == "code"]
    for cell in cells:
        cell.metadata["tags"] = ["remove-input"]
    assert form.check(cells, chapter=False) == []


def test_a_prediction_may_say_that_no_option_is_right() -> None:
    cells = chapter()
    cells[4].source = cells[4].source.replace("{answer} B", "{answer} none")
    assert form.check(cells, chapter=True) == []


def test_other_pages_need_no_head_and_no_end() -> None:
    cells = chapter()[1:5]
    assert form.check(cells, chapter=False) == []
    assert form.check(cells, chapter=True) != []
