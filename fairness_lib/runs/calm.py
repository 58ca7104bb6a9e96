"""Isolation as a difference: what a burst does to the tenants that share a pool with it.

The same tenants are run with and without the bursts of their scenario, on common random numbers:
whoever does not burst sends the same tasks in both. What differs for them is the others' doing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .. import _check
from ..engine.simulate import simulate
from ..measures.groups import Groups
from ..measures.report import measure
from ..policies.policy import Policy
from ..traffic.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd


def compare_calm(
    scenario: Scenario,
    policies: Iterable[Policy],
    seeds: Iterable[int],
    *,
    groups: Groups | None = None,
    workers: int | None = None,
    **how: Any,
) -> pd.DataFrame:
    """Measure every policy with the scenario's bursts and without, by group of tenants.

    Parameters
    ----------
    scenario : Scenario
        Tenants, of whom at least one has bursts.
    policies : iterable of Policy
        With distinct names.
    seeds : iterable of int
        Distinct seeds.
    groups : mapping of str to str or iterable of str, optional
        Tenants by name or shell pattern for each group; by default ``others``, all tenants without
        bursts, and ``bursting``.
    workers : int, optional
        Size of the pool; the scenario's by default.
    **how
        As for `measure`: window, unit, objective_s, backlog.

    Returns
    -------
    DataFrame
        One row per policy, seed, group and ``traffic`` ("calm" or "burst"), in this order, with the
        columns of `FairnessReport.by_group`.

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed, or the scenario has no burst to leave out.

    Examples
    --------
    >>> from fairness_lib import article_scenario, drr, fifo
    >>> table = compare_calm(article_scenario(), [fifo(), drr()], seeds=[1])
    >>> waits = table[table["group"] == "others"].set_index(["policy", "traffic"])["wait_p99_s"]
    >>> waits.unstack().round(3).to_dict("index")["fifo"]
    {'burst': 2.652, 'calm': 0.094}
    """
    import pandas as pd

    if not isinstance(scenario, Scenario):
        raise TypeError(f"scenario must be a Scenario; got {scenario!r}")
    bursting = [tenant.name for tenant in scenario.tenants if tenant.bursts]
    others = [tenant.name for tenant in scenario.tenants if not tenant.bursts]
    if not bursting:
        raise ValueError("scenario must have a tenant with bursts; none has any")
    if groups is None:
        groups = {"others": others, "bursting": bursting} if others else {"bursting": bursting}
    several = _check.several("policies", policies, "Policy records")
    _check.distinct("policies", [policy.name for policy in several])
    chosen = [_check.seed("seeds", seed) for seed in _check.several("seeds", seeds, "seeds")]
    _check.distinct("seeds", chosen)
    tables = []
    for seed in chosen:
        for traffic, source in (("calm", scenario.calm()), ("burst", scenario)):
            workload = source.workload(seed)
            for policy in several:
                table = measure(simulate(workload, policy, workers), **how).by_group(groups)
                what = {"policy": policy.name, "seed": seed, "traffic": traffic}
                tables.append(table.reset_index().assign(**what))
    table = pd.concat(tables, ignore_index=True)
    order = {policy.name: place for place, policy in enumerate(several)}
    table = table.sort_values("policy", key=lambda names: names.map(order), kind="stable")
    keys = ["policy", "seed", "traffic", "group"]
    return table[[*keys, *table.columns.drop(keys)]].reset_index(drop=True)
