"""Lines and workers at one moment, as a figure: what `motion` shows where nothing can move."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..plots.style import by_group, group_of, group_style, policy_label

WIDE, HIGH, ROOM, PITCH, COLUMNS, HEAD = 203, 216, 150, 5, 30, 16  # in points


def draw_queues(excerpts: Any, tick: int, ringed: int | None) -> Figure:
    """Draw how things stand in some excerpts at a tick, with a ring around one task."""
    figure = plt.figure(figsize=(5.8, 3.3), layout="none")
    for place, excerpt in enumerate(excerpts):
        ax = figure.add_axes((place * 0.51, 0, 0.49, 1))
        ax.set(xlim=(0, WIDE), ylim=(HIGH, -22))
        ax.axis("off")
        label = policy_label(excerpt.run.policy.name)
        ax.text(0, -10, label, fontweight="bold", fontsize=12)
        _lines(ax, excerpt, excerpt.waiting(tick), ringed)
        _workers(ax, excerpt, tick, ringed)
    return figure


def blocks(excerpt: Any, short: bool = False) -> Iterator[tuple[str, list[int]]]:
    """Yield what is written over the lines that belong together, and which they are."""
    cap = excerpt.run.policy.discipline.cap
    places = "" if short or cap is None else f", {cap:,} places"
    if excerpt.lines == 1:
        yield f"one line for all{places}", [0]
        return
    for name, own in by_group(excerpt.run.workload.tenants).items():
        many = f"{len(own)} {name}: a line each"
        yield many if len(own) > 1 else f"{name}: its own line{places}", own


def _lines(ax: Axes, excerpt: Any, lines: list[list[int]], ringed: int | None) -> None:
    shown = list(blocks(excerpt, short=True))
    lanes = sum(max(1, -(-len(line) // COLUMNS)) for line in lines)
    pitch = min(PITCH, (HIGH - HEAD * len(shown)) / lanes)
    y = 0.0
    for title, own in shown:
        ax.text(0, y + HEAD - 4, title, color="#555555")
        y += HEAD
        for line in own:
            _line(ax, excerpt, lines[line], y, pitch, ringed)
            y += max(1, -(-len(lines[line]) // COLUMNS)) * pitch


def _line(
    ax: Axes, excerpt: Any, tasks: list[int], top: float, pitch: float, ringed: int | None
) -> None:
    """Draw one line: first all as squares, a dashed line for each row, then the other marks."""
    groups = list(by_group(excerpt.run.workload.tenants))
    if not tasks:
        ax.plot((0, ROOM), (top + pitch / 2,) * 2, color="#bbbbbb", linewidth=0.6)
    marks: dict[str, list[tuple[float, float]]] = {}
    for rank, task in enumerate(tasks):
        row, fold = divmod(rank, COLUMNS)
        x = ROOM - (fold + 0.5 if row % 2 == 0 else COLUMNS - fold - 0.5) * PITCH
        y = top + (row + 0.5) * pitch
        group = group_of(excerpt.run.workload.tenants[excerpt.tenant[task]])
        marks.setdefault(group, []).append((x, y))
        if task == ringed:
            _ring(ax, x, y, 9)
    for group, places in marks.items():
        style = group_style(group, groups)
        if style["marker"] != "s":
            _marks(ax, places, style, 4.6)
            continue
        side = 0.8 * pitch
        for y in sorted({y for _, y in places}):
            row_x = sorted(x for x, at in places if at == y)
            ends = row_x[0] - side / 2, row_x[-1] + side / 2
            dashes = (0, (side / side, (PITCH - side) / side))
            ax.plot(ends, (y, y), color=style["color"], linewidth=side, linestyle=dashes,
                    solid_capstyle="butt", dash_capstyle="butt", zorder=1)  # fmt: skip


def _workers(ax: Axes, excerpt: Any, tick: int, ringed: int | None) -> None:
    groups = list(by_group(excerpt.run.workload.tenants))
    ax.text(WIDE, HEAD - 4, f"{excerpt.run.workers} workers", color="#555555", ha="right")
    step = (HIGH - HEAD) / excerpt.run.workers
    serving = excerpt.serving(tick)
    for worker in range(excerpt.run.workers):
        x, y = WIDE - 14, HEAD + (worker + 0.5) * step
        corners = (x - 12, x + 12, x + 12, x - 12, x - 12), (y - 11, y - 11, y + 11, y + 11, y - 11)
        ax.plot(*corners, color="#999999", linewidth=0.8)
        if worker in serving:
            task = serving[worker]
            tenant = excerpt.run.workload.tenants[excerpt.tenant[task]]
            left_ms = (excerpt.finish[task] - tick) / 10
            style = group_style(group_of(tenant), groups)
            _marks(ax, [(x, y)], style, min(17, 2 + 2 * sqrt(left_ms)))
            if task == ringed:
                _ring(ax, x, y, 14)


def _marks(ax: Axes, places: list[tuple[float, float]], style: dict[str, Any], size: float) -> None:
    x, y = zip(*places, strict=True)
    ax.plot(x, y, linestyle="none", marker=style["marker"], color=style["color"], markersize=size,
            markeredgecolor="white", markeredgewidth=0.7)  # fmt: skip


def _ring(ax: Axes, x: float, y: float, size: float) -> None:
    for color, width in (("white", 4), ("black", 1.8)):
        ax.plot(x, y, marker="o", markersize=size, fillstyle="none", linestyle="none", zorder=4,
                markeredgecolor=color, markeredgewidth=width)  # fmt: skip
