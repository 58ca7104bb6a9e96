"""The directives for predictions and exercises, on a page of their own and on the built site."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from browsing import HTML, PHONE, Look
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
    seen = r"A page ¶ Predict Which is right ? Some context. A. One, \(x\) . B. Another."
    assert plain(before) == seen
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


# --- on the built site ----------------------------------------------------------------------


def pages() -> list[str]:
    """Return the pages of the site that have questions; fail where there are none."""
    found = [path for path in HTML.rglob("*.html") if 'class="question ' in path.read_text("utf-8")]
    assert found, f"no page with questions in {HTML}: run `make book`"
    return sorted(str(path.relative_to(HTML)) for path in found)


@pytest.fixture
def tab(browser: Any, origins: dict[str, str]) -> Any:
    look = Look(browser, origins["file"], "light")
    yield look
    look.context.close()


UNSEEN = """() => [...document.querySelectorAll(".question .fold > :not(summary)")].every(
    node => !node.checkVisibility())"""
OPEN = "[...document.querySelectorAll('.question .fold')].map(fold => fold.open)"
STATES = """question => [...question.querySelectorAll(".options button")].map(button => ({
    letter: button.parentElement.dataset.letter, pressed: button.getAttribute("aria-pressed"),
    said: button.querySelector(".said").textContent}))"""


@pytest.mark.site
@pytest.mark.browser
def test_predictions_are_made_with_the_keyboard(tab: Look) -> None:
    for path in pages():
        tab.visit(path)
        assert tab.page.evaluate(UNSEEN), f"{path}: an answer can be seen before a choice"
        stored = tab.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
        for number, question in enumerate(tab.page.locator(".question.predict").all()):
            right = question.get_attribute("data-right")
            buttons = question.get_by_role("button").filter(visible=True)
            letters = [state["letter"] for state in question.evaluate(STATES)]
            assert buttons.count() == len(letters) >= 2, path
            assert right in (*letters, "none"), path
            chosen = letters[number % len(letters)]
            buttons.nth(number % len(letters)).press("Enter" if number % 2 else "Space")
            assert question.locator("details.answer").get_attribute("open") is not None
            for state in question.evaluate(STATES):
                letter = state["letter"]
                assert state["pressed"] == str(letter == chosen).lower()
                assert ("your choice" in state["said"]) == (letter == chosen)
                assert ("✓ right" in state["said"]) == (letter == right)
            assert f"You chose {chosen}" in question.get_by_role("status").inner_text()
            again = question.get_by_role("button", name="Choose again")
            again.press("Enter")
            assert question.locator("details.answer").get_attribute("open") is None
            assert question.get_by_role("status").inner_text() == ""
            assert {state["pressed"] for state in question.evaluate(STATES)} == {"false"}
            assert buttons.first.evaluate("button => button === document.activeElement")
        assert tab.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})") == stored
    assert (tab.faults, tab.outside) == ([], [])


@pytest.mark.site
@pytest.mark.browser
def test_questions_work_without_javascript(browser: Any, origins: dict[str, str]) -> None:
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
    page = context.new_page()
    for path in pages():
        page.goto(origins["file"] + path)
        for question in page.locator(".question").all():
            assert question.get_by_role("button").count() == 0, path
            for option in question.locator(".options li").all():
                assert option.is_visible(), path
            for fold in question.locator("details").all():
                inside = fold.locator(":scope > :not(summary)").first
                assert not inside.is_visible(), path
                fold.locator("summary").first.press("Enter")
                assert fold.get_attribute("open") is not None, path
    context.close()


@pytest.mark.site
@pytest.mark.browser
def test_paper_has_no_folds(tab: Look) -> None:
    for path in pages():
        tab.visit(path)
        before = tab.page.evaluate(OPEN)
        tab.page.emulate_media(media="print")
        tab.page.wait_for_function(f"{OPEN}.every(open => open)")
        tab.page.emulate_media(media="screen")
        tab.page.wait_for_function(f"{OPEN}.every(open => !open)")
        assert not any(before), path


@pytest.mark.site
@pytest.mark.browser
def test_an_address_inside_a_fold_opens_it(tab: Look) -> None:
    tried = 0
    for path in pages():
        tab.visit(path)
        for anchor in tab.page.evaluate(
            "[...document.querySelectorAll('.question .fold figure[id]')].map(node => node.id)"
        ):
            tried += 1
            tab.visit(f"{path}#{anchor}")
            fold = tab.page.locator(f".question .fold:has(#{anchor})").element_handle()
            tab.page.wait_for_function("fold => fold.open", arg=fold)
            fold.evaluate("fold => { fold.open = false }")
            tab.page.evaluate(
                "anchor => { const link = document.createElement('a');"
                "  link.href = '#' + anchor; document.body.append(link); link.click() }",
                anchor,
            )
            tab.page.wait_for_function("fold => fold.open", arg=fold)
    assert tried, "no answer holds a figure with a name: nothing was tested"
