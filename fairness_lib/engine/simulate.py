"""The event loop: a workload meets a policy on a pool of equal workers.

Time is in seconds. Completions up to and including an arrival's time come before that arrival;
after each event idle workers take tasks as long as the discipline gives any. Ties go by the
order of start, so a run is a pure function of its inputs. After the last arrival the queues are
drained: every task is served, rejected, given up by its client, or still waiting in a discipline
that will not give it. Clients that react and pools that change are `events`' part.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .._count import count
from ..policies.policy import Policy
from ..policies.tasks import REJECTED, Outcome, Tasks, no_rejection
from ..traffic.pool import Pool, as_pool, shown
from ..traffic.workload import Workload
from . import events

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Run:
    """What became of every task, as columns beside the workload's.

    Attributes
    ----------
    workload : Workload
        The tasks as they came: what was given to `simulate`, or in a closed loop the tasks of it
        that were sent, in order of their first arrival.
    policy : Policy
        The policy they met.
    workers : int
        Size of the pool, the largest one if it changes.
    start_s, finish_s : array of float, shape (tasks,)
        When service began and ended, in seconds; NaN for a task not served.
    outcome : array of int8, shape (tasks,)
        An `Outcome` for each task: what became of its last attempt.
    fruitless_visits : int
        Visits of a round-robin scan that served nobody; 0 for other disciplines.
    engine : str
        Which tier ran it, "readable" or "compiled"; the columns are the same bits.
    pool : Pool, optional
        The pool, if its size changes.
    """

    workload: Workload
    policy: Policy
    workers: int
    start_s: NDArray[np.float64]
    finish_s: NDArray[np.float64]
    outcome: NDArray[np.int8]
    fruitless_visits: int = 0
    engine: str = "readable"
    pool: Pool | None = None
    _events: events.Happened | None = field(default=None, repr=False)

    @property
    def source(self) -> NDArray[np.int64]:
        """Which task of the workload given to `simulate` each one is."""
        if self._events is None:
            return np.arange(len(self.workload))
        return self._events.order

    @property
    def attempts(self) -> NDArray[np.int64]:
        """How often each task was sent, 1 without retries."""
        if self._events is None:
            return np.ones(len(self.workload), dtype=np.int64)
        return self._events.attempts

    @property
    def answer_s(self) -> NDArray[np.float64]:
        """When each task was done, or rejected or given up for the last time; NaN if it waits."""
        if self._events is not None:
            return self._events.answer_s
        waiting = self.outcome == Outcome.WAITING
        return np.where(self.served | waiting, self.finish_s, self.workload.arrival_s)

    @property
    def wasted(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The services for clients that had left: the row of the task, start_s, finish_s."""
        if self._events is None:
            return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
        return self._events.wasted

    @property
    def idle_while_queued_s(self) -> float | None:
        """Worker-seconds idle while something was queued; None if only its columns can tell."""
        return None if self._events is None else self._events.idle_while_queued_s

    @property
    def wasted_s(self) -> NDArray[np.float64]:
        """Worker-seconds spent on each task after which its client was gone."""
        task, start_s, finish_s = self.wasted
        width = self.workload.width
        work_s = (finish_s - start_s) * (1 if width is None else width[task])
        return count(task, len(self.workload), work_s)

    @property
    def served(self) -> NDArray[np.bool_]:
        """Mask of the tasks that were served."""
        return np.equal(self.outcome, Outcome.SERVED)

    @property
    def wait_s(self) -> NDArray[np.float64]:
        """Queue wait in seconds: start less first arrival; NaN for a task not served."""
        return self.start_s - self.workload.arrival_s

    def counts(self) -> dict[str, int]:
        """Return how many tasks had each outcome; they add up to the tasks that arrived."""
        tally = count(self.outcome, len(Outcome))
        return {outcome.label: int(tally[outcome]) for outcome in Outcome}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per task: the workload's columns, start_s, finish_s and outcome.

        Where clients react also attempts, answer_s, wasted_s and source.
        """
        import pandas as pd

        labels = pd.Index([outcome.label for outcome in Outcome])
        frame = self.workload.to_frame().assign(
            start_s=self.start_s,
            finish_s=self.finish_s,
            outcome=pd.Categorical.from_codes(self.outcome, labels),
        )
        if self._events is None:
            return frame
        names = ("attempts", "answer_s", "wasted_s", "source")
        return frame.assign(**{name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        """Return a one-line summary."""
        counts = ", ".join(f"{n} {label}" for label, n in self.counts().items() if n)
        workers = shown(self.pool or self.workers)
        return f"Run({self.policy.name}, {workers} workers: {counts})"


AUTO_TASKS = 500_000
"""From how many tasks on ``engine="auto"`` finds compiling worth its time."""


def simulate(
    workload: Workload,
    policy: Policy,
    workers: int | Pool | Iterable[tuple[float, int]] | None = None,
    *,
    engine: str = "auto",
) -> Run:
    """Run a workload under a policy.

    Tasks that arrive at one instant come one by one, in the workload's order, and idle workers take
    tasks in between. So no full queue turns a task away while a worker is idle; but of a batch for
    an idle pool the first tasks start at once, whoever's they are, and the discipline orders only
    the rest. Where that matters, put the batch's tasks in by turns, not tenant after tenant.

    Parameters
    ----------
    workload : Workload
        The tasks, in order of arrival.
    policy : Policy
        Admission and discipline. It is copied, so it can be used again.
    workers : int, Pool or iterable of (float, int), optional
        Number of equal workers, 1 or more; each serves one task at a time, without preemption.
        A pool that changes is given as (time, workers) steps. The workload's own by default.
    engine : {"auto", "readable", "compiled"}
        Which tier runs it; the result is the same, bit for bit. "compiled" needs numba and one
        of the library's own policies; its first use in a process takes well under a second once
        it is in numba's cache on disk, some seconds before. "auto" takes it where it can and
        where that is worth it: if this process has used it before, or from 500,000 tasks on.

    Returns
    -------
    Run

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed, the compiled tier is asked for what it cannot do, or a
        discipline gives a task twice or one it never had.

    Examples
    --------
    >>> from fairness_lib import Workload, fifo
    >>> w = Workload(["a"], [0.0, 0.0, 0.5], [0, 0, 0], [1.0, 1.0, 1.0], horizon_s=1)
    >>> simulate(w, fifo(), workers=1).start_s.tolist()
    [0.0, 1.0, 2.0]

    The worker is away from 0.5 to 4; it finishes what it began.

    >>> simulate(w, fifo(), workers=[(0, 1), (0.5, 0), (4, 1)]).start_s.tolist()
    [0.0, 4.0, 5.0]
    """
    if not isinstance(workload, Workload):
        raise TypeError(f"workload must be a Workload; got {workload!r}")
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy such as drr(); got {policy!r}")
    pool = pool_of(workload, workers)
    width, most = workload.width, largest(pool)
    if width is not None and width.max() > most:
        row = int(np.argmax(width > most))
        said = f"width must be at most {most}, the size of the pool; row {row} is {width[row]}"
        raise ValueError(said)
    engine = _engine(engine, workload, policy)
    reacts = events.needed(workload, policy, pool)
    ran: Columns | events.Happened
    if engine == "compiled":
        from . import compiled

        ran = compiled.simulate(workload, policy, pool)
    elif reacts:
        ran = events.run(workload, policy, pool)
    else:
        ran = _readable(workload, policy, largest(pool))
    happened = None
    if isinstance(ran, events.Happened):
        workload, happened = _as_it_came(workload, ran)
        starts, outcome = happened.start_s, happened.outcome
        fruitless_visits = happened.fruitless_visits
        for column in (happened.order, happened.attempts, happened.answer_s, *happened.wasted):
            _check.frozen(column)
    else:
        starts, outcome, fruitless_visits = ran
    return Run(
        workload,
        policy,
        largest(pool),
        start_s=_check.frozen(starts),
        finish_s=_check.frozen(starts + workload.duration_s),
        outcome=_check.frozen(outcome),
        fruitless_visits=fruitless_visits,
        engine=engine,
        pool=pool if isinstance(pool, Pool) else None,
        _events=happened if reacts else None,  # else all that it says follows from the columns
    )


def _as_it_came(workload: Workload, ran: events.Happened) -> tuple[Workload, events.Happened]:
    """Return the tasks that came in the order in which they did, and what became of them."""
    if workload.follows is None:
        return workload, ran
    if len(ran.order) == 0:
        raise ValueError("workload must have a task that comes; none came before the horizon")
    place = np.empty(len(workload), dtype=np.int64)
    place[ran.order] = np.arange(len(ran.order))
    columns = ("start_s", "answer_s", "outcome", "attempts")
    by_task = {name: getattr(ran, name)[ran.order] for name in columns}
    wasted = (place[ran.wasted[0]], *ran.wasted[1:])
    return workload.as_it_came(ran.order, ran.came_s), ran._replace(**by_task, wasted=wasted)


def without_events(run: Run, what: str) -> None:
    """Refuse a run in which clients react, the pool changes or tasks need several workers."""
    work = run.workload
    if run.pool is not None or not work.open_loop or work.width is not None:
        raise ValueError(
            f"{what} needs a pool of one size, clients that neither leave nor come again, and "
            f"tasks for one worker each; got {run!r}"
        )


def pool_of(
    workload: Workload, workers: int | Pool | Iterable[tuple[float, int]] | None
) -> int | Pool:
    """Return the pool that a workload meets: the one given, or its own."""
    if workers is None and workload.workers is None:
        raise ValueError("workers must be given: the workload does not say how many; got None")
    given = workload.workers if workers is None else workers
    assert given is not None
    return as_pool("workers", given)


def largest(pool: int | Pool) -> int:
    """Return the most workers that a pool ever has."""
    return pool.largest if isinstance(pool, Pool) else pool


Columns = tuple[NDArray[np.float64], NDArray[np.int8], int]


def tier_for(engine: str, tasks: int) -> str:
    """Choose the tier for what both can do: "auto" compiles where that is worth it."""
    _check.choice("engine", engine, ("auto", "readable", "compiled"))
    if engine == "readable":
        return engine
    from . import compiled

    if engine == "auto" and tasks < AUTO_TASKS and not compiled.loaded():
        return "readable"
    if compiled.installed():
        return "compiled"
    if engine == "compiled":
        raise ValueError(f"engine 'compiled' needs numba: {compiled.NOT_INSTALLED}")
    return "readable"


def _engine(engine: str, workload: Workload, policy: Policy) -> str:
    """Choose the tier for a policy."""
    if tier_for(engine, len(workload)) == "readable":
        return "readable"
    from . import compiled

    obstacle = compiled.obstacle(policy, workload)
    if obstacle is not None and engine == "compiled":
        raise ValueError(f"engine 'compiled' cannot run policy {policy.name!r}: {obstacle}")
    return "compiled" if obstacle is None else "readable"


def _readable(workload: Workload, policy: Policy, workers: int) -> Columns:
    """Run the event loop over the policy's own methods."""
    cost_s = workload.cost_s.tolist()
    known = workload.estimate_s is workload.cost_s  # one list, so that a long run fits the cache
    tasks = Tasks(
        workload.tenants,
        workload.weight.tolist(),
        workload.tenant.tolist(),
        cost_s if known else workload.estimate_s.tolist(),
        [] if workload.label is None else workload.label.tolist(),
        workload.labels,
        workers,
        [] if workload.ingress is None else workload.ingress.tolist(),
    )
    discipline, admission = copy(policy.discipline), copy(policy.admission)
    discipline.begin(tasks)
    put, take = discipline.put, discipline.take
    finished = getattr(discipline, "finished", None)
    admit = None
    if admission is not None:
        admission.begin(tasks)
        admit = admission.admit

    start_s = [nan] * len(workload)
    waiting, served = int(Outcome.WAITING), int(Outcome.SERVED)
    full, quota = REJECTED
    outcome = bytearray([waiting]) * len(workload)
    running: list[tuple[float, int, int]] = []  # (finish_s, order of start, task)
    started = 0

    def dispatch(now: float) -> None:
        nonlocal started
        while len(running) < workers and (task := take(now)) is not None:
            try:
                if task < 0 or outcome[task] != waiting:
                    raise events.wrong(f"task {task}, which was not waiting")
            except (IndexError, TypeError):
                raise events.wrong(f"{task!r}, which is no task") from None
            outcome[task] = served
            start_s[task] = now
            heappush(running, (now + cost_s[task], started, task))
            started += 1

    for arriving, now in enumerate([*workload.arrival_s.tolist(), inf]):
        while running and running[0][0] <= now:
            finish, _, task = heappop(running)
            if finished is not None:
                finished(task, cost_s[task], finish)
            dispatch(finish)
        if now == inf:
            break
        reason = None if admit is None else admit(arriving, now)
        if reason is None:
            reason = put(arriving, now)
        if reason is not None:
            if reason is not full and reason is not quota:
                raise no_rejection(reason, arriving)
            outcome[arriving] = reason
        if len(running) < workers:
            dispatch(now)

    starts = np.array(start_s, dtype=np.float64)
    if (starts < workload.arrival_s).any():
        early = int(np.argmax(starts < workload.arrival_s))
        raise events.wrong(f"task {early} before it arrived")
    columns = starts, np.frombuffer(outcome, dtype=np.int8)
    return *columns, getattr(discipline, "fruitless_visits", 0)
