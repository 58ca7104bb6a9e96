"""Diagrams: a task's path through a policy, the schedule of a small run, water filling.

They are drawn from the objects they explain, so that a changed parameter changes the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from ..engine.simulate import Run
from ..measures.allocation import max_min_fair
from ..policies.admission import Quota
from ..policies.drr import DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.policy import Policy
from .style import GROUP_COLORS, by_group, group_of, group_style

INK, PALE, REFUSED = "#333333", "#f3f3f3", "#b3261e"
SLOT = 0.46
SHARED_QUEUE = ("heavy", "heavy", "mid", "heavy", "heavy", "heavy", "small")
OWN_QUEUES = {"heavy": 6, "mid": 2, "small": 1}
OWN_ROWS = {"heavy": 3.05, "mid": 2.4, "small": 1.75}
ARRIVING = "small"


def task_path(ax: Axes, policy: Policy, workers: int = 8) -> Axes:
    """Draw the way of a task from arrival to a worker, and where it can be turned away.

    Parameters
    ----------
    ax : Axes
        Where to draw; about 5.2 by 2.5 inches.
    policy : Policy
        With a `Fifo` or `DeficitRoundRobin` discipline, and a `Quota` or no admission.
    workers : int
        How many workers to draw.

    Raises
    ------
    TypeError
        If the discipline or admission has no drawing here.
    """
    ax.set(xlim=(0, 10.4), ylim=(0, 3.9), aspect="equal")
    ax.axis("off")
    ax.add_patch(Circle((0.3, 2.4), 0.2, facecolor=GROUP_COLORS[ARRIVING], edgecolor=INK))
    ax.text(0.05, 3.0, "task\narrives", va="bottom")
    x = 0.6
    if isinstance(policy.admission, Quota):
        _arrow(ax, (x, 2.4), (1.3, 2.4))
        _box(ax, 1.3, 1.75, 1.6, 1.3, "token\nbucket of\nits tenant")
        _reject(ax, 2.1, 1.75, "no token:\nrejected")
        x = 2.9
    elif policy.admission is not None:
        raise TypeError(f"policy must have a Quota or no admission to be drawn; got {policy!r}")
    if isinstance(policy.discipline, Fifo):
        left = _shared_queue(ax, x + 0.7, policy.discipline)
        ends, into = [(left + len(SHARED_QUEUE) * SLOT, 2.4)], 2.4
    elif isinstance(policy.discipline, DeficitRoundRobin):
        left = x + 0.7
        ends, into = _own_queues(ax, left, policy.discipline), OWN_ROWS[ARRIVING]
    else:
        raise TypeError(f"policy must be Fifo or DeficitRoundRobin to be drawn; got {policy!r}")
    _arrow(ax, (x, 2.4), (left, into))
    for end in ends:
        _arrow(ax, end, (8.95, 2.4))
    rows = -(-workers // 2)
    step = min(0.6, 2.4 / rows)
    for worker in range(workers):
        place = (9.3 + 0.6 * (worker % 2), 2.4 + step * ((rows - 1) / 2 - worker // 2))
        ax.add_patch(Circle(place, 0.42 * step, facecolor=PALE, edgecolor=INK))
    ax.text(9.6, 1.05, f"{workers} workers", ha="center", va="top")
    return ax


def schedule(ax: Axes, run: Run, unit: str = "ms") -> Axes:
    """Draw a small run, a row per task: a thin line while it waits, a bar while it is served.

    A cross marks a task turned away. With several workers a bar carries its worker's number.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    run : Run
        A run of about a dozen tasks.
    unit : {"ms", "s"}
        Unit of the time axis.
    """
    scale = {"ms": 1e3, "s": 1.0}[unit]
    workload = run.workload
    groups = list(by_group(workload.tenants))
    names = [workload.tenants[t] for t in workload.tenant]
    numbers = [names[: i + 1].count(name) for i, name in enumerate(names)]
    worker = worker_of(run.start_s.tolist(), run.finish_s.tolist())
    for row, name in enumerate(names):
        style = group_style(group_of(name), groups)
        arrival, start, finish = (
            scale * float(t[row]) for t in (workload.arrival_s, run.start_s, run.finish_s)
        )
        if np.isnan(start):
            ax.plot(
                arrival, row, marker="x", color=style["color"], markersize=9, mew=2.5, clip_on=False
            )
            ax.annotate(
                "rejected",
                (arrival, row),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
            )
            continue
        ax.plot([arrival, start], [row, row], color=style["color"], linewidth=1.6)
        ax.plot(arrival, row, markersize=5, clip_on=False, zorder=3, **style)
        ax.barh(row, finish - start, left=start, height=0.62, color=style["color"])
        if run.workers > 1:
            ax.text(
                (start + finish) / 2,
                row,
                f"{worker[row]}",
                color="white",
                ha="center",
                va="center",
                fontweight="bold",
            )
    ax.set_yticks(range(len(names)), [f"{a} {n}" for a, n in zip(names, numbers, strict=True)])
    ax.set(xlabel=f"time ({unit})", ylim=(len(names) - 0.4, -0.6))
    ax.grid(axis="y", visible=False)
    return ax


def worker_of(start_s: Sequence[float], finish_s: Sequence[float]) -> list[int]:
    """Return the worker of each task, from 1: the lowest that is free; 0 if it was not served.

    >>> worker_of([0.0, 0.0, 1.0, float("nan")], [2.0, 1.0, 3.0, float("nan")])
    [1, 2, 2, 0]
    """
    free_at: list[float] = []
    worker = [0] * len(start_s)
    served = [i for i, t in enumerate(start_s) if not np.isnan(t)]
    for task in sorted(served, key=lambda i: (start_s[i], i)):
        free = [i for i, t in enumerate(free_at) if t <= start_s[task]]
        if not free:
            free_at.append(0.0)
            free = [len(free_at) - 1]
        free_at[free[0]] = finish_s[task]
        worker[task] = free[0] + 1
    return worker


def water_filling(
    ax: Axes,
    demands: Mapping[str, float],
    capacity: float,
    weights: Mapping[str, float] | None = None,
    unit: str = "tasks/s",
) -> Axes:
    """Draw max-min sharing as water in vessels: as wide as the weight, as high as the demand.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    demands : mapping of str to float
        What each tenant asks for.
    capacity : float
        What there is to share.
    weights : mapping of str to float, optional
        Entitlements; 1 for all by default.
    unit : str
        Unit of demands and capacity.
    """
    width = {name: 1.0 if weights is None else float(weights[name]) for name in demands}
    share = max_min_fair(demands, capacity, weights)
    level = max(share[name] / width[name] for name in demands)
    top = max(demands[name] / width[name] for name in demands)
    left, ticks = 0.0, []
    for name, demand in demands.items():
        color = group_style(group_of(name), list(by_group(list(demands))))["color"]
        size, height = width[name], share[name] / width[name]
        ax.add_patch(Rectangle((left, 0), size, height, facecolor=color, zorder=2))
        ax.add_patch(
            Rectangle(
                (left, 0), size, demand / size, fill=False, edgecolor=color, linewidth=2, zorder=3
            )
        )
        ax.text(
            left + size / 2,
            height / 2,
            f"gets\n{share[name]:.4g}",
            color="white",
            ha="center",
            va="center",
            fontweight="bold",
            zorder=4,
        )
        ax.text(
            left + size / 2,
            demand / size + 0.02 * top,
            f"asks {demand:.4g}",
            ha="center",
            va="bottom",
            zorder=4,
        )
        ticks.append(left + size / 2)
        left += size + 0.25
    short = any(share[name] < demands[name] for name in demands)
    if short:
        ax.axhline(level, color="black", linestyle="--", linewidth=1.4, zorder=5)
        ax.text(left, level + 0.015 * top, f"level\n{level:.4g}", va="bottom")
    labels = [name if weights is None else f"{name}\nweight {width[name]:g}" for name in demands]
    ax.set_xticks(ticks, labels)
    ax.set(xlim=(-0.2, left + 0.5), ylim=(0, 1.12 * top))
    ax.set_ylabel(unit if weights is None else f"{unit} per unit of weight")
    ax.grid(visible=False)
    return ax


def _box(ax: Axes, x: float, y: float, width: float, height: float, text: str) -> None:
    style = "round,pad=0.02,rounding_size=0.12"
    ax.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle=style, facecolor=PALE, edgecolor=INK)
    )
    ax.text(x + width / 2, y + height / 2, text, ha="center", va="center")


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.3, "shrinkA": 1, "shrinkB": 1}
    ax.annotate("", end, start, arrowprops=arrow)


def _reject(ax: Axes, x: float, y: float, text: str) -> None:
    _arrow(ax, (x, y), (x, 0.95))
    ax.text(x, 0.85, text, ha="center", va="top", color=REFUSED)


def _slots(ax: Axes, left: float, y: float, groups: Sequence[str], n: int) -> None:
    """Draw a queue of `n` slots, filled from the right: its head is next to the workers."""
    for place in range(n):
        ax.add_patch(
            Rectangle((left + place * SLOT, y - 0.27), SLOT, 0.54, facecolor="white", edgecolor=INK)
        )
    for place, group in zip(range(n - 1, -1, -1), groups, strict=False):
        style = group_style(group, ())
        ax.plot(left + (place + 0.5) * SLOT, y, markersize=8, linestyle="", **style)


def _limit(cap: int | None) -> str:
    return "no limit" if cap is None else f"at most {cap:,}"


def _shared_queue(ax: Axes, left: float, discipline: Fifo) -> float:
    _slots(ax, left, 2.4, SHARED_QUEUE, len(SHARED_QUEUE))
    middle = left + len(SHARED_QUEUE) * SLOT / 2
    said = f"one queue for all,\n{_limit(discipline.cap)}"
    ax.text(middle, 2.8, said, ha="center")
    if discipline.cap is not None:
        _reject(ax, left + SLOT / 2, 2.12, "queue full:\nrejected")
    for place, group in enumerate(OWN_QUEUES):
        x, y = left + len(SHARED_QUEUE) * SLOT - 0.05, 1.8 - 0.38 * place
        ax.text(x, y, group, ha="right", color=GROUP_COLORS[group])
        ax.plot(x + 0.25, y + 0.12, markersize=8, **group_style(group, ()))
    return left


def _own_queues(ax: Axes, left: float, discipline: DeficitRoundRobin) -> list[tuple[float, float]]:
    ends = []
    for group, n in OWN_QUEUES.items():
        y = OWN_ROWS[group]
        _slots(ax, left, y, [group] * n, max(OWN_QUEUES.values()))
        right = left + max(OWN_QUEUES.values()) * SLOT
        ends.append((right + 1.2, y))
        ax.text(right + 0.1, y, group, va="center", color=GROUP_COLORS[group])
    ax.text(
        left,
        3.45,
        f"a queue each, {_limit(discipline.cap)}",
    )
    ax.text(
        7.1,
        1.15,
        f"by turns, +{1e3 * discipline.quantum_s:g} ms\nof deficit a turn",
        ha="center",
        va="top",
    )
    if discipline.cap is not None:
        _reject(ax, left + SLOT / 2, 1.48, "queue full:\nrejected")
    return ends
