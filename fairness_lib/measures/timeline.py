"""The same run step by step: how long those waited who came then, and how many waited."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from .. import _check
from ..engine.simulate import Run, without_events
from ..policies.tasks import REJECTED
from .groups import Groups, members
from .statistics import quantile

if TYPE_CHECKING:
    import pandas as pd


def timeline(
    run: Run, groups: Groups | None = None, *, step_s: float = 1.0, q: float = 0.99
) -> pd.DataFrame:
    """Return waits and queues over time: burst and recovery, which a whole window's numbers hide.

    Parameters
    ----------
    run : Run
        From `simulate`.
    groups : mapping of str to str or iterable of str, optional
        Groups of tenants by name or shell pattern; by default each tenant is one.
    step_s : float
        Length of a step in seconds. The last one ends at the horizon or after it.
    q : float
        The quantile of the waits.

    Returns
    -------
    pandas.DataFrame
        One row per step and group: ``from_s``; ``group``; ``wait_s``, the quantile of the waits of
        the tasks that arrived in the step and were served (NaN if none); ``waiting``, how many of
        the group's tasks were in the queue when the step ended. Waits are known only afterwards:
        while a queue grows, those in it have not yet waited as long as they will.

    Examples
    --------
    >>> from fairness_lib import article_workload, drr, simulate
    >>> run = simulate(article_workload(seed=1), drr())
    >>> found = timeline(run, {"heavy": "heavy", "others": ["mid*", "small*"]}, step_s=20)
    >>> found.round(3)
       from_s   group  wait_s  waiting
    0     0.0   heavy   0.107        0
    1     0.0  others   0.020        0
    2    20.0   heavy   0.521      200
    3    20.0  others   0.019        1
    4    40.0   heavy   0.470        9
    5    40.0  others   0.018        1
    """
    import pandas as pd

    if not isinstance(run, Run):
        raise TypeError(f"run must be a Run from simulate(); got {run!r}")
    without_events(run, "a timeline")
    step_s = _check.number("step_s", step_s, above=0)
    q = _check.number("q", q, least=0, most=1)
    workload = run.workload
    named = {name: name for name in workload.tenants} if groups is None else groups
    steps = ceil(workload.horizon_s / step_s)
    came = np.minimum(np.floor(workload.arrival_s / step_s), steps - 1)
    entered = ~np.isin(run.outcome, REJECTED)
    left = np.where(run.served, np.floor(run.start_s / step_s), np.inf)
    rows = []
    for name, places in members(named, workload.tenants).items():
        own = np.isin(workload.tenant, places)
        joins, leaves = np.sort(came[own & entered]), np.sort(left[own & entered])
        for step in range(steps):
            waits = np.sort(run.wait_s[own & run.served & (came == step)])
            waiting = np.searchsorted(joins, step, "right") - np.searchsorted(leaves, step, "right")
            rows.append((step, step * step_s, name, quantile(waits, q), int(waiting)))
    rows.sort(key=lambda row: row[0])
    columns = ["step", "from_s", "group", "wait_s", "waiting"]
    return pd.DataFrame(rows, columns=columns).drop(columns="step")
