"""What Prometheus scrapes adds up, and rules and dashboard use nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
import yaml

from fairness_lib import FairnessMonitor, TenantMetrics, UnderShareAlert
from fairness_lib.observe import OTHER

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def scrape():
    """Serve collectors over HTTP on localhost; give a function that fetches and parses."""
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    stop = []

    def serve(*collectors):
        registry = CollectorRegistry()
        for collector in collectors:
            registry.register(collector)
        server, thread = start_http_server(0, addr="127.0.0.1", registry=registry)
        stop.append((server, thread))

        def fetch():
            request = urllib.request.Request(
                f"http://127.0.0.1:{server.server_port}/metrics",
                headers={"Accept": "application/openmetrics-text; version=1.0.0"},
            )
            with urllib.request.urlopen(request, timeout=10) as response:
                assert "openmetrics" in response.headers["Content-Type"]
                text = response.read().decode()
            return {family.name: family for family in text_string_to_metric_families(text)}

        return fetch

    yield serve
    for server, thread in stop:
        server.shutdown()
        server.server_close()
        thread.join()


def by_tenant(family, name: str, **labels: str) -> dict[str, float]:
    return {
        sample.labels["tenant"]: sample.value
        for sample in family.samples
        if sample.name == name and all(sample.labels.get(k) == v for k, v in labels.items())
    }


def test_scraped_metrics_are_openmetrics_and_add_up(scrape):
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    metrics = TenantMetrics(top_k=2)
    monitor, alert = FairnessMonitor(1, 10, 5), UnderShareAlert()
    tenants = TenantCollector(metrics, period_s=1000)
    fetch = scrape(tenants, FairnessCollector(monitor, alert))
    assert by_tenant(fetch()["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total") == {}

    odd = 'so "odd"\nname\\'
    metrics.record("arrived", [odd] * 5 + [OTHER] * 4 + ["c", "d"])
    metrics.record("quota", [odd, "c"])
    metrics.record("started", [odd, odd, "d"], wait_s=[0.004, 0.05, 0.2])
    tenants.roll()
    monitor.arrived("t", "a", 1.0)
    monitor.started("t", 2.0)
    monitor.finished("t", 3.0)
    monitor.advance(5.0)
    families = fetch()
    arrivals = by_tenant(families["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total")
    assert arrivals == {odd: 5, "_" + OTHER: 4, OTHER: 2}
    rejections = families["fairness_tenant_rejections"]
    name = "fairness_tenant_rejections_total"
    assert by_tenant(rejections, name, reason="quota") == {odd: 1, "_" + OTHER: 0, OTHER: 1}
    waits = families["fairness_tenant_queue_wait_seconds"]
    assert waits.type == "histogram"
    assert by_tenant(waits, f"{waits.name}_bucket", le="0.05")[odd] == 2
    assert by_tenant(waits, f"{waits.name}_bucket", le="0.03")[odd] == 1
    assert by_tenant(waits, f"{waits.name}_count") == {odd: 2, "_" + OTHER: 0, OTHER: 1}
    assert by_tenant(waits, f"{waits.name}_sum")[odd] == pytest.approx(0.054)
    assert by_tenant(families["fairness_tenant_queue_depth"], "fairness_tenant_queue_depth") == {
        odd: 2,
        "_" + OTHER: 4,
        OTHER: 0,
    }
    assert families["fairness_jain_index"].samples[0].value == 1.0
    assert families["fairness_under_share_wait_p99_seconds"].samples[0].value == 1.0
    assert families["fairness_alert_firing"].samples[0].value == 0.0

    metrics.record("arrived", ["c"] * 90)  # c pushes somebody out; what counts never goes down
    tenants.roll()
    after = by_tenant(fetch()["fairness_tenant_arrivals"], "fairness_tenant_arrivals_total")
    assert len(after) == 3
    assert after["c"] == 90
    assert after[OTHER] >= arrivals[OTHER]


def test_collector_ends_a_period_when_one_is_due_and_lets_the_monitor_see_a_stuck_pool(scrape):
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    now = 0.0
    metrics, monitor = TenantMetrics(), FairnessMonitor(1, 10, 5)
    tenants = TenantCollector(metrics, period_s=15, clock=lambda: now)
    fetch = scrape(tenants, FairnessCollector(monitor, clock=lambda: now))
    metrics.arrived("a")
    monitor.arrived("t", "a", 0.0)
    name = "fairness_tenant_arrivals"
    assert not fetch()[name].samples
    now = 60.0
    families = fetch()
    assert by_tenant(families[name], f"{name}_total") == {"a": 1, OTHER: 0}
    assert families["fairness_under_share_wait_p99_seconds"].samples[0].value == 60.0


def test_one_tenant_whose_name_cannot_be_encoded_does_not_take_the_scrape_from_all(scrape):
    from fairness_lib.observe.exporter import TenantCollector

    metrics = TenantMetrics(reasons=["quota", "r\udc80"])
    tenants = TenantCollector(metrics, period_s=1000)
    fetch = scrape(tenants)
    metrics.record("arrived", ["a", "caf\udce9", r"caf\udce9"])
    metrics.rejected("caf\udce9", "r\udc80")
    tenants.roll()
    families = fetch()
    name = "fairness_tenant_arrivals"
    assert by_tenant(families[name], f"{name}_total") == {
        "a": 1,
        r"caf\udce9": 1,
        r"caf\\udce9": 1,
        OTHER: 0,
    }
    name = "fairness_tenant_rejections"
    assert by_tenant(families[name], f"{name}_total", reason=r"r\udc80")[r"caf\udce9"] == 1


def test_counters_of_events_without_an_arrival_never_go_down(scrape):
    from fairness_lib.observe.exporter import TenantCollector

    metrics = TenantMetrics(top_k=2, rejected_k=1)
    tenants = TenantCollector(metrics, period_s=0)
    fetch = scrape(tenants)
    before: dict[tuple, float] = {}
    for tell in (
        lambda: metrics.arrived("a"),
        lambda: metrics.started("b", 0.1),
        lambda: metrics.rejected("c", "quota"),
        lambda: metrics.abandoned("a"),
    ):
        tell()
        for family in fetch().values():
            if family.type == "counter":
                for sample in family.samples:
                    key = (sample.name, *sample.labels.items())
                    assert sample.value >= max(before.get(key, 0.0), 0.0)
                    before[key] = sample.value
    assert len(before) > 10


def test_a_scrape_goes_on_when_the_pager_fails_or_the_clock_is_set_back(scrape):
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    def pager(report):
        raise ConnectionError("no pager")

    now = 100.0
    metrics, monitor = TenantMetrics(), FairnessMonitor(1, 10, 5, on_report=pager)
    tenants = TenantCollector(metrics, period_s=15, clock=lambda: now)
    fetch = scrape(tenants, FairnessCollector(monitor, clock=lambda: now))
    monitor.arrived("t", "a", 99.0)
    monitor.started("t", 98.0)
    fetch()
    now = 120.0
    families = fetch()
    for name, value in (("failed_reports", 5), ("turned_back_events", 1), ("unmatched_events", 0)):
        assert families[f"fairness_{name}"].samples[0].value == value
    now = 20.0  # a period ends, and the next one when it is due by the clock as it is now
    metrics.arrived("a")
    name = "fairness_tenant_arrivals"
    assert by_tenant(fetch()[name], f"{name}_total") == {"a": 1, OTHER: 0}


def exported_names() -> set[str]:
    from fairness_lib.observe.exporter import FairnessCollector, TenantCollector

    metrics, monitor = TenantMetrics(), FairnessMonitor(1, 10, 5)
    metrics.arrived("a")
    tenants = TenantCollector(metrics, 0)
    monitor.advance(0.0)
    monitor.advance(10.0)
    families = [*tenants.collect(), *FairnessCollector(monitor, UnderShareAlert()).collect()]
    return {sample.name for family in families for sample in family.samples}


def test_rules_and_dashboard_use_only_exported_names():
    folder = ROOT / "examples" / "observability"
    rules = yaml.safe_load((folder / "fairness.rules.yml").read_text())
    dashboard = json.loads((folder / "dashboard.json").read_text())
    alerts = [rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule]
    assert {"for", "keep_firing_for", "annotations"} <= set(alerts[0])
    expressions = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    panels = dashboard["panels"]
    expressions += [target["expr"] for panel in panels for target in panel.get("targets", [])]
    recorded = {
        rule["record"] for group in rules["groups"] for rule in group["rules"] if "record" in rule
    }
    used = {name for e in expressions for name in re.findall(r"\bfairness[_:][a-z0-9_:]+", e)}
    assert used
    assert used <= exported_names() | recorded
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_importing_the_library_needs_no_prometheus_client():
    code = (
        "import sys; sys.modules['prometheus_client'] = None\n"
        "import fairness_lib, fairness_lib.observe, fairness_lib.commands.live\n"
        "assert 'pandas' not in sys.modules and 'matplotlib' not in sys.modules\n"
        "from fairness_lib.__main__ import main\n"
        "sys.exit(main(['live', '--seconds', '1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "fairness_lib[prometheus]" in done.stderr
    assert "Traceback" not in done.stderr


def test_ten_thousand_tenants_make_as_many_series_as_ten():
    names = [f"t{i}" for i in range(10_000)]
    metrics = TenantMetrics(top_k=10)
    for _ in range(3):
        metrics.record("arrived", np.arange(10_000), names=names)
        period = metrics.close()
        assert len(period.series) == 11
        assert period.exact
