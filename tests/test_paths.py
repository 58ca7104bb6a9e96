"""A file that is named in a text is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = "benchmarks|book|docs|examples|fairness_lib|tests|tools"
NAMED = re.compile(
    rf"(?<![\w/.-])(?:{ROOMS})/[\w./-]*\w\.(?:bib|css|ipynb|js|json|md|py|sh|svg|toml|wasm|yml)\b"
)
TEXTS = ("*.md", "*.py", "*.toml", "*.yml", "Makefile", ".ci/run")
DEEP = ("*.css", "*.ipynb", "*.js", "*.md", "*.py", "*.yml")


def texts() -> Iterator[Path]:
    """Yield what people write and read, not what is made or fetched."""
    for pattern in TEXTS:
        yield from ROOT.glob(pattern)
    for room in ROOMS.split("|"):
        for pattern in DEEP:
            yield from (
                path
                for path in (ROOT / room).rglob(pattern)
                if not {"vendor", "__pycache__", ".ipynb_checkpoints"} & set(path.parts)
            )


def missing(text: str) -> list[str]:
    return sorted({name for name in NAMED.findall(text) if not (ROOT / name).exists()})


def test_every_named_file_is_there() -> None:
    found = {path: path.read_text(encoding="utf-8") for path in texts()}
    assert sum(bool(NAMED.search(text)) for text in found.values()) > 10
    lost = {
        str(path.relative_to(ROOT)): gone
        for path, text in found.items()
        if path != Path(__file__) and (gone := missing(text))
    }
    assert lost == {}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("see `tests/test_exporter.py`", ["tests/test_exporter.py"]),
        ("in tests/observe/test_exporter.py.", []),
        ("[this](docs/no.md) and `book/intro.ipynb`", ["docs/no.md"]),
        ("a reader's own runs/mine.json", []),
    ],
)
def test_negative_control_a_file_that_is_not_there(text: str, gone: list[str]) -> None:
    assert missing(text) == gone
