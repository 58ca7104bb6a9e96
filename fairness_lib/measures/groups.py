"""The same measures for groups of tenants: those who burst, and the others who share with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check
from ..policies.tasks import REJECTED, Outcome
from .fair import fluid_of
from .statistics import quantile
from .tiers import ratio

if TYPE_CHECKING:
    import pandas as pd

    from .report import FairnessReport

Groups = Mapping[str, str | Iterable[str]]


def members(groups: Groups, tenants: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the places of each group's tenants, given by name or shell pattern."""
    found = {}
    for group, given in _check.by_name("groups", groups, "tenant names or patterns").items():
        field = f"groups[{group!r}]"
        patterns = [given] if isinstance(given, str) else _check.several(field, given, "names")
        for pattern in patterns:
            if not any(name == pattern or fnmatchcase(name, pattern) for name in tenants):
                raise ValueError(f"{field} must match tenants; {pattern!r} matches none")
        found[group] = [
            place
            for place, name in enumerate(tenants)
            if any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)
        ]
        if not found[group]:
            raise ValueError(f"{field} must name at least one tenant; got none")
    return found


def by_group(report: FairnessReport, groups: Groups) -> pd.DataFrame:
    """Return one row per group: see `FairnessReport.by_group`."""
    import pandas as pd

    run, (start, end) = report.run, report.window
    workload, columns = run.workload, report.by_tenant()
    inside = (workload.arrival_s >= start) & (workload.arrival_s < end)
    judged = inside & (run.served | (run.outcome == Outcome.WAITING))
    until_s = np.where(run.served, run.start_s, workload.horizon_s)
    fair_start_s = fluid_of(workload, run.workers, report.window, run.engine).start_s
    wait_s, behind_s = until_s - workload.arrival_s, np.maximum(until_s - fair_start_s, 0.0)
    rows: dict[str, dict[str, Any]] = {}
    for group, places in members(groups, workload.tenants).items():
        own = judged & np.isin(workload.tenant, places)
        waits, behind = np.sort(wait_s[own]), np.sort(behind_s[own])
        total = {
            name: columns[name][places].sum()
            for name in ("arrived", "owed", "got_work_s", "fair_work_s")
        }
        kept = np.nansum(columns["kept"][places] * columns["owed"][places])
        rows[group] = {
            "tenants": len(places),
            "arrived": total["arrived"],
            "rejected": sum(columns[f"rejected_{r.label}"][places].sum() for r in REJECTED),
            "owed": total["owed"],
            "kept": round(kept) / total["owed"] if total["owed"] else nan,
            "behind_p99_s": quantile(behind, 0.99),
            "wait_p50_s": quantile(waits, 0.50),
            "wait_p99_s": quantile(waits, 0.99),
            "got_over_fair": float(ratio(total["got_work_s"], total["fair_work_s"])),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
