"""Rolling measures of a finished run are those of a monitor beside it, and of `measure`."""

from __future__ import annotations

from math import isnan

import pytest
from cases import workloads
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    FairnessMonitor,
    Policy,
    article_workload,
    drr,
    fifo,
    measure,
    quota,
    simulate,
)
from fairness_lib.observe import kept_over_time, look_back, watch

POLICIES = [
    fifo(cap=3),
    quota(buckets={"*": (1, 2)}, cap=None),
    drr(quantum_s=0.2, cap=2),
    drr(quantum_s=0.2, cap=None),
]
RUNS = {
    "workload": workloads(),
    "policy": st.sampled_from(POLICIES),
    "workers": st.integers(1, 3),
    "window_s": st.sampled_from([1.0, 2.5, 40.0]),
    "step_s": st.sampled_from([0.5, 2.0]),
}


@given(**RUNS)
def test_look_back_gives_what_a_monitor_says(workload, policy: Policy, workers, window_s, step_s):
    run = simulate(workload, policy, workers)
    weights = dict(zip(workload.tenants, workload.weight.tolist(), strict=True))
    history = 1 + int(workload.horizon_s / step_s)
    monitor = FairnessMonitor(workers, window_s, step_s, weights=weights, history=history)
    watch(run, monitor)
    told, found = list(monitor.reports), look_back(run, window_s, step_s)
    assert list(map(repr, found)) == list(map(repr, told))
    for one, other in zip(found, told, strict=True):
        assert (one.tenants, one.note) == (other.tenants, other.note)
        assert one.x.tobytes() == other.x.tobytes()
        assert str(one.under_share_p99_so_far_s) == str(other.under_share_p99_so_far_s)


@given(**RUNS, objective_s=st.sampled_from([0.0, 0.5]))
def test_kept_over_time_is_what_measure_says_of_each_window(
    workload, policy: Policy, workers, window_s, step_s, objective_s
):
    run = simulate(workload, policy, workers)
    for end, kept in kept_over_time(run, window_s, step_s, objective_s).items():
        window = (end - window_s, end)
        try:
            truth = measure(run, window, objective_s=objective_s)
        except ValueError:  # nothing arrived or finished in it: nothing to compare with
            continue
        assert kept == truth.kept or (isnan(kept) and truth.owed == 0)


def test_what_is_owed_is_kept_by_drr_after_the_burst_and_not_by_fifo():
    workload = article_workload(seed=1)
    parts = {p.name: kept_over_time(simulate(workload, p), 10, 1) for p in (fifo(), drr())}
    assert list(parts["drr"]) == [float(end) for end in range(10, 61)]
    assert min(parts["drr"].values()) > 0.98
    assert parts["fifo"][50.0] < 0.01


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"window_s": 0}, "window_s must be finite and above 0"),
        ({"step_s": -1}, "step_s must be finite and above 0"),
        ({"run": 7}, "run must be a Run"),
    ],
)
@pytest.mark.parametrize("function", [look_back, kept_over_time])
def test_bad_arguments_are_refused_by_name(function, given_, said):
    run = simulate(article_workload(seed=1), fifo())
    with pytest.raises((TypeError, ValueError), match=said):
        function(**{"run": run, **given_})
