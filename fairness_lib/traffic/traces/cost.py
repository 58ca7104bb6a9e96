"""Costs from several columns: ``prompt_tokens + 2*output_tokens``, parsed here and never evaluated.

Numbers, column names, ``+ - * /``, parentheses and a sign. A column whose name is no plain word
stands in backquotes. A column that carries a unit of time counts in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
MOST_TEXT, MOST_DEPTH = 1000, 50
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)"
    r"|`(?P<quoted>[^`]+)`|(?P<sign>[-+*/()]))"
)
_JOIN: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


@dataclass(frozen=True)
class CostExpression:
    """A cost as an expression of columns.

    Parameters
    ----------
    text : str
        Such as ``"prompt_tokens + 2*output_tokens"``.

    Raises
    ------
    ValueError
        If it is not of numbers, column names, ``+ - * /`` and parentheses, and where.

    Examples
    --------
    >>> cost = CostExpression("prompt_tokens + 2*output_tokens")
    >>> cost.columns
    ('prompt_tokens', 'output_tokens')
    >>> cost({"prompt_tokens": 10.0, "output_tokens": 3.0})
    16.0
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"cost must be text such as 'a + 2*b'; got {self.text!r}")
        if len(self.text) > MOST_TEXT:
            raise ValueError(f"cost must be at most {MOST_TEXT} characters; got {len(self.text)}")
        object.__setattr__(self, "_tree", _Parser(self.text).whole())

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it names, each once."""
        found: dict[str, None] = {}

        def visit(node: Any) -> None:
            if isinstance(node, str):
                found[node] = None
            elif isinstance(node, tuple):
                visit(node[1])
                visit(node[2])

        visit(self._tree)  # type: ignore[attr-defined]
        return tuple(found)

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Compute it for columns of numbers; what is divided by 0 is infinite or NaN."""

        def value(node: Any) -> Any:
            if isinstance(node, str):
                return values[node]
            if isinstance(node, tuple):
                return _JOIN[node[0]](value(node[1]), value(node[2]))
            return node

        with np.errstate(all="ignore"):
            result = value(self._tree)  # type: ignore[attr-defined]
        return result if isinstance(result, np.ndarray) else float(result)


class _Parser:
    """Recursive descent over an expression's tokens."""

    def __init__(self, text: str) -> None:
        self.text, self.tokens, at = text, list[tuple[str, str, int]](), 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                self.fail(at)
            assert match is not None
            assert match.lastgroup is not None
            start = match.start(match.lastgroup)
            self.tokens.append((match.lastgroup, match[match.lastgroup], start))
            at = match.end()
        self.next = self.depth = 0

    def fail(self, at: int) -> None:
        shown = self.text[at : at + 20].strip() or "its end"
        raise ValueError(
            "cost must be of numbers, column names (`in backquotes` if they are no plain word), "
            f"+ - * / and parentheses; {self.text[:200]!r} is not, at {shown!r}"
        )

    def peek(self) -> str:
        token = self.tokens[self.next] if self.next < len(self.tokens) else None
        return token[1] if token is not None and token[0] == "sign" else ""

    def whole(self) -> Any:
        tree = self.chain("+-", lambda: self.chain("*/", self.atom))
        if self.next < len(self.tokens):
            self.fail(self.tokens[self.next][2])
        return tree

    def chain(self, signs: str, part: Callable[[], Any]) -> Any:
        left = part()
        while (sign := self.peek()) and sign in signs:
            self.next += 1
            left = (sign, left, part())
        return left

    def atom(self) -> Any:
        if self.next >= len(self.tokens):
            self.fail(len(self.text))
        kind, text, at = self.tokens[self.next]
        self.next += 1
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise ValueError(f"cost must not be nested deeper than {MOST_DEPTH}")
        try:
            if kind in ("name", "quoted"):
                return text
            if kind == "number":
                return float(text)
            if text in "+-":
                return ("*", float(f"{text}1"), self.atom())  # -0 and all
            if text == "(":
                inside = self.chain("+-", lambda: self.chain("*/", self.atom))
                if self.peek() == ")":
                    self.next += 1
                    return inside
                at = self.tokens[self.next][2] if self.next < len(self.tokens) else len(self.text)
            return self.fail(at)
        finally:
            self.depth -= 1
