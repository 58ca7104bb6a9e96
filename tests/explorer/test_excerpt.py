"""An excerpt of runs: who stands where, at any moment, is what the columns of `simulate` say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import standing
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from fairness_lib import Workload, drr, fifo, simulate
from fairness_lib.explorer.excerpt import TICK_S, Excerpt, excerpts, packed

INSTANTS = [0, 1, 499, 501, 1200, 1523, 3333, 5000, 5500, 9999, 13_000, 13_700, 16_001, 17_999]


def agree(excerpt: Excerpt, from_s: float, tick: int) -> None:
    """Compare an excerpt's state with the run's columns."""
    lines, serving = standing(excerpt.run, from_s + tick * TICK_S, excerpt.lines)
    task = excerpt.task.tolist()
    assert [[task[place] for place in line] for line in excerpt.waiting(tick)] == lines
    assert sorted(task[place] for place in excerpt.serving(tick).values()) == serving


def test_lines_and_workers_are_those_of_the_columns(shown: Any) -> None:
    random = np.random.default_rng(1)
    for excerpt in shown.excerpts:
        for tick in [*INSTANTS, *random.integers(0, 18_000, 60).tolist()]:
            agree(excerpt, 19.95, tick)


def test_a_recorded_run_is_what_simulate_says(shown: Any) -> None:
    for run in shown.runs:
        plain = simulate(run.workload, run.policy)
        np.testing.assert_array_equal(run.start_s, plain.start_s)
        np.testing.assert_array_equal(run.outcome, plain.outcome)


def unpacked(record: bytes, lines: list[int], workers: int) -> dict[str, Any]:
    """Read a record as the page does."""
    numbers, value, shift = [], 0, 0
    for byte in record:
        value, shift = value | (byte & 127) << shift, shift + 7
        if byte < 128:
            numbers.append(value)
            value, shift = 0, 0
    rest = iter(numbers)
    tasks = [(next(rest), next(rest)) for _ in range(next(rest))]
    arrival = (np.cumsum([apart for apart, _ in tasks]) - 1).tolist()
    tenant = [who for _, who in tasks]
    found = []
    for several in (count > 1 for count in lines):
        out = np.cumsum([next(rest) for _ in range(next(rest))], dtype=int).tolist()
        queues: dict[int, list[int]] = {}
        for task, who in enumerate(tenant):
            if task not in set(out):
                queues.setdefault(who if several else 0, []).append(task)
        start, taken = -1, {}
        for _ in range(next(rest)):
            start += next(rest)
            line = next(rest) if several else 0
            both = next(rest)
            taken[queues[line].pop(0)] = (start, start + both // workers, both % workers)
        found.append({"out": out, "taken": taken})
    assert next(rest, None) is None
    return {"arrival": arrival, "tenant": tenant, "runs": found}


def check_record(cut: list[Excerpt]) -> None:
    """Compare what a record says with the excerpts that it was made of."""
    read = unpacked(packed(cut), [e.lines for e in cut], cut[0].run.workers)
    assert read["arrival"] == cut[0].arrival.tolist()
    assert read["tenant"] == cut[0].tenant.tolist()
    for excerpt, run in zip(cut, read["runs"], strict=True):
        assert run["out"] == np.flatnonzero(excerpt.gone | excerpt.rejected).tolist()
        for place in range(len(excerpt.task)):
            times = int(excerpt.start[place]), int(excerpt.finish[place])
            expected = (*times, int(excerpt.worker[place])) if excerpt.worker[place] >= 0 else None
            assert run["taken"].get(place) == expected


def test_the_record_holds_the_excerpts(shown: Any) -> None:
    assert packed(shown.excerpts) == shown.view.record
    check_record(shown.excerpts)


@given(data=st.data())
def test_any_excerpt_of_any_small_run(data: st.DataObject) -> None:
    count, tenants = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 4))
    random = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    workload = Workload(
        [f"t{i}" for i in range(tenants)],
        np.sort(random.random(count)).tolist(),
        random.integers(0, tenants, count).tolist(),
        (0.001 + 0.2 * random.random(count)).tolist(),
        horizon_s=1.0,
    )
    workers, cap = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 8))
    from_s = data.draw(st.sampled_from([0.0, 0.25, 0.5]))
    runs = [simulate(workload, policy, workers) for policy in (fifo(cap=cap), drr(cap=cap))]
    cut = excerpts(runs, from_s, from_s + 0.5)
    check_record(cut)
    for excerpt in cut:
        assert all(0 <= worker < workers for worker in excerpt.serving(2500))
        for tick in random.integers(0, 5000, 20).tolist():
            agree(excerpt, from_s, tick)
        for worker in range(workers):  # serves one task after another
            own = excerpt.worker == worker
            order = np.argsort(excerpt.start[own], kind="stable")
            assert (excerpt.finish[own][order][:-1] <= excerpt.start[own][order][1:]).all()
        most = [
            max(len(excerpt.waiting(int(tick) + 1)[line]) for tick in {-1, *excerpt.arrival})
            for line in range(excerpt.lines)
        ]
        assert all(n <= longest for n, longest in zip(most, excerpt.longest(), strict=True))
