"""The reference has every public name once, whatever is added, and links lead to it."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest
from browsing import HTML, ROOT

import fairness_lib
from fairness_lib import explorer, observe, plots
from fairness_lib.__main__ import COMMANDS

spec = importlib.util.spec_from_file_location(
    "public_names", ROOT / "book" / "_ext" / "public_names.py"
)
assert spec is not None
assert spec.loader is not None
public_names = importlib.util.module_from_spec(spec)
spec.loader.exec_module(public_names)

PAGES = sorted((ROOT / "book" / "api").glob("*.md"))
PUBLIC = {
    name: module for module in (plots, observe, explorer, fairness_lib) for name in module.__all__
}


@pytest.fixture(scope="module")
def documented() -> Counter[str]:
    """Return how often each full name has a directive, over all pages."""
    text = "\n".join(public_names.expand(page.read_text(encoding="utf-8")) for page in PAGES)
    found = re.findall(r"^\.\. (?:auto\w+|py:data):: fairness_lib\.([\w.]+)$", text, re.M)
    return Counter(found)


def test_every_public_name_is_in_the_reference_once(documented: Counter[str]) -> None:
    """A new room needs a page in book/api/; everything else comes by itself."""
    by_last = Counter(name.rpartition(".")[2] for name in documented.elements())
    assert {name: by_last[name] for name in PUBLIC if by_last[name] != 1} == {}
    assert [name for name, times in documented.items() if times > 1] == []


def test_what_a_service_or_a_policy_of_ones_own_needs_is_there(documented: Counter[str]) -> None:
    needed = {
        "policies.discipline.Discipline",
        "policies.policy.Admission",
        "observe.exporter.TenantCollector",
        "observe.exporter.FairnessCollector",
        "observe.live.LivePool",
    }
    assert needed - documented.keys() == set()


def test_a_name_from_nowhere_is_an_error_the_negative_control(monkeypatch) -> None:
    monkeypatch.setattr(fairness_lib, "__all__", [*fairness_lib.__all__, "unheard_of"])
    with pytest.raises(ValueError, match="unheard_of"):
        public_names.names_of("fairness_lib.policies")


def test_the_way_to_write_a_discipline_is_told_whole() -> None:
    text = public_names.reference("fairness_lib.policies.discipline")
    assert "class LastComeFirstServed:" in text
    assert "finished(task, cost_s, now)" in text


def test_every_subcommand_has_its_help() -> None:
    text = (ROOT / "book" / "api" / "commands.md").read_text(encoding="utf-8")
    assert re.findall(r"<!-- help of (\w+) -->", text) == list(COMMANDS)
    for command in COMMANDS:
        assert f"usage: python -m fairness_lib {command}" in public_names.help_of(command)


def built(page: Path) -> str:
    return (HTML / "book" / "api" / f"{page.stem}.html").read_text(encoding="utf-8")


@pytest.mark.site
def test_inherited_methods_are_shown() -> None:
    text = built(Path("observe"))
    for method in ("arrived", "started", "rejected", "abandoned", "record", "close"):
        assert f'id="fairness_lib.TenantMetrics.{method}"' in text


@pytest.mark.site
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_public_name_in_a_docstring_is_a_link(page: Path) -> None:
    """Sphinx marks each name that it was to find; those that are public have been found."""
    text = re.sub(r"<a [^>]*>.*?</a>", "", built(page), flags=re.S)
    unfound = re.findall(r'<code class="xref py py-obj[^>]*><span class="pre">(\w+)</span>', text)
    assert [name for name in unfound if name in PUBLIC] == []


@pytest.mark.site
def test_no_return_type_is_any() -> None:
    said = [
        text for page in PAGES for text in re.findall(r"Return type.*?</dd>", built(page), re.S)
    ]
    types = [re.sub(r"<[^>]+>|\s", "", text).partition(":")[2] for text in said]
    assert "float" in types
    assert "Any" not in types
