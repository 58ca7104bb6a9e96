"""What to know before trusting a comparison: about this trace, and about any replay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .._count import count
from .suspicion import SUSPECT
from .verdict import UNKNOWN
from .whole import kept_whole
from .words import span

if TYPE_CHECKING:
    from .compare import Comparison

FEW_TASKS = 20
PART = 0.01


def alerts(c: Comparison) -> Iterator[str]:
    """Say what is unusual about this trace, and what was done about it."""
    workload, trace = c.situation.workload, c.trace
    n = len(workload)
    for what, number in trace.dropped.items():
        yield f"Left out: {number:,} rows where {what}."
    if trace.unsorted:
        yield "The rows were out of order; they were sorted by arrival."
    ties = int((np.diff(workload.arrival_s) == 0).sum()) if trace.job is None else 0
    if ties > PART * n:
        yield f"{ties:,} tasks arrive at the very time of the one before; they keep their order."
    same = (
        (np.diff(workload.arrival_s) == 0)
        & (np.diff(workload.cost_s) == 0)
        & (np.diff(workload.tenant) == 0)
    )
    if same.sum() > PART * n and trace.job is None:
        yield (
            f"{int(same.sum()):,} tasks equal the one before in tenant, arrival and cost: were "
            "rows written twice? All were kept."
        )
    zero = int((workload.cost_s == 0).sum())
    if zero:
        yield f"{zero:,} tasks cost nothing."
    if c.suspicion > SUSPECT and c.decision.kind != UNKNOWN:
        yield (
            "Costs are larger when many tasks are in flight, as if they contained waiting; they "
            "were trusted."
        )
    tasks = count(workload.tenant, len(workload.tenants))
    if few := int((tasks < FEW_TASKS).sum()):
        yield (
            f"{few:,} of {len(tasks):,} tenants have fewer than {FEW_TASKS} tasks: what is said of "
            "one of them alone is mostly chance."
        )
    if len(c.situation.episodes) == 1:
        yield (
            "All contention is one episode. Its blocks depend on each other: the interval tells "
            "how the trace varies within it, not what another day would bring."
        )
    if c.workers_from == "assumed":
        yield (
            f"The log does not say how many workers there are. {c.situation.workers} were assumed, "
            "where policies differ most; see the row of pools, and give --workers."
        )
    fit = c.fitted
    if fit is not None:
        off = fit.replayed_mean_s - fit.measured_mean_s
        yield (
            f"Replayed under {fit.policy} on {fit.workers} workers, tasks wait "
            f"{span(fit.replayed_mean_s)} on average; the log measured "
            f"{span(fit.measured_mean_s)}. Task by task the two are "
            f"{span(fit.mean_error_s)} apart (mean), and rank alike by "
            f"{fit.rank_correlation:.2f}."
            + (
                " That is far apart: the log's own scheduler, or pool, was another one."
                if abs(off) > 0.25 * fit.measured_mean_s or not fit.rank_correlation > 0.8
                else ""
            )
        )
    if trace.job is not None:
        yield (
            "Tasks that take several workers were split: their work is right, but their parts may "
            "start one by one, which a real scheduler may not allow."
        )
        yield from widths(c)


def widths(c: Comparison) -> Iterator[str]:
    """Say what keeping wide tasks in one piece changes for tenants within their share."""
    found = {one.policy: one for one in kept_whole(c)}
    if not found:
        yield "In one piece they cannot be run here: the widest needs more workers than there are."
        return
    each = "; ".join(
        f"{one.policy}: {span(one.split_s)} split, {span(one.whole_s)} whole"
        for one in found.values()
    )
    yield (
        "Kept whole, a task waits until enough workers are idle, and none overtakes it. Mean wait "
        f"of tenants within their share, by task of the log: {each}."
    )
    chosen, now = found.get(c.decision.policy or ""), found.get(c.as_is)
    if chosen and now and chosen is not now and chosen.whole_s >= now.whole_s:
        yield (
            f"With tasks kept whole, {chosen.policy} does not shorten these waits: the verdict "
            "holds only if parts may start one by one."
        )


def limits(c: Comparison) -> Iterator[str]:
    """Say what no replay of a log can know."""
    yield (
        "Open loop: tasks come as they came, however they are served. People who wait send less, "
        "and a faster service would bring more."
    )
    yield (
        "Costs were measured under the contention of that day. If tasks slow each other down, "
        "another order of service would have changed the costs themselves."
    )
    yield (
        "The log is cut at both ends: what was running when it began, and what came after, is not "
        "in it."
    )
    yield (
        "What was turned away or given up that day is not in the log, unless it was logged as "
        "tasks."
    )
    yield "Tasks run to their end without being interrupted, on equal workers."
    if c.terms.quota is None:
        yield (
            "No quota was tried: a limit is a contract, and one made up from a log rejects whoever "
            "is quiet on average and busy once."
        )
