"""The stepper: a handful of tasks under FIFO and under DRR, one decision a step.

Its log is recorded by `trace.record` from a run of the readable engine; the page only draws it.
"""

from __future__ import annotations

from typing import Any

import anywidget
import matplotlib.pyplot as plt
import traitlets
from matplotlib.figure import Figure

from ..engine.simulate import Run
from ..plots.style import by_group, group_of, group_style, policy_label
from ..policies.policy import Policy, drr, fifo
from ..traffic.workload import Workload
from . import front
from .fallback import WithFigure
from .trace import Step, number_of, record

ARRIVALS_MS = {
    "heavy": "0 20, 1 30, 2 20, 3 20, 4 30, 5 20, 6 20, 8 30, 10 20, 12 20, 14 20, 16 30, "
    "30 20, 32 20, 34 30, 60 20, 62 20",
    "mid": "7 30, 20 20, 33 30, 50 20, 70 30, 90 20, 110 20, 130 30",
    "small": "9 10, 41 10, 73 10, 105 10, 137 10",
}
"""Arrival and cost of each tenant's tasks, in ms."""


def thirty_tasks() -> Workload:
    """Return thirty tasks of three tenants, one of which sends too much.

    >>> len(thirty_tasks()), thirty_tasks().tenants
    (30, ('heavy', 'mid', 'small'))
    """
    rows = sorted(
        (int(task.split()[0]), index, int(task.split()[1]))
        for index, tasks in enumerate(ARRIVALS_MS.values())
        for task in tasks.split(",")
    )
    arrival_ms, tenant, cost_ms = zip(*rows, strict=True)
    return Workload(
        ARRIVALS_MS,
        [ms / 1000 for ms in arrival_ms],
        tenant,
        [ms / 1000 for ms in cost_ms],
        horizon_s=0.2,
    )


class StepperView(anywidget.AnyWidget):
    """What the page draws: the tasks, and the logs of both runs."""

    _esm = front.module("dom.js", "player.js", "stepper.js")
    _css = front.style("fl.css", "player.css", "stepper.css")
    tenants: Any = traitlets.List().tag(sync=True)
    tasks = traitlets.Dict().tag(sync=True)
    traces: Any = traitlets.List().tag(sync=True)
    end_ms = traitlets.Float().tag(sync=True)
    policy = traitlets.Int(1).tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)


class Stepper(WithFigure):
    """Two runs of one small workload, to be gone through decision by decision.

    Attributes
    ----------
    steps : dict of str to list of Step
        The log of each policy by name.
    runs : dict of str to Run
        The runs that they were recorded from.
    """

    sentence = (
        "On the built page, or in JupyterLab, you can go through both schedules one decision a "
        "step: who waits, whose turn it is, and why a task goes or waits."
    )

    def __init__(self, workload: Workload, policies: tuple[Policy, ...], workers: int) -> None:
        logs = {policy.name: record(workload, policy, workers) for policy in policies}
        self.steps: dict[str, list[Step]] = {name: log for name, (log, _) in logs.items()}
        self.runs: dict[str, Run] = {name: run for name, (_, run) in logs.items()}
        self.view = StepperView(
            tenants=_tenants(workload),
            tasks={
                "tenant": workload.tenant.tolist(),
                "number": [number_of(workload, task) for task in range(len(workload))],
                "arrival_ms": _ms_column(workload.arrival_s),
                "cost_ms": _ms_column(workload.cost_s),
            },
            traces=[_trace(name, log, run) for name, (log, run) in logs.items()],
            end_ms=max(1e3 * log[-1].now_s for log in self.steps.values()),
            policy=len(policies) - 1,
        )
        super().__init__([self.view])
        self.add_class("fl-box")

    def figure(self) -> Figure:
        """Draw who was served when under each policy."""
        figure, axes = plt.subplots(len(self.runs), sharex=True, figsize=(5.8, 3.2))
        for ax, run in zip(axes, self.runs.values(), strict=True):
            _draw_schedule(ax, run, self.steps[run.policy.name])
        axes[-1].set_xlabel("time (ms)")
        return figure


def stepper(
    workload: Workload | None = None,
    policies: tuple[Policy, ...] | None = None,
    workers: int = 2,
) -> Stepper:
    """Go through a small workload under FIFO and under DRR, one decision a step.

    Parameters
    ----------
    workload : Workload, optional
        A small one; thirty tasks of three tenants by default.
    policies : tuple of Policy, optional
        What to compare, FIFO or DRR each; ``fifo(cap=12)`` and ``drr(quantum_s=0.020, cap=6)`` by
        default.
    workers : int
        Size of the pool.
    """
    chosen = policies or (fifo(cap=12), drr(quantum_s=0.020, cap=6))
    return Stepper(workload or thirty_tasks(), chosen, workers)


def _tenants(workload: Workload) -> list[dict[str, str]]:
    groups = list(by_group(workload.tenants))
    return [{"name": t, **group_style(group_of(t), groups)} for t in workload.tenants]


def _trace(name: str, log: list[Step], run: Run) -> dict[str, Any]:
    """Return one run's log as the page reads it, times in ms."""
    start_ms = [ms if ms == ms else None for ms in _ms_column(run.start_s)]  # NaN: not served
    worker: list[int] = [0] * len(start_ms)
    for step in log:
        if step.kind == "served" and step.task is not None:
            worker[step.task] = step.workers.index(step.task)
    return {
        "label": policy_label(name),
        "start_ms": start_ms,
        "worker": worker,
        "step": [
            {
                "now_ms": round(1e3 * step.now_s, 6),
                "kind": step.kind,
                "tenant": step.tenant,
                "task": step.task,
                "why": step.why,
                "queues": step.queues,
                "deficit_ms": [round(1e3 * s, 3) for s in step.deficit_s],
                "turn": step.turn,
                "workers": step.workers,
            }
            for step in log
        ],
    }


def _draw_schedule(ax: Any, run: Run, log: list[Step]) -> None:
    workload = run.workload
    groups = list(by_group(workload.tenants))
    for step in log:
        if step.kind not in ("served", "rejected") or step.task is None:
            continue
        tenant = workload.tenants[workload.tenant[step.task]]
        color = group_style(group_of(tenant), groups)["color"]
        if step.kind == "served":
            cost_ms = 1e3 * workload.cost_s[step.task]
            row = step.workers.index(step.task)
            ax.barh(row, cost_ms, left=1e3 * step.now_s, color=color, edgecolor="white")
            middle = 1e3 * step.now_s + cost_ms / 2
            ax.text(middle, row, tenant[0], color="white", ha="center", va="center")
        else:
            ax.plot(1e3 * step.now_s, run.workers - 0.2, marker="x", color=color, clip_on=False)
    ax.set(title=policy_label(run.policy.name), ylim=(run.workers, -0.6))
    ax.set_yticks(range(run.workers), [f"worker {i + 1}" for i in range(run.workers)])
    ax.grid(axis="y", visible=False)


def _ms_column(seconds: Any) -> list[float]:
    return [round(1e3 * float(s), 6) for s in seconds]
