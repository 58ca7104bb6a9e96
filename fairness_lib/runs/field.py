"""The policies that the field uses, each on the same four kinds of traffic.

Every scenario has heavy tenants, small ones and perhaps middling ones, by the beginning of their
names, on eight workers, and is measured from 20 to 40 s. Heavy tenants send half of what the pool
can do, and five times as much from 20 s on, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..article.scenario import article_scenario
from ..engine import compiled
from ..engine.simulate import simulate
from ..measures.report import FairnessReport, measure
from ..policies.admission import Quota
from ..policies.charge import ChargeAsYouGo
from ..policies.discipline import Discipline
from ..policies.drf import DominantResourceFair
from ..policies.drr import DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.hierarchy import HierarchicalFairQueueing
from ..policies.in_flight import InFlight
from ..policies.noisy_neighbour import NoisyNeighboursLast
from ..policies.policy import Policy, drr, fifo, round_robin, sfq, sharded
from ..policies.priority import Priority
from ..policies.settling import SettlingDeficitRoundRobin
from ..traffic.scenario import Burst, Scenario, Tenant
from ..traffic.service_times import Exponential
from ..traffic.workload import Workload

QUOTAS = {"heavy": (1.125, 0.25), "mid": (2.0, 2 / 3), "small": (4.0, 2.0)}
"""Rate and burst of a tenant's bucket over its calm rate, by the beginning of its name: in the
article's scenario they are the article's own."""
LEVELS = {"small*": 0, "mid*": 1, "heavy*": 2}
AGEING_S = 0.1
ENOUGH = 0.95
"""Who keeps this part of what it is owed does not pay."""
END_S = 40.0


def scenarios() -> dict[str, Scenario]:
    """Return the four scenarios by name.

    ``article``: the article's. ``sizes``: the same work, but heavy's tasks cost 100 ms and the
    small tenants' 1 ms. ``crowd``: 20 heavy tenants and 1,980 small ones. ``all at once``: nobody
    is loud; all send three times as much for ten seconds.
    """
    article = replace(article_scenario(), horizon_s=END_S)
    five = (Burst(20.0, END_S, 5.0),)
    heavy = [Tenant(f"heavy{i:02}", 20.0, bursts=five) for i in range(20)]
    small = [Tenant(f"small{i:04}", 340 / 1980) for i in range(1980)]
    return {
        "article": article,
        "sizes": article.with_tenants(map(_resized, article.tenants)),
        "crowd": article.with_tenants([*heavy, *small]),
        "all at once": article.with_tenants(
            replace(tenant, bursts=(Burst(20.0, 30.0, 3.0),)) for tenant in article.tenants
        ),
    }


def _kind(tenant: Tenant) -> str:
    return tenant.name.rstrip("0123456789")


def _resized(tenant: Tenant) -> Tenant:
    factor = {"heavy": 10.0, "mid": 1.0, "small": 0.1}[_kind(tenant)]
    cost = Exponential(0.010 * factor)
    return replace(tenant, rate_per_s=tenant.rate_per_s / factor, service_time=cost)


def policies(scenario: Scenario) -> dict[str, Policy]:
    """Return the policies by the name that a table calls them, configured for a scenario.

    Quotas and levels go by the beginning of the tenants' names, as an operator would set them who
    knows their calm rates.
    """
    buckets = {}
    for tenant in scenario.tenants:
        rate, burst = QUOTAS[_kind(tenant)]
        calm = tenant.rate_per_s
        buckets[f"{_kind(tenant)}*"] = rate * calm, max(burst * calm, 1.0)
    disciplines: dict[str, Discipline] = {
        "settling DRR": SettlingDeficitRoundRobin(),
        "charge as you go": ChargeAsYouGo(),
        "hierarchy (flat)": HierarchicalFairQueueing(),
        "DRF of one resource": DominantResourceFair(
            uses={"*": {"workers": 1}}, capacity={"workers": 8}
        ),
        "strict priority": Priority(levels=LEVELS),
        "priority with ageing": Priority(levels=LEVELS, ageing_s=AGEING_S),
        "noisy last": NoisyNeighboursLast(share=0.1, least=4),
        "in flight 4, FIFO": InFlight(Fifo(None), 4, cap=200),
        "in flight 6, DRR": InFlight(DeficitRoundRobin(cap=None), 6, cap=200),
    }
    return {
        "FIFO": fifo(),
        "quota": Policy("quota", Fifo(2000), Quota(buckets)),
        "DRR": drr(),
        "DRR + quota": Policy("drr_quota", DeficitRoundRobin(), Quota(buckets)),
        "start-time fair": sfq(),
        "shuffle sharding": sharded(),
        "round robin": round_robin(),
        **{name: Policy(name, discipline) for name, discipline in disciplines.items()},
    }


def alone(scenario: Scenario) -> Scenario:
    """Return the scenario's first tenant without the others, sending 1.25 times what the pool can.

    Raises
    ------
    ValueError
        If the pool's size changes.
    """
    loudest = scenario.tenants[0]
    if not isinstance(scenario.workers, int):
        raise ValueError(f"scenario must have a number of workers; got {scenario.workers!r}")
    rate_per_s = 1.25 * scenario.workers / loudest.service_time.mean_s
    return scenario.with_tenants([replace(loudest, rate_per_s=rate_per_s, bursts=())])


@dataclass(frozen=True)
class Standing:
    """What one policy came to over the seeds.

    Attributes
    ----------
    owed : int
        Tasks that were owed a start within 50 ms.
    kept : float
        The part of them that had it.
    worst_behind_s : float
        The mean over the seeds of the p99 behind of the tenant that was worst off.
    lone_use : float
        The part of the pool that a tenant alone could use.
    hurt : float
        The part of the tenants within their share that kept less than 95 % of what they were owed.
    """

    owed: int
    kept: float
    worst_behind_s: float
    lone_use: float
    hurt: float

    @property
    def payers(self) -> str:
        """Who pays, in words: those beyond their share only, some of the others, or everybody."""
        if self.hurt < 0.01:
            return "who is beyond"
        return "everybody" if self.hurt > 0.9 else f"{self.hurt:.0%} of others"


def compare_field(
    scenario: Scenario, policies: Mapping[str, Policy], seeds: Iterable[int]
) -> dict[str, Standing]:
    """Run every policy on the scenario's traffic, and on its loudest tenant's alone.

    Parameters
    ----------
    scenario : Scenario
        From `scenarios`, or with names that begin like theirs.
    policies : mapping of str to Policy
        By any name.
    seeds : iterable of int
        Over which `Standing` counts and averages. The lone tenant runs on the first, and so does a
        policy that only the readable tier has.
    """
    chosen = list(seeds)
    works = [_workload(scenario, seed) for seed in chosen]
    lone = _workload(alone(scenario), chosen[0])
    found = {}
    for name, policy in policies.items():
        slow = compiled.installed() and compiled.obstacle(policy, lone)
        reports = [_report(work, policy) for work in (works[:1] if slow else works)]
        each = [report.by_tenant() for report in reports]
        owed = np.sum([columns["owed"] for columns in each], axis=0)
        had = np.sum([np.nan_to_num(c["kept"]) * c["owed"] for c in each], axis=0)
        due = (owed > 0) & np.all([columns["under_share"] for columns in each], axis=0)
        found[name] = Standing(
            owed=int(owed.sum()),
            kept=float(had.sum() / owed.sum()),
            worst_behind_s=float(np.mean([report.worst_behind_p99_s for report in reports])),
            lone_use=_report(lone, policy).window_utilisation,
            hurt=float((had[due] < ENOUGH * owed[due]).mean()),
        )
    return found


def _workload(scenario: Scenario, seed: int) -> Workload:
    return compiled.generate(scenario, seed) if compiled.installed() else scenario.workload(seed)


def _report(work: Workload, policy: Policy) -> FairnessReport:
    engine = "readable" if compiled.obstacle(policy, work) else "compiled"
    return measure(simulate(work, policy, engine=engine), unit="work")
