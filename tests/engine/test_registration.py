"""What a new discipline takes: a readable class, a module of the kernel, one entry."""

from __future__ import annotations

from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest
from cases import workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Policy, simulate
from fairness_lib.engine import compiled, kernel

LIFO = """
from typing import Any, NamedTuple
import numpy as np

class Rules(NamedTuple):
    cap: int

class State(NamedTuple):
    stack: Any
    size: Any

def obstacle(discipline, workload):
    return None

def rules_of(discipline, known, n):
    return Rules(n)

def state_for(rules, n, tenants):
    return State(np.empty(n, dtype=np.int64), np.empty(1, dtype=np.int64))

def begin(tenants, rules, state):
    state.size[0] = 0

def put(task, tasks, rules, state):
    state.stack[state.size[0]] = task
    state.size[0] += 1
    return True

def take(tasks, rules, state):
    if state.size[0] == 0:
        return -1
    state.size[0] -= 1
    return int(state.stack[state.size[0]])

def fruitless(state):
    return 0
"""


class Lifo:
    def begin(self, tasks):
        self.stack = []

    def put(self, task, now):
        self.stack.append(task)

    def take(self, now):
        return self.stack.pop() if self.stack else None


@pytest.fixture(scope="module", params=["plain", "numba"])
def registered(request):
    module = ModuleType(f"{kernel.__name__}.lifo")
    exec(LIFO, vars(module))
    decorate = lambda function: function  # noqa: E731
    if request.param == "numba":
        numba = pytest.importorskip("numba")
        decorate = numba.njit
    with patch.dict(compiled.DISCIPLINES, {Lifo: module}):
        made = compiled.build(decorate)
        with (
            patch.object(compiled, "functions", lambda: made),
            patch.object(compiled, "installed", lambda: True),
            np.errstate(over="ignore"),
        ):
            yield


@given(work=workloads(), workers=st.integers(1, 3))
def test_it_runs_in_both_tiers_to_the_same_bits(registered, work, workers) -> None:
    policy = Policy("last in, first out", Lifo())
    run = simulate(work, policy, workers, engine="compiled")
    expected = simulate(work, policy, workers, engine="readable")
    assert run.engine == "compiled"
    assert run.start_s.tobytes() == expected.start_s.tobytes()
    assert run.outcome.tobytes() == expected.outcome.tobytes()
