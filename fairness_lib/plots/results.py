"""Figures of one or several reports: who got what, and who waited how long."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from ..measures.report import FairnessReport
from .style import F2_LIMIT_MS, by_group, group_style, label_line, policy_label


def throughput(ax: Axes, report: FairnessReport) -> Axes:
    """Draw what each tenant completed against its fair share, a dot per tenant, on a log axis."""
    tenants = report.tenants
    groups = by_group(list(tenants.index))
    for group, members in groups.items():
        rows = tenants.iloc[members]
        ax.scatter(
            rows["completed_per_s"],
            members,
            s=22,
            zorder=3,
            **group_style(group, list(groups)),
        )
    ax.scatter(
        tenants["fair_share_per_s"],
        np.arange(len(tenants)),
        marker="|",
        s=90,
        color="black",
        zorder=2,
    )
    ax.set_xscale("log")
    ax.set_xlim(1, 1000)
    ax.xaxis.set_major_formatter("{x:g}")
    _tenant_axis(ax, groups)
    ax.set(xlabel="completed (tasks/s); | fair share", title=policy_label(report.policy))
    return ax


def wait_p99(ax: Axes, reports: Sequence[FairnessReport], limit: bool = True) -> Axes:
    """Draw each tenant's p99 wait under each policy, a row per policy, on a log axis.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    reports : sequence of FairnessReport
        One for each policy.
    limit : bool
        Whether to draw the 50 ms line of F2.
    """
    named = max(reports, key=_spread)  # where the groups' names are farthest from each other
    for row, report in enumerate(reports):
        tenants = report.tenants
        groups = by_group(list(tenants.index))
        for place, (group, members) in enumerate(groups.items()):
            wait_ms = 1e3 * tenants["wait_p99_s"].iloc[members]
            y = np.full(len(members), row + 0.22 * (place - (len(groups) - 1) / 2))
            style = group_style(group, list(groups))
            ax.scatter(wait_ms, y, s=26, alpha=0.8, zorder=3, **style)
            if report is named:
                place_ms, color = float(wait_ms.min()), style["color"]
                beside = {"offset": (-6, 0), "ha": "right", "va": "center"}
                label_line(ax, place_ms, float(y[0]), group, color, **beside)
    if limit:
        ax.axvline(F2_LIMIT_MS, color="black", linestyle="--", linewidth=1.2)
        ax.text(F2_LIMIT_MS * 1.08, len(reports) - 0.42, "50 ms (F2)")
    ax.set_xscale("log")
    ax.set_xlim(left=0.45 * ax.dataLim.x0)  # room for a name beside the first point
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_yticks(range(len(reports)), [policy_label(report.policy) for report in reports])
    ax.set_ylim(len(reports) - 0.3, -0.6)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel("p99 queue wait of each tenant (ms)")
    return ax


def _spread(report: FairnessReport) -> float:
    """Return how many times the shortest p99 wait of a tenant the longest is."""
    wait_s = report.tenants["wait_p99_s"]
    return float(wait_s.max() / max(wait_s.min(), 1e-9))


def _tenant_axis(ax: Axes, groups: dict[str, list[int]]) -> None:
    """Name the groups, not each tenant, on the vertical axis."""
    ax.set_yticks([float(np.mean(members)) for members in groups.values()], list(groups))
    ax.set_ylim(max(map(max, groups.values())) + 0.7, -0.7)
    ax.grid(axis="y", visible=False)
