"""Multi-tenant fairness that can be computed: scenarios, policies, simulation, metrics."""

from .article.scenario import article_scenario, article_solo_scenario, article_workload
from .decide import Capacity, Comparison, Decision, capacity, compare
from .engine.simulate import Run, simulate
from .measures.allocation import dominant_resource_fair, max_min_fair
from .measures.credits import CreditShares, share_by_credits
from .measures.fair import FairReference, fair_reference
from .measures.properties import Verdict, check, f1, f2, f3, f4, owed_is_kept
from .measures.report import FairnessReport, measure
from .measures.shuffle_sharding import crowded_out
from .measures.statistics import jain_index
from .measures.timeline import timeline
from .observe import FairnessMonitor, TenantMetrics, UnderShareAlert
from .policies.admission import Quota, TokenBucket
from .policies.charge import ChargeAsYouGo
from .policies.dispatchers import Dispatchers
from .policies.drf import DominantResourceFair
from .policies.drr import DeficitRoundRobin
from .policies.fifo import Fifo
from .policies.hierarchy import HierarchicalFairQueueing
from .policies.in_flight import InFlight
from .policies.noisy_neighbour import NoisyNeighboursLast
from .policies.policy import ARTICLE_POLICIES, Policy, drr, drr_quota, fifo, quota
from .policies.priority import Priority
from .policies.round_robin import RoundRobin
from .policies.settling import SettlingDeficitRoundRobin
from .policies.sfq import StartTimeFairQueueing
from .policies.shuffle_sharding import ShuffleShardedFairQueueing
from .policies.tasks import Outcome, Tasks
from .runs.calm import compare_calm
from .runs.ensemble import replicate, sweep
from .runs.intervals import intervals
from .traffic.clients import Clients, Retry
from .traffic.pool import Pool
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
    "ChargeAsYouGo",
    "Clients",
    "Comparison",
    "CostExpression",
    "CreditShares",
    "Decision",
    "DeficitRoundRobin",
    "Deterministic",
    "Dispatchers",
    "DominantResourceFair",
    "Exponential",
    "FairReference",
    "FairnessMonitor",
    "FairnessReport",
    "Fifo",
    "HierarchicalFairQueueing",
    "InFlight",
    "Lognormal",
    "NoisyNeighboursLast",
    "Outcome",
    "Pareto",
    "Policy",
    "Pool",
    "Priority",
    "Quota",
    "Retry",
    "RoundRobin",
    "Run",
    "Scenario",
    "SettlingDeficitRoundRobin",
    "ShuffleShardedFairQueueing",
    "StartTimeFairQueueing",
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
    "share_by_credits",
    "simulate",
    "sweep",
    "timeline",
]
