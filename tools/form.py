"""The one form of the book's chapters: head, predictions, exercises, end.

What `book/_ext/questions.py` needs to fold an answer away is checked here in the notebook's
own text, where it can be said in which cell it fails.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

MAX_COLUMNS = 76
WORDS_PER_MINUTE = 200
MINUTES_PER_EXERCISE = 5
MAX_MEDIAN = 5
CLOSED_BY = {"predict": ("answer",), "exercise": ("hint", "solution"), "hint": ("solution",)}

FENCE = re.compile(r"(?P<mark>:{3,}|`{3,})\{(?P<name>[\w:-]+)\} *(?P<words>.*)")
HEADING = re.compile(r"#{1,6} (?P<words>.+)")
OPTION = re.compile(r"- \*\*(?P<letter>[A-Z])\.\*\* \S")
OLD_FORM = re.compile(
    r"\{admonition\} *(?:\d|Predict|Answer|Exercise|Solution|Hint|What you will)"
    r"|^:class:.*\bdropdown",
    re.MULTILINE,
)
TIMES = re.compile(
    r"\*\*It takes\*\*\s+about\s+(?P<read>\d+)\s+minutes\s+to\s+read"
    r"(?:,\s+(?P<work>\d+)\s+with\s+the\s+exercises)?"
)
LINK = re.compile(r"\]\(\w+\.(?:ipynb|md)\)")


@dataclass
class Block:
    """A directive or a heading, the cell it stands in, and what it holds."""

    cell: int
    name: str
    words: str
    lines: list[str]


def blocks(cells: list[Any]) -> Iterator[Block]:
    """Yield the outermost directives and the headings of all text, in order."""
    for place, cell in enumerate(cells):
        if cell.cell_type != "markdown":
            continue
        mark, inside = "", Block(place, "", "", [])
        for line in cell.source.split("\n"):
            if mark:
                if line.strip() == mark:
                    mark = ""
                    yield inside
                else:
                    inside.lines.append(line)
            elif found := FENCE.match(line):
                mark = found["mark"]
                inside = Block(place, found["name"], found["words"].strip(), [])
            elif line.startswith("```"):
                mark, inside = "```", Block(place, "code", "", [])
            elif found := HEADING.match(line):
                yield Block(place, "heading", found["words"], [])
        if mark:
            yield Block(place, "unclosed", inside.name, [])


def solution_cells(cells: list[Any]) -> set[int]:
    """Return the places of the cells between an exercise and the end of its solution."""
    found: set[int] = set()
    since = None
    for block in blocks(cells):
        if block.name == "exercise":
            since = block.cell
        elif block.name == "solution" and since is not None:
            found.update(range(since + 1, block.cell))
            since = None
    return found


def check_options(predict: Block, answer: Block) -> Iterator[str]:
    """Yield what is wrong with the options of a prediction and its right one."""
    letters = "".join(found["letter"] for line in predict.lines if (found := OPTION.match(line)))
    listed = sum(line.startswith("- ") for line in predict.lines)
    if (
        len(letters) < 2
        or letters != string.ascii_uppercase[: len(letters)]
        or listed > len(letters)
    ):
        yield "a prediction needs options, `- **A.** ...`, `- **B.** ...` and so on"
    if answer.words != "none" and (len(answer.words) != 1 or answer.words not in letters):
        allowed = ", ".join(letters)
        yield f"{{answer}} {answer.words!r} is not one of its options {allowed}, or none"


def check_questions(cells: list[Any]) -> Iterator[str]:
    """Yield each question without its answer, in order, in one section, and each stray answer."""
    opened: Block | None = None
    predict: Block | None = None
    for block in blocks(cells):
        at = f"cell {block.cell}"
        if block.name == "unclosed":
            yield f"{at}: {{{block.words}}} is not closed in its cell"
        elif opened and block.name in CLOSED_BY[opened.name]:
            if predict and block.name == "answer":
                yield from (
                    f"cell {predict.cell}: {said}" for said in check_options(predict, block)
                )
            opened = block if block.name in CLOSED_BY else None
        elif block.name in {"answer", "hint", "solution"}:
            yield f"{at}: {{{block.name}}} without its question"
        elif opened and block.name in {"predict", "exercise", "heading"}:
            wanted = CLOSED_BY[opened.name][-1]
            until = f"{{{wanted}}} before the next {block.name}"
            yield f"cell {opened.cell}: {{{opened.name}}} without {until}"
            opened = None
        if block.name in {"predict", "exercise"}:
            opened = block
            predict = block if block.name == "predict" else None
            if not block.words:
                yield f"{at}: {{{block.name}}} without a title"
    if opened:
        yield f"cell {opened.cell}: {{{opened.name}}} without {{{CLOSED_BY[opened.name][-1]}}}"


def reading_minutes(cells: list[Any]) -> float:
    """Return the minutes that the text takes, without its exercises and solutions."""
    skipped = solution_cells(cells)
    words = 0
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown" and place not in skipped:
            words += len(
                re.findall(r"[\w']+", re.sub(r"\{[\w:]+\}`([^`<]*)[^`]*`", r"\1", cell.source))
            )
    for block in blocks(cells):
        if block.name in {"exercise", "hint", "solution"} and block.cell not in skipped:
            words -= len(re.findall(r"[\w']+", " ".join(block.lines)))
    return words / WORDS_PER_MINUTE


def check_chapter(cells: list[Any]) -> Iterator[str]:
    """Yield what a chapter's head and end lack."""
    found = list(blocks(cells))
    head = next((block for block in found if block.words == "In this chapter"), None)
    if head is None or head.cell != 0:
        yield "cell 0: no head, {admonition} In this chapter"
    else:
        text = "\n".join(head.lines)
        for needed in ("You will be able to", "**You need**"):
            if needed not in text:
                yield f"cell 0: the head does not say: {needed}"
        times = TIMES.search(text)
        exercises = sum(block.name == "exercise" for block in found)
        if times is None or bool(times["work"]) != bool(exercises):
            form = "**It takes** about N minutes to read" + ", M with the exercises" * bool(
                exercises
            )
            yield f"cell 0: the head does not say: {form}"
        elif abs(int(times["read"]) - (own := reading_minutes(cells))) > 2:
            pace = f"at {WORDS_PER_MINUTE} words per minute it is {own:.0f}"
            yield f"cell 0: {times['read']} minutes to read; {pace}"
        elif exercises and int(times["work"]) < (least := own + MINUTES_PER_EXERCISE * exercises):
            yield f"cell 0: {times['work']} minutes with the exercises; at least {least:.0f}"
    headings = [block.words for block in found if block.name == "heading"]
    if headings[-2:] != ["What this did not show", "Next"]:
        yield "the last two headings are not 'What this did not show' and 'Next'"
    elif not LINK.search(cells[-1].source.rpartition("## Next")[2]):
        yield "'Next' links to no page"


def check_imports(cells: list[Any]) -> Iterator[str]:
    """Yield whether a reader cannot see and copy the imports."""
    shown = [
        cell
        for cell in cells
        if cell.cell_type == "code"
        and not {"remove-input", "remove-cell"} & set(cell.metadata.get("tags", ()))
    ]
    if shown and not re.match(r"(?:from|import) ", shown[0].source):
        yield "the first code cell that is shown does not begin with the imports"


def check_columns(cells: list[Any]) -> Iterator[str]:
    """Yield the lines of code that are too long to be read beside their neighbours."""
    for place, cell in enumerate(cells):
        if cell.cell_type == "code":
            for line in cell.source.split("\n"):
                if len(line) > MAX_COLUMNS:
                    yield f"cell {place}: {len(line)} columns, over {MAX_COLUMNS}: {line.strip()}"


def check_length(cells: list[Any]) -> Iterator[str]:
    """Yield whether the code that a reader sees is too long, by its median."""
    out_of_sight = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
    folded = solution_cells(cells)
    lines = [
        sum(bool(line.strip()) for line in cell.source.split("\n"))
        for place, cell in enumerate(cells)
        if cell.cell_type == "code" and place not in folded
        if not out_of_sight & set(cell.metadata.get("tags", ()))
    ]
    if lines and median(lines) > MAX_MEDIAN:
        yield f"the median of the code in sight is {median(lines):g} lines, over {MAX_MEDIAN}"


def check(cells: list[Any], chapter: bool) -> list[str]:
    """Return all that departs from the form; `chapter` says whether head and end are due."""
    problems = [
        f"cell {place}: {found.group()!r} in place of the directive"
        for place, cell in enumerate(cells)
        if cell.cell_type == "markdown" and (found := OLD_FORM.search(cell.source))
    ]
    problems += check_questions(cells)
    problems += check_columns(cells)
    problems += check_imports(cells)
    problems += check_length(cells)
    return problems + list(check_chapter(cells) if chapter else ())
