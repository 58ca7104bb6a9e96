"""A scenario as rows that a page can edit: one for each tenant, or for several alike.

A row is a plain dict: name, count, rate_per_s, weight, bursts (a list of [from_s, to_s]),
quota_per_s, quota_burst, cost, the distribution of its tasks' costs, and stated, the part of a
task's cost that the tenant states (1: the truth). A row of several stands for tenants called name0,
name1, ... with as many digits as they need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..plots.style import group_of
from ..policies.admission import Quota
from ..policies.policy import ARTICLE_BUCKETS
from ..traffic.scenario import Burst, Scenario, Tenant
from ..traffic.service_times import Bimodal, Deterministic, Exponential, ServiceTime
from ..traffic.workload import Workload

EXPONENTIAL, DETERMINISTIC, BIMODAL = 0, 1, 2  # as in engine.kernel
Row = dict[str, Any]


def names_of(row: Row) -> list[str]:
    """Return the names of the tenants that a row stands for.

    >>> names_of({"name": "mid", "count": 2}), names_of({"name": "heavy", "count": 1})
    (['mid0', 'mid1'], ['heavy'])
    """
    if row["count"] == 1:
        return [row["name"]]
    width = len(str(row["count"] - 1))
    return [f"{row['name']}{i:0{width}}" for i in range(row["count"])]


def to_rows(
    scenario: Scenario, buckets: Mapping[str, tuple[float, float]] | None = None
) -> list[Row]:
    """Return a scenario's tenants as rows, those alike in one.

    Parameters
    ----------
    scenario : Scenario
        Costs must be exponential, deterministic or bimodal.
    buckets : mapping of str to (rate_per_s, burst), optional
        Quotas by tenant name or pattern. By default the article's where they name every tenant;
        otherwise each tenant may send twice its usual rate, and a second of that at once.
    """
    quotas = _quotas(scenario, buckets)
    rows: list[Row] = []
    for tenant, (rate_per_s, burst) in zip(scenario.tenants, quotas, strict=True):
        same = {
            "rate_per_s": float(tenant.rate_per_s),
            "weight": float(tenant.weight),
            "bursts": [[float(b.from_s), float(b.to_s)] for b in tenant.bursts],
            "quota_per_s": float(rate_per_s),
            "quota_burst": float(burst),
            "stated": 1.0,
            "cost": _cost(tenant.service_time),
        }
        last = rows[-1] if rows else {}
        if last and all(last[key] == value for key, value in same.items()):
            last["names"].append(tenant.name)
        else:
            rows.append({"names": [tenant.name], **same})
    return [row for run in rows for row in _named(run)]


def to_scenario(
    rows: Sequence[Row],
    burst_factor: float,
    workers: int,
    horizon_s: float,
    window_s: tuple[float, float] | None = None,
) -> Scenario:
    """Return the scenario that the rows stand for."""
    return Scenario(
        tuple(
            Tenant(
                name,
                row["rate_per_s"],
                row["weight"],
                tuple(Burst(start, end, burst_factor) for start, end in row["bursts"]),
                _service_time(row["cost"]),
            )
            for row in rows
            for name in names_of(row)
        ),
        workers,
        horizon_s,
        window_s,
    )


def to_buckets(rows: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Return the rows' quotas by tenant name."""
    return {
        name: (row["quota_per_s"], row["quota_burst"]) for row in rows for name in names_of(row)
    }


def with_statements(workload: Workload, rows: Sequence[Row]) -> Workload:
    """Return the tasks with the costs that the rows' tenants state."""
    stated = np.array([row["stated"] for row in rows for _ in names_of(row)])
    if (stated == 1.0).all():
        return workload
    return workload.with_estimates(workload.cost_s * stated[workload.tenant])


def _named(run: Row) -> list[Row]:
    """Give rows to tenants that are alike: one, if their names are what a row stands for."""
    names = run.pop("names")
    together = {"name": group_of(names[0]), "count": len(names), **run}
    if names_of(together) == names:
        return [together]
    return [{"name": name, "count": 1, **run} for name in names]


def _quotas(
    scenario: Scenario, buckets: Mapping[str, tuple[float, float]] | None
) -> list[tuple[float, float]]:
    found = []
    for tenant in scenario.tenants:
        try:
            bucket = Quota(ARTICLE_BUCKETS if buckets is None else buckets).bucket_for(tenant.name)
        except ValueError:
            if buckets is not None:
                raise
            return [
                (max(2 * t.rate_per_s, 1.0), max(2 * t.rate_per_s, 1.0)) for t in scenario.tenants
            ]
        found.append((bucket.rate_per_s, bucket.burst))
    return found


def _cost(service_time: ServiceTime) -> dict[str, float]:
    if isinstance(service_time, Exponential | Deterministic):
        kind = EXPONENTIAL if isinstance(service_time, Exponential) else DETERMINISTIC
        return {"kind": kind, "mean_s": service_time.mean_s, "long_s": 0.0, "long_share": 0.0}
    if isinstance(service_time, Bimodal):
        return {
            "kind": BIMODAL,
            "mean_s": service_time.short_s,
            "long_s": service_time.long_s,
            "long_share": service_time.long_share,
        }
    raise ValueError(
        "service_time must be Exponential, Deterministic or Bimodal to run in a page; "
        f"got {service_time!r}"
    )


def _service_time(cost: dict[str, float]) -> ServiceTime:
    if cost["kind"] == BIMODAL:
        return Bimodal(cost["mean_s"], cost["long_s"], cost["long_share"])
    if cost["kind"] == DETERMINISTIC:
        return Deterministic(cost["mean_s"])
    return Exponential(cost["mean_s"])
