"""Figures of how fast the engines are, from the rows that `python -m benchmarks` saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from .style import label_line

if TYPE_CHECKING:
    import pandas as pd

STYLES = {
    "compiled": ("#0072b2", "o"),
    "readable": ("#007a58", "^"),
    "SimPy, worker processes": ("#b34d00", "s"),
    "SimPy, Resource": ("#a6376d", "D"),
    "ns.py, DRRServer": ("#4d4d4d", "X"),
}


def engines(ax: Axes, rows: pd.DataFrame) -> Axes:
    """Draw CPU milliseconds per run of each engine, on a log axis, a group per policy."""
    y, ticks = 0.0, list[tuple[float, str]]()
    for policy, group in rows.groupby("policy", sort=False):
        ax.text(0, -y + 0.75, str(policy), fontweight="bold", transform=ax.get_yaxis_transform())
        columns = (group[name].tolist() for name in ("engine", "cpu_ms", "times_compiled"))
        for engine, cpu_ms, times in zip(*columns, strict=True):
            ax.barh(-y, cpu_ms - 1, left=1, color=STYLES[engine][0], height=0.7)
            said = f"{cpu_ms:,.1f} ms" if cpu_ms < 10 else f"{cpu_ms:,.0f} ms"
            if engine != "compiled":
                said += f", {times:,.0f} times"
            ax.annotate(said, (cpu_ms, -y), (4, 0), textcoords="offset points", va="center")
            ticks.append((-y, engine))
            y += 1
        y += 1
    ax.set(xscale="log", xlim=(1, 50 * rows["cpu_ms"].max()), ylim=(0.6 - y, 1.6))
    ax.set(xlabel="CPU time per run (ms)")
    ax.set_yticks([tick for tick, _ in ticks], [name for _, name in ticks])
    ax.grid(axis="y", visible=False)
    ax.xaxis.set_major_formatter("{x:,g}")
    return ax


def growth(ax: Axes, rows: pd.DataFrame, by: str, labels: dict[str, str]) -> Axes:
    """Draw CPU milliseconds per run against a column, a line per engine of `labels`."""
    for engine, label in labels.items():
        mine = rows[rows["engine"] == engine].sort_values(by)
        color, marker = STYLES[engine]
        ax.plot(mine[by], mine["cpu_ms"], color=color, marker=marker)
        first, cpu_ms = mine[by].tolist()[0], mine["cpu_ms"].tolist()[0]
        label_line(ax, first, cpu_ms, label, color, offset=(0, -17 if engine == "readable" else 9))
    ax.set(xscale="log", yscale="log", ylabel="CPU time per run (ms)")
    ax.xaxis.set_major_formatter("{x:,g}")
    ax.yaxis.set_major_formatter("{x:,g}")
    return ax
