"""Figures of fairness in production: cardinality, blind spots, demand, rolling metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from ..measures.statistics import jain_index
from ..observe import UnderShareAlert, WindowReport
from .style import POLICY_COLORS, label_line, policy_label

GREY, ORANGE, BLUE, GREEN = "#4d4d4d", "#b34d00", "#0072b2", "#007a58"
ESTIMATES = {
    "attempts": ("attempts_per_s", "s", ORANGE),
    "admitted": ("admitted_per_s", "^", GREY),
    "less retries": ("demand_per_s", "o", BLUE),
}
LINES = {"fifo": "-", "quota": "--", "drr": "-"}


def cardinality(ax: Axes, tenants: Sequence[int], series: Sequence[int]) -> Axes:
    """Draw how many series come out for how many tenants, beside one series for each."""
    ax.loglog(tenants, tenants, color=GREY, linestyle="--", marker="^")
    ax.loglog(tenants, series, color=BLUE, marker="o")
    middle = len(tenants) // 2
    label_line(ax, tenants[middle], tenants[middle], "one each", GREY, offset=(-70, 6))
    label_line(ax, tenants[middle], series[middle], "top K and the rest", BLUE, offset=(4, -18))
    ax.set(xlabel="tenants", ylabel="series of one metric", ylim=(3, None))
    ax.xaxis.set_major_formatter("{x:,g}")
    ax.yaxis.set_major_formatter("{x:,g}")
    return ax


def rejected_share(ax: Axes, other: ArrayLike, tiny: ArrayLike) -> Axes:
    """Draw the share of tasks rejected, by period: of all others, and of one tenant (NaN: unseen).

    Shares are fractions of 1, drawn in percent on a log axis.
    """
    hidden, shown = 100 * np.asarray(other, float), 100 * np.asarray(tiny, float)
    shown[shown <= 0] = np.nan  # a log axis has no zero
    ax.semilogy(hidden, color=GREY, marker="^", markersize=4)
    ax.semilogy(shown, color=ORANGE, marker="o", markersize=4)
    label_line(ax, 0, hidden[0], "__other__, plain top K", GREY, offset=(4, 13))
    last = int(np.flatnonzero(~np.isnan(shown))[-1])
    label_line(ax, last, shown[last], "tiny, second ranking", ORANGE, offset=(-120, -20))
    ax.set(xlabel="period", ylabel="tasks rejected (%)", ylim=(0.02, 200))
    ax.yaxis.set_major_formatter("{x:g}")
    return ax


def demand_estimates(ax: Axes, true_per_s: float, rows: Mapping[str, Mapping[str, float]]) -> Axes:
    """Draw estimates of one tenant's demand (tasks/s), a row per behaviour of clients."""
    for y, row in enumerate(rows.values()):
        for column, marker, color in ESTIMATES.values():
            ax.plot(row[column], y, marker=marker, color=color, markersize=9, linestyle="none")
    ax.axvline(true_per_s, color="black", linestyle="--", linewidth=1.2)
    at, beside = (true_per_s, -0.75), (5, 0)  # the line would cross the first letter
    ax.annotate("true demand", at, xytext=beside, textcoords="offset points")
    far = list(rows).index(max(rows, key=lambda name: rows[name]["attempts_per_s"]))
    row = list(rows.values())[far]
    for name, (column, _, color) in ESTIMATES.items():
        right = row[column] > true_per_s
        ax.annotate(
            name,
            (row[column], far),
            xytext=(5, -18) if name == "less retries" else (-4 if right else 0, 10),
            textcoords="offset points",
            ha="right" if name == "admitted" else "left" if name == "less retries" else "center",
            color=color,
            fontweight="bold",
        )
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set(xlabel="mid0, estimated demand (tasks/s)", ylim=(len(rows) - 0.5, -0.9), xlim=(30, 130))
    return ax


def idle_tenants(ax: Axes, x: ArrayLike, most: int = 1000) -> Axes:
    """Draw the Jain index of `x` with more and more idle tenants counted as fully served."""
    got = np.asarray(x, float)
    idle = np.unique(np.geomspace(1, most, 60).astype(int))
    index = [jain_index(np.append(got, np.ones(n))) for n in idle]
    ax.semilogx(idle, index, color=GREY)
    ax.axhline(jain_index(got), color=ORANGE, linestyle="--")
    label_line(ax, 30, jain_index(got), "tenants with demand only", ORANGE, offset=(0, -20))
    label_line(ax, idle[-1], index[-1], "idle ones counted", GREY, offset=(-106, -36))
    ax.set(xlabel="idle tenants counted", ylabel="Jain index", ylim=(0.6, 1.02))
    ax.xaxis.set_major_formatter("{x:g}")
    return ax


def rolling(
    axes: Sequence[Axes],
    reports: Mapping[str, Sequence[WindowReport]],
    alerts: Mapping[str, UnderShareAlert],
    burst: tuple[float, float],
) -> Sequence[Axes]:
    """Draw the rolling Jain index and under-share p99 wait of each policy, and its alert.

    Parameters
    ----------
    axes : sequence of Axes
        One for the index, one for the wait.
    reports, alerts
        By policy; a thick bar marks when the alert fires.
    burst : tuple of float
        Its start and end in seconds, shaded.
    """
    upper, lower = axes
    below = {"drr": 4, "quota": -13}
    for name, made in reports.items():
        full = [report for report in made if report.window[0] >= 0]
        end = [report.window[1] for report in full]
        color, line = POLICY_COLORS[name], LINES[name]
        upper.plot(end, [report.jain for report in full], color=color, linestyle=line)
        low = int(np.argmin([report.jain for report in full]))
        if full[low].jain < 0.9:
            label_line(upper, end[low], full[low].jain, policy_label(name), color, offset=(-24, 24))
        p99_ms = [1e3 * report.under_share_p99_so_far_s for report in full]
        lower.semilogy(end, p99_ms, color=color, linestyle=line)
        label_line(
            lower, end[-1], p99_ms[-1], policy_label(name), color, offset=(3, below.get(name, -4))
        )
        alert = alerts[name]
        starts = [now for now, firing in alert.changes if firing]
        stops = [now for now, firing in alert.changes if not firing]
        for i, now in enumerate(starts):
            until = stops[i] if i < len(stops) else end[-1]
            lower.plot([now, until], [9000, 9000], color=color, linewidth=7, alpha=0.9)
            text = f"alert: {policy_label(name)}"
            lower.text(now, 4800, text, va="top", color=color)
    limit_ms = 1e3 * next(iter(alerts.values())).fire_above_s
    lower.axhline(limit_ms, color="black", linestyle=":", linewidth=1.4)
    lower.text(10.3, limit_ms * 1.15, f"{limit_ms:g} ms")
    alike = [name for name, made in reports.items() if made[-1].jain > 0.999]
    for place, name in enumerate(alike):
        label_line(
            *(upper, 61, 1.0, policy_label(name), POLICY_COLORS[name]),
            offset=(0, -14 * place),
            va="top",
        )
    for ax in axes:
        ax.axvspan(*burst, color="#eeeeee", zorder=0)
        ax.set_xlim(10, 67)
    upper.text(burst[0] + 0.5, 0.705, "burst", color="black")
    upper.set(ylabel="Jain index", ylim=(0.69, 1.02))
    lower.set(ylabel="p99 wait within share (ms)", xlabel="end of the window (s)", ylim=(8, 15_000))
    lower.yaxis.set_major_formatter("{x:g}")
    return axes


def stuck(ax: Axes, reports: Sequence[WindowReport], stuck_s: float) -> Axes:
    """Draw what a monitor says of a pool that stops at `stuck_s`: started tasks, and all."""
    end = [report.window[1] for report in reports]
    started = [1e3 * report.under_share_p99_wait_s for report in reports]
    so_far = [1e3 * report.under_share_p99_so_far_s for report in reports]
    ax.semilogy(end, started, color=GREY, linestyle="--", marker="^", markersize=4)
    ax.semilogy(end, so_far, color=ORANGE, marker="o", markersize=4)
    ax.axvline(stuck_s, color="black", linestyle=":", linewidth=1.2)
    ax.text(stuck_s, 2, " stuck")
    known = [i for i, value in enumerate(started) if not np.isnan(value)][-1]
    label_line(ax, end[known], started[known], "started tasks only", GREY, offset=(-60, 8))
    label_line(ax, end[-1], so_far[-1], "waiting ones too", ORANGE, offset=(-105, -30))
    ax.set(xlabel="time (s)", ylabel="p99 wait within share (ms)", ylim=(1, 40_000))
    ax.yaxis.set_major_formatter("{x:g}")
    return ax
