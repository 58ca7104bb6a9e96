"""Importing the library is cheap: nothing that draws, compiles or lays out tables comes with it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import fairness_lib

HEAVY = ("matplotlib", "ipywidgets", "anywidget", "numba", "pandas", "scipy", "dask", "tqdm")
IMPORT = "import json, sys; import fairness_lib as fl"
RUN = """
run = fl.simulate(fl.Scenario([fl.Tenant("a", 100)], 8, 1.0).workload(1), fl.drr())
report = fl.measure(run, (0, 1))
"""
TELL = "print(json.dumps(list(sys.modules)))"


def modules_after(program: str) -> set[str]:
    """Run a program in a fresh interpreter and return the modules it names on stdout."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("work", ["", RUN], ids=["import", "simulate"])
def test_importing_and_simulating_loads_nothing_heavy(work) -> None:
    loaded = modules_after("\n".join([IMPORT, work, TELL]))
    assert "numpy" in loaded
    assert [name for name in HEAVY if name in loaded] == []
    assert not [name for name in loaded if name.startswith("pandas.plotting")]


def test_that_check_would_notice_a_heavy_import_the_negative_control() -> None:
    assert "pandas" in modules_after("\n".join([IMPORT, "import pandas", TELL]))


def test_every_public_name_is_there_and_documented() -> None:
    assert sorted(fairness_lib.__all__) == list(fairness_lib.__all__)
    for name in fairness_lib.__all__:
        public = getattr(fairness_lib, name)
        assert getattr(public, "__doc__", None) or name.isupper(), name


ROOMS = (
    *("traffic", "policies", "engine", "measures", "article"),
    *("runs", "decide", "observe", "plots", "explorer", "commands"),
)
"""In the way of the data: each may import from itself and from those before it."""
PACKAGE = Path(fairness_lib.__file__).parent


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms of the package that a module imports from, wherever it does so."""
    here = path.relative_to(PACKAGE).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            target = (*base, *(node.module or "").split("."))
            names = [alias.name for alias in node.names]
            found |= {part for part in (next(filter(None, target), ""), *names) if part in ROOMS}
    return found


def test_there_is_no_room_without_a_place_in_the_order() -> None:
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_one_way(room) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    for path in (PACKAGE / room).rglob("*.py"):
        assert imported_rooms(path) <= allowed, path.relative_to(PACKAGE)


def test_that_an_import_against_the_order_would_be_seen_the_negative_control() -> None:
    assert "measures" in imported_rooms(PACKAGE / "runs" / "ensemble.py")
    assert "engine" in imported_rooms(PACKAGE / "measures" / "tiers.py")


def test_modules_beside_the_rooms_import_none_of_them() -> None:
    for path in PACKAGE.glob("_[a-z]*.py"):
        assert imported_rooms(path) == set(), path.name
