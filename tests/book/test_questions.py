"""The directives for predictions and exercises, on a page of their own."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

PAGE = """# A page

(here)=
:::{predict} Which is *right*?
Some context.

- **A.** One, $x$.
- **B.** Another.
:::

Between, see {numref}`ex-one`.

(inside)=
```{figure} dot.svg
A figure in the fold.
```

:::{answer} B
Because.
:::

Open again.

(ex-one)=
:::{exercise} Try it
What comes out?
:::

:::{hint}
Look.
:::

Worked out.

:::{solution}
Two.
:::
"""


def build(page: str, folder: Path) -> tuple[str, str]:
    """Return a page's article as HTML, and what was said about it."""
    source, warnings = folder / "source", io.StringIO()
    source.mkdir()
    (source / "index.md").write_text(page, encoding="utf-8")
    (source / "dot.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    settings = {
        "extensions": ["myst_parser", "questions"],
        "myst_enable_extensions": ["colon_fence", "dollarmath"],
        "numfig": True,
        "html_theme": "basic",
    }
    out, trees = folder / "out", folder / "trees"
    with docutils_namespace(), patch_docutils():
        Sphinx(source, None, out, trees, "html", settings, status=None, warning=warnings).build()
    html = (out / "index.html").read_text(encoding="utf-8")
    return html[html.index("<h1>") : html.rindex("</section>")], warnings.getvalue()


def plain(html: str) -> str:
    """Return the words of a piece of HTML."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_what_stands_between_goes_into_the_fold(tmp_path: Path) -> None:
    html, said = build(PAGE, tmp_path)
    assert said == ""
    question, _, rest = html.partition("Open again.")
    before, _, fold = question.partition('<details class="fold answer">')
    assert (
        plain(before) == "A page ¶ Predict Which is right ? Some context. A. One, x . B. Another."
    )
    assert plain(fold).startswith("Answer Between, see Exercise 1 . Fig. 1 A figure in the fold.")
    assert plain(fold).endswith("B. Another. Because.")
    assert 'id="inside"' in fold
    assert 'data-right="B"' in before
    assert 'id="here"' in before
    exercise, hint, solution = re.split(r"<details[^>]*>", rest)
    assert plain(exercise).endswith("Exercise 1 Try it What comes out?")
    assert 'id="ex-one"' in exercise
    assert plain(hint) == "Hint Look."
    assert plain(solution).startswith("Solution Worked out. Two.")


def test_each_question_is_a_group_that_its_title_names(tmp_path: Path) -> None:
    html, _ = build(PAGE, tmp_path)
    names = re.findall(r'aria-labelledby="([\w-]+)"[^>]*role="group"', html)
    assert len(set(names)) == 2
    for name in names:
        assert f'<p class="question-title" id="{name}">' in html


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (":::{answer} B\nBecause.\n:::", "", "a question without {answer} in its section"),
        ("Between,", "## Between\n\n", "a question without {answer} in its section"),
        (":::{solution}\nTwo.\n:::", "", "a question without {solution} in its section"),
        ("Open again.", ":::{answer} A\n:::", "a fold {answer} without a question"),
        ("{answer} B", "{answer} C", "answer 'C' is not one of A, B, none"),
        ("- **B.** Another.", "", "ends with a list of two options or more"),
        ("- **A.** One, $x$.\n- **B.** Another.", "Guess.", "ends with a list of two options"),
        ("**B.** Another", "**C.** Another", "begins with **B.**"),
        ("**B.** Another", "Another", "begins with **B.**"),
        ("**B.** Another.", "**B.** [Another](#here).", "option B holds a link"),
    ],
)
def test_what_cannot_be_folded_is_said(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in PAGE
    assert said in build(PAGE.replace(old, new), tmp_path)[1]


def test_no_option_need_be_right(tmp_path: Path) -> None:
    html, said = build(PAGE.replace("{answer} B", "{answer} none"), tmp_path)
    assert said == ""
    assert 'data-right="none"' in html
    assert "right-option" not in html
