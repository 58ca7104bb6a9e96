"""Figures of how the result depends on a parameter: quantum, queue cap, weights, workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from ..measures.report import FairnessReport
from .style import F2_LIMIT_MS, GROUP_COLORS, by_group, group_style, label_line

if TYPE_CHECKING:
    import pandas as pd

SHADE = "#0072b2"
LINE_STYLES = ("-", "--", "-.", ":")
LEAST_VISITS = 1e-3


def fruitless_visits(ax: Axes, per_task: pd.Series, mean_cost_ms: float) -> Axes:
    """Draw fruitless visits per served task against the quantum, between two closed forms.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    per_task : Series of float
        Fruitless visits per served task, by quantum in milliseconds; below 0.001 not drawn.
    mean_cost_ms : float
        Mean of the exponential costs. A tenant that is always backlogged makes
        ``m/q * exp(-q/m)`` fruitless visits per task, one with a single task ``1/(exp(q/m) - 1)``.
    """
    seen = per_task[per_task >= LEAST_VISITS]
    quanta = np.geomspace(seen.index.min(), seen.index.max(), 100)
    x = quanta / mean_cost_ms
    backlogged, single = np.exp(-x) / x, 1 / np.expm1(x)
    ax.fill_between(quanta, backlogged, single, color="#d9d9d9", zorder=1)
    ax.plot(seen.index, seen, color="black", marker="o", linestyle="none", zorder=3)
    ax.axvline(mean_cost_ms, color="black", linestyle="--", linewidth=1.2)
    label_line(ax, mean_cost_ms, float(seen.max()), "mean cost", "black", offset=(5, -10))
    label_line(ax, quanta[0], 2 * LEAST_VISITS, "grey: closed forms", "#4d4d4d", offset=(0, 0))
    ax.set(xscale="log", yscale="log", ylim=(LEAST_VISITS, float(seen.max()) * 3))
    _plain(ax)
    ax.set(xlabel="quantum (ms)", ylabel="fruitless visits per task")
    return ax


def wait_by_quantum(ax: Axes, wait_ms: pd.Series, round_ms: pd.Series) -> Axes:
    """Draw the under-share p99 wait against the quantum, beside the length of a round.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    wait_ms, round_ms : Series of float
        Wait and length of a round in milliseconds, by quantum in milliseconds.
    """
    ax.plot(wait_ms.index, wait_ms, color="black", marker="o")
    ax.plot(round_ms.index, round_ms, color="#a6376d", linestyle="--")
    ax.axhline(F2_LIMIT_MS, color="black", linestyle=":", linewidth=1.2)
    first = float(wait_ms.index[0])
    label_line(ax, first, float(wait_ms.iloc[0]), "p99 wait", "black", offset=(0, 10))
    middle = float(round_ms.index[len(round_ms) // 2])
    label_line(
        ax,
        middle,
        float(round_ms[middle]),
        "one round",
        "#a6376d",
        offset=(8, -12),
    )
    label_line(ax, first, F2_LIMIT_MS, "50 ms (F2)", "black", offset=(0, 5))
    ax.set(xscale="log", yscale="log", ylim=(1, None))
    _plain(ax)
    ax.set(xlabel="quantum (ms)", ylabel="under-share wait (ms)")
    return ax


def wait_by_cap(ax: Axes, waits_s: pd.DataFrame) -> Axes:
    """Draw heavy's median and p99 wait against its queue cap, beside the rule.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    waits_s : DataFrame
        Columns ``rule``, ``p50`` and ``p99`` in seconds, by queue cap in tasks.
    """
    color = GROUP_COLORS["heavy"]
    ax.plot(waits_s.index, waits_s["p99"], color=color, marker="^", linestyle="-")
    ax.plot(waits_s.index, waits_s["p50"], color=color, marker="o", linestyle="none")
    ax.plot(waits_s.index, waits_s["rule"], color="black", linestyle="--")
    first = float(waits_s.index[0])
    label_line(ax, first, float(waits_s["p99"].iloc[0]), "p99 ▲", color, offset=(0, 10))
    label_line(ax, first, float(waits_s["rule"].iloc[0]), "rule - -", "black", offset=(28, -4))
    last = float(waits_s.index[-1])
    label_line(
        ax, last, float(waits_s["p50"].iloc[-1]), "median ●", color, offset=(0, -48), ha="right"
    )
    ax.set(xscale="log", yscale="log")
    _plain(ax)
    ax.set(xlabel="queue cap (tasks)", ylabel="heavy's wait (s)")
    return ax


def served_in_time(ax: Axes, shares: pd.DataFrame) -> Axes:
    """Draw the part of heavy's tasks served within a deadline, against the queue cap.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    shares : DataFrame
        Parts between 0 and 1, by queue cap in tasks; a column a deadline, named by it.
    """
    color = GROUP_COLORS["heavy"]
    for (name, part), style in zip(shares.items(), LINE_STYLES, strict=False):
        ax.plot(shares.index, part, color=color, linestyle=style, marker="s", markersize=4)
        drop = float(part[part > part.max() / 2].index[-1])
        label_line(ax, drop, float(part[drop]), str(name), color, offset=(7, 6))
    ax.set(xscale="log", ylim=(0, None))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set(xlabel="queue cap (tasks)", ylabel="heavy's tasks in time")
    return ax


def wait_by_spare_rate(ax: Axes, waits: pd.DataFrame) -> Axes:
    """Draw p99 waits against the rate that a tenant has to spare, beside ``ln(100) / spare``.

    A tenant that can count on a rate, and asks for less, waits as at a server of its own with
    that rate (M/M/1): the difference of the two alone says how long.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    waits : DataFrame
        One row per setting: ``group``, ``spare_per_s`` (tasks/s, above 0) and ``wait_ms``.
    """
    groups = list(dict.fromkeys(waits["group"]))
    for group in groups:
        rows, style = waits[waits["group"] == group], group_style(group, groups)
        ax.scatter(rows["spare_per_s"], rows["wait_ms"], s=36, zorder=3, **style)
        first = rows.sort_values("spare_per_s").iloc[0]
        at = float(first["spare_per_s"]), float(first["wait_ms"])
        label_line(ax, *at, group, style["color"], offset=(9, 3))
    spare = np.geomspace(waits["spare_per_s"].min() / 1.3, waits["spare_per_s"].max() * 1.3, 50)
    ax.plot(spare, 1e3 * np.log(100) / spare, color="black", linestyle="--", linewidth=1.2)
    label_line(ax, spare[32], 1e3 * np.log(100) / spare[32], "ln 100 / spare", "black")
    ax.axhline(F2_LIMIT_MS, color="black", linestyle=":", linewidth=1.2)
    label_line(ax, spare[0], F2_LIMIT_MS, "50 ms (F2)", "black", offset=(0, 5))
    ax.set(xscale="log", yscale="log")
    _plain(ax)
    ax.set(xlabel="rate to spare (tasks/s)", ylabel="p99 wait (ms)")
    return ax


def served_by_group(ax: Axes, reports: Mapping[str, FairnessReport]) -> Axes:
    """Draw what part of its demand each tenant group completed, a row per report.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    reports : mapping of str to FairnessReport
        By the name of the row.
    """
    for row, report in enumerate(reports.values()):
        groups = by_group(list(report.tenants.index))
        for place, (group, members) in enumerate(groups.items()):
            rows = report.tenants.iloc[members]
            part = rows["completed_per_s"].sum() / rows["demand_per_s"].sum()
            y = row + 0.2 * (place - (len(groups) - 1) / 2)
            style = group_style(group, list(groups))
            ax.plot([0, part], [y, y], color=style["color"], linewidth=1.2)
            ax.scatter([part], [y], s=36, zorder=3, **style)
            if row == 0:
                label_line(ax, part, y, group, style["color"], offset=(8, 0), va="center")
    ax.set_yticks(range(len(reports)), list(reports))
    ax.set_ylim(len(reports) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set_xlim(0, 1.18)
    ax.set_xticks(np.linspace(0, 1, 5))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_xlabel("part of its demand that a group completed")
    return ax


def parameter_plane(ax: Axes, table: pd.DataFrame, form: str, log: bool = False) -> Axes:
    """Draw a table over two parameters as shaded cells with their values written in.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    table : DataFrame of float
        One parameter down, the other across; index and columns carry their names.
    form : str
        Format of a value, such as ``"{:.0f}"``.
    log : bool
        Whether to shade by the logarithm.
    """
    values = table.to_numpy(dtype=float)
    shade = np.log(values) if log else values
    # From the ground's colour half the way to blue: what is written in a cell can be read
    # wherever it lies, on a light ground and on a dark one.
    depth = 0.5 * (shade - np.nanmin(shade)) / np.ptp(shade[~np.isnan(shade)])
    for (row, column), value in np.ndenumerate(values):
        corner = (column - 0.5, row - 0.5)
        if not np.isnan(value):
            ax.add_patch(Rectangle(corner, 1, 1, color=SHADE, alpha=depth[row, column], lw=0))
        ax.text(column, row, form.format(value), ha="center", va="center")
    ax.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    ax.set_xticks(range(len(table.columns)), [f"{c:g}" for c in table.columns])
    ax.set_yticks(range(len(table.index)), [f"{c:g}" for c in table.index])
    ax.grid(visible=False)
    ax.set(xlabel=table.columns.name, ylabel=table.index.name)
    return ax


def _plain(ax: Axes) -> None:
    """Write the ticks of log axes as plain numbers."""
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:g}")
