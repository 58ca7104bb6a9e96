"""Clients of a scenario: what they draw, what they leave alone, and how sweeps take them."""

from __future__ import annotations

import numpy as np
import pytest

from fairness_lib import (
    Burst,
    Clients,
    Deterministic,
    Exponential,
    Pool,
    Retry,
    Scenario,
    Tenant,
    Workload,
    article_scenario,
    article_workload,
    drr,
    fifo,
    measure,
    simulate,
    sweep,
)
from fairness_lib.engine import compiled
from fairness_lib.observe.look_back import look_back
from fairness_lib.observe.replay import events


def loop(number: int = 3, **changed) -> Tenant:
    clients = Clients(number=number, think=Exponential(0.5), **changed)
    return Tenant("loop", 0, clients=clients)


def test_each_client_of_a_loop_has_tasks_of_its_own() -> None:
    """One more client leaves the tasks of the others as they were, thoughts and costs."""
    two, three = (Scenario([loop(n)], workers=1, horizon_s=20).workload(1) for n in (2, 3))
    pairs = [set(zip(w.think_s.tolist(), w.cost_s.tolist(), strict=True)) for w in (two, three)]
    assert pairs[0] < pairs[1]


def test_a_loop_has_as_many_tasks_as_if_each_were_answered_at_once() -> None:
    work = Scenario([loop(2)], workers=1, horizon_s=20).workload(1)
    follows = work.follows.tolist()
    assert follows.count(-1) == 2
    for task, before in enumerate(follows):
        if before >= 0:
            expected = work.arrival_s[before] + work.think_s[task]
            assert work.arrival_s[task] == pytest.approx(expected)


def test_clients_leave_the_tasks_of_all_others_as_they_were() -> None:
    alone, beside = (
        Scenario(tenants, workers=2, horizon_s=10).workload(3)
        for tenants in ([Tenant("a", 30)], [Tenant("a", 30), loop()])
    )
    own = beside.tenant == 0
    assert np.array_equal(beside.arrival_s[own], alone.arrival_s)
    assert np.array_equal(beside.cost_s[own], alone.cost_s)


def test_a_scenario_and_its_workload_give_clients_alike() -> None:
    """Patience is drawn by tenant and seed, whoever asks."""
    clients = {"heavy": Clients(patience=Exponential(2.0), retry=Retry(2)), "small*": Clients(3.0)}
    scenario = article_scenario()
    drawn = scenario.with_clients(clients).workload(5)
    given = scenario.workload(5).with_clients(clients, seed=5)
    assert drawn.patience_s.tobytes() == given.patience_s.tobytes()
    assert drawn.retry == given.retry
    heavy = drawn.tenant == drawn.tenants.index("heavy")
    assert drawn.patience_s[heavy].mean() == pytest.approx(2.0, rel=0.05)
    assert set(drawn.patience_s[drawn.tenant == drawn.tenants.index("small00")]) == {3.0}
    assert np.isinf(drawn.patience_s[drawn.tenant == drawn.tenants.index("mid1")]).all()


def test_clients_without_any_behaviour_are_an_open_loop() -> None:
    assert article_workload(1).with_clients(Clients()).open_loop
    assert Scenario([Tenant("a", 5, clients=Clients())], workers=1).workload(1).open_loop


def test_the_compiled_tier_draws_them_too() -> None:
    scenario = Scenario([Tenant("a", 5), loop(patience=1.0)], workers=1, horizon_s=5)
    made, expected = compiled.generate(scenario, 1), scenario.workload(1)
    for column in ("arrival_s", "cost_s", "patience_s", "follows", "think_s"):
        assert getattr(made, column).tobytes() == getattr(expected, column).tobytes()


def impatient(patience_s: float) -> Scenario:
    burst = Burst(2, 4, 3)
    clients = Clients(patience=patience_s, retry=Retry(2, backoff_s=0.2, jitter=1))
    tenants = [Tenant("a", 60, bursts=(burst,), clients=clients), Tenant("b", 20)]
    return Scenario(tenants, workers=1, horizon_s=8)


@pytest.mark.parametrize("workers", [None, Pool([(0, 1), (3, 2)])])
def test_a_sweep_takes_clients_and_pools(workers, tmp_path) -> None:
    grid = {"patience_s": [0.1, 10.0]}
    how = {"workers": workers, "engine": "readable"}
    table = sweep(impatient, {"fifo": fifo, "drr": drr}, grid, [1, 2], **how)
    assert (table["abandoned"][table["patience_s"] == 0.1] > 0).all()
    assert table["abandoned"][table["patience_s"] == 10.0].sum() == 0
    row = table[(table["policy"] == "drr") & (table["patience_s"] == 0.1)].iloc[0]
    run = simulate(impatient(0.1).workload(1), drr(), workers)
    assert row["kept"] == measure(run).kept
    again = sweep(impatient, {"fifo": fifo}, grid, [1], **how, out=tmp_path / "runs.parquet")
    assert again["served"].tolist() == table[table["seed"] == 1]["served"].iloc[[0, 2]].tolist()


def test_a_closed_loop_adapts_and_its_replay_does_not() -> None:
    """Half the workers: the loop sends less, so that nothing piles up; its replay does pile up."""
    clients = Clients(number=20, think=Deterministic(0.1))
    tenant = Tenant("a", 0, service_time=Exponential(0.05), clients=clients)
    scenario = Scenario([tenant], horizon_s=30)
    work = scenario.workload(1)
    wide, narrow = (simulate(work, fifo(cap=None), workers) for workers in (8, 4))
    assert len(narrow.workload) < 0.75 * len(wide.workload)
    replay = simulate(wide.workload, fifo(cap=None), 4)
    assert np.array_equal(replay.workload.arrival_s, wide.workload.arrival_s)
    assert np.nanmax(replay.wait_s) > 10 * np.nanmax(narrow.wait_s)


def test_what_cannot_be_looked_back_on_says_so() -> None:
    run = simulate(article_workload(1, solo=True).with_clients(Clients(patience=1.0)), fifo())
    with pytest.raises(ValueError, match="a look back needs a pool of one size, clients that"):
        look_back(run)
    work = Workload(["a"], [0.0], [0], [1.0], 1.0)
    with pytest.raises(ValueError, match="a replay needs a pool of one size"):
        list(events(simulate(work, fifo(), [(0, 1), (1, 2)])))
