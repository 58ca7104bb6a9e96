"""What a report says in words: durations, what was not served, what to be careful about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .._count import count
from ..policies.tasks import REJECTED

if TYPE_CHECKING:
    from .report import FairnessReport

FEW_TASKS = 20
UNEQUAL_COSTS = 2.0
STANDARD_ERRORS = 4
MOST_NAMED = 3


def duration(seconds: float) -> str:
    """Write a duration with its unit: milliseconds below a second.

    >>> duration(0.0195), duration(2.6016), duration(60089.0), duration(float("nan"))
    ('19.5 ms', '2.60 s', '60,089 s', 'none')
    """
    if seconds != seconds:
        return "none"
    if seconds < 1:
        return f"{1e3 * seconds:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 1000 else f"{seconds:,.0f} s"


def percent(part: float) -> str:
    """Write a fraction in percent; what is not quite all is never written as all.

    >>> percent(0.642), percent(0.99996), percent(1.0), percent(float("nan"))
    ('64.2 %', '99.9 %', '100 %', 'nothing')
    """
    if part != part:
        return "nothing"
    return "100 %" if part == 1 else f"{min(100 * part, 99.9):.1f} %"


def unserved(report: FairnessReport) -> Iterator[str]:
    """Say how many of the window's tasks were rejected or still wait, and whose they are."""
    columns = report.by_tenant()
    rejected = np.sum([columns[f"rejected_{reason.label}"] for reason in REJECTED], axis=0)
    fates = {"rejected": rejected, "abandoned": columns["abandoned"]}
    for what, number in {**fates, "never served": columns["waiting"]}.items():
        if number.any():
            arrived = columns["arrived"]
            whose = np.argsort(-number, kind="stable")[:MOST_NAMED]
            named = ", ".join(
                f"{report.run.workload.tenants[t]} {number[t]:,} of its {arrived[t]:,}"
                for t in whose.tolist()
                if number[t]
            )
            more = int((number > 0).sum()) - MOST_NAMED
            others = f", {more} more tenants" if more > 0 else ""
            yield f"{what} {number.sum():,} of {arrived.sum():,} tasks: {named}{others}"


def notes_on(report: FairnessReport) -> Iterator[str]:
    """Say what a reader should know before trusting the numbers."""
    arrived = report.by_tenant()["arrived"]
    few = int(((arrived > 0) & (arrived < FEW_TASKS)).sum())
    if few:
        yield (
            f"Tenants with fewer than {FEW_TASKS} tasks in the window: {few}. Their x, and so "
            "Jain and the minimum, are mostly sampling noise; owed, kept and behind are not."
        )
    ratio = unequal_costs(report) if report.unit == "tasks" else 0.0
    if ratio >= UNEQUAL_COSTS:
        yield (
            f"Tenants' mean costs differ by a factor of {ratio:.1f}, and tasks are counted: who "
            'has the cheap ones looks favoured. Consider unit="work".'
        )
    for line in unserved(report):
        yield f"{line[0].upper()}{line[1:]}."


def unequal_costs(report: FairnessReport) -> float:
    """Return the ratio of the largest to the smallest mean cost in the window; 0 if by chance.

    A mean cost is taken for different from another one if they lie more than four standard errors
    of each apart: among thousands of tenants some are two apart by chance.
    """
    workload, (start, end) = report.run.workload, report.window
    inside = (workload.arrival_s >= start) & (workload.arrival_s < end)
    tenant, cost_s, n = workload.tenant[inside], workload.cost_s[inside], len(workload.tenants)
    tasks = count(tenant, n)
    several = tasks > 1
    if several.sum() < 2:
        return 0.0
    mean_s = count(tenant, n, cost_s)[several] / tasks[several]
    spread = count(tenant, n, cost_s * cost_s)[several] / tasks[several] - mean_s**2
    error_s = STANDARD_ERRORS * np.sqrt(np.maximum(spread, 0.0) / (tasks[several] - 1))
    if float((mean_s - error_s).max()) <= float((mean_s + error_s).min()):
        return 0.0
    least_s = float(mean_s.min())
    return float(mean_s.max()) / least_s if least_s > 0 else float("inf")
