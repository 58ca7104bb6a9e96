"""Waits and queues over time: worked by hand, and adding up to the run."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import Outcome, Workload, drr, fifo, simulate, timeline


def test_worked_by_hand() -> None:
    # One worker, 1.5 s a task, two places. At 0: served, waits, waits, rejected. At 2.5: b's.
    workload = Workload(["a", "b"], [0.0] * 4 + [2.5], [0] * 4 + [1], [1.5] * 5, horizon_s=4)
    found = timeline(simulate(workload, fifo(cap=2), workers=1), q=1.0)
    rows = {(row.from_s, row.group): (row.wait_s, row.waiting) for row in found.itertuples()}
    assert rows[0.0, "a"] == (3.0, 2)
    assert [rows[second, "a"][1] for second in (1.0, 2.0, 3.0)] == [1, 1, 0]
    assert np.isnan(rows[1.0, "a"][0])  # nothing came then
    assert rows[2.0, "b"] == (2.0, 1)
    assert rows[3.0, "b"][1] == 1  # it starts at 4.5


arrivals = st.lists(st.tuples(st.floats(0, 8), st.integers(0, 2), st.floats(0, 3)), min_size=1)


@given(arrivals, st.sampled_from([0.3, 1.0, 2.5, 20.0]), st.booleans())
def test_queue_is_that_of_each_moment_and_waits_are_the_runs(tasks, step_s, turns) -> None:
    tasks.sort(key=lambda task: task[0])
    arrival_s, tenant, cost_s = map(list, zip(*tasks, strict=True))
    workload = Workload(["a", "b", "c"], arrival_s, tenant, cost_s, horizon_s=9)
    policy = drr(quantum_s=0.5, cap=2) if turns else fifo(cap=3)
    run = simulate(workload, policy, workers=2)
    found = timeline(run, {"a": "a", "others": ["b", "c"]}, step_s=step_s, q=1.0)
    entered = run.outcome != Outcome.QUEUE_FULL
    longest = found.groupby("group")["wait_s"].max()
    for group, own in (("a", workload.tenant == 0), ("others", workload.tenant > 0)):
        waits = run.wait_s[own & run.served]
        assert np.nan_to_num(longest[group], nan=-1) == (waits.max() if len(waits) else -1)
        rows = found[found["group"] == group]
        for step, row in enumerate(rows.itertuples()):
            last = step == len(rows) - 1
            came = last | (np.floor(workload.arrival_s / step_s) <= step)
            left = run.served & (np.floor(run.start_s / step_s) <= step)
            assert row.waiting == (own & entered & came & ~left).sum()
