"""The same experiment as a user of SimPy or ns.py would write it.

Each model takes a workload and returns (start_s, finish_s, rejected), by task. Arrivals go
through timeouts, so their times are off by rounding, and results are compared within that.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import simpy
from ns.packet.packet import Packet
from ns.scheduler.drr import DRRServer

from fairness_lib import Workload

Result = tuple[np.ndarray, np.ndarray, np.ndarray]


class Columns:
    """What the models record."""

    def __init__(self, workload: Workload) -> None:
        self.arrival_s = workload.arrival_s.tolist()
        self.tenant = workload.tenant.tolist()
        self.cost_s = workload.cost_s.tolist()
        n = len(workload)
        self.start_s, self.finish_s = [float("nan")] * n, [float("nan")] * n
        self.rejected = [False] * n

    def result(self) -> Result:
        return np.array(self.start_s), np.array(self.finish_s), np.array(self.rejected)


class FifoQueue:
    """One queue for all."""

    def __init__(self, tasks: Columns, cap: int | None) -> None:
        self.queue: deque[int] = deque()
        self.limit = float("inf") if cap is None else cap

    def put(self, task: int) -> bool:
        if len(self.queue) >= self.limit:
            return False
        self.queue.append(task)
        return True

    def take(self) -> int | None:
        return self.queue.popleft() if self.queue else None


class DrrQueues:
    """A queue a tenant, in a deque of those with tasks; the textbook's deficit counters."""

    def __init__(self, tasks: Columns, cap: int | None, quantum_s: float, tenants: int) -> None:
        self.tasks, self.quantum_s = tasks, quantum_s
        self.limit = float("inf") if cap is None else cap
        self.queues: list[deque[int]] = [deque() for _ in range(tenants)]
        self.deficit_s = [0.0] * tenants
        self.active: deque[int] = deque()
        self.fresh = True  # the first tenant's turn has yet to begin

    def put(self, task: int) -> bool:
        tenant = self.tasks.tenant[task]
        queue = self.queues[tenant]
        if len(queue) >= self.limit:
            return False
        if not queue:
            self.active.append(tenant)
        queue.append(task)
        return True

    def take(self) -> int | None:
        while self.active:
            tenant = self.active[0]
            queue = self.queues[tenant]
            if self.fresh:
                self.deficit_s[tenant] += self.quantum_s
                self.fresh = False
            cost_s = self.tasks.cost_s[queue[0]]
            if cost_s <= self.deficit_s[tenant]:
                self.deficit_s[tenant] -= cost_s
                task = queue.popleft()
                if not queue:
                    self.deficit_s[tenant] = 0.0
                    self.active.popleft()
                    self.fresh = True
                return task
            self.active.rotate(-1)
            self.fresh = True
        return None


def simpy_workers(
    workload: Workload, cap: int | None, quantum_s: float | None, workers: int
) -> Result:
    """SimPy with a process for each worker; FIFO, or DRR if there is a quantum."""
    env, tasks = simpy.Environment(), Columns(workload)
    queues = (
        FifoQueue(tasks, cap)
        if quantum_s is None
        else DrrQueues(tasks, cap, quantum_s, len(workload.tenants))
    )
    idle: list[simpy.Event] = []

    def source():
        for task, arrival_s in enumerate(tasks.arrival_s):
            yield env.timeout(max(0.0, arrival_s - env.now))
            if not queues.put(task):
                tasks.rejected[task] = True
            elif idle:
                idle.pop().succeed()

    def worker():
        while True:
            task = queues.take()
            if task is None:
                wake = env.event()
                idle.append(wake)
                yield wake
            else:
                tasks.start_s[task] = env.now
                yield env.timeout(tasks.cost_s[task])
                tasks.finish_s[task] = env.now

    for _ in range(workers):
        env.process(worker())
    env.process(source())
    env.run()
    return tasks.result()


def simpy_resource(workload: Workload, cap: int | None, quantum_s: None, workers: int) -> Result:
    """SimPy as its documentation shows it: a process for each task, and a Resource (FIFO)."""
    env, tasks = simpy.Environment(), Columns(workload)
    pool = simpy.Resource(env, capacity=workers)
    limit = float("inf") if cap is None else cap

    def serve(task: int):
        with pool.request() as turn:
            yield turn
            tasks.start_s[task] = env.now
            yield env.timeout(tasks.cost_s[task])
            tasks.finish_s[task] = env.now

    def source():
        for task, arrival_s in enumerate(tasks.arrival_s):
            yield env.timeout(max(0.0, arrival_s - env.now))
            if len(pool.queue) >= limit:
                tasks.rejected[task] = True
            else:
                env.process(serve(task))

    env.process(source())
    env.run()
    return tasks.result()


def nspy_drr(workload: Workload, cap: None, quantum_s: float, workers: int) -> Result:
    """ns.py's DRR server: one server, no cap, and a round over all tenants, idle or not."""
    assert workers == 1
    assert cap is None
    env, tasks = simpy.Environment(), Columns(workload)
    bytes_per_s = DRRServer.MIN_QUANTUM / quantum_s
    server = DRRServer(env, rate=8 * bytes_per_s, weights=[1] * len(workload.tenants))

    class Sink:
        def put(self, packet: Packet) -> None:
            task = packet.packet_id
            tasks.finish_s[task] = env.now
            tasks.start_s[task] = env.now - tasks.cost_s[task]

    server.out = Sink()

    def source():
        for task, arrival_s in enumerate(tasks.arrival_s):
            yield env.timeout(max(0.0, arrival_s - env.now))
            size = tasks.cost_s[task] * bytes_per_s
            server.put(Packet(env.now, size, task, flow_id=tasks.tenant[task]))

    env.process(source())
    env.run()
    return tasks.result()
