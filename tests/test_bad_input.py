"""Bad input: every public entry point says which field is wrong and with which value.

A case is what to call, the field that the message must name and the value that it must show.
The same calls without the bad argument are in order, so no error can come from the rest of them.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import tasks

import fairness_lib as fl
from fairness_lib.article.comparison import article_results, compare
from fairness_lib.commands.report_text import render
from fairness_lib.engine.simulate import Run

NAN, INF = float("nan"), float("inf")
WORK = tasks(("a", 0.0, 1.0), ("b", 1.0, 1.0), horizon_s=10.0)
RUN = fl.simulate(WORK, fl.fifo(), 8)
REPORT = fl.measure(RUN, (0.0, 10.0))

# Values that no number of seconds, rate or weight may have, and how messages show them.
NOT_POSITIVE = [(0, "0"), (-1.5, "-1.5"), (NAN, "nan"), (INF, "inf"), ("1", "'1'"), (None, "None")]
NEGATIVE = [*NOT_POSITIVE[1:], (True, "True")]
NOT_A_COUNT = [(0, "0"), (-3, "-3"), (2.0, "2.0"), (NAN, "nan"), ("2", "'2'"), (True, "True")]
NOT_A_SEED = [(-1, "-1"), (1.0, "1.0"), ("1", "'1'"), (None, "None"), (True, "True")]
NOT_A_NAME = [("", "''"), (None, "None"), (3, "3")]
NOT_A_WEIGHT = [*NOT_POSITIVE, (1e-10, "1e-10"), (1e308, "1e+308")]
QUEUED = [
    *(fl.ChargeAsYouGo, fl.HierarchicalFairQueueing, fl.NoisyNeighboursLast, fl.RoundRobin),
    *(fl.SettlingDeficitRoundRobin, fl.ShuffleShardedFairQueueing, fl.StartTimeFairQueueing),
]
WEIGHTED = [
    *(fl.ChargeAsYouGo, fl.HierarchicalFairQueueing, fl.SettlingDeficitRoundRobin),
    fl.StartTimeFairQueueing,
]
TOO_LATE = [(1.1e10, "at most 1e+10; got 11000000000.0"), (1e15, "1000000000000000.0")]


def workload(**changed: Any) -> fl.Workload:
    columns = {"tenants": ["a", "b"], "arrival_s": [0, 1], "tenant": [0, 1], "cost_s": [1, 1]}
    return fl.Workload(**{**columns, "horizon_s": 5.0, **changed})


def tenant(**changed: Any) -> fl.Tenant:
    return fl.Tenant(**{"name": "a", "rate_per_s": 1.0, **changed})


def scenario(**changed: Any) -> fl.Scenario:
    return fl.Scenario(**{"tenants": [tenant()], **changed})


def burst(**changed: Any) -> fl.Burst:
    return fl.Burst(**{"from_s": 1.0, "to_s": 2.0, "factor": 3.0, **changed})


def bimodal(**changed: Any) -> fl.Bimodal:
    return fl.Bimodal(**changed)


def one(make: Callable[..., Any], field: str, values: list, name: str | None = None):
    """Make a case of each value for one argument."""
    return [
        pytest.param(make, {field: value}, name or field, shown, id=f"{make.__name__}-{field}-{i}")
        for i, (value, shown) in enumerate(values)
    ]


def retry(**changed: Any) -> fl.Retry:
    return fl.Retry(**changed)


def clients(**changed: Any) -> fl.Clients:
    return fl.Clients(**changed)


def closed(**changed: Any) -> fl.Tenant:
    return fl.Tenant(**{"name": "a", "rate_per_s": 0, "clients": fl.Clients(number=1), **changed})


def pool(**changed: Any) -> fl.Pool:
    return fl.Pool(**changed)


def with_clients(**changed: Any) -> fl.Workload:
    return WORK.with_clients(**{"clients": fl.Clients(), **changed})


def in_flight(**changed: Any) -> fl.InFlight:
    return fl.InFlight(**{"discipline": fl.Fifo(), "limit": 1, **changed})


def dispatchers(**changed: Any) -> fl.Dispatchers:
    return fl.Dispatchers(**{"discipline": fl.Fifo(), "number": 2, **changed})


def through(ingress: int | None = 0) -> Run:
    work = WORK if ingress is None else WORK.with_ingress([ingress, 0])
    return fl.simulate(work, fl.Policy("two", dispatchers()), 8)


def broad(width: int = 1) -> Run:
    return fl.simulate(workload(width=[1, width]), fl.fifo(), 8)


def quotas(**changed: Any) -> fl.Quota:
    return fl.Quota({"a": ({"rate": 1, "burst": 1} | changed).values()})


def fair(**changed: Any) -> Any:
    return fl.max_min_fair(**{"demands": [1.0, 2.0], "capacity": 2.0, **changed})


def dominant(**changed: Any) -> Any:
    given = {"per_task": {"a": {"cpu": 1}}, "capacity": {"cpu": 1}, **changed}
    return fl.dominant_resource_fair(**given)


def traced(**changed: Any) -> fl.Trace:
    log = BytesIO(b"tenant,arrival,cost\na,0,1\nb,1,1\n")
    return fl.read_trace(**{"path": log, **changed})


def costed(**changed: Any) -> fl.CostExpression:
    return fl.CostExpression(**{"text": "a + 2*b", **changed})


def filed(**changed: Any) -> fl.Scenario:
    return fl.read_scenario(**{"path": "article", **changed})


def measured(**changed: Any) -> fl.FairnessReport:
    return fl.measure(**{"run": RUN, "window": (0.0, 10.0), **changed})


def over_time(**changed: Any) -> Any:
    return fl.timeline(**{"run": RUN, **changed})


def simulated(**changed: Any) -> Run:
    return fl.simulate(**{"workload": WORK, "policy": fl.fifo(), "workers": 8, **changed})


def policy(**changed: Any) -> fl.Policy:
    return fl.Policy(**{"name": "mine", "discipline": fl.Fifo(), **changed})


def bucket(**changed: Any) -> fl.TokenBucket:
    return fl.TokenBucket(**{"rate_per_s": 1.0, "burst": 1.0, **changed})


def prioritised(**changed: Any) -> fl.Priority:
    return fl.Priority(**{"levels": {"a": 0}, **changed})


def by_need(**changed: Any) -> fl.DominantResourceFair:
    uses = {"a": {"seats": 1}}
    return fl.DominantResourceFair(**{"uses": uses, "capacity": {"seats": 8}, **changed})


def credited(**changed: Any) -> fl.CreditShares:
    return fl.share_by_credits(**{"demands": [[1.0]], "capacity": 1.0, **changed})


def weights(**changed: Any) -> Run:
    """Weights are checked against the tenants when a run begins."""
    return fl.simulate(WORK, fl.drr(**changed), 8)


def unbucketed(**changed: Any) -> Run:
    return fl.simulate(WORK, fl.quota(**changed), 8)


def jain(**changed: Any) -> float:
    return fl.jain_index(**{"x": [1.0], **changed})


def drawn(**changed: Any) -> fl.Workload:
    return scenario().workload(**{"seed": 1, **changed})


def article(**changed: Any) -> fl.Workload:
    return fl.article_workload(**{"seed": 1, "solo": True, **changed})


def estimated(**changed: Any) -> fl.Workload:
    return WORK.with_estimates(**{"estimate_s": [1.0, 1.0], **changed})


def referred(**changed: Any) -> fl.FairReference:
    return fl.fair_reference(**{"workload": WORK, "workers": 8, **changed})


def owed(**changed: Any) -> fl.Verdict:
    return fl.owed_is_kept(**changed)


def rendered(**changed: Any) -> str:
    return render(**{"results": RESULTS, **changed})


RESULTS = pd.DataFrame(columns=["scenario", "seed", "policy", "metric", "value"])
SHORT = [([1.0], "1"), ([1.0, NAN], "nan"), ([1.0, -2.0], "-2.0"), ([1.0, INF], "inf")]
SHORT += [([[1.0, 1.0]], "2"), (["x", 1.0], "x"), (None, "None")]

CASES = [
    # who arrives when
    *one(burst, "from_s", NEGATIVE),
    *one(traced, "path", [("none.csv", "none.csv")], "there is no file"),
    *one(traced, "kind", [("xls", "'xls'")]),
    *one(traced, "tenant", [("who", "'who'")]),
    *one(traced, "cost", [("a b", "'a b'"), (3, "3")]),
    *one(traced, "cost_per_s", NOT_POSITIVE),
    *one(traced, "units", [({"cost": "parsec"}, "'parsec'"), ({"x": "s"}, "'x'"), (3, "3")]),
    *one(traced, "weights", [({"a": -1}, "-1"), ({"z": 1}, "'z'"), (3, "3")]),
    *one(costed, "text", [("a +", "'a +'"), (None, "None")], "cost"),
    *one(filed, "path", [("none.toml", "none.toml")], "the scenario"),
    *one(burst, "to_s", [(1.0, "1.0"), (0.5, "0.5"), (NAN, "nan"), (INF, "inf"), ("2", "'2'")]),
    *one(burst, "factor", NEGATIVE),
    *one(tenant, "name", NOT_A_NAME),
    *one(tenant, "rate_per_s", NEGATIVE),
    *one(tenant, "weight", NOT_A_WEIGHT),
    *one(tenant, "service_time", [(0.01, "0.01"), (None, "None")]),
    *one(tenant, "bursts", [([(1, 2, 3)], "(1, 2, 3)"), (5, "5"), (None, "None")]),
    *one(tenant, "bursts", [([burst(), burst(from_s=1.5)], "from_s=1.5")]),
    *one(tenant, "clients", [(5, "5"), ("a", "'a'")]),
    *one(closed, "rate_per_s", [(1.0, "got 1 and 0")]),
    *one(closed, "bursts", [([burst()], "1 bursts")], "rate_per_s of 'a'"),
    *one(retry, "attempts", [*NOT_A_COUNT, (10**7, "10000000")]),
    *one(retry, "backoff_s", [*NEGATIVE, (1e10, "10000000000.0")]),
    *one(retry, "factor", [(0.5, "0.5"), *NEGATIVE]),
    *one(retry, "most_s", NEGATIVE),
    *one(retry, "jitter", [(1.5, "1.5"), *NEGATIVE]),
    *one(retry, "retry_after", [(1, "1"), (None, "None"), ("yes", "'yes'")]),
    *one(clients, "patience", [n for n in NEGATIVE if n[0] is not None]),
    *one(clients, "retry", [(3, "3"), (True, "True")]),
    *one(clients, "number", [n for n in NOT_A_COUNT if n[0] is not None]),
    *one(clients, "think", NOT_POSITIVE),
    *one(pool, "steps", [(5, "5"), ("ab", "'ab'"), ([], "[]"), ([(1, 2)], "[(1.0, 2)]")]),
    *one(pool, "steps", [([(0, 2), (2, 1), (2, 3)], "2 after 2"), ([(0, 0)], "0 workers always")]),
    *one(pool, "steps", [([5], "5")], "steps[0]"),
    *one(pool, "steps", [([(0, 1.5)], "1.5"), ([(0, -1)], "-1")], "steps[0] workers"),
    *one(pool, "steps", [([(-1, 2)], "-1"), ([(NAN, 2)], "nan")], "steps[0] time"),
    *one(in_flight, "discipline", [(5, "5"), (None, "None")]),
    *one(in_flight, "limit", [n for n in NOT_A_COUNT if n[0] is not None]),
    *one(in_flight, "limit", [({"a": 0}, "0")], "limit['a']"),
    *one(in_flight, "cap", [n for n in NOT_A_COUNT if n[0] is not None]),
    *one(dispatchers, "discipline", [(5, "5"), (None, "None")]),
    *one(dispatchers, "number", NOT_A_COUNT),
    *one(through, "ingress", [(2, "got 2"), (None, "none")]),
    *one(workload, "width", [([0, 1], "row 0 is 0"), ([1.0, 1.0], "float64")]),
    *one(broad, "width", [(9, "at most 8, the size of the pool; row 1 is 9")]),
    *one(workload, "ingress", [([0, -1], "-1"), ([0.0, 1.0], "float64")]),
    *one(with_clients, "clients", [(5, "5"), ({"x*": fl.Clients()}, "'x*' matches none")]),
    *one(with_clients, "clients", [({"a": 3}, "3")], "clients['a']"),
    *one(with_clients, "clients", [(fl.Clients(number=2), "number=2")]),
    *one(with_clients, "seed", NOT_A_SEED),
    *one(workload, "patience_s", [([1, -1], "-1"), ([1, NAN], "nan"), ([1, 1e10], "10000000000")]),
    *one(workload, "follows", [([-1, 1], "row 1 is 1"), ([-2, 0], "-2"), ([0.0, 0.0], "float64")]),
    *one(workload, "think_s", [([0, 1], "none")]),
    *one(workload, "label", [([0, 1], "row 0 is 0"), ([0.5, 1], "float64")]),
    *one(workload, "labels", [(["x", "x"], "'x'"), ("x", "'x'"), ([3], "3")]),
    *one(workload, "retry", [([fl.Retry()], "1"), (5, "5"), ([1, 2], "1")]),
    *one(workload, "seed", NOT_A_SEED),
    *one(scenario, "tenants", [([], "none"), (["a"], "'a'"), (5, "5"), (None, "None")]),
    *one(scenario, "tenants", [([tenant(), tenant()], "'a'"), (tenant(), "Tenant")]),
    *one(scenario().with_tenants, "tenants", [(5, "5"), ([], "none"), (["a"], "'a'")]),
    *one(scenario, "workers", [case for case in NOT_A_COUNT if case[0] is not None]),
    *one(scenario, "horizon_s", [*NOT_POSITIVE, *TOO_LATE]),
    *one(scenario, "tenants", [([tenant(bursts=burst(to_s=90.0))], "90")], "bursts"),
    *one(drawn, "seed", NOT_A_SEED),
    *one(article, "seed", NOT_A_SEED),
    *one(article, "burst_factor", NEGATIVE, "factor"),
    *one(fl.article_scenario, "burst_factor", NEGATIVE, "factor"),
    # what tasks cost
    *one(fl.Exponential, "mean_s", NOT_POSITIVE),
    *one(fl.Deterministic, "mean_s", NEGATIVE),
    *one(fl.Lognormal, "mean_s", NOT_POSITIVE),
    *one(fl.Lognormal, "cv", NOT_POSITIVE),
    *one(fl.Pareto, "mean_s", NOT_POSITIVE),
    *one(fl.Pareto, "alpha", [(1, "1"), (0.5, "0.5"), (NAN, "nan"), (INF, "inf"), ("3", "'3'")]),
    *one(bimodal, "short_s", NOT_POSITIVE),
    *one(bimodal, "long_s", NOT_POSITIVE),
    *one(bimodal, "long_share", [*NEGATIVE, (1.5, "1.5")]),
    # the tasks
    *one(workload, "tenants", [(["a", "a"], "'a'"), (["a", ""], "''"), (["a", 3], "3")]),
    *one(workload, "tenants", [("ab", "'ab'"), (5, "5"), (None, "None")]),
    *one(workload, "arrival_s", [*SHORT[1:], ([1, 0], "0"), ([0, 6], "6"), ([], "empty")]),
    *one(workload, "tenant", [([0], "1"), ([0, 2], "2"), ([0, -1], "-1"), ([0.0, 1.0], "float")]),
    *one(workload, "tenant", [(["a", "b"], "<U1"), (None, "object"), ([[0, 1]], "2")]),
    *one(workload, "cost_s", [*SHORT, ([1, 1e10], "10000000000.0")]),
    *one(workload, "estimate_s", [*SHORT[:-1], ([1, 1e10], "10000000000.0")]),
    *one(workload, "weight", [*SHORT[:-1], ([1.0, 0.0], "0.0"), ([1.0, 1e308], "1e+308")]),
    *one(workload, "horizon_s", [*NOT_POSITIVE, *TOO_LATE]),
    *one(estimated, "estimate_s", SHORT[:-1]),
    # admission
    *one(bucket, "rate_per_s", NOT_POSITIVE),
    *one(bucket, "burst", [*NOT_POSITIVE, (0.5, "0.5")]),
    *one(bucket().take, "now", [(-1.0, "-1.0"), (NAN, "nan")]),
    *one(quotas, "rate", NOT_POSITIVE, "buckets['a'].rate_per_s"),
    *one(quotas, "burst", [*NOT_POSITIVE, (0.5, "0.5")], "buckets['a'].burst"),
    *one(fl.Quota, "buckets", [({}, "none"), (5, "5"), (None, "None"), ("ab", "'ab'")]),
    *one(fl.Quota, "buckets", [({"a": 5}, "5"), ({"a": (1, 2, 3)}, "(1, 2, 3)")]),
    *one(fl.Quota, "buckets", [({3: (1, 1)}, "3")]),
    *one(unbucketed, "buckets", [({"b": (1, 1)}, "'a'")]),
    # disciplines and policies
    *one(fl.Fifo, "cap", NOT_A_COUNT),
    *one(fl.DeficitRoundRobin, "cap", NOT_A_COUNT),
    *one(fl.DeficitRoundRobin, "quantum_s", [*NOT_POSITIVE, (1e-10, "1e-10")]),
    *one(fl.DeficitRoundRobin, "weights", [({"a": 0}, "0"), ({"a": NAN}, "nan")]),
    *one(fl.DeficitRoundRobin, "weights", [({"a": "1"}, "'1'")]),
    *one(fl.DeficitRoundRobin, "weights", [(5, "5"), ([1.0, 2.0], "[1.0, 2.0]")]),
    *(case for kind in QUEUED for case in one(kind, "cap", NOT_A_COUNT[:-1])),
    *(case for kind in WEIGHTED for case in one(kind, "weights", [({"a": 0}, "0"), (5, "5")])),
    *one(fl.NoisyNeighboursLast, "share", [*NOT_POSITIVE, (1.5, "1.5")]),
    *one(fl.NoisyNeighboursLast, "least", NOT_A_COUNT),
    *one(fl.ChargeAsYouGo, "at_start", NEGATIVE),
    *one(fl.ChargeAsYouGo, "as_it_runs", [*NEGATIVE, (0.0, "must not both be 0")]),
    *one(fl.ShuffleShardedFairQueueing, "hand", [*NOT_A_COUNT, (65, "65"), (32, "32")]),
    *one(fl.ShuffleShardedFairQueueing, "queues", NOT_A_COUNT),
    *one(
        fl.ShuffleShardedFairQueueing, "guess_s", [case for case in NEGATIVE if case[0] is not None]
    ),
    *one(fl.ShuffleShardedFairQueueing, "seed", NOT_A_SEED),
    *one(prioritised, "levels", [(5, "5"), ({"a": -1}, "-1"), ({"a": 0.5}, "0.5")]),
    *one(prioritised, "ageing_s", [case for case in NOT_POSITIVE if case[0] is not None]),
    *one(by_need, "capacity", [({}, "none"), ({"seats": 0}, "0"), (5, "5")]),
    *one(by_need, "uses", [(5, "5"), ({"a": {"seats": 9}}, "9"), ({"a": {"gpu": 1}}, "'gpu'")]),
    *one(by_need, "by", [(["gpu"], "'gpu'")]),
    *one(credited, "demands", [([1.0], "[1.0]"), ([[]], "[[]]"), ([[-1.0]], "-1.0")]),
    *one(credited, "capacity", NOT_POSITIVE),
    *one(credited, "guaranteed", [*NEGATIVE, (1.5, "1.5")]),
    *one(credited, "credits", NEGATIVE),
    *one(weights, "weights", [({"x": 1.0}, "'x'")]),
    *one(weights, "weights", [({"a": 1e-8}, "1e-10")], "quantum_s * weight of 'a'"),
    *one(fl.fifo, "cap", NOT_A_COUNT),
    *one(fl.quota, "cap", NOT_A_COUNT),
    *one(fl.quota, "buckets", [({}, "none"), (None, "None")]),
    *one(fl.drr, "cap", NOT_A_COUNT),
    *one(fl.drr, "quantum_s", NOT_POSITIVE),
    *one(fl.drr_quota, "quantum_s", NOT_POSITIVE),
    *one(fl.drr_quota, "buckets", [({"a": (0, 1)}, "0")]),
    *one(policy, "name", NOT_A_NAME),
    *one(policy, "discipline", [(None, "None"), ("fifo", "'fifo'")]),
    *one(policy, "admission", [(5, "5"), (fl.Fifo(), "Fifo")]),
    # runs
    *one(simulated, "workload", [(None, "None"), (scenario(), "Scenario"), ([1], "[1]")]),
    *one(simulated, "policy", [(None, "None"), ("drr", "'drr'"), (fl.Fifo(), "Fifo")]),
    *one(simulated, "workers", [*(case for case in NOT_A_COUNT if case[0] is not None)]),
    *one(simulated, "workers", [(None, "None")]),
    *one(workload, "workers", [case for case in NOT_A_COUNT if case[0] is not None]),
    *one(workload, "window_s", [((5, 2), "2"), ((0, 11), "11"), (5, "5")]),
    *one(scenario, "window_s", [((5, 2), "2"), ((0, 61), "61"), (5, "5")]),
    *one(referred, "workload", [(None, "None"), (scenario(), "Scenario")]),
    *one(referred, "workers", [(None, "None"), (0, "0")]),
    *one(owed, "report", [(RUN, "Run")]),
    # metrics
    *one(measured, "run", [(None, "None"), (WORK, "Workload")]),
    *one(measured, "window", [((5, 5), "5"), ((5, 2), "2"), ((-1, 5), "-1"), ((0, 11), "11")]),
    *one(measured, "window", [((NAN, 5), "nan"), ((0, NAN), "nan"), (("0", 5), "'0'"), (5, "5")]),
    *one(measured, "window", [((1, 2, 3), "(1, 2, 3)"), ((5, 6), "5 to 6")]),
    *one(measured, "window", [((0, 0.5), "0 to 0.5")]),
    *one(measured, "unit", [("cost", "'cost'"), (None, "None")]),
    *one(measured, "objective_s", NEGATIVE),
    *one(over_time, "run", [(None, "None"), (WORK, "Workload")]),
    *one(over_time, "step_s", NOT_POSITIVE),
    *one(over_time, "q", [(-0.5, "-0.5"), (1.5, "1.5"), (NAN, "nan"), ("1", "'1'")]),
    *one(over_time, "groups", [({"x": "nobody"}, "'nobody'")]),
    *one(
        jain, "x", [([], "none"), ([1, -2], "-2.0"), ([NAN], "nan"), ([INF], "inf"), (["x"], "x")]
    ),
    *one(jain, "x", [([[1.0]], "2"), (None, "None"), (1.0, "0")]),
    *one(fair, "demands", [([1, -2], "-2.0"), ([NAN], "nan"), ([INF], "inf"), (["x"], "x")]),
    *one(fair, "demands", [({"a": -1}, "-1.0"), (None, "None")]),
    *one(
        fair,
        "demands",
        [(pd.Series([1, 2], ["a", "a"]), "'a'")],
    ),
    *one(fair, "capacity", NEGATIVE[:2] + NEGATIVE[3:]),
    *one(fair, "weights", [([1, 0], "0.0"), ([1], "1"), ([1, NAN], "nan"), ({"a": 1}, "dict")]),
    *one(dominant, "per_task", [(5, "5"), (None, "None"), ({"a": 5}, "5"), ({"a": {}}, "{}")]),
    *one(dominant, "per_task", [({"a": {"disk": 1}}, "'disk'"), ({"a": {"cpu": 0}}, "0")]),
    *one(dominant, "per_task", [({"a": {"cpu": -1}}, "-1"), ({"a": {"cpu": NAN}}, "nan")]),
    *one(
        dominant, "capacity", [(5, "5"), (None, "None"), ({"cpu": -1}, "-1"), ({"cpu": NAN}, "nan")]
    ),
    *one(dominant, "demands", [({"b": 1}, "'a'"), ({"a": -1}, "-1"), ([1], "list")]),
    *one(dominant, "weights", [({"b": 1}, "'a'"), ({"a": 0}, "0"), ([1], "list")]),
    *one(fl.f1, "report", [(None, "None"), (RUN, "Run")]),
    *one(fl.f2, "report", [(None, "None"), (RUN, "Run")]),
    *one(fl.f3, "report", [(None, "None"), (RUN, "Run")]),
    *one(fl.check, "report", [(None, "None"), (RUN, "Run")]),
    *one(fl.f4, "solo", [(None, "None"), (REPORT, "2")]),
    # the report
    *one(article_results, "seeds", [([], "none"), ([1, 1], "1"), ([-1], "-1"), (["1"], "'1'")]),
    *one(article_results, "seeds", [(5, "5"), (None, "None"), ("12", "'12'")]),
    *one(compare, "results", [(RESULTS.drop(columns="seed"), "'seed'"), (None, "None")]),
    *one(rendered, "style", [("pdf", "'pdf'"), (None, "None")]),
]


@pytest.mark.parametrize(("make", "arguments", "field", "shown"), CASES)
def test_the_message_names_the_field_and_the_value(make, arguments, field, shown) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        make(**arguments)
    message = str(caught.value)
    assert field in message
    assert shown in message
    assert "\n" not in message


FINE = [
    traced,
    costed,
    filed,
    workload,
    tenant,
    scenario,
    burst,
    bimodal,
    fair,
    dominant,
    measured,
    over_time,
    simulated,
    policy,
    bucket,
]
FINE += [weights, jain, drawn, article, estimated, rendered, quotas]


@pytest.mark.parametrize("make", FINE, ids=lambda make: make.__name__)
def test_the_same_calls_are_fine_with_nothing_wrong(make) -> None:
    make()


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": 1.0}, r"weights.*'b' has none"),
        ({"a": 1.0, "b": 1.0, "c": 1.0}, r"weights.*'c' is unknown"),
        ([1.0, 1.0], r"weights must go by name.*list"),
    ],
)
def test_weights_must_be_for_the_same_tenants_as_demands(weights, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        fl.max_min_fair({"a": 1.0, "b": 2.0}, 2.0, weights)


def test_numpy_numbers_are_numbers() -> None:
    assert tenant(rate_per_s=np.float64(2), weight=np.int64(3)).weight == 3
    assert scenario(workers=np.int64(3)).workers == 3
    assert len(workload(horizon_s=np.float32(5))) == 2


def test_every_public_callable_has_a_case() -> None:
    """Those of modules with more to say about it have theirs in their own test module."""
    rooms = {"traffic", "policies", "engine", "measures", "article"}
    elsewhere = {"Outcome", "Tasks", "crowded_out"}
    records = {
        "Verdict",
        "FairnessReport",
        "Run",
        "Trace",
        "TraceError",
    }  # made by the library, not by its user
    no_arguments = {"article_solo_scenario"}
    here = Path(__file__).read_text("utf-8")
    for name in set(fl.__all__) - records - no_arguments - elsewhere:
        module = getattr(getattr(fl, name), "__module__", "")
        if module.partition(".")[2].partition(".")[0] in rooms:
            assert f"fl.{name}" in here, name
