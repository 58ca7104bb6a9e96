"""The same measures for groups of tenants, as those who burst and the others, and for labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from ..policies.tasks import REJECTED
from .fair import fluid_of
from .statistics import quantile
from .tiers import NANOSECOND, ratio, waited

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


def by_label(report: FairnessReport) -> pd.DataFrame:
    """Return one row per label: see `FairnessReport.by_label`."""
    workload = report.run.workload
    if workload.label is None:
        raise ValueError("workload must have labels for a report by label; it has none")
    rows = {name: workload.label == place for place, name in enumerate(workload.labels)}
    return _rows(report, rows, "label")


def by_group(report: FairnessReport, groups: Groups) -> pd.DataFrame:
    """Return one row per group: see `FairnessReport.by_group`."""
    workload = report.run.workload
    found = members(groups, workload.tenants)
    rows = {group: np.isin(workload.tenant, places) for group, places in found.items()}
    table = _rows(report, rows, "group")
    table.insert(0, "tenants", [len(places) for places in found.values()])
    fair_work_s, got_work_s = (report.by_tenant()[name] for name in ("fair_work_s", "got_work_s"))
    table["got_over_fair"] = [
        float(ratio(got_work_s[places].sum(), fair_work_s[places].sum()))
        for places in found.values()
    ]
    return table


def _rows(report: FairnessReport, chosen: dict[str, NDArray[np.bool_]], name: str) -> pd.DataFrame:
    """Return what can be said of any sets of tasks, one row each."""
    import pandas as pd

    run, (start, end) = report.run, report.window
    workload, arrival_s = run.workload, run.workload.arrival_s
    inside = (arrival_s >= start) & (arrival_s < end)
    judged, until_s = waited(run)
    fair_start_s = fluid_of(workload, run.pool or run.workers, report.window, run.engine).start_s
    wait_s, behind_s = until_s - arrival_s, np.maximum(until_s - fair_start_s, 0.0)
    within_s = report.objective_s + NANOSECOND
    owed = inside & (fair_start_s - arrival_s <= within_s)
    kept = owed & run.served & (wait_s <= within_s)
    rejected = inside & np.isin(run.outcome, REJECTED)
    rows: dict[str, dict[str, Any]] = {}
    for row, own in chosen.items():
        waits, behind = (np.sort(column[own & judged & inside]) for column in (wait_s, behind_s))
        n_owed = int((own & owed).sum())
        rows[row] = {
            "arrived": int((own & inside).sum()),
            "rejected": int((own & rejected).sum()),
            "owed": n_owed,
            "kept": int((own & kept).sum()) / n_owed if n_owed else nan,
            "behind_p99_s": quantile(behind, 0.99),
            "wait_p50_s": quantile(waits, 0.50),
            "wait_p99_s": quantile(waits, 0.99),
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(name)
