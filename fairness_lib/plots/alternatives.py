"""Figures that set policies side by side, and those of shuffle sharding and several resources."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from ..measures.shuffle_sharding import crowded_out
from .style import F2_LIMIT_MS, OTHER_COLORS, POLICY_COLORS, label_line, policy_label

POLICY_MARKERS = {"fifo": "o", "quota": "s", "drr": "^", "drr_quota": "D"}
LINE_STYLES = ("-", "--", "-.", ":")


def isolation_and_conservation(
    ax: Axes, wait_ms: Mapping[str, float], solo_part: Mapping[str, float]
) -> Axes:
    """Place each policy by its under-share p99 wait and by what a lone tenant can use.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    wait_ms : mapping of str to float
        The wait in milliseconds, by policy.
    solo_part : mapping of str to float
        The part of the capacity, between 0 and 1, that a tenant alone can use, by policy.
    """
    for name, wait in wait_ms.items():
        color = POLICY_COLORS.get(name, "black")
        y = solo_part[name]
        ax.scatter([wait], [y], s=60, zorder=3, color=color, marker=POLICY_MARKERS.get(name, "o"))
        left = wait > 10 * F2_LIMIT_MS
        offset, ha = ((-9, -4), "right") if left else ((9, -10), "left")
        text = policy_label(name).replace(" + ", " +\n")
        label_line(ax, wait, y, text, color, offset=offset, ha=ha)
    ax.axvline(F2_LIMIT_MS, color="black", linestyle="--", linewidth=1.2)
    label_line(ax, F2_LIMIT_MS, 0.04, "50 ms (F2)", "black", offset=(5, 0))
    ax.set(xscale="log", xlim=(10, 5000), ylim=(0, 1.12))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.set(xlabel="under-share p99 wait (ms)", ylabel="lone tenant can use")
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
