"""One look for all figures: a tenant group has one colour and one marker in every chapter.

Colours are Okabe and Ito's (2008), told apart by the colour-blind; a marker or a direct label
always says the same as the colour. Figures have a white, opaque background in both modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

GROUP_COLORS = {"heavy": "#d55e00", "mid": "#0072b2", "small": "#009e73"}
GROUP_MARKERS = {"heavy": "s", "mid": "^", "small": "o"}
OTHER_COLORS = ("#7a4fa3", "#b8860b", "#a6376d", "#3a6f6f", "#555555")
OTHER_MARKERS = ("D", "v", "P", "X", "*")

POLICY_COLORS = {"fifo": "#555555", "quota": "#a6376d", "drr": "#0b6fa4", "drr_quota": "#b8860b"}
POLICY_LABELS = {"fifo": "FIFO", "quota": "quota", "drr": "DRR", "drr_quota": "DRR + quota"}

F2_LIMIT_MS = 50.0


def use_style() -> None:
    """Set matplotlib's defaults for the book; call it once a notebook."""
    mpl.rcParams.update(
        {
            "figure.figsize": (5.8, 3.6),
            "figure.dpi": 120,
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
            "axes.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 12,
            "axes.titleweight": "bold",
            "axes.titlepad": 10,
            "axes.labelsize": 11,
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": "#dddddd",
            "grid.linewidth": 0.7,
            "font.size": 11,
            "font.family": "DejaVu Sans",
            "xtick.labelsize": 10.5,
            "ytick.labelsize": 10.5,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
        }
    )


def group_of(tenant: str) -> str:
    """Return the group a tenant belongs to: its name without the number at its end.

    >>> group_of("small07"), group_of("heavy")
    ('small', 'heavy')
    """
    return tenant.rstrip("0123456789") or tenant


def by_group(tenants: Sequence[str]) -> dict[str, list[int]]:
    """Return the indices of the tenants of each group, groups in order of appearance."""
    groups: dict[str, list[int]] = {}
    for index, tenant in enumerate(tenants):
        groups.setdefault(group_of(tenant), []).append(index)
    return groups


def group_style(group: str, groups: Sequence[str]) -> dict[str, Any]:
    """Return the colour and marker of a group, one of `groups`."""
    if group in GROUP_COLORS:
        return {"color": GROUP_COLORS[group], "marker": GROUP_MARKERS[group]}
    others = [g for g in groups if g not in GROUP_COLORS]
    n = others.index(group) % len(OTHER_COLORS)
    return {"color": OTHER_COLORS[n], "marker": OTHER_MARKERS[n]}


def policy_label(name: str) -> str:
    """Return how figures and tables call a policy."""
    return POLICY_LABELS.get(name, name)


def label_line(ax: Axes, x: float, y: float, text: str, color: str, **options: Any) -> None:
    """Write a line's name beside it, in its colour, on a white ground."""
    ax.annotate(
        text,
        (x, y),
        xytext=options.pop("offset", (4, 4)),
        textcoords="offset points",
        color=color,
        fontweight="bold",
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1},
        **options,
    )
