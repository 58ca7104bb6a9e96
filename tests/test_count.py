"""Counting by index, where numpy's own index type is narrower than the columns'."""

from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from cases import policies, workloads
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import fairness_lib as fl
from fairness_lib._count import count

KINDS = [np.int8, np.int16, np.int32, np.int64, np.uint32, np.uint64]
indices = st.sampled_from(KINDS).flatmap(
    lambda kind: arrays.arrays(kind, st.integers(0, 30), elements=st.integers(0, 6))
)


@pytest.fixture(scope="module")
def narrow():
    """Make numpy's index type 32 bits wide, and let it refuse what does not fit in safely."""
    bincount = np.bincount

    def strict(x, weights=None, minlength=0):
        return bincount(np.asarray(x).astype(np.int32, casting="safe"), weights, minlength)

    with patch.object(np, "intp", np.int32), patch.object(np, "bincount", strict):
        yield


def test_there_numpy_refuses_the_columns_of_a_workload_the_negative_control(narrow) -> None:
    with pytest.raises(TypeError, match="Cannot cast array data"):
        np.bincount(np.array([0, 1], dtype=np.int64))


@given(indices)
def test_each_index_is_counted(narrow, of) -> None:
    counted = count(of, 7)
    assert counted.dtype == np.int64
    assert counted.tolist() == [int((of == i).sum()) for i in range(7)]


@given(indices, st.data())
def test_weights_are_added_by_index(narrow, of, data) -> None:
    weights = data.draw(arrays.arrays(float, len(of), elements=st.integers(-5, 5)))
    assert count(of, 7, weights).dtype == np.float64  # of nothing too
    assert count(of, 7, weights).tolist() == [weights[of == i].sum() for i in range(7)]


@given(workloads(), policies)
def test_runs_are_measured(narrow, work, policy) -> None:
    run = fl.simulate(work, policy, 2, engine="readable")
    try:
        report = fl.measure(run)
    except ValueError:
        return  # nothing finished in time
    assert report.by_tenant()["arrived"].sum() <= len(work)
    assert sum(fl.fair_reference(work, 2).work_s(0, 8).values()) <= 16 + 1e-9


@given(workloads(), policies)
def test_runs_are_counted(narrow, work, policy) -> None:
    assert sum(fl.simulate(work, policy, 8, engine="readable").counts().values()) == len(work)


def test_nothing_else_in_the_library_asks_numpy_to_count() -> None:
    root = Path(fl.__file__).parent
    files = {file.relative_to(root).as_posix(): file for file in root.rglob("*.py")}
    asks = {
        name for name, file in files.items() if re.search(r"bincount\(", file.read_text("utf-8"))
    }
    assert asks == {"_count.py"}
