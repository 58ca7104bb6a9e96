"""The metrics in Prometheus's terms: names, units, and counters that only go up.

Needs ``prometheus-client`` (``pip install "fairness_lib[prometheus]"``). Register the collectors
with a registry and serve it::

    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    registry.register(TenantCollector(metrics, period_s=15))
    registry.register(FairnessCollector(monitor, clock=time.monotonic))
    start_http_server(9100, addr="127.0.0.1", registry=registry)

A label's counters begin at 0 when it gets its place and go on as long as it has one; Prometheus
takes a later new beginning for a restart, as it should. Whatever a tenant did without a label is
in ``__other__``, whose counters never go down. The names in `Period.samples` are not exported:
as labels they would grow without bound. Write them to a log.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from .. import _check
from .alert import UnderShareAlert
from .monitor import FairnessMonitor
from .names import label_of
from .series import Period, TenantSeries
from .tenant_metrics import TenantMetrics

try:
    from prometheus_client.core import (
        CounterMetricFamily,
        GaugeMetricFamily,
        HistogramMetricFamily,
        Metric,
    )
    from prometheus_client.registry import Collector
except ImportError as error:  # pragma: no cover
    raise ImportError(
        'The exporter needs prometheus-client: pip install "fairness_lib[prometheus]"'
    ) from error


@dataclass
class _Counters:
    """All that a label has counted since it got its place."""

    rejected: dict[str, int]
    buckets: np.ndarray
    arrived: int = 0
    admitted: int = 0
    abandoned: int = 0
    wait_s: float = 0.0
    depth: int = field(default=0)

    def add(self, one: TenantSeries) -> None:
        self.arrived += one.arrived
        self.admitted += one.admitted
        self.abandoned += one.abandoned
        for reason, n in one.rejected.items():
            self.rejected[reason] += n
        self.buckets = self.buckets + one.wait.counts
        self.wait_s += one.wait.sum_s
        self.depth = one.depth


class TenantCollector(Collector):
    """Exports `TenantMetrics`: a period's end is due when somebody scrapes after `period_s`.

    Parameters
    ----------
    metrics : TenantMetrics
        Close its periods only through this object.
    period_s : float
        Shortest length of a period in seconds. Half the scrape interval is a good choice: with
        all of it, some scrapes repeat the values of the one before.
    clock : callable
        The time in seconds; `time.monotonic` by default.

    Attributes
    ----------
    period : Period or None
        The last period that ended, for a log of its samples.
    """

    def __init__(
        self,
        metrics: TenantMetrics,
        period_s: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.metrics = metrics
        self.period_s = _check.number("period_s", period_s, least=0)
        self.period: Period | None = None
        self._clock = clock
        self._closed_s = clock()
        self._lock = Lock()
        self._counters: dict[str, _Counters] = {}

    def roll(self) -> Period:
        """End the period now."""
        with self._lock:
            return self._roll()

    def _roll(self) -> Period:
        self._closed_s = self._clock()
        period = self.period = self.metrics.close()
        before, self._counters = self._counters, {}
        for one in period.series:
            fresh = _Counters(dict.fromkeys(one.rejected, 0), np.zeros_like(one.wait.counts))
            counters = self._counters[one.label] = before.get(one.label, fresh)
            counters.add(one)
        return period

    def describe(self) -> Iterator[Metric]:
        """Name the metrics without ending a period."""
        yield from self._families().values()

    def collect(self) -> Iterator[Metric]:
        """Give the metrics as of the last period's end."""
        with self._lock:
            if not 0 <= self._clock() - self._closed_s < self.period_s:  # or it was set back
                self._roll()
            families = self._families()
            for label, c in self._counters.items():
                families["arrivals"].add_metric([label], c.arrived)
                families["admissions"].add_metric([label], c.admitted)
                families["abandoned"].add_metric([label], c.abandoned)
                families["depth"].add_metric([label], c.depth)
                for reason, n in c.rejected.items():
                    families["rejections"].add_metric([label, label_of(reason)], n)
                bounds = [*map(repr, self.metrics.buckets_s), "+Inf"]
                upto = np.cumsum(c.buckets).tolist()
                families["wait"].add_metric([label], list(zip(bounds, upto, strict=True)), c.wait_s)
            if self.period is not None:
                families["exact"].add_metric([], float(self.period.exact))
                families["error"].add_metric([], self.period.error)
        yield from families.values()

    @staticmethod
    def _families() -> dict[str, Any]:
        def named(kind: type[Metric], name: str, text: str, labels: Sequence[str]) -> Any:
            return kind(f"fairness_{name}", text, labels=labels)  # type: ignore[call-arg]

        tenant = ["tenant"]
        counter, gauge = CounterMetricFamily, GaugeMetricFamily
        return {
            "arrivals": named(counter, "tenant_arrivals", "Tasks that arrived", tenant),
            "admissions": named(counter, "tenant_admissions", "Tasks not rejected", tenant),
            "abandoned": named(counter, "tenant_abandoned", "Tasks that left the queue", tenant),
            "rejections": named(
                counter, "tenant_rejections", "Tasks rejected, by reason", ["tenant", "reason"]
            ),
            "depth": named(gauge, "tenant_queue_depth", "Tasks queued", tenant),
            "wait": named(
                HistogramMetricFamily, "tenant_queue_wait_seconds", "Wait before service", tenant
            ),
            "exact": named(
                gauge, "tenant_exact", "1 if all tenants of the period had own counters", []
            ),
            "error": named(
                gauge, "tenant_undercount", "Most arrivals a labelled tenant can lack", []
            ),
        }


class FairnessCollector(Collector):
    """Exports the latest report of a `FairnessMonitor`, and an alert's state.

    Parameters
    ----------
    monitor : FairnessMonitor
        Its latest report is exported.
    alert : UnderShareAlert, optional
        Exported as ``fairness_alert_firing``. Make its `observe` the monitor's ``on_report``.
    clock : callable, optional
        The time on the monitor's clock, in seconds. With it a scrape lets the monitor's time pass,
        so that a pool in which nothing happens any more is seen to be stuck.
    """

    GAUGES = (
        ("jain_index", "jain", "Jain index of completions over fair share"),
        ("min_share_ratio", "min_x", "Smallest completions over fair share"),
        (
            "under_share_wait_p99_seconds",
            "under_share_p99_so_far_s",
            "p99 wait of tenants within their share, waiting tasks at their wait so far",
        ),
        (
            "under_share_started_wait_p99_seconds",
            "under_share_p99_wait_s",
            "p99 wait of tenants within their share, started tasks only",
        ),
        ("capacity_tasks_per_second", "capacity_per_s", "Workers over mean cost"),
        ("waiting_tasks", "waiting", "Tasks of the window that wait"),
        ("overdue_tasks", "overdue", "Tasks from before the window that wait"),
        ("oldest_wait_seconds", "oldest_wait_s", "Longest wait so far"),
    )

    COUNTERS = (
        ("unmatched_events", "unmatched", "Events of unknown tasks"),
        ("turned_back_events", "turned_back", "Events told with a time before the task's last one"),
        ("failed_reports", "failed_reports", "Reports for which on_report raised"),
    )

    def __init__(
        self,
        monitor: FairnessMonitor,
        alert: UnderShareAlert | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.monitor = monitor
        self.alert = alert
        self._clock = clock

    def describe(self) -> Iterator[Metric]:
        """Name the metrics without letting time pass."""
        for name, _, text in self.GAUGES:
            yield GaugeMetricFamily(f"fairness_{name}", text)

    def collect(self) -> Iterator[Metric]:
        """Give the metrics of the latest window."""
        if self._clock is not None:
            self.monitor.advance(self._clock())
        report = self.monitor.latest
        if report is not None:
            for name, attribute, text in self.GAUGES:
                yield GaugeMetricFamily(f"fairness_{name}", text, getattr(report, attribute))
        yield GaugeMetricFamily(
            "fairness_window_seconds", "Length of the window", self.monitor.window_s
        )
        for name, attribute, text in self.COUNTERS:
            yield CounterMetricFamily(f"fairness_{name}", text, getattr(self.monitor, attribute))
        if self.alert is not None:
            yield GaugeMetricFamily(
                "fairness_alert_firing", "1 while the alert fires", float(self.alert.firing)
            )
