"""The article's properties F1 to F4, and that what is owed is kept, as a program can check them.

A property is held by a report, or failed, or there was nothing to judge; and it says by how much.
F5, the bound on the number of per-tenant series, is a property of the monitoring and not of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .notes import duration, percent
from .report import FairnessReport

if TYPE_CHECKING:
    import pandas as pd

OWED = "owed is kept"
LEAST_KEPT = 0.99
LEAST_COMPLETED = 0.97
MOST_P99_WAIT_S = 0.050


@dataclass(frozen=True)
class Verdict:
    """Whether a property held, and what was seen.

    Attributes
    ----------
    name : str
        F1 to F4, or "owed is kept".
    claim : str
        What the property says.
    held : bool or None
        Whether it was so; None if there was nothing to judge.
    seen : str
        The number that decided it.
    """

    name: str
    claim: str
    held: bool | None
    seen: str

    @property
    def outcome(self) -> str:
        """What `held` means in words: "held", "failed" or "nothing to judge"."""
        return "nothing to judge" if self.held is None else "held" if self.held else "failed"


def _is_report(field: str, report: FairnessReport) -> None:
    if not isinstance(report, FairnessReport):
        raise TypeError(f"{field} must be a FairnessReport from measure(); got {report!r}")


def owed_is_kept(report: FairnessReport) -> Verdict:
    """Check that 99 % of the starts that fair sharing owes are kept."""
    _is_report("report", report)
    within = duration(report.objective_s)
    claim = f"99 % of the starts that fair sharing owes within {within} are kept"
    if report.owed == 0:
        return Verdict(OWED, claim, None, "nothing was owed")
    became = ", ".join(f"{n:,} {label}" for label, n in report.missed.items() if n)
    seen = f"{percent(report.kept)} of {report.owed:,} kept" + (f"; {became}" if became else "")
    return Verdict(OWED, claim, report.kept >= LEAST_KEPT, seen)


NOBODY = "no tenant was within its share"


def _within_share(report: FairnessReport) -> pd.DataFrame:
    """Return the tenants with tasks in the window whose demand was within their share."""
    _is_report("report", report)
    return report.tenants[report.tenants["under_share"] & (report.tenants["arrived"] > 0)]


def f1(report: FairnessReport) -> Verdict:
    """Check that tenants within their share complete at least 97 % of their demand."""
    tenants = _within_share(report)
    x = tenants.loc[tenants["demand_per_s"] > 0, "x"]
    claim = "tenants within their share complete at least 97 % of their demand"
    if x.empty:
        return Verdict("F1", claim, None, NOBODY)
    seen = f"least {x.min():.3f} ({x.idxmin()})"
    return Verdict("F1", claim, bool(x.min() >= LEAST_COMPLETED), seen)


def f2(report: FairnessReport) -> Verdict:
    """Check that their p99 wait is below 50 ms and no full queue rejects them."""
    tenants = _within_share(report)
    claim = "their p99 wait is below 50 ms, and no full queue rejects them"
    if tenants.empty:
        return Verdict("F2", claim, None, NOBODY)
    rejected = int(tenants["rejected_queue_full"].sum())
    wait_s = report.under_share_p99_wait_s
    held = rejected == 0 and not wait_s >= MOST_P99_WAIT_S
    seen = f"p99 {duration(wait_s)}, {rejected} rejected by full queues"
    return Verdict("F2", claim, held, seen)


def f3(report: FairnessReport) -> Verdict:
    """Check that only tenants beyond their share have tasks rejected."""
    tenants = _within_share(report)
    claim = "only tenants beyond their share have tasks rejected"
    if tenants.empty:
        return Verdict("F3", claim, None, NOBODY)
    rejected = int((tenants["arrived"] - tenants["admitted"]).sum())
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


def check(report: FairnessReport) -> tuple[Verdict, ...]:
    """Check F1, F2 and F3, and that what is owed is kept, on a report of a shared run."""
    return f1(report), f2(report), f3(report), owed_is_kept(report)
