"""The compiled tier computes what the readable one does, bit for bit.

The kernel is tested twice: as numba compiles it, where numba is installed, and as plain Python.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from cases import (
    at_its_rate,
    clocks,
    idle_while_queued,
    others,
    policies_with,
    rates,
    starts,
    workloads,
)
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib import (
    Bimodal,
    Burst,
    DeficitRoundRobin,
    Deterministic,
    Exponential,
    Fifo,
    Lognormal,
    Policy,
    Quota,
    Run,
    Scenario,
    Tenant,
    Workload,
    article_scenario,
    article_workload,
    drr,
    drr_quota,
    fifo,
    measure,
    quota,
    simulate,
)
from fairness_lib.engine import compiled, kernel
from fairness_lib.measures.fair import _share_fairly
from fairness_lib.policies.tasks import Outcome
from fairness_lib.traffic.streams import ARRIVALS, Stream, stream_state, tenant_key

needs_numba = pytest.mark.skipif(not compiled.installed(), reason="numba is not installed")


@pytest.fixture(params=["plain", pytest.param("numba", marks=needs_numba)], scope="module")
def tier(request):
    """Run the kernel as plain Python, or compiled."""
    if request.param == "numba":
        yield request.param
        return
    plain = compiled.build(lambda function: function)
    with (
        patch.object(compiled, "functions", lambda: plain),
        patch.object(compiled, "installed", lambda: True),
        np.errstate(over="ignore"),
    ):
        yield request.param


def same(run: Run, other: Run) -> None:
    assert run.start_s.tobytes() == other.start_s.tobytes()
    assert run.finish_s.tobytes() == other.finish_s.tobytes()
    assert run.outcome.tobytes() == other.outcome.tobytes()
    assert run.fruitless_visits == other.fruitless_visits


def both(workload: Workload, policy: Policy, workers: int = 8) -> Run:
    """Run in both tiers, assert that they agree, and return the compiled run."""
    run = run_compiled(workload, policy, workers)
    same(run, simulate(workload, policy, workers, engine="readable"))
    return run


def run_compiled(workload: Workload, policy: Policy, workers: int = 8) -> Run:
    with patch.object(compiled, "loaded", lambda: True):
        run = simulate(workload, policy, workers, engine="compiled")
    assert run.engine == "compiled"
    return run


# --- simulation ---------------------------------------------------------------------

policies = others | policies_with(
    st.sampled_from([2e-9, 1e-6, 1e-3, 0.01, 0.1, 0.25, 1.0, 3.0, 1e6]) | st.floats(1e-4, 4)
)
estimated = workloads(max_tasks=60, max_tenants=6).flatmap(
    lambda w: st.lists(st.floats(0, 4), min_size=len(w), max_size=len(w)).map(w.with_estimates)
)


@given(workloads(max_tasks=60, max_tenants=6) | estimated, policies, st.integers(1, 9))
def test_runs_are_bitwise_equal(tier, workload, policy, workers) -> None:
    both(workload, policy, workers)


@pytest.mark.parametrize("name", ["fifo", "quota", "drr", "drr_quota"])
@needs_numba
def test_article_runs_are_bitwise_equal(name) -> None:
    policy = {"fifo": fifo, "quota": quota, "drr": drr, "drr_quota": drr_quota}[name]()
    both(article_workload(1), policy)


@pytest.mark.parametrize("quantum_s", [1e-7, 1e-4, 1e-3, 0.1, 1.0])
@needs_numba
def test_quanta_far_below_and_above_costs_are_bitwise_equal(quantum_s) -> None:
    workload = article_scenario().workload(2)
    assert both(workload, drr(quantum_s=quantum_s, weights={"heavy": 3.0, "mid1": 0.3}))


@given(rates, st.integers(1, 100), starts, clocks, st.sampled_from([1.0, 1.5, 7.0]))
def test_a_client_at_exactly_its_rate_is_let_in_by_both(tier, rate, n, start_s, clock, burst):
    """And one that sends half as much again is not, by the same tasks in both."""
    times = at_its_rate(rate, n, start_s, clock)
    horizon_s = times[-1] + 1
    work = Workload(["a"], times, [0] * n, [1e-3] * n, horizon_s)
    assert both(work, quota(buckets={"a": (rate, burst)}, cap=None)).counts()["quota"] == 0
    turned_away = both(work, quota(buckets={"a": (rate / 1.5, burst)}, cap=None)).counts()["quota"]
    assert turned_away >= (n - 1) / 3 - burst


def test_a_cap_and_a_pool_beyond_any_count_are_no_limit(tier) -> None:
    workload = Workload(["a"], [0.0, 0.0, 0.0], [0, 0, 0], [1.0, 1.0, 1.0], 1.0)
    assert both(workload, fifo(cap=2**80), workers=2**80).counts()["served"] == 3


def test_inequality_would_be_seen(tier) -> None:
    """Negative control: the comparison tells runs apart that differ in one bit."""
    workload = Workload(["a", "b"], [0.0, 0.0], [0, 1], [0.1, 0.1], 1.0)
    nudged = Workload(["a", "b"], [0.0, 0.0], [0, 1], [np.nextafter(0.1, 1), 0.1], 1.0)
    with pytest.raises(AssertionError):
        same(run_compiled(workload, drr(), 1), simulate(nudged, drr(), 1, engine="readable"))


# --- traffic ------------------------------------------------------------------------

service_times = st.one_of(
    st.builds(Exponential, st.floats(1e-4, 2)),
    st.builds(Deterministic, st.floats(0, 2)),
    st.builds(Bimodal, st.floats(1e-4, 1), st.floats(1e-4, 9), st.floats(0, 1)),
    st.just(Lognormal()),
)


@st.composite
def scenarios(draw) -> Scenario:
    def tenant(name: str) -> Tenant:
        edges = sorted(draw(st.sets(st.integers(0, 16), min_size=0, max_size=4)))
        bursts = [
            Burst(a / 4, b / 4, draw(st.sampled_from([0.0, 0.5, 3.0, 7.3])))
            for a, b in zip(edges[::2], edges[1::2], strict=False)
        ]
        rate_per_s = draw(st.just(0.0) | st.floats(0.1, 20))
        weight = draw(st.sampled_from([0.3, 1.0, 2.5]))
        return Tenant(name, rate_per_s, weight, tuple(bursts), draw(service_times))

    names = draw(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=5, unique=True))
    always = Tenant("always there", 10.0)
    return Scenario((*(tenant(name) for name in names), always), horizon_s=4.0)


@given(scenarios(), st.integers(0, 2**63 - 1))
def test_workloads_are_bitwise_equal(tier, scenario, seed) -> None:
    made, expected = compiled.generate(scenario, seed), scenario.workload(seed)
    assert made.tenants == expected.tenants
    for column in ("arrival_s", "tenant", "cost_s", "estimate_s", "weight"):
        assert getattr(made, column).tobytes() == getattr(expected, column).tobytes()


@needs_numba
def test_article_scenario_is_drawn_bitwise_equal() -> None:
    made, expected = compiled.generate(article_scenario(), 7), article_scenario().workload(7)
    assert made.arrival_s.tobytes() == expected.arrival_s.tobytes()
    assert made.cost_s.tobytes() == expected.cost_s.tobytes()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=20),
    st.sets(st.integers(0, 3)),
)
def test_tasks_drawn_in_two_parts_come_in_the_order_of_all(drawn, apart) -> None:
    """Ties go by tenant; tasks of one tenant that come at once stay as they were drawn."""
    order = sorted(range(len(drawn)), key=drawn.__getitem__)

    def tasks(some: list[int]) -> kernel.Tasks:
        cost_s = np.array(some, dtype=float)  # tells tasks apart
        times, tenants = (np.array([drawn[task][k] for task in some]) for k in (0, 1))
        return kernel.Tasks(times.astype(float), tenants.astype(np.int64), cost_s, cost_s)

    parts = [[task for task in order if (drawn[task][1] in apart) == own] for own in (False, True)]
    whole, expected = tasks([0] * len(drawn)), tasks(order)
    n, m = map(len, parts)
    assert kernel.merge(n, m, *map(tasks, parts), whole) == len(drawn)
    for column, wanted in zip(whole, expected, strict=True):
        np.testing.assert_array_equal(column, wanted)


def test_simultaneous_arrivals_go_by_tenant(tier) -> None:
    """Two tenants of one name's stream arrive together: the order of `heap` ties."""
    scenario = Scenario([Tenant("a", 5.0), Tenant("b", 5.0)], horizon_s=4.0)
    same_key = patch.object(compiled, "tenant_key", lambda name: tenant_key("a"))
    with same_key:
        compiled._sources.cache_clear()
        workload = compiled.generate(scenario, 1)
    compiled._sources.cache_clear()
    assert (np.diff(workload.arrival_s)[::2] == 0).all()
    assert workload.tenant.tolist() == [0, 1] * (len(workload) // 2)


def test_words_are_those_of_numpys_generator(tier) -> None:
    functions = compiled.functions()
    words = np.empty(8, dtype=np.uint64)
    key = np.uint64(tenant_key("heavy"))
    functions["open_stream"](words, 1, key, np.uint64(3), kernel.ARRIVALS)
    assert words[4:].tolist() == list(stream_state(3, "heavy", ARRIVALS))
    drawn = [int(functions["next_word"](words, 1)) for _ in range(1000)]
    assert drawn == Stream(3, "heavy", ARRIVALS).bits.random_raw(1000).tolist()


# --- metrics ------------------------------------------------------------------------


def same_report(run: Run, window: tuple[float, float], **how) -> None:
    by_readable = simulate(run.workload, run.policy, run.workers, engine="readable")
    try:
        expected = measure(by_readable, window, **how)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:25]):
            measure(run, window, **how)
        return
    report = measure(run, window, **how)
    assert report.missed == expected.missed
    assert repr(report.scalars()) == repr(expected.scalars())
    for column, values in expected.by_tenant().items():
        np.testing.assert_array_equal(report.by_tenant()[column], values, err_msg=column)
    assert report.tenants.equals(expected.tenants)


@given(
    workloads(max_tasks=60, max_tenants=6),
    policies,
    st.integers(1, 4),
    st.sampled_from([(0.0, 8.0), (1.0, 2.0), (7.75, 8.0)]),
    st.sampled_from(["tasks", "work"]),
    st.sampled_from([0.0, 0.05, 1.0]),
    st.booleans(),
)
def test_reports_are_bitwise_equal(
    tier, workload, policy, workers, window, unit, objective_s, backlog
) -> None:
    if workload.cost_s.max() == 0:
        return  # capacity without bound: shares are infinite in both, but numpy warns
    run = run_compiled(workload, policy, workers)
    same_report(run, window, unit=unit, objective_s=objective_s, backlog=backlog)


@given(workloads(max_tasks=60, max_tenants=6), st.integers(1, 4), st.floats(0, 8), st.floats(0, 8))
def test_fair_references_are_bitwise_equal(tier, workload, workers, start, end) -> None:
    cuts = min(start, end), max(start, end)
    made = compiled.share_fairly(workload, workers, cuts)
    for column, expected in zip(made, _share_fairly(workload, workers, cuts), strict=True):
        assert column.tobytes() == expected.tobytes()


@needs_numba
@pytest.mark.parametrize("unit", ["tasks", "work"])
@pytest.mark.parametrize("window", [(20.0, 40.0), (40.0, 60.0)])
def test_article_reports_are_bitwise_equal(window, unit) -> None:
    weights = {"heavy": 3.0, "mid1": 0.3}
    run = run_compiled(article_scenario().workload(1), drr(weights=weights))
    same_report(run, window, unit=unit, backlog=True)


@given(st.lists(st.integers(0, 9).map(float) | st.floats(0, 9)), st.floats(0, 1))
def test_selection_is_the_quantile_of_sorted_values(tier, values, q) -> None:
    column = np.array([9.5, *values, -1.0])
    chosen = compiled.functions()["select"](column, 1, len(column) - 1, q)
    expected = sorted(values)[int(q * (len(values) - 1))] if values else np.nan
    np.testing.assert_array_equal(chosen, expected)
    assert sorted(column[1:-1]) == sorted(values)


def test_idle_workers_beside_a_queue_are_seen(tier) -> None:
    """A run that no built-in policy makes: two workers, one of them idle beside a queue."""
    workload = Workload(["a"], [0.0, 0.0, 1.0], [0, 0, 0], [2.0, 1.0, 1.0], 4.0)
    start_s = np.array([0.0, 3.0, np.nan])
    outcome = np.array([Outcome.SERVED, Outcome.SERVED, Outcome.QUOTA], dtype=np.int8)
    run = Run(workload, fifo(), 2, start_s, start_s + workload.cost_s, outcome)
    columns = workload.arrival_s[:2], np.array([0.0, 3.0]), np.array([2.0, 4.0])
    assert compiled.idle_while_queued_s(*columns, 2, 4.0) == idle_while_queued(run) == 2.0 + 2.0


# --- the choice ---------------------------------------------------------------------


class Mine(DeficitRoundRobin):
    """A subclass may do anything, so it is not built in."""


def small() -> Workload:
    return Workload(["a"], [0.0], [0], [1.0], 1.0)


def test_compiled_refuses_what_is_not_built_in() -> None:
    class Bouncer(Quota):
        pass

    with patch.object(compiled, "installed", lambda: True):
        for policy in (Policy("mine", Mine()), Policy("b", Fifo(), Bouncer({"*": (1, 1)}))):
            with pytest.raises(ValueError, match=f"'{policy.name}': (Mine|Bouncer) is not"):
                simulate(small(), policy, 8, engine="compiled")


def test_compiled_refuses_more_visits_than_it_can_count() -> None:
    workload = Workload(["a"], [0.0] * 9, [0] * 9, [1e9] * 9, 1.0)
    with (
        patch.object(compiled, "installed", lambda: True),
        pytest.raises(ValueError, match="visits"),
    ):
        simulate(workload, drr(quantum_s=1e-9), 8, engine="compiled")


def test_without_numba_compiled_says_so_and_auto_goes_on() -> None:
    with (
        patch.object(compiled, "installed", lambda: False),
        patch.object(compiled, "loaded", lambda: True),
    ):
        assert simulate(small(), fifo(), 8).engine == "readable"
        with pytest.raises(ValueError, match="numba is not installed"):
            simulate(small(), fifo(), 8, engine="compiled")


def test_engine_is_checked() -> None:
    with pytest.raises(ValueError, match="engine must be one of auto, readable, compiled"):
        simulate(small(), fifo(), 8, engine="fast")


def test_auto_takes_the_compiled_tier_where_it_pays() -> None:
    loaded, installed = (patch.object(compiled, name) for name in ("loaded", "installed"))
    plain = compiled.build(lambda function: function)
    with loaded as is_loaded, installed, patch.object(compiled, "functions", lambda: plain):
        is_loaded.return_value = True
        assert simulate(small(), fifo(), 8).engine == "compiled"
        assert simulate(small(), Policy("mine", Mine()), 8).engine == "readable"
        is_loaded.return_value = False
        assert simulate(small(), fifo(), 8).engine == "readable"
        with patch("fairness_lib.engine.simulate.AUTO_TASKS", 1):
            assert simulate(small(), fifo(), 8).engine == "compiled"


@needs_numba
def test_without_a_folder_to_cache_in_it_compiles_all_the_same() -> None:
    from fairness_lib.engine import native

    compile_one = native.njit

    def njit(cache: bool = False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compile_one(**options)

    with patch.object(native, "njit", njit):
        made = compiled.functions.__wrapped__()
    assert made["splitmix64"](np.uint64(0)) == 0xE220A8397B1DCDAF
