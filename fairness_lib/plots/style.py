"""One look for all figures: a tenant group has one colour and one marker in every chapter.

Colours have the hues of Okabe and Ito (2008), told apart by the colour-blind, and are dark enough
to write with on white; a marker or a direct label always says the same as the colour. In a notebook
figures are SVG on white, and text is text. The book's pages give them colours of their own: white
becomes the ground, greys stand between ground and text, and colours are lighter where it is dark.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

GROUP_COLORS = {"heavy": "#b34d00", "mid": "#0072b2", "small": "#007a58"}
GROUP_MARKERS = {"heavy": "s", "mid": "^", "small": "o"}
OTHER_COLORS = ("#7a4fa3", "#876205", "#a6376d", "#3a6f6f", "#4d4d4d")
OTHER_MARKERS = ("D", "v", "P", "X", "*")

POLICY_COLORS = {"fifo": "#4d4d4d", "quota": "#a6376d", "drr": "#0b6fa4", "drr_quota": "#876205"}
POLICY_LABELS = {"fifo": "FIFO", "quota": "quota", "drr": "DRR", "drr_quota": "DRR + quota"}

F2_LIMIT_MS = 50.0


def use_style() -> None:
    """Set matplotlib's defaults for the book; call it once per notebook.

    No text is smaller than 11 points, which is 9 px where a phone shows 5.8 inches.
    """
    mpl.rcParams.update(
        {
            "figure.figsize": (5.8, 3.6),
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "savefig.facecolor": "white",
            "savefig.pad_inches": 0.03,
            "svg.fonttype": "none",
            "svg.hashsalt": "fairness_lib",
            "axes.facecolor": "none",
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
            "xtick.labelsize": 11,
            "ytick.labelsize": 11,
            "legend.frameon": False,
            "lines.linewidth": 1.8,
        }
    )
    _show_svg()


def _show_svg() -> None:
    """Make a notebook's figures SVG that is the same each time; elsewhere do nothing."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        return
    from matplotlib_inline.config import InlineBackend

    inline: Any = InlineBackend.instance(parent=shell)
    inline.figure_formats = {"svg"}
    no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    inline.print_figure_kwargs = {"metadata": no_metadata}


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
