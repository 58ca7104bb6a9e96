"""Write the log that comes with the package: what a service of report jobs might have noted.

The tasks are those of the scenario `service`, served by one queue and four workers; so the log has
measured waits, and its pool can be found again. Times are rounded to milliseconds.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from fairness_lib import fifo, read_scenario, simulate

LOG = Path(__file__).parent.parent / "fairness_lib/traffic/examples/service.csv.gz"
BEGAN = np.datetime64("2026-03-02T08:00:00.000")
SEED = 1


def text() -> str:
    """Return the log as CSV."""
    workload = read_scenario("service").workload(SEED)
    run = simulate(workload, fifo(cap=None))
    submitted = BEGAN + np.round(1e3 * workload.arrival_s).astype("timedelta64[ms]")
    queue_ms = np.round(1e3 * run.wait_s).astype(np.int64)
    service_ms = np.round(1e3 * workload.cost_s).astype(np.int64)
    lines = ["submitted,customer,queue_ms,service_ms,latency_ms"]
    for i, tenant in enumerate(workload.tenant.tolist()):
        latency_ms = queue_ms[i] + service_ms[i]
        times = f"{queue_ms[i]},{service_ms[i]},{latency_ms}"
        lines.append(f"{submitted[i]}Z,{workload.tenants[tenant]},{times}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    LOG.write_bytes(gzip.compress(text().encode(), 9, mtime=0))
