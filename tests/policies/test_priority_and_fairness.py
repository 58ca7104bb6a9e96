"""Closed loops whose throughputs the tests of Kubernetes' apiserver publish, with margins."""

from __future__ import annotations

import numpy as np
import pytest
from cases import VECTORS

from fairness_lib import (
    Policy,
    Priority,
    ShuffleShardedFairQueueing,
    Workload,
    simulate,
)

ROWS = VECTORS["apf_queueset"]["rows"]
FAIR = [row for row in ROWS if row[-1]]


def closed_loops(clients, until_s: float, seats: int) -> Workload:
    """Each thread sends a task at once, and the next one when it has thought about the answer.

    At once, but in turn: the first threads of all clients, then their second ones.
    """
    rows = []
    threads = [
        (thread, client, *how) for client, (n, *how) in enumerate(clients) for thread in range(n)
    ]
    for _, client, exec_s, think_s, width in sorted(threads):
        for turn in range(int(until_s / exec_s) + 1):
            before = len(rows) - 1 if turn else -1
            rows.append((client, exec_s * width, before, think_s if turn else 0.0, width))
    tenant, cost_s, follows, think_s, width = np.array(rows).T
    return Workload(
        [f"client{i}" for i in range(len(clients))],
        np.zeros(len(rows)),
        tenant.astype(int),
        cost_s,
        until_s,
        follows=follows.astype(int),
        think_s=think_s,
        width=width.astype(int),
        workers=seats,
    )


def throughput(discipline, config, clients) -> list[float]:
    """Return the seats each client had at work, on average, counting what was done in time."""
    run = simulate(
        closed_loops(clients, config["T"], config["C"]), Policy("queues", discipline), config["C"]
    )
    done = run.finish_s <= config["T"] + 1e-9
    work_s = np.bincount(
        run.workload.tenant[done], run.workload.cost_s[done], minlength=len(clients)
    )
    return list(work_s / config["T"])


def seed_of_different_hands(config, clients) -> int:
    """The apiserver's tests give each client its own queues; one hash in many does."""
    for seed in range(1000):
        queues = ShuffleShardedFairQueueing(queues=config["q"], hand=config["hand"], seed=seed)
        hands = [set(queues.deal(f"client{i}")) for i in range(len(clients))]
        if not set.intersection(*hands):
            return seed
    raise AssertionError("no seed deals hands that share no queue")


@pytest.mark.parametrize("row", FAIR, ids=lambda row: row[0])
def test_each_client_gets_what_the_apiserver_gives_it(row) -> None:
    _, config, clients, expected, margin, _ = row
    discipline = ShuffleShardedFairQueueing(
        queues=config["q"],
        hand=config["hand"],
        cap=config["qlen"],
        seed=seed_of_different_hands(config, clients),
    )
    np.testing.assert_allclose(throughput(discipline, config, clients), expected, rtol=margin)


def test_strict_priority_does_not() -> None:
    """FIFO does, though: where all threads wait for their answers, none can flood the queue."""
    strict = Priority(levels={"client0": 1, "client1": 0}, cap=None)
    missed = [
        name
        for name, config, clients, expected, margin, _ in FAIR
        if not np.allclose(throughput(strict, config, clients), expected, rtol=margin)
    ]
    assert missed == ["UniformHand1", "DiffEqual", "Widths"]  # the fourth has a seat for each
