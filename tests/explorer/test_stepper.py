"""The stepper's log is what the engine did: every decision, with the deficit that decided it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from fairness_lib import Policy, drr, fifo, simulate
from fairness_lib.explorer import stepper
from fairness_lib.explorer.stepper import thirty_tasks
from fairness_lib.explorer.trace import record

POLICIES = {"fifo": fifo(cap=12), "drr": drr(quantum_s=0.020, cap=6)}


@pytest.fixture(params=POLICIES)
def logged(request):
    policy = POLICIES[request.param]
    return policy, *record(thirty_tasks(), policy, workers=2)


def test_recording_does_not_change_the_run(logged) -> None:
    policy, _, run = logged
    plain = simulate(thirty_tasks(), policy, workers=2)
    np.testing.assert_array_equal(run.start_s, plain.start_s)
    np.testing.assert_array_equal(run.outcome, plain.outcome)


def test_every_task_is_logged_once_as_what_became_of_it(logged) -> None:
    _, steps, run = logged
    served = {step.task: step.now_s for step in steps if step.kind == "served"}
    assert served == {t: run.start_s[t] for t in np.flatnonzero(run.served)}
    rejected = [step.task for step in steps if step.kind == "rejected"]
    assert rejected == np.flatnonzero(~run.served).tolist()
    arrived = [step.task for step in steps if step.kind in ("queued", "rejected")]
    assert arrived == list(range(30))


def test_state_shown_is_the_sum_of_the_decisions_before(logged) -> None:
    _, steps, run = logged
    waiting: set[int] = set()
    for step in steps:
        if step.kind == "queued":
            waiting.add(step.task)
        if step.kind == "served":
            waiting.remove(step.task)
        assert {task for queue in step.queues for task in queue} == waiting
        running = {t for t in step.workers if t is not None}
        began = run.start_s <= step.now_s
        if step.kind != "queued":  # at an instant, arrivals come before idle workers take
            busy = set(np.flatnonzero(began & (run.finish_s > step.now_s)))
            assert running <= busy | {step.task}


def test_the_worker_that_is_free_is_the_one_that_was_freed() -> None:
    steps, run = record(thirty_tasks(), POLICIES["drr"], workers=2)
    last = {step.task: step.workers.index(step.task) for step in steps if step.kind == "served"}
    idle = [step for step in steps if step.kind == "idle"]
    for step in idle:
        ended = [t for t in last if run.finish_s[t] == step.now_s]
        assert [f"Worker {last[task] + 1} is idle: nobody waits." for task in ended] == [step.why]
    assert len(idle) > 1
    both = {step.why[:8] for step in idle}
    assert both == {"Worker 1", "Worker 2"}


def test_a_turn_passes_only_when_the_deficit_is_too_small() -> None:
    workload = thirty_tasks()
    steps, run = record(workload, POLICIES["drr"], workers=2)
    passed = [step for step in steps if step.kind == "passed"]
    assert len(passed) == run.fruitless_visits > 0
    ended = [step for step in steps if step.kind == "ended"]
    for step in passed + ended:
        assert step.turn == step.tenant
        assert step.deficit_s[step.tenant] < workload.cost_s[step.task]
    assert all(min(step.deficit_s) >= 0 for step in steps)


def test_the_two_schedules_differ_where_the_chapter_says_so() -> None:
    widget = stepper()
    waits = {}
    for name, run in widget.runs.items():
        small = run.workload.tenant == 2
        waits[name] = np.nanmax(run.wait_s[small])
    assert waits["drr"] < 0.3 * waits["fifo"]
    mid = widget.runs["fifo"].workload.tenant == 1
    assert (~widget.runs["fifo"].served[mid]).any()
    assert widget.runs["drr"].served[mid].all()


def test_the_page_gets_the_log_as_recorded() -> None:
    widget = stepper()
    for trace, (name, steps) in zip(widget.view.traces, widget.steps.items(), strict=True):
        assert [s["why"] for s in trace["step"]] == [s.why for s in steps]
        served = [t for t, ms in enumerate(trace["start_ms"]) if ms is not None]
        assert served == np.flatnonzero(widget.runs[name].served).tolist()


def test_only_fifo_and_drr_can_be_logged() -> None:
    class Other:
        def begin(self, tasks) -> None: ...
        def put(self, task, now) -> None: ...
        def take(self, now) -> None: ...

    with pytest.raises(TypeError, match="policy must be FIFO or deficit round robin"):
        record(thirty_tasks(), Policy("other", Other()), workers=1)


def test_a_static_figure_stands_in_for_the_widget() -> None:
    figure = stepper().figure()
    assert [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes] == ["FIFO", "DRR"]


def test_recorder_keeps_the_policy_as_it_was() -> None:
    policy = replace(POLICIES["drr"])
    record(thirty_tasks(), policy, workers=2)
    assert not hasattr(policy.discipline, "flows")
