"""The article's properties F1 to F4, as a program can check them.

A property is held or not held by a report, and says by how much. F5, the bound on the number of
per-tenant series, is a property of the monitoring and not of a run.
"""

from __future__ import annotations

from dataclasses import dataclass

from .report import FairnessReport

LEAST_COMPLETED = 0.97
MOST_P99_WAIT_S = 0.050


@dataclass(frozen=True)
class Verdict:
    """Whether a property held, and what was seen.

    Attributes
    ----------
    name : str
        F1 to F4.
    claim : str
        What the property says.
    held : bool
        Whether it was so.
    seen : str
        The number that decided it.
    """

    name: str
    claim: str
    held: bool
    seen: str


def _is_report(field: str, report: FairnessReport) -> None:
    if not isinstance(report, FairnessReport):
        raise TypeError(f"{field} must be a FairnessReport from measure(); got {report!r}")


def f1(report: FairnessReport) -> Verdict:
    """Check that tenants within their share complete at least 97 % of their demand."""
    _is_report("report", report)
    tenants = report.tenants[report.tenants["under_share"] & (report.tenants["arrived"] > 0)]
    x = tenants["x"]
    claim = "tenants within their share complete at least 97 % of their demand"
    if x.empty:
        return Verdict("F1", claim, True, "no tenant within its share")
    seen = f"least {x.min():.3f} ({x.idxmin()})"
    return Verdict("F1", claim, bool(x.min() >= LEAST_COMPLETED), seen)


def f2(report: FairnessReport) -> Verdict:
    """Check that their p99 wait is below 50 ms and no full queue rejects them."""
    _is_report("report", report)
    tenants = report.tenants[report.tenants["under_share"]]
    rejected = int(tenants["rejected_queue_full"].sum())
    wait_s = report.under_share_p99_wait_s
    held = rejected == 0 and not wait_s >= MOST_P99_WAIT_S
    seen = f"p99 {1e3 * wait_s:.1f} ms, {rejected} rejected by full queues"
    claim = "their p99 wait is below 50 ms, and no full queue rejects them"
    return Verdict("F2", claim, held, seen)


def f3(report: FairnessReport) -> Verdict:
    """Check that only tenants beyond their share have tasks rejected."""
    _is_report("report", report)
    tenants = report.tenants[report.tenants["under_share"]]
    rejected = int((tenants["arrived"] - tenants["admitted"]).sum())
    claim = "only tenants beyond their share have tasks rejected"
    return Verdict("F3", claim, rejected == 0, f"{rejected} rejected within their share")


def f4(solo: FairnessReport) -> Verdict:
    """Check that a tenant alone, asking for more than there is, gets at least 97 % of capacity."""
    _is_report("solo", solo)
    claim = "a tenant that is alone can use the whole capacity"
    active = int((solo.tenants["arrived"] > 0).sum())
    if active != 1:
        raise ValueError(f"solo must be of a run with one active tenant; got {active} of them")
    seen = f"{solo.min_x:.3f} of what it could have had"
    return Verdict("F4", claim, solo.min_x >= LEAST_COMPLETED, seen)


def check(report: FairnessReport) -> tuple[Verdict, Verdict, Verdict]:
    """Check F1, F2 and F3 on a report of a shared run."""
    return f1(report), f2(report), f3(report)
