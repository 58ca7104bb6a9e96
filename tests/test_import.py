"""Importing the library is cheap: nothing that draws, compiles or lays out tables comes with it."""

from __future__ import annotations

import json
import subprocess
import sys

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
