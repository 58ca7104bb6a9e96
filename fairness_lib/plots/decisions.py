"""Figures of a trace and of a decision: what it asks of a pool, and who would wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from .style import OTHER_COLORS, POLICY_COLORS, label_line, policy_label

HEAVIEST_COLOR = POLICY_COLORS["fifo"]


def offered_load(
    ax: Axes,
    offered_workers: Sequence[float],
    heaviest: tuple[str, Sequence[float]],
    workers: int,
    bin_s: float,
) -> Axes:
    """Draw the work that arrives over time, in workers' worth, and the pool that it meets.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    offered_workers : sequence of float
        Work that arrives in each bin, in worker-seconds per second.
    heaviest : (str, sequence of float)
        The heaviest tenant's name, and its part of it.
    workers : int
        Size of the pool.
    bin_s : float
        Length of a bin in seconds.
    """
    name, own = heaviest
    hours = np.arange(len(offered_workers) + 1) * bin_s / 3600
    ax.stairs(offered_workers, hours, color=OTHER_COLORS[0])
    ax.stairs(own, hours, color=HEAVIEST_COLOR)
    ax.axhline(workers, color="black", linestyle="--", linewidth=1.2)
    label_line(ax, hours[-1], workers, f"{workers} workers", "black", ha="right")
    label_line(ax, 0, offered_workers[0], "all tenants", OTHER_COLORS[0])
    peak = int(np.argmax(own))
    label_line(ax, hours[peak + 1], own[peak], name, HEAVIEST_COLOR, offset=(4, -8))
    ax.set(xlabel="time (h)", ylabel="work that arrives\n(workers' worth)", xlim=(0, hours[-1]))
    ax.set_ylim(bottom=0)
    return ax


def waits_by_tenant(ax: Axes, mean_wait_s: Mapping[str, Mapping[str, float]]) -> Axes:
    """Draw each tenant's mean wait under each policy, tenants in the order given.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    mean_wait_s : mapping of str to mapping of str to float
        Mean waits in seconds, by policy and tenant.
    """
    colors = [POLICY_COLORS.get(name, OTHER_COLORS[0]) for name in mean_wait_s]
    markers = "o^sDv"
    for number, (name, waits) in enumerate(mean_wait_s.items()):
        places = np.arange(len(waits))
        ax.plot(
            *(list(waits.values()), places, markers[number % len(markers)]),
            color=colors[number],
            markersize=7,
        )
        last = list(waits.values())[-1]
        label_line(
            ax, last, places[-1], policy_label(name), colors[number], offset=(0, -16), ha="center"
        )
        ax.set_yticks(places, list(waits))
    ax.set(xscale="log", xlabel="mean wait in contention (s)")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.invert_yaxis()
    ax.set_ylim(bottom=len(places) + 0.4)
    return ax
