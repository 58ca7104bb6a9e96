"""Multi-tenant fairness that can be computed: scenarios, policies, simulation, metrics."""

from .article.scenario import article_scenario, article_solo_scenario, article_workload
from .decide import Capacity, Comparison, Decision, capacity, compare
from .engine.simulate import Run, simulate
from .measures.allocation import dominant_resource_fair, max_min_fair
from .measures.fair import FairReference, fair_reference
from .measures.properties import Verdict, check, f1, f2, f3, f4, owed_is_kept
from .measures.report import FairnessReport, measure
from .measures.shuffle_sharding import crowded_out
from .measures.statistics import jain_index
from .measures.timeline import timeline
from .observe import FairnessMonitor, TenantMetrics, UnderShareAlert
from .policies.admission import Quota, TokenBucket
from .policies.drr import DeficitRoundRobin
from .policies.fifo import Fifo
from .policies.policy import ARTICLE_POLICIES, Policy, drr, drr_quota, fifo, quota
from .policies.tasks import Outcome, Tasks
from .runs.calm import compare_calm
from .runs.ensemble import replicate, sweep
from .runs.intervals import intervals
from .traffic.scenario import Burst, Scenario, Tenant
from .traffic.scenario_file import read_scenario
from .traffic.service_times import Bimodal, Deterministic, Exponential, Lognormal, Pareto
from .traffic.traces import CostExpression, Trace, TraceError, read_trace
from .traffic.workload import Workload

__version__ = "0.1.0"

__all__ = [
    "ARTICLE_POLICIES",
    "Bimodal",
    "Burst",
    "Capacity",
    "Comparison",
    "CostExpression",
    "Decision",
    "DeficitRoundRobin",
    "Deterministic",
    "Exponential",
    "FairReference",
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
    "Trace",
    "TraceError",
    "UnderShareAlert",
    "Verdict",
    "Workload",
    "article_scenario",
    "article_solo_scenario",
    "article_workload",
    "capacity",
    "check",
    "compare",
    "compare_calm",
    "crowded_out",
    "dominant_resource_fair",
    "drr",
    "drr_quota",
    "f1",
    "f2",
    "f3",
    "f4",
    "fair_reference",
    "fifo",
    "intervals",
    "jain_index",
    "max_min_fair",
    "measure",
    "owed_is_kept",
    "quota",
    "read_scenario",
    "read_trace",
    "replicate",
    "simulate",
    "sweep",
    "timeline",
]
