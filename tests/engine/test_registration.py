"""What a new discipline takes: a readable class, a module of the kernel, one entry."""

from __future__ import annotations

from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest
from cases import pools, reacting, workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Outcome, Policy, simulate
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


PACED = """
from math import inf
from typing import Any, NamedTuple
import numpy as np

BY_WORKER = 1

class Rules(NamedTuple):
    gap_s: float

class State(NamedTuple):
    queue: Any
    size: Any
    next_s: Any
    seen: Any

def obstacle(discipline, workload):
    return None

def rules_of(discipline, known, n):
    return Rules(discipline.gap_s)

def state_for(rules, n, tenants):
    whole = np.empty(n, dtype=np.int64), np.empty(1, dtype=np.int64)
    return State(*whole, np.empty(1), np.empty(2))

def begin(tenants, rules, state):
    state.size[0], state.next_s[0] = 0, 0.0
    state.seen[0], state.seen[1] = 0.0, 0.0

def put_at(task, now, tasks, rules, state):
    if state.size[0] > 3 + now:
        return False
    state.queue[state.size[0]] = task
    state.size[0] += 1
    return True

def forget(place, state):
    for at in range(place, state.size[0] - 1):
        state.queue[at] = state.queue[at + 1]
    state.size[0] -= 1

def take_at(now, worker, tasks, rules, state):
    if state.size[0] == 0 or now < state.next_s[0] or worker == 1:
        return -1
    task = int(state.queue[0])
    forget(0, state)
    state.next_s[0] = now + rules.gap_s * (1.0 + state.seen[0])
    return task

def finished(task, cost_s, now, tasks, rules, state):
    state.seen[0] = cost_s

def abandoned(task, now, tasks, rules, state):
    state.seen[0] += 0.125
    place = 0
    while state.queue[place] != task:
        place += 1
    forget(place, state)

def retry_after_s(task, now, workers, tasks, rules, state):
    return 0.5 * state.size[0] / workers

def wake_at(now, tasks, rules, state):
    return state.next_s[0] if now < state.next_s[0] else inf

def fruitless(state):
    return int(8 * state.seen[0])
"""


class Paced:
    """Starts apart by a gap that grows with what the last task cost; never on worker 1.

    It also hears of all that a discipline may hear of. No sensible policy: a use of every method.
    """

    def __init__(self, gap_s):
        self.gap_s = gap_s

    def begin(self, tasks):
        self.queue, self.next_s, self.seen = [], 0.0, 0.0

    @property
    def fruitless_visits(self):
        return int(8 * self.seen)

    def put(self, task, now):
        if len(self.queue) > 3 + now:
            return Outcome.QUEUE_FULL
        self.queue.append(task)
        return None

    def take(self, now, worker):
        if not self.queue or now < self.next_s or worker == 1:
            return None
        self.next_s = now + self.gap_s * (1.0 + self.seen)
        return self.queue.pop(0)

    def finished(self, task, cost_s, now):
        self.seen = cost_s

    def abandoned(self, task, now):
        self.seen += 0.125
        self.queue.remove(task)

    def retry_after_s(self, task, now, workers):
        return 0.5 * len(self.queue) / workers

    def wake_at(self, now):
        return self.next_s if now < self.next_s else None


@pytest.fixture(scope="module", params=["plain", pytest.param("numba", marks=pytest.mark.wide)])
def registered(request):
    added = {}
    for readable, name, text in ((Lifo, "lifo", LIFO), (Paced, "paced", PACED)):
        added[readable] = ModuleType(f"{kernel.__name__}.{name}")
        exec(text, vars(added[readable]))
    decorate = lambda function: function  # noqa: E731
    if request.param == "numba":
        numba = pytest.importorskip("numba")
        decorate = numba.njit
    with patch.dict(compiled.DISCIPLINES, added):
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


@given(work=reacting(), pool=pools(), gap_s=st.sampled_from([0.0, 0.125, 0.3]))
def test_all_that_a_discipline_may_have_works_in_both_tiers(registered, work, pool, gap_s) -> None:
    policy = Policy("paced", Paced(gap_s))
    run = simulate(work, policy, pool, engine="compiled")
    expected = simulate(work, policy, pool, engine="readable")
    for column in ("start_s", "outcome", "attempts", "answer_s", "wasted_s"):
        assert getattr(run, column).tobytes() == getattr(expected, column).tobytes(), column
    assert run.fruitless_visits == expected.fruitless_visits
    assert run.idle_while_queued_s == expected.idle_while_queued_s


@given(work=reacting(), pool=pools())
def test_what_has_the_three_methods_only_runs_with_every_event(registered, work, pool) -> None:
    """But where clients leave: it could not forget their tasks, and would hold some twice."""
    policy = Policy("last in, first out", Lifo())
    expected = simulate(work, policy, pool, engine="readable")
    if work.patience_s is not None:
        with pytest.raises(ValueError, match="Lifo cannot forget a task there whose client"):
            simulate(work, policy, pool, engine="compiled")
        return
    run = simulate(work, policy, pool, engine="compiled")
    assert run.start_s.tobytes() == expected.start_s.tobytes()
    assert run.outcome.tobytes() == expected.outcome.tobytes()


def test_a_function_with_a_name_of_the_kernel_is_refused() -> None:
    module = ModuleType(f"{kernel.__name__}.lifo")
    exec(LIFO + "\ndef leave(task):\n    return task\n", vars(module))
    with (
        patch.dict(compiled.DISCIPLINES, {Lifo: module}),
        pytest.raises(ValueError, match=r"lifo has names of the kernel: \['leave'\]"),
    ):
        compiled.build(lambda function: function)
