"""Figures over time: what arrives, how many tasks are queued, and how long they wait."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from ..engine.simulate import Run
from ..measures.timeline import timeline
from ..policies.tasks import REJECTED
from ..traffic.workload import Workload
from .style import F2_LIMIT_MS, by_group, group_style, label_line, policy_label


def arrivals(ax: Axes, workload: Workload, bin_s: float = 1.0, capacity_per_s: float = 0) -> Axes:
    """Draw arrivals per second of each tenant group, and of all, on a log axis.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    workload : Workload
        The tasks.
    bin_s : float
        Width of a bin in seconds.
    capacity_per_s : float
        If above 0, drawn as a dashed line.
    """
    edges = np.arange(0.0, workload.horizon_s + bin_s / 2, bin_s)
    groups = by_group(workload.tenants)
    for group, members in groups.items():
        times = workload.arrival_s[np.isin(workload.tenant, members)]
        rate = np.histogram(times, edges)[0] / bin_s
        style = group_style(group, list(groups))
        ax.plot(edges[:-1] + bin_s / 2, rate, color=style["color"])
        name = group if len(members) == 1 else f"{len(members)} {group}"
        label_line(ax, 0.0, float(np.median(rate)), name, style["color"], offset=(4, 6))
    if capacity_per_s > 0:
        ax.axhline(capacity_per_s, color="black", linestyle="--", linewidth=1.2)
        label_line(ax, 0.0, capacity_per_s, "capacity", "black", offset=(4, 4))
    ax.set_yscale("log")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set(xlabel="time (s)", ylabel="arrivals (tasks/s)", xlim=(0, workload.horizon_s))
    return ax


def queue_length(ax: Axes, run: Run, step_s: float = 0.1) -> Axes:
    """Draw how many tasks are queued, all tenants together.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    run : Run
        The run.
    step_s : float
        Time between the moments that are looked at, in seconds.
    """
    workload = run.workload
    entered_s = workload.arrival_s[~np.isin(run.outcome, REJECTED)]
    started_s = np.sort(run.start_s[run.served])
    steps = round(workload.horizon_s / step_s)
    time_s = np.linspace(0.0, workload.horizon_s, steps + 1)
    queued = np.searchsorted(entered_s, time_s, "right") - np.searchsorted(
        started_s, time_s, "right"
    )
    ax.plot(time_s, queued, color="black")
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.set(xlabel="time (s)", ylabel="tasks queued", xlim=(0, workload.horizon_s))
    ax.set_ylim(bottom=0)
    return ax


def waits_over_time(
    ax: Axes, run: Run, bin_s: float = 1.0, q: float = 0.99, limit: bool = True
) -> Axes:
    """Draw a quantile of the queue wait, by arrival time and tenant group, on a log axis.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    run : Run
        The run.
    bin_s : float
        Width of a bin of arrival times in seconds.
    q : float
        The quantile, between 0 and 1.
    limit : bool
        Whether to draw the 50 ms line of F2.
    """
    workload = run.workload
    groups = by_group(workload.tenants)
    named = {group: [workload.tenants[t] for t in members] for group, members in groups.items()}
    found = timeline(run, named, step_s=bin_s, q=q)
    for group in groups:
        rows = found[(found["group"] == group) & found["wait_s"].notna()]
        middle_s, wait_ms = rows["from_s"] + bin_s / 2, 1e3 * rows["wait_s"]
        style = group_style(group, list(groups))
        ax.plot(middle_s, np.maximum(wait_ms, 1.0), markersize=3.5, **style)
    if limit:
        ax.axhline(F2_LIMIT_MS, color="black", linestyle="--", linewidth=1.2)
    ax.set_yscale("log")
    ax.set_ylim(1, 10_000)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set(
        xlabel="arrival time (s)",
        ylabel=f"p{100 * q:g} wait (ms)",
        xlim=(0, workload.horizon_s),
        title=policy_label(run.policy.name),
    )
    return ax
