"""A live pool: asyncio workers driven by the very discipline objects of the simulator.

A `LivePool` keeps the lists that a discipline reads, and grows them as tasks come; ``put``,
``take`` and ``finished`` are called as the event loop of `simulate` calls them, only that the
clock is a real one. Times are seconds of the scenario: at ``speed=2`` a wall-clock second is two
of them.

``python -m fairness_lib live`` sends the article's tenants through such a pool and serves what
`TenantMetrics` and `FairnessMonitor` see of it at ``/metrics``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from math import nan
from operator import index
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .. import _check
from ..engine.simulate import Run, pool_of
from ..policies.policy import Policy
from ..policies.tasks import REJECTED, Outcome, Tasks, no_rejection
from ..traffic.pool import Pool
from ..traffic.workload import Workload

T = TypeVar("T")
Clock = Callable[[], float]

EVENTS = ("arrived", "rejected", "started", "finished")

_log = logging.getLogger(__name__)


class Rejected(Exception):
    """A task was turned away; `reason` is the `Outcome` that says why."""

    def __init__(self, reason: Outcome) -> None:
        super().__init__(reason.label)
        self.reason = reason


class Observer(Protocol):
    """What is told of every task; times in seconds on the pool's clock."""

    def arrived(self, task: int, tenant: str, now: float) -> None:
        """Note an arrival."""

    def rejected(self, task: int, tenant: str, now: float, reason: str) -> None:
        """Note a rejection."""

    def started(self, task: int, tenant: str, now: float, wait_s: float) -> None:
        """Note a start of service."""

    def finished(self, task: int, tenant: str, now: float, cost_s: float) -> None:
        """Note an end of service."""


class _Queued(NamedTuple):
    """A task that waits: whose it is, since when, what to do, and where its result goes."""

    tenant: str
    arrival_s: float
    work: Callable[[], Awaitable[Any]]
    result: asyncio.Future[Any]


class LivePool:
    """Workers that run coroutines in a policy's order.

    Parameters
    ----------
    policy : Policy
        It is copied, so it can be used again.
    tenants : sequence of str
        Whose tasks may come.
    workers : int
        How many tasks run at a time.
    clock : callable
        The time in seconds.
    weights : mapping of str to float, optional
        Entitlements, 1 for whoever it does not name.
    observers : sequence of Observer
        Told of every task. An exception that one raises is logged and counted, and hurts neither
        the task nor the pool nor other observers.

    Attributes
    ----------
    failed_observations : int
        How often an observer raised an exception.
    failure : BaseException or None
        What made the pool stop: an exception of the discipline's ``take`` or ``finished`` or of
        the clock, or a task given that was not waiting. It is logged; all tasks that wait get it
        as their exception; tasks at work come to their end, and no others are begun; `submit` and
        `drained` raise it, and so does leaving the ``async with``.

    Notes
    -----
    One asyncio loop, no threads. Some sixteen bytes are kept for every task that ever came. A pool
    is entered once, and takes no tasks when it has been left.

    Examples
    --------
    >>> import asyncio
    >>> from fairness_lib import drr
    >>> async def double(x):
    ...     return 2 * x
    >>> async def main():
    ...     loop = asyncio.get_running_loop()
    ...     async with LivePool(drr(), ["a", "b"], workers=1, clock=loop.time) as pool:
    ...         return await pool.submit("a", lambda: double(21), estimate_s=0.01)
    >>> asyncio.run(main())
    42
    """

    def __init__(
        self,
        policy: Policy,
        tenants: Sequence[str],
        workers: int,
        clock: Clock,
        *,
        weights: Mapping[str, float] | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.tenants = _check.names("tenants", tenants)
        self.workers = _check.whole("workers", workers)
        if not callable(clock):
            raise TypeError(f"clock must be callable; got {clock!r}")
        self.clock = clock
        self.observers = tuple(_check.several("observers", observers, "observers"))
        for observer in self.observers:
            for event in EVENTS:
                if not callable(getattr(observer, event, None)):
                    raise TypeError(
                        f"observers must have a method {event}(); {observer!r} has none"
                    )
        self.failed_observations = 0
        self.failure: BaseException | None = None
        self._index = {name: i for i, name in enumerate(self.tenants)}
        tasks = Tasks(self.tenants, [1.0] * len(self.tenants), [], [])
        tasks.weight = tasks.by_tenant("weights", weights)
        self._tasks = tasks
        self._discipline, self._admission = copy(policy.discipline), copy(policy.admission)
        self._discipline.begin(tasks)
        if self._admission is not None:
            self._admission.begin(tasks)
        self._charge = getattr(self._discipline, "finished", None)
        self._waiting: dict[int, _Queued] = {}
        self._news = asyncio.Event()
        self._workers: list[asyncio.Task[None]] = []
        self._busy = 0
        self._closed = False

    async def __aenter__(self) -> LivePool:
        """Start the workers."""
        if self._workers:
            raise RuntimeError("a pool is entered once; make another one")
        self._workers = [asyncio.create_task(self._work()) for _ in range(self.workers)]
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Stop the workers; tasks not done are cancelled. Raise what made the pool fail."""
        self._closed = True
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        for queued in self._waiting.values():
            queued.result.cancel()
        self._waiting.clear()
        if self.failure is not None and error is None:
            raise self.failure

    def submit(
        self, tenant: str, work: Callable[[], Awaitable[T]], estimate_s: float
    ) -> asyncio.Future[T]:
        """Queue a task, or turn it away.

        Parameters
        ----------
        tenant : str
            Whose it is.
        work : callable
            Called by a worker when the task's turn has come; what it returns is awaited.
        estimate_s : float
            What it is believed to cost, in worker-seconds.

        Returns
        -------
        Future
            Its result, or the exception it raises.

        Raises
        ------
        Rejected
            If the policy turns it away.
        ValueError, TypeError
            If the tenant is unknown or the estimate not allowed, or the policy turns the task
            away for no known reason.
        RuntimeError
            If the pool has been left.
        BaseException
            Whatever the policy raises, for this task only, which observers do not hear of; or
            the pool's `failure`.
        """
        if self.failure is not None:
            raise self.failure
        if self._closed:
            raise RuntimeError("the pool takes no more tasks: it has been left")
        code = self._index.get(tenant) if isinstance(tenant, str) else None
        if code is None:
            raise ValueError(f"tenant must be one of the pool's; got {tenant!r}")
        name = self.tenants[code]
        estimate_s = _check.number("estimate_s", estimate_s, least=0)
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        now, task = self.clock(), len(self._tasks.tenant)
        self._tasks.tenant.append(code)
        self._tasks.estimate_s.append(estimate_s)
        reason = self._admission.admit(task, now) if self._admission is not None else None
        if reason is None:
            reason = self._discipline.put(task, now)
        if reason is not None and not any(reason is known for known in REJECTED):
            raise no_rejection(reason, task)
        self._tell("arrived", task, name, now)
        if reason is not None:
            self._tell("rejected", task, name, now, reason.label)
            raise Rejected(reason)
        self._waiting[task] = _Queued(name, now, work, result)
        self._news.set()
        return result

    async def drained(self) -> None:
        """Wait until nothing is queued or running; raise what made the pool fail.

        It waits as long as the discipline keeps a task back.
        """
        while (self._waiting or self._busy) and self.failure is None:
            await asyncio.sleep(0.001)
        if self.failure is not None:
            raise self.failure

    def _tell(self, event: str, *what: object) -> None:
        for observer in self.observers:
            try:
                getattr(observer, event)(*what)
            except Exception:
                self.failed_observations += 1
                _log.exception("an observer raised when told that task %s %s", what[0], event)

    def _fail(self, error: BaseException) -> None:
        """Let the first failure end it for all that wait."""
        if self.failure is not None:
            return
        self.failure = _awaitable(error)
        _log.error("the pool stops, as its policy or clock raised", exc_info=error)
        for queued in self._waiting.values():
            _settle(queued.result, None, self.failure)
            if not queued.result.cancelled():
                queued.result.exception()  # it has been logged once, which is enough
        self._waiting.clear()
        self._news.set()

    async def _work(self) -> None:
        try:
            while self.failure is None and not self._closed:
                task = self._discipline.take(self.clock())
                if task is None:
                    self._news.clear()
                    await self._news.wait()
                    continue
                self._busy += 1
                try:
                    await self._serve(*self._taken(task))
                finally:
                    self._busy -= 1
                    self._news.set()  # some disciplines give a task only when another is done
        except asyncio.CancelledError:
            if not self._closed:
                self._fail(RuntimeError("a worker was cancelled"))
            raise
        except BaseException as error:
            self._fail(error)
            if not isinstance(error, Exception):
                raise

    def _taken(self, task: object) -> tuple[int, _Queued]:
        try:
            number = index(task)  # type: ignore[arg-type]
            return number, self._waiting.pop(number)
        except TypeError:
            raise ValueError(f"discipline gave {task!r}, which is no task") from None
        except KeyError:
            raise ValueError(f"discipline gave task {task}, which was not waiting") from None

    async def _serve(self, task: int, queued: _Queued) -> None:
        tenant, result = queued.tenant, queued.result
        value, error = None, None
        try:
            start = self.clock()
            self._tell("started", task, tenant, start, start - queued.arrival_s)
            try:
                value = await queued.work()
            except asyncio.CancelledError:
                result.cancel()
                if _is_cancelled():
                    raise
                # else the work itself was cancelled, or what it waited for
            except Exception as raised:  # the task's owner is to see it, the worker goes on
                error = raised
            now = self.clock()
            self._tell("finished", task, tenant, now, now - start)
            _settle(result, value, error)
            if self._charge is not None:
                self._charge(task, now - start, now)
        except BaseException as raised:
            _settle(result, None, raised)
            raise _awaitable(raised)  # noqa: B904  (nearly always the very same)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _settle(result: asyncio.Future[Any], value: object, error: BaseException | None) -> None:
    if result.done():
        return
    if error is not None:
        result.set_exception(_awaitable(error))
    else:
        result.set_result(value)


def _awaitable(error: BaseException) -> BaseException:
    """Return what may be raised where a future is awaited, which a StopIteration may not."""
    if not isinstance(error, StopIteration):
        return error
    instead = RuntimeError(f"raised {error!r}")
    instead.__cause__ = error
    return instead


class ScaledTime:
    """A clock that starts at 0 and runs at a multiple of real time, and sleeps by it.

    Timers wake up late, by half a millisecond or so; what one sleep was too long, the next ones
    are shorter. So the work done in a second is right, if not the length of each piece.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = _check.number("speed", speed, above=0)
        self._loop = asyncio.get_running_loop()
        self._zero = self._loop.time()
        self._overslept_s = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return (self._loop.time() - self._zero) * self.speed

    async def sleep_until(self, then: float) -> None:
        """Sleep until a time, or just let others run if it has passed."""
        await asyncio.sleep(max((then - self()) / self.speed, 0.0))

    async def work(self, cost_s: float) -> None:
        """Keep a worker busy for `cost_s` seconds, on average."""
        repaid_s = min(self._overslept_s, cost_s)
        self._overslept_s -= repaid_s
        then = self() + cost_s - repaid_s
        await self.sleep_until(then)
        self._overslept_s += self() - then


async def send(pool: LivePool, workload: Workload, time: ScaledTime) -> list[asyncio.Future[None]]:
    """Submit a workload's tasks as their time comes; return the results of those let in."""

    def task(cost_s: float) -> Callable[[], Awaitable[None]]:
        return lambda: time.work(cost_s)

    results = []
    columns = (workload.arrival_s, workload.tenant, workload.cost_s, workload.estimate_s)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for number, (arrival_s, tenant, cost_s, estimate_s) in enumerate(rows):
        if arrival_s > time() or number % 64 == 0:
            await time.sleep_until(arrival_s)
        try:
            results.append(pool.submit(workload.tenants[tenant], task(cost_s), estimate_s))
        except Rejected:
            continue
    return results


class _Columns:
    """An observer that keeps what a `Run` is made of."""

    def __init__(self, tasks: int) -> None:
        self.arrival_s, self.start_s, self.finish_s = np.full((3, tasks), nan)
        self.outcome = np.full(tasks, Outcome.WAITING, dtype=np.int8)

    def arrived(self, task: int, tenant: str, now: float) -> None:
        self.arrival_s[task] = now

    def rejected(self, task: int, tenant: str, now: float, reason: str) -> None:
        self.outcome[task] = Outcome[reason.upper()]

    def started(self, task: int, tenant: str, now: float, wait_s: float) -> None:
        self.start_s[task] = now

    def finished(self, task: int, tenant: str, now: float, cost_s: float) -> None:
        self.finish_s[task] = now
        self.outcome[task] = Outcome.SERVED


async def run_live(
    workload: Workload,
    policy: Policy,
    workers: int | None = None,
    *,
    speed: float = 1.0,
    observers: Sequence[Observer] = (),
) -> Run:
    """Run a workload through a live pool, and return what happened as `simulate` would.

    The run's workload has the arrival times and costs that the clock showed, so that `measure`
    goes by the capacity that the live pool really had.

    Parameters
    ----------
    workload : Workload
        The tasks; each keeps a worker busy for its cost.
    policy : Policy
        Admission and discipline.
    workers : int, optional
        Number of workers; the workload's own by default.
    speed : float
        Seconds of the workload in a second of real time, above 0.
    observers : sequence of Observer
        Told of every task, by the workload's clock.
    """
    size = pool_of(workload, workers)
    if isinstance(size, Pool) or not workload.open_loop or workload.width is not None:
        raise ValueError(
            "workload must meet a pool of one size, from clients that neither leave nor come "
            f"again, with tasks for one worker each; got workers={size!r} and {workload!r}"
        )
    columns, time = _Columns(len(workload)), ScaledTime(speed)
    weights = dict(zip(workload.tenants, workload.weight.tolist(), strict=True))
    async with LivePool(
        policy, workload.tenants, size, time, weights=weights, observers=[columns, *observers]
    ) as pool:
        await send(pool, workload, time)
        await pool.drained()
    arrival_s = columns.arrival_s
    served = columns.outcome == Outcome.SERVED
    cost_s = np.where(served, columns.finish_s - columns.start_s, workload.cost_s)
    seen = Workload(
        workload.tenants,
        arrival_s,
        workload.tenant,
        cost_s,
        max(workload.horizon_s, float(arrival_s[-1])),
        workload.weight,
        workload.estimate_s,
        workers=size,
        window_s=workload.window_s,
    )
    return Run(seen, policy, size, columns.start_s, columns.finish_s, columns.outcome)
