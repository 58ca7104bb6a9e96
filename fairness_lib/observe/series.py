"""What per-tenant metrics say about a period: a few labelled tenants, and all the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .waits import WaitHistogram

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TenantSeries:
    """What one label stands for in one period.

    Attributes
    ----------
    tenant : str or None
        The tenant's name; None for all the others together.
    label : str
        Its label: the name, made safe by `label_of`, or ``__other__``.
    arrived : int
        Tasks that arrived.
    rejected : dict of str to int
        Tasks rejected, by reason.
    started, abandoned : int
        Tasks that began service, and tasks that left the queue without.
    depth : int
        Tasks queued at the end of the period.
    wait : WaitHistogram
        Queue waits of the tasks that started.
    undercount : int
        At most so many of the tenant's arrivals are counted under ``__other__``, because it
        shared its memory with others; 0 as long as the period is exact.
    """

    tenant: str | None
    label: str
    arrived: int
    rejected: Mapping[str, int]
    started: int
    abandoned: int
    depth: int
    wait: WaitHistogram
    undercount: int = 0

    @property
    def admitted(self) -> int:
        """Tasks that arrived and were not rejected."""
        return self.arrived - sum(self.rejected.values())

    @property
    def rejected_ratio(self) -> float:
        """Share of the arrivals that was rejected; 0 without arrivals."""
        return sum(self.rejected.values()) / self.arrived if self.arrived else 0.0


@dataclass(frozen=True, eq=False)
class Period:
    """One period's metrics: at most `top_k` series, and one for all the other tenants.

    Attributes
    ----------
    series : tuple of TenantSeries
        The labelled tenants, busiest first, then ``__other__``.
    total : TenantSeries
        All tenants together. Every column of the series adds up to it.
    samples : tuple of str
        Some tenants without a label that had tasks rejected, most rejections first.
    exact : bool
        Whether every tenant of the period had its own counters in memory.
    error : int
        At most so many arrivals of a labelled tenant are missing, if not exact.
    """

    series: tuple[TenantSeries, ...]
    total: TenantSeries
    samples: tuple[str, ...]
    exact: bool
    error: int

    @cached_property
    def by_label(self) -> dict[str, TenantSeries]:
        """The series by label."""
        return {one.label: one for one in self.series}

    @property
    def other(self) -> TenantSeries:
        """The series of all tenants without a label."""
        return self.series[-1]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per series, by label; waits are in seconds, rejected_ratio is a share."""
        import pandas as pd

        rows = [
            {
                "arrived": one.arrived,
                "admitted": one.admitted,
                **{f"rejected_{reason}": n for reason, n in one.rejected.items()},
                "rejected_ratio": one.rejected_ratio,
                "depth": one.depth,
                "wait_p50_s": one.wait.quantile(0.5),
                "wait_p99_s": one.wait.quantile(0.99),
            }
            for one in self.series
        ]
        return pd.DataFrame(rows, index=pd.Index([one.label for one in self.series], name="tenant"))
