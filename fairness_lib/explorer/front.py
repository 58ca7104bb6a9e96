"""The widgets' own JavaScript and CSS, as anywidget wants them: one module each.

The parts are plain ES modules beside this file. A page that was built once has no server to
import them from, so they are put one after the other here, without their import lines.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r"^import [^;]*;\n", re.M)
EXPORT = re.compile(r"^export (?!default)", re.M)
SPARE = re.compile(r"^(?: +|(?: *//.*)?\n)", re.M)  # indentation, comments, empty lines
PLAIN = re.compile(r"^[^`/\n]*$", re.M)  # a line without templates, regular expressions, comments
BESIDE_SIGNS = re.compile(r'("(?:\\.|[^"\\])*")| *([=,;:?<>{}()&|]+) *')
BETWEEN_RULES = re.compile(r'("[^"]*")|/\*.*?\*/\n?|\s*([{};,]|:(?= ))\s*', re.S)


def module(*names: str) -> str:
    """Join ES modules, each after those that it imports, into one, without comments.

    Spaces beside signs go too where a line can hold none that matter but in quotes.
    """
    parts = [SPARE.sub("", text(name)) for name in names]
    joined = "\n".join(EXPORT.sub("", IMPORT.sub("", part)) for part in parts)
    return PLAIN.sub(lambda line: BESIDE_SIGNS.sub(r"\1\2", line[0]), joined)


def style(*names: str) -> str:
    """Join style sheets, without comments and spaces between rules."""
    return BETWEEN_RULES.sub(r"\1\2", "\n".join(map(text, names)))


def text(name: str) -> str:
    """Return a file beside this one."""
    return (HERE / name).read_text(encoding="utf-8")


def data(name: str) -> bytes:
    """Return the bytes of a file beside this one."""
    return (HERE / name).read_bytes()
