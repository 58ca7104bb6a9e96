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


def module(*names: str) -> str:
    """Join ES modules, each after those that it imports, into one, without comments."""
    parts = [SPARE.sub("", (HERE / name).read_text(encoding="utf-8")) for name in names]
    return "\n".join(EXPORT.sub("", IMPORT.sub("", part)) for part in parts)


def style(*names: str) -> str:
    """Join style sheets."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def text(name: str) -> str:
    """Return a file beside this one."""
    return (HERE / name).read_text(encoding="utf-8")


def data(name: str) -> bytes:
    """Return the bytes of a file beside this one."""
    return (HERE / name).read_bytes()
