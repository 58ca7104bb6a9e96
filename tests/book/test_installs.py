"""What the notebooks need is what their readers are told to install.

The proof is `make test-install`, which executes every notebook in new environments; these
tests say in a second which name is missing where.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Comes with every kernel.
GIVEN = {"ipython"}


def name_of(requirement: str) -> str:
    """Return the bare name of a requirement, in the one spelling that packages have."""
    name = re.match(r"[\w.-]*", requirement.strip())
    return re.sub(r"[-_.]+", "-", name[0]).lower() if name else ""


def installs() -> dict[str, set[str]]:
    """Return the names that each way of installing asks for."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    extra = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["book"]
    return {
        "requirements.txt": {name_of(line) for line in lines},
        "the extra book": {name_of(line) for line in extra},
    }


def needed(sources: list[str]) -> set[str]:
    """Return the distributions that code imports, apart from Python's own and this one."""
    modules = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                modules.add(node.module.split(".")[0])
    found = packages_distributions()
    return {
        name_of(found[module][0]) for module in modules - sys.stdlib_module_names - {"fairness_lib"}
    } - GIVEN


def code(path: Path) -> list[str]:
    notebook = nbformat.read(path, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.parametrize("way", installs())
def test_what_a_notebook_imports_is_installed(path: Path, way: str) -> None:
    assert needed(code(path)) - installs()[way] == set()


def test_a_missing_name_would_be_noticed_the_negative_control() -> None:
    assert needed(["import numpy, json", "from pytest import raises", "import fairness_lib"]) == {
        "numpy",
        "pytest",
    }
    assert not any("pytest" in names for names in installs().values())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_reads_nothing_from_outside_its_folder(path: Path) -> None:
    """On Colab it lies alone: data comes with the package."""
    assert [source for source in code(path) if "../" in source] == []
