"""The glossary is found by either spelling."""

from __future__ import annotations

import re
from pathlib import Path

GLOSSARY = Path(__file__).resolve().parents[2] / "book" / "glossary.md"
SPELLINGS = ((r"our\b", "or"), (r"is(ed|ing|ation)\b", r"iz\1"), (r"ueue(ing)\b", r"ueu\1"))


def terms() -> set[str]:
    """Return what the glossary defines: the lines before an indented text."""
    return set(re.findall(r"^(\w[\w' -]*)$", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE))


def american(term: str) -> str:
    for british, its in SPELLINGS:
        term = re.sub(british, its, term)
    return term


def test_every_term_has_both_spellings() -> None:
    found = terms()
    assert {"noisy neighbour", "utilisation", "work conservation"} <= found
    assert {american(term) for term in found} - found == set()


def test_negative_control_spellings_that_differ() -> None:
    for term in ("noisy neighbour", "utilisation", "normalised share", "fair queueing"):
        assert american(term) != term
    for term in ("noisy neighbor", "isolation", "seed", "queue wait"):
        assert american(term) == term
