"""Predictions and exercises whose answers are out of sight until the reader wants them.

A question opens in one cell and is closed in the same or a later one; all that stands between
the two, code with its output, figures and text, goes into the fold:

    :::{predict} Which tenant waits longest?      :::{exercise} Two greedy tenants
    - **A.** The one that bursts.                 What does each complete?
    - **B.** All alike.                           :::
    :::                                           :::{hint}
    (cells that show it)                          Guess the ratio first.
    :::{answer} B                                 :::
    There is one queue for all.                   (cells that work it out)
    :::                                           :::{solution}
                                                  Two to one.
                                                  :::

The answer's letter stands at the answer, so that a raw notebook does not give it away; it is
``none`` where no option is right. Without JavaScript the page has a ``<details>``; with it,
``questions.js`` makes buttons of the options. Exercises are numbered by chapter, and
``{numref}`` can name them.
"""

from __future__ import annotations

import string
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

LINKS = (addnodes.pending_xref, nodes.reference, nodes.footnote_reference)


class Predict(nodes.General, nodes.Element):
    """A question with options; once gathered, with its reveal as the last child."""


class Exercise(nodes.General, nodes.Element):
    """A numbered exercise; once gathered, with a hint or none, and its reveal."""


class Options(nodes.General, nodes.Element):
    """The options of a prediction."""


class Option(nodes.General, nodes.TextElement):
    """One option, with its letter."""


class Reveal(nodes.General, nodes.Element):
    """What is folded away: an answer, a hint or a solution."""


class QuestionTitle(nodes.General, nodes.TextElement):
    """What the group of a question is called."""


class Opening(SphinxDirective):
    """What a prediction and an exercise have in common."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    kind: type[nodes.Element]

    def question(self) -> nodes.Element:
        """Return the node with its title and its parsed content."""
        node = self.kind()
        self.set_source_info(node)
        title, messages = self.state.inline_text(self.arguments[0], self.lineno)
        node += [QuestionTitle("", "", *title), *messages]
        self.state.nested_parse(self.content, self.content_offset, node)
        return node


class PredictDirective(Opening):
    """``{predict} Question?`` with a list of options as its last content."""

    kind = Predict

    def run(self) -> list[nodes.Node]:
        """Return the question, its list of options marked as such."""
        node = self.question()
        listed = node.children[-1]
        if not isinstance(listed, nodes.bullet_list) or len(listed) < 2:
            raise self.error("a prediction ends with a list of two options or more")
        options = Options()
        for letter, item in zip(string.ascii_uppercase, listed.children, strict=False):
            options += self.option(letter, item)
        node.replace(listed, options)
        return [node]

    def option(self, letter: str, item: nodes.Node) -> Option:
        """Return one option without the letter that its text begins with."""
        paragraph = item.children[0] if len(item.children) == 1 else None
        words = [node for node in (paragraph or nodes.paragraph()).children if node.astext()]
        first = words[0].astext() if words and isinstance(words[0], nodes.strong) else None
        if paragraph is None or first != f"{letter}.":
            raise self.error(f"option {letter} is one paragraph that begins with **{letter}.**")
        if any(next(paragraph.findall(link), None) for link in LINKS):
            raise self.error(f"option {letter} holds a link, and a button cannot")
        if isinstance(words[1], nodes.Text):
            words[1] = nodes.Text(words[1].astext().lstrip())
        return Option("", "", *words[1:], letter=letter)


class ExerciseDirective(Opening):
    """``{exercise} Title``."""

    kind = Exercise

    def run(self) -> list[nodes.Node]:
        """Return the exercise."""
        return [self.question()]


class Closing(SphinxDirective):
    """``{hint}``, ``{solution}`` and ``{answer} B``: each a fold, put in its place later."""

    optional_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the fold with its own content."""
        node = Reveal(kind=self.name, letter=self.arguments[0] if self.arguments else "")
        self.set_source_info(node)
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


class Gather(SphinxTransform):
    """Move what stands between a question and its answer into the answer's fold."""

    default_priority = 700  # targets have found their nodes by then

    def apply(self, **_: Any) -> None:
        """Gather every question of the page, and complain about folds without one."""
        for question in [*self.document.findall(Predict), *self.document.findall(Exercise)]:
            self.gather(question)
        for fold in self.document.findall(Reveal):
            if not isinstance(fold.parent, Predict | Exercise):
                logger.warning("a fold {%s} without a question", fold["kind"], location=fold)

    def gather(self, question: nodes.Element) -> None:
        """Move the siblings up to the end of one question."""
        closing = "answer" if isinstance(question, Predict) else "solution"
        parent = question.parent
        between: list[nodes.Node] = []
        for node in parent.children[parent.index(question) + 1 :]:
            if isinstance(node, Reveal) and node["kind"] == "hint" and closing == "solution":
                parent.remove(node)
                question += node
            elif isinstance(node, Reveal) and node["kind"] == closing:
                for moved in (*between, node):
                    parent.remove(moved)
                question += node
                node[:0] = [*between, *self.right_option(question, node)]
                return
            elif isinstance(node, Predict | Exercise | Reveal | nodes.section):
                break
            else:
                between.append(node)
        logger.warning("a question without {%s} in its section", closing, location=question)

    def right_option(self, question: nodes.Element, answer: Reveal) -> list[nodes.Node]:
        """Tell a prediction which option is right; return what says so in the answer."""
        if not isinstance(question, Predict):
            return []
        letter = question["right"] = answer["letter"]
        options = {option["letter"]: option for option in question.findall(Option)}
        if letter == "none":
            return []
        if letter not in options:
            known = ", ".join(options)
            logger.warning("answer %r is not one of %s, none", letter, known, location=answer)
            return []
        said = nodes.paragraph(classes=["right-option"])
        said += nodes.strong(text=f"{letter}.")
        said += [nodes.Text(" "), *options[letter].deepcopy().children]
        return [said]


def visit_question(self: Any, node: nodes.Element) -> None:
    """Open the group of a question, named by its title."""
    kind = type(node).__name__.lower()
    self.questions = getattr(self, "questions", 0) + 1
    node[0]["anchor"] = f"question-{self.questions}"
    more = {"data-right": node["right"]} if "right" in node else {}
    self.body.append(
        self.starttag(
            node,
            "div",
            CLASS=f"question {kind}",
            role="group",
            **{"aria-labelledby": node[0]["anchor"], **more},
        )
    )


def depart_question(self: Any, node: nodes.Element) -> None:
    """Close the group."""
    self.body.append("</div>\n")


def visit_title(self: Any, node: QuestionTitle) -> None:
    """Write "Predict", or "Exercise 5.1", before the title's own words."""
    self.body.append(f'<p class="question-title" id="{node["anchor"]}">')
    self.body.append('<span class="question-kind">')
    if isinstance(node.parent, Exercise):
        self.add_fignumber(node.parent)
    else:
        self.body.append("Predict")
    self.body.append("</span> ")


def visit_options(self: Any, node: Options) -> None:
    """Open the list; `questions.js` makes buttons of its items."""
    self.body.append('<ul class="options">\n')


def visit_option(self: Any, node: Option) -> None:
    """Write an option's letter, then its words."""
    letter = node["letter"]
    self.body.append(f'<li data-letter="{letter}"><strong>{letter}.</strong> <span>')


def visit_reveal(self: Any, node: Reveal) -> None:
    """Open a fold."""
    kind = node["kind"]
    self.body.append(self.starttag(node, "details", CLASS=f"fold {kind}"))
    self.body.append(f"<summary>{kind.capitalize()}</summary>\n")


def closer(tag: str) -> Any:
    """Return what closes an element."""
    return lambda self, node: self.body.append(tag + "\n")


def number_exercises(app: Sphinx, config: Config) -> None:
    """Say how an exercise's number reads."""
    config.numfig_format = {"exercise": "Exercise %s", **config.numfig_format}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and how they are written."""
    app.connect("config-inited", number_exercises)
    for name, directive in {"predict": PredictDirective, "exercise": ExerciseDirective}.items():
        app.add_directive(name, directive)
    for name in ("answer", "hint", "solution"):
        app.add_directive(name, Closing)
    app.add_transform(Gather)
    app.add_node(Predict, html=(visit_question, depart_question))
    app.add_enumerable_node(
        Exercise, "exercise", lambda node: node[0].astext(), html=(visit_question, depart_question)
    )
    app.add_node(QuestionTitle, html=(visit_title, closer("</p>")))
    app.add_node(Options, html=(visit_options, closer("</ul>")))
    app.add_node(Option, html=(visit_option, closer("</span></li>")))
    app.add_node(Reveal, html=(visit_reveal, closer("</details>")))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
