"""Multi-tenant fairness that can be computed: scenarios, policies, simulation, metrics."""

from .admission import Quota, TokenBucket
from .allocation import dominant_resource_fair, max_min_fair
from .article import article_scenario, article_solo_scenario, article_workload
from .disciplines import DeficitRoundRobin, Fifo
from .ensemble import replicate, sweep
from .intervals import intervals
from .metrics import FairnessReport, jain_index, measure
from .observe import FairnessMonitor, TenantMetrics, UnderShareAlert
from .policies import ARTICLE_POLICIES, Policy, drr, drr_quota, fifo, quota
from .properties import Verdict, check, f1, f2, f3, f4
from .scenario import Burst, Scenario, Tenant
from .service_times import Bimodal, Deterministic, Exponential, Lognormal, Pareto
from .shuffle_sharding import crowded_out
from .simulate import Run, simulate
from .tasks import Outcome, Tasks
from .workload import Workload

__version__ = "0.1.0"

__all__ = [
    "ARTICLE_POLICIES",
    "Bimodal",
    "Burst",
    "DeficitRoundRobin",
    "Deterministic",
    "Exponential",
    "FairnessMonitor",
    "FairnessReport",
    "Fifo",
    "Lognormal",
    "Outcome",
    "Pareto",
    "Policy",
    "Quota",
    "Run",
    "Scenario",
    "Tasks",
    "Tenant",
    "TenantMetrics",
    "TokenBucket",
    "UnderShareAlert",
    "Verdict",
    "Workload",
    "article_scenario",
    "article_solo_scenario",
    "article_workload",
    "check",
    "crowded_out",
    "dominant_resource_fair",
    "drr",
    "drr_quota",
    "f1",
    "f2",
    "f3",
    "f4",
    "fifo",
    "intervals",
    "jain_index",
    "max_min_fair",
    "measure",
    "quota",
    "replicate",
    "simulate",
    "sweep",
]
