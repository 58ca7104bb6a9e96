"""Deficit round robin that settles at the finish, as policies.settling."""

from __future__ import annotations

from ...policies.settling import SettlingDeficitRoundRobin
from ...traffic.workload import Workload
from .columns import Tasks
from .drr import (
    MOST_VISITS,
    Rules,
    State,
    abandoned,
    begin,
    fruitless,
    most_visits,
    put,
    retry_after_s,
    rules_of,
    state_for,
    take,
)

__all__ = [
    "Rules",
    "State",
    "abandoned",
    "begin",
    "finished",
    "fruitless",
    "obstacle",
    "put",
    "retry_after_s",
    "rules_of",
    "state_for",
    "take",
]


def obstacle(discipline: SettlingDeficitRoundRobin, workload: Workload) -> str | None:
    """Say why the kernel cannot run this discipline; None if it can."""
    worst_s = float(workload.estimate_s.sum() + workload.cost_s.sum())
    if most_visits(discipline, workload, worst_s) > MOST_VISITS:
        return "so small a quantum needs more visits than it can count"
    return None


def finished(
    task: int, cost_s: float, now: float, tasks: Tasks, rules: Rules, state: State
) -> None:
    """Put the charge right; a queue that has emptied keeps a debt, but no credit."""
    t = tasks.tenant[task]
    state.left_s[t] -= cost_s - tasks.estimate_s[task]
    if state.queues.length[t] == 0:
        state.left_s[t] = min(state.left_s[t], 0.0)
