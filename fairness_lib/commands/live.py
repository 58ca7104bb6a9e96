"""The subcommand ``live``: the article's tenants in a live pool, watched at ``/metrics``."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .. import _check
from ..article.scenario import BURST_FACTOR, WORKERS, article_scenario
from ..observe import FairnessMonitor, TenantMetrics, UnderShareAlert, WindowReport
from ..observe.live import LivePool, ScaledTime, send
from ..policies.policy import ARTICLE_POLICIES
from ..traffic.scenario import Burst, Scenario
from ..traffic.workload import Workload
from . import _cli

if TYPE_CHECKING:
    from ..observe.exporter import TenantCollector

LOCALHOST = "127.0.0.1"
STEP_S = 1.0


class Watch:
    """Passes a pool's events on to `TenantMetrics`, and to `FairnessMonitor`."""

    def __init__(self, metrics: TenantMetrics, monitor: FairnessMonitor) -> None:
        self.metrics = metrics
        self.monitor = monitor

    def arrived(self, task: int, tenant: str, now: float) -> None:
        """Count an arrival."""
        self.metrics.arrived(tenant)
        self.monitor.arrived(task, tenant, now)

    def rejected(self, task: int, tenant: str, now: float, reason: str) -> None:
        """Count a rejection."""
        self.metrics.rejected(tenant, reason)
        self.monitor.rejected(task, now)

    def started(self, task: int, tenant: str, now: float, wait_s: float) -> None:
        """Count a start of service."""
        self.metrics.started(tenant, wait_s)
        self.monitor.started(task, now)

    def finished(self, task: int, tenant: str, now: float, cost_s: float) -> None:
        """Count an end of service."""
        self.monitor.finished(task, now, cost_s)


def live_scenario(seconds: float, burst_factor: float = BURST_FACTOR) -> Scenario:
    """Return the article's tenants for some seconds, with the burst in the middle third.

    Examples
    --------
    >>> live_scenario(60) == article_scenario()
    True
    """
    tenants = article_scenario(burst_factor=burst_factor).tenants
    window_s = seconds / 3, 2 * seconds / 3
    burst = Burst(*window_s, burst_factor)
    heavy = type(tenants[0])("heavy", tenants[0].rate_per_s, bursts=(burst,))
    return Scenario((heavy, *tenants[1:]), WORKERS, seconds, window_s)


def register(commands: Any) -> None:
    """Add the subcommand ``live``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "live",
        help="run the article's tenants through a live pool, with /metrics for Prometheus",
        description="Run an asyncio worker pool on the article's tenants, with heavy's burst in "
        "the middle third of the time, and serve what is seen of it at /metrics. Ctrl-C ends it.",
    )
    add = parser.add_argument
    add("--policy", choices=tuple(ARTICLE_POLICIES), default="drr", help="default: drr")
    add("--seconds", type=float, default=20.0, help="seconds of traffic (default: 20)")
    add("--speed", type=float, default=1.0, help="seconds of traffic in a real one (default: 1)")
    add("--port", type=int, default=9100, help="port of /metrics, 0 for a free one (default: 9100)")
    add("--address", default=LOCALHOST, help=f"address to listen on (default: {LOCALHOST} only)")
    add("--window", type=float, default=5.0, help="seconds of the rolling window (default: 5)")
    add("--alert-ms", type=float, default=200.0, help="p99 wait that fires (default: 200)")
    add("--top-k", type=int, default=10, help="labels besides __other__ (default: 10)")
    add("--seed", type=int, default=1, help="seed of the traffic (default: 1)")
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Run the live pool; 0 also when Ctrl-C or a SIGTERM ends it early."""
    a = arguments
    try:
        _check.number("--speed", a.speed, above=0)
        _check.whole("--port", a.port, least=0)
        workload = live_scenario(_check.number("--seconds", a.seconds, above=0)).workload(a.seed)
        metrics = TenantMetrics(a.top_k, rejected_k=min(2, a.top_k))
        lines: list[str] = []
        alert = UnderShareAlert(_check.number("--alert-ms", a.alert_ms, above=0) / 1e3)
        monitor = FairnessMonitor(
            8,
            _check.number("--window", a.window, above=0),
            STEP_S,
            on_report=lambda report: lines.append(line(report, alert.observe(report))),
        )
    except (TypeError, ValueError) as error:
        raise _cli.UsageError(str(error)) from None
    watch = Watch(metrics, monitor)
    with serving(watch, alert, a.address, a.port, STEP_S / a.speed) as (collector, url):
        say(f"{a.policy}, {a.seconds:g} s at speed {a.speed:g}; metrics at {url}")
        with suppress(KeyboardInterrupt):
            asyncio.run(run(a.policy, workload, a.speed, watch, collector, lines))
        if monitor.latest is None or monitor.latest.window[1] < int(a.seconds):
            say("stopped early")
    return 0


async def run(
    policy: str,
    workload: Workload,
    speed: float,
    watch: Watch,
    collector: TenantCollector,
    lines: list[str],
) -> None:
    """Send the workload through a pool; every second say `lines` and end the metrics' period."""
    with suppress(NotImplementedError, RuntimeError):  # not everywhere, and in the main thread only
        main = asyncio.current_task()
        assert main is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, main.cancel)
    time = ScaledTime(speed)
    pool = LivePool(ARTICLE_POLICIES[policy](), workload.tenants, 8, time, observers=[watch])

    async def tick() -> None:
        for step in range(1, int(workload.horizon_s / STEP_S) + 1):
            await time.sleep_until(step * STEP_S)
            watch.monitor.advance(time())  # also when no event comes any more
            collector.roll()
            while lines:  # here, where it is noticed that nobody reads them any more
                say(lines.pop(0))
        await time.sleep_until(workload.horizon_s)

    with suppress(asyncio.CancelledError):
        async with pool:
            work = [asyncio.create_task(send(pool, workload, time)), asyncio.create_task(tick())]
            try:
                await asyncio.gather(*work)
            finally:
                for one in work:
                    one.cancel()


def line(report: WindowReport, firing: bool) -> str:
    """Return what is said of a window, on a line."""
    return (
        f"{report.window[1]:6.1f} s  Jain {report.jain:.3f}  min x {report.min_x:.2f} "
        f"{report.min_x_tenant:9}  p99 wait within share "
        f"{1e3 * report.under_share_p99_so_far_s:7.1f} ms  {report.waiting:4} waiting"
        + ("  ALERT" if firing else "")
    )


@contextmanager
def serving(
    watch: Watch, alert: UnderShareAlert, address: str, port: int, period_s: float
) -> Iterator[tuple[TenantCollector, str]]:
    """Serve /metrics for as long as the block runs; give the collector and the URL."""
    try:
        from prometheus_client import CollectorRegistry, start_http_server

        from ..observe.exporter import FairnessCollector, TenantCollector
    except ImportError:
        raise _cli.UsageError(
            'live needs prometheus-client: pip install "fairness_lib[prometheus]"'
        ) from None
    registry = CollectorRegistry()
    collector = TenantCollector(watch.metrics, period_s)
    registry.register(collector)
    registry.register(FairnessCollector(watch.monitor, alert))
    try:
        server, thread = start_http_server(port, addr=address, registry=registry)
    except (OSError, OverflowError) as error:
        raise _cli.UsageError(f"cannot listen on {address}:{port}: {error}") from None
    host = f"[{address}]" if ":" in address else address
    try:
        yield collector, f"http://{host}:{server.server_port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def say(text: str) -> None:
    """Print a line at once."""
    print(text, file=sys.stdout, flush=True)
