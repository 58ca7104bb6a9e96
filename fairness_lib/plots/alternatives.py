"""Figures that set policies side by side, and those of shuffle sharding and several resources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from ..measures.shuffle_sharding import crowded_out
from .style import OTHER_COLORS, label_line

LINE_STYLES = ("-", "--", "-.", ":")


def kept_in_a_crowd(ax: Axes, loud: Sequence[int], kept: Mapping[str, Sequence[float]]) -> Axes:
    """Draw what part of what it owes each policy keeps, against how many tenants are loud at once.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    loud : sequence of int
        The numbers of loud tenants.
    kept : mapping of str to sequence of float
        The part kept for the others, between 0 and 1, by policy.
    """
    for (name, parts), color, style in zip(kept.items(), OTHER_COLORS, LINE_STYLES, strict=False):
        ax.plot(loud, parts, color=color, linestyle=style, marker="o", markersize=4)
        label_line(ax, loud[-1], parts[-1], name, color, offset=(6, -4))
    ax.set(xscale="log", xlim=(0.9, 2.5 * loud[-1]), ylim=(0, 1.08))
    ax.set_xticks(loud, [str(n) for n in loud])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set(xlabel="loud tenants, the same load in all", ylabel="kept for the others")
    return ax


def demand_met(ax: Axes, peaks: Sequence[float], met: Mapping[str, Sequence[float]]) -> Axes:
    """Draw what part of its demand each tenant got, against how bursty it is, a line a rule.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    peaks : sequence of float
        Each tenant's demand in a burst over its mean demand.
    met : mapping of str to sequence of float
        Parts of the demand, between 0 and 1, by rule.
    """
    for (name, parts), color, style in zip(met.items(), OTHER_COLORS, LINE_STYLES, strict=False):
        ax.plot(peaks, parts, color=color, linestyle=style, marker="o", markersize=4)
        label_line(ax, peaks[-1], parts[-1], name, color, offset=(6, -4))
    ax.set(xscale="log", xlim=(0.9, 60), ylim=(0, 1.08))
    ax.set_xticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    ax.minorticks_off()
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set(xlabel="demand in a burst / mean demand", ylabel="demand met")
    return ax


def collision_odds(
    ax: Axes, hands: Mapping[tuple[int, int], tuple[int, bool]], most: int = 16
) -> Axes:
    """Draw how likely a mouse is crowded out, against the number of elephants.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    hands : mapping of (int, int) to (int, bool)
        By hand size and number of queues of each line: at how many elephants it is labelled,
        and whether above or below.
    most : int
        The largest number of elephants.
    """
    elephants = np.arange(1, most + 1)
    for ((hand_size, queues), (at, above)), color, style in zip(
        hands.items(), OTHER_COLORS, LINE_STYLES, strict=False
    ):
        odds = [crowded_out(hand_size, queues, int(n)) for n in elephants]
        ax.plot(elephants, odds, color=color, linestyle=style)
        name = f"{hand_size} of {queues}"
        offset, ha = ((0, 8), "center") if above else ((4, -14), "left")
        label_line(ax, at, odds[at - 1], name, color, offset=offset, ha=ha)
    ax.set(yscale="log", ylim=(1e-12, 100), xlim=(0.5, most + 0.5))
    ax.set_yticks([1e-12, 1e-9, 1e-6, 1e-3, 1], ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"])
    ax.set(xlabel="elephants", ylabel="probability: crowded out")
    return ax


def resource_use(
    ax: Axes,
    tasks: Mapping[str, float],
    per_task: Mapping[str, Mapping[str, float]],
    capacity: Mapping[str, float],
) -> Axes:
    """Draw what part of each resource each tenant uses, a bar a resource.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    tasks : mapping of str to float
        How many tasks each tenant runs.
    per_task : mapping of tenant to mapping of resource to float
        What one of its tasks takes.
    capacity : mapping of resource to float
        What there is.
    """
    for row, (resource, amount) in enumerate(capacity.items()):
        start = 0.0
        for (tenant, n), color, hatch in zip(tasks.items(), OTHER_COLORS, ("", "//"), strict=False):
            part = n * per_task[tenant].get(resource, 0.0) / amount
            ax.barh(row, part, 0.6, start, color=color, hatch=hatch, edgecolor="white")
            middle = (start + part / 2, row - 0.34)
            ax.text(*middle, f"{tenant}: {part:.0%}", ha="center", va="bottom", color=color)
            start += part
    ax.set_yticks(range(len(capacity)), list(capacity))
    ax.set_ylim(len(capacity) - 0.55, -0.75)
    ax.set_xlim(0, 1)
    ax.grid(axis="y", visible=False)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set_xlabel("part of the resource in use")
    return ax
