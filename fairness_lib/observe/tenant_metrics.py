"""Per-tenant metrics whose number of series does not grow with the number of tenants.

In every period the busiest tenants keep a label of their own, and all others are added up under
``__other__``. What comes out is bounded by `top_k`, what is held in memory by `capacity`. Waits
are in seconds, everything else counts tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .._count import count
from .heavy_hitters import HeavyHitters, Indices
from .names import OTHER, label_of
from .ranking import StickyRanking, largest
from .recorder import REASONS, Recorder
from .series import Period, TenantSeries
from .waits import BUCKETS_S, WaitHistogram, bucket_of, checked_bounds

ARRIVED, STARTED, ABANDONED, DEPTH, FIRST_REASON = range(5)


class TenantMetrics(Recorder):
    """Counts tasks by tenant, in bounded memory and with a bounded number of labels.

    Parameters
    ----------
    top_k : int
        Labels in all, besides ``__other__``.
    samples : int
        Most tenants named in `Period.samples`.
    rejected_k : int
        How many of the `top_k` labels are kept for a second ranking, by rejections. 0 is the
        plain scheme, in which a small tenant that is mostly rejected cannot be seen.
    rejected_by : {"rejections", "ratio"}
        Rank there by the number of rejections, or by the share of arrivals that is rejected.
    floor : int
        Fewest arrivals in a period for a tenant to be ranked by ratio.
    capacity : int or None
        Most tenants with counters in memory; None for no limit. As long as a period has no more
        tenants, everything is exact. After N arrivals of more tenants than that, a labelled
        tenant lacks at most ``N / capacity`` of its arrivals (they are under ``__other__``), and
        one with more than ``N / capacity`` arrivals is never overlooked. The same holds of
        rejections for the second ranking.
    hysteresis : float
        How far ahead, as a share, a tenant has to be to take another one's label.
    buckets_s : sequence of float
        Upper bounds of the wait histogram's buckets, in seconds. The error of a wait quantile
        follows from them: at most 30 % for the default, see `WaitHistogram.error`.
    reasons : sequence of str
        The reasons there are for a rejection.

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed.

    Notes
    -----
    All methods may be called from several threads. A rejection counts in the period in which it
    is reported: report it in the same period as the arrival. A task that is rejected without having
    arrived counts as arrived, and one that leaves the queue so takes nothing from its depth: no
    count is ever negative. Metrics can be pickled and copied. See Metwally, Agrawal and El Abbadi
    (2005) for the summary in bounded memory.

    Examples
    --------
    >>> metrics = TenantMetrics(top_k=1)
    >>> for tenant in ["a", "b", "a", "c"]:
    ...     metrics.arrived(tenant)
    >>> metrics.rejected("c", "quota")
    >>> period = metrics.close()
    >>> [(one.label, one.arrived) for one in period.series], period.samples
    ([('a', 2), ('__other__', 2)], ('c',))
    """

    def __init__(
        self,
        top_k: int = 10,
        samples: int = 5,
        *,
        rejected_k: int = 0,
        rejected_by: str = "rejections",
        floor: int = 20,
        capacity: int | None = 10_000,
        hysteresis: float = 0.25,
        buckets_s: Sequence[float] = BUCKETS_S,
        reasons: Sequence[str] = REASONS,
    ) -> None:
        self.top_k = _check.whole("top_k", top_k, least=0)
        self.samples = _check.whole("samples", samples, least=0)
        self.rejected_k = _check.whole("rejected_k", rejected_k, least=0)
        if self.rejected_k > self.top_k:
            raise ValueError(f"rejected_k must be at most top_k = {top_k}; got {rejected_k}")
        self.rejected_by = _check.choice("rejected_by", rejected_by, ("rejections", "ratio"))
        self.floor = _check.whole("floor", floor)
        if capacity is not None:
            _check.whole("capacity", capacity, least=max(1, top_k + samples))
        self.capacity = capacity
        _check.number("hysteresis", hysteresis, least=0)
        self.buckets_s = checked_bounds(buckets_s)
        super().__init__(reasons)
        self._waits_from = FIRST_REASON + len(self.reasons)
        columns = self._waits_from + len(self.buckets_s) + 1
        self._busy = HeavyHitters(capacity, columns)
        self._rejecting = HeavyHitters(capacity, columns)
        self._busy_rank = StickyRanking(self.top_k - self.rejected_k, hysteresis)
        self._rejected_rank = StickyRanking(self.rejected_k, hysteresis)
        self._total = np.zeros(columns, dtype=np.int64)
        self._total_wait_s = 0.0

    def _apply(
        self,
        event: str,
        distinct: list[str],
        task_tenant: Indices,
        waits: NDArray[np.float64] | None,
    ) -> None:
        number = count(task_tenant, len(distinct))
        column = self._column(event)
        into_queue = 1 if event == "arrived" else -1
        self._total[column] += len(task_tenant)
        self._total[DEPTH] += into_queue * len(task_tenant)
        bucket = None
        if waits is not None:
            bucket = self._waits_from + bucket_of(waits, self.buckets_s)
            self._total += count(bucket, len(self._total))
            self._total_wait_s += float(waits.sum())
        if event == "arrived":
            slots = self._busy.add(distinct, number)
        else:  # the arrival may be reported later in the period
            slots = self._busy.add(distinct, np.zeros_like(number), contend=False)
        found = [(self._busy, slots)]
        if event in self._reason_set:
            found.append((self._rejecting, self._rejecting.add(distinct, number)))
        elif len(self._rejecting):
            found.append((self._rejecting, self._rejecting.find(distinct)))
        for table, slots in found:
            has = slots >= 0
            table.rows[slots[has], column] += number[has]
            table.rows[slots[has], DEPTH] += into_queue * number[has]
            if waits is not None and bucket is not None:
                slot = slots[task_tenant]
                seen = slot >= 0
                flat = table.rows.reshape(-1)
                np.add.at(flat, slot[seen] * table.columns + bucket[seen], 1)
                np.add.at(table.wait_sum_s, slot[seen], waits[seen])

    def _column(self, event: str) -> int:
        fixed = {"arrived": ARRIVED, "started": STARTED, "abandoned": ABANDONED}
        return fixed[event] if event in fixed else FIRST_REASON + self.reasons.index(event)

    # --- a period's end -------------------------------------------------------------------

    def close(self) -> Period:
        """End the period and return its metrics; the next one starts with what is queued."""
        with self._lock:
            self.flush()
            busy, rejecting = self._busy, self._rejecting
            n = len(busy)
            labelled = self._busy_rank.update(
                busy.names, busy.slot, busy.rows[:n, ARRIVED].astype(float)
            )
            rejections = rejecting.rows[: len(rejecting), FIRST_REASON : self._waits_from].sum(
                axis=1
            )
            labelled += self._second(labelled, rejections)
            series = [self._series(name) for name in labelled]
            series.sort(key=lambda one: (-one.arrived, one.label))
            labelled_counts = sum(map(self._counts, series), np.zeros_like(self._total))
            self._settle(labelled_counts)
            total = self._as_series(None, "all", self._total, self._total_wait_s, 0)
            period = Period(
                series=(*series, self._others(series, labelled_counts)),
                total=total,
                samples=self._named(rejections, set(labelled)),
                exact=not (busy.overflowed or rejecting.overflowed),
                error=busy.floor,
            )
            for table in (rejecting, busy):
                kept = table.rows[: len(table), DEPTH].copy()
                if table is rejecting and not busy.overflowed:  # whose rows have seen all events
                    slots = busy.find(rejecting.names)
                    kept[slots >= 0] = busy.rows[slots[slots >= 0], DEPTH]
                stay = np.flatnonzero(kept > 0)
                table.clear(keep=stay.tolist())
                table.rows[: len(stay), DEPTH] = kept[stay]
            depth = self._total[DEPTH]
            self._total = np.zeros_like(self._total)
            self._total[DEPTH], self._total_wait_s = depth, 0.0
            return period

    def _settle(self, labelled: Indices) -> None:
        """Raise the totals to what is known of, if tasks were rejected or left without arriving."""
        reasons = slice(FIRST_REASON, self._waits_from)
        # a rejection implies an arrival, and no row counts too many tasks as queued
        rejected = (self._total - labelled)[reasons].sum()
        rows = self._busy.rows[: len(self._busy), DEPTH]
        known = {ARRIVED: labelled[ARRIVED] + rejected, DEPTH: rows[rows > 0].sum()}
        for column, least in known.items():
            self._total[column] = max(self._total[column], labelled[column], least)

    def _second(self, labelled: list[str], rejections: Indices) -> list[str]:
        """Rank by rejections, or by their ratio, those who have no label yet."""
        if self.rejected_k == 0:
            return []
        table, by = self._rejecting, rejections.astype(float)
        arrived = None
        if self.rejected_by == "ratio":
            best = [self._row(name)[0][ARRIVED] for name in table.names]
            arrived = np.maximum(np.array(best, dtype=float), by)
            by = np.where(arrived >= self.floor, by / np.maximum(arrived, 1.0), 0.0)
        return self._rejected_rank.update(table.names, table.slot, by, arrived, labelled)

    def _named(self, rejections: Indices, labelled: set[str]) -> tuple[str, ...]:
        order = largest(rejections, self._rejecting.names, self.samples + len(labelled))
        names = [self._rejecting.names[i] for i in order if rejections[i] > 0]
        return tuple([name for name in names if name not in labelled][: self.samples])

    def _row(self, name: str) -> tuple[Indices, float, int]:
        """Return a tenant's counters, waits added up, and how many arrivals may be missing."""
        found: list[tuple[Indices, float]] = []
        at_most = self._busy.floor
        for table in (self._busy, self._rejecting):
            slot = table.slot.get(name)
            if slot is not None:
                found.append((table.rows[slot], float(table.wait_sum_s[slot])))
                if table is self._busy:
                    at_most = int(table.bound[slot])
        if not found:
            return np.zeros_like(self._total), 0.0, at_most
        row, wait_s = max(found, key=lambda item: int(item[0][ARRIVED]))
        row = row.copy()
        # a rejection implies an arrival, also one from before there was a row
        row[ARRIVED] = max(row[ARRIVED], row[FIRST_REASON : self._waits_from].sum())
        row[DEPTH] = max(row[DEPTH], 0)
        return row, wait_s, max(at_most - int(row[ARRIVED]), 0)

    def _series(self, name: str) -> TenantSeries:
        row, wait_s, missing = self._row(name)
        return self._as_series(name, label_of(name), row, wait_s, missing)

    def _as_series(
        self, name: str | None, label: str, row: Indices, wait_s: float, missing: int
    ) -> TenantSeries:
        reasons = row[FIRST_REASON : self._waits_from].tolist()
        return TenantSeries(
            tenant=name,
            label=label,
            arrived=int(row[ARRIVED]),
            rejected=dict(zip(self.reasons, reasons, strict=True)),
            started=int(row[STARTED]),
            abandoned=int(row[ABANDONED]),
            depth=int(row[DEPTH]),
            wait=WaitHistogram(
                _check.frozen(row[self._waits_from :].copy()), wait_s, self.buckets_s
            ),
            undercount=missing,
        )

    def _others(self, series: Iterable[TenantSeries], labelled: Indices) -> TenantSeries:
        """Return what is left of the totals; never negative, as no row counts too much."""
        wait_s = self._total_wait_s
        for one in series:
            wait_s -= one.wait.sum_s
        return self._as_series(None, OTHER, self._total - labelled, max(wait_s, 0.0), 0)

    def _counts(self, one: TenantSeries) -> Indices:
        fixed = np.zeros(FIRST_REASON, dtype=np.int64)
        fixed[[ARRIVED, STARTED, ABANDONED, DEPTH]] = (
            one.arrived,
            one.started,
            one.abandoned,
            one.depth,
        )
        return np.concatenate([fixed, list(one.rejected.values()), one.wait.counts])
