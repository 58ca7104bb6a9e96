"""Traces that the tests of decisions share, made by hand or from the article's traffic."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fairness_lib import Trace, Workload, article_workload

Rows = Iterable[tuple[str, float, float]]


def trace_of(rows: Rows, horizon_s: float | None = None, wait_s=None) -> Trace:
    """Make a trace of (tenant, arrival_s, cost_s), sorted by arrival."""
    rows = sorted(rows, key=lambda row: row[1])
    names = sorted({name for name, _, _ in rows})
    arrival_s, cost_s = (np.array([row[i] for row in rows], dtype=float) for i in (1, 2))
    if horizon_s is None:
        horizon_s = float((arrival_s + cost_s).max())
    w = Workload(names, arrival_s, [names.index(row[0]) for row in rows], cost_s, horizon_s)
    return Trace(w, "made", (), wait_s=wait_s, rows=len(rows))


def article(seed: int = 1) -> Trace:
    """Return the article's traffic as a trace."""
    return Trace(article_workload(seed), "article", ())


def crowded(bursts: int = 6, small_cost_s: float = 0.1) -> Trace:
    """Return a heavy tenant that bursts now and then, and five light ones that always come."""
    rows: list[tuple[str, float, float]] = []
    for burst in range(bursts):
        rows += [("big", 100.0 * burst + i / 20, 1.0) for i in range(300)]
    for name in range(5):
        rows += [(f"small{name}", i + name / 5, small_cost_s) for i in range(100 * bursts)]
    return trace_of(rows)
