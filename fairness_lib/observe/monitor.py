"""The fairness of the last minute, computed while it happens.

A monitor is told of every task's arrival, rejection, start and finish, and computes over a
rolling window what `measure` computes afterwards. Two things are different online. Demand is not
known, only attempts are: a retried request must count once. And some tasks of the window still
wait: a quantile of the waits that have ended leaves the worst ones out, so it is given together
with what the tasks still waiting have waited so far.

Times are seconds on one clock of your choice, rates tasks per second.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from math import floor, inf, nan
from threading import RLock
from typing import Any

import numpy as np

from .. import _check
from .names import plain_name
from .rolling import fairness_of
from .task_log import FINISHED, GONE, STARTED, WAITING, TaskLog
from .window import WindowReport

FEWEST_KEPT = 4096
MOST_STEPS = 1000
MOST_LENGTHS = 2**52  # a time further from 0, in steps or windows, has no room for one more

_log = logging.getLogger(__name__)


class FairnessMonitor:
    """Jain index, smallest share and under-share p99 wait over rolling windows.

    Fed with the events of a `Run` in time order, it agrees exactly with `measure` on every window
    whose tasks have all started or been rejected.

    Parameters
    ----------
    capacity_workers : int
        Workers of the pool.
    window_s : float
        Length of a window in seconds.
    step_s : float
        A report is made for the windows that end at multiples of it, in seconds.
    weights : mapping of str to float, optional
        Entitlements by tenant, 1 for those it does not name. Reports list its tenants first, in
        its order, then others as they came.
    history : int
        How many reports are kept in `reports`.
    on_report : callable, optional
        Called with every report that is made, by whichever event makes it; an alert's
        `UnderShareAlert.observe`, for one. It is called once per report, in their order, when the
        report is in `reports` and the event has been taken in. An exception that it raises is
        logged and counted, and does not reach whoever reported the event. Other threads'
        events wait until it is back.

    Attributes
    ----------
    reports : deque of WindowReport
        The latest reports, oldest first.
    failed_reports : int
        Reports for which `on_report` raised an exception.
    unmatched : int
        Events of tasks that never arrived, or were done: they are left out. A few are normal
        when a monitor starts beside a pool at work.
    turned_back : int
        Starts that were told with a time before the task's arrival, and finishes with one before
        its start. They count as of that arrival or start: a wait is never below 0, and a task
        that has started does not wait for ever. If there are many, look at the clocks.

    Notes
    -----
    Memory is proportional to the tasks of one window and those still waiting, about 150 bytes
    each. Methods may be called from several threads. ``now`` may lag behind a little; what comes
    in late counts in the reports still to be made. If the clock is set back, no report is made
    until it has caught up: `time.monotonic` is never set back.

    A monitor can be pickled and copied, if `on_report` can be. An event that is refused with an
    error has changed nothing, except that time has passed.

    Examples
    --------
    >>> monitor = FairnessMonitor(capacity_workers=1, window_s=10, step_s=10)
    >>> monitor.arrived("task 1", "a", now=1.0)
    >>> monitor.started("task 1", now=1.5)
    >>> monitor.finished("task 1", now=2.5)
    >>> report, = monitor.advance(now=10.0)
    >>> report.jain, report.min_x, report.under_share_p99_wait_s
    (1.0, 1.0, 0.5)
    """

    def __init__(
        self,
        capacity_workers: int,
        window_s: float = 60.0,
        step_s: float = 10.0,
        *,
        weights: Mapping[str, float] | None = None,
        history: int = 360,
        on_report: Callable[[WindowReport], object] | None = None,
    ) -> None:
        self.capacity_workers = _check.whole("capacity_workers", capacity_workers)
        self.window_s = _check.number("window_s", window_s, above=0)
        self.step_s = _check.number("step_s", step_s, above=0)
        self._last_s = MOST_LENGTHS * min(self.window_s, self.step_s)
        self.reports: deque[WindowReport] = deque(maxlen=_check.whole("history", history))
        if on_report is not None and not callable(on_report):
            raise TypeError(f"on_report must be callable; got {on_report!r}")
        self.on_report = on_report
        self.failed_reports = self.unmatched = self.turned_back = 0
        named = _check.by_name("weights", {} if weights is None else weights, "numbers")
        self._weights = {
            plain_name(name): _check.number(f"weights[{name!r}]", weight, above=0)
            for name, weight in named.items()
        }
        self._untold: deque[WindowReport] = deque()  # what `on_report` has not been given yet
        self._log = TaskLog(self._weights)
        self._forget_at = FEWEST_KEPT
        self._forgotten_s = -inf  # what ended before may be forgotten
        self._lock = RLock()
        self._step = -1  # number of the last step that was reported
        self._next_s = -inf  # time of the next one
        self._now = 0.0
        self._mean_cost_s = nan

    def __getstate__(self) -> dict[str, Any]:
        """Return a copy of all but the lock."""
        with self._lock:
            own = {"reports": self.reports.copy(), "_untold": self._untold.copy()}
            state = self.__dict__ | own | {"_log": self._log.copy()}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a copy's state, with a lock of its own."""
        self.__dict__.update(state, _lock=RLock())

    # --- events ---------------------------------------------------------------------------

    def arrived(
        self,
        task: Hashable,
        tenant: str,
        now: float,
        *,
        retry: bool = False,
        request: Hashable | None = None,
    ) -> None:
        """Take note of an attempt that arrives, whatever becomes of it.

        Parameters
        ----------
        task : hashable
            This attempt; no other one that is waiting or running may be called the same.
        tenant : str
            Whose it is.
        now : float
            The time in seconds, 0 or more.
        retry : bool
            Whether it repeats an earlier attempt, as its client says. It is no new demand.
        request : hashable, optional
            What is common to all attempts of one request of this tenant, for clients that do not
            mark retries. Attempts without the mark count once in a window, so a request that is
            tried again in the next window counts there again.
        """
        if tenant.__class__ is not str:
            tenant = plain_name(tenant)
        if now.__class__ is not float:
            now = _check.number("now", now, least=0)
        with self._lock:
            if not self._next_s > now >= 0.0:
                with self._passing(now):
                    self.arrived(task, tenant, now, retry=retry, request=request)
                return
            log = self._log
            if len(log.arrival_s) >= self._forget_at:
                self._forget()
            try:
                fresh = log.append(task, tenant, now, not retry, None if retry else request)
            except TypeError as error:
                raise _no_id(error, task=task, request=request) from None
            if not fresh:
                raise ValueError(f"task must not be waiting or running already; got {task!r}")

    def rejected(self, task: Hashable, now: float) -> None:
        """Take note that an attempt that arrived is turned away."""
        if now.__class__ is not float:
            now = _check.number("now", now, least=0)
        with self._lock:
            if not self._next_s > now >= 0.0:
                with self._passing(now):
                    self.rejected(task, now)
                return
            try:
                row = self._log.open.pop(task, None)
            except TypeError as error:
                raise _no_id(error, task=task) from None
            if row is None:
                self.unmatched += 1
            else:
                self._log.state[row] = GONE

    def abandoned(self, task: Hashable, now: float) -> None:
        """Take note that a task leaves the queue without service."""
        self.rejected(task, now)

    def started(self, task: Hashable, now: float) -> None:
        """Take note that a worker takes a task."""
        if now.__class__ is not float:
            now = _check.number("now", now, least=0)
        with self._lock:
            if not self._next_s > now >= 0.0:
                with self._passing(now):
                    self.started(task, now)
                return
            log = self._log
            try:
                row = log.open.get(task)
            except TypeError as error:
                raise _no_id(error, task=task) from None
            if row is None or log.state[row] != WAITING:
                self.unmatched += 1
                return
            arrival_s = log.arrival_s[row]
            if now < arrival_s:
                self.turned_back += 1
                now = arrival_s
            log.state[row] = STARTED
            log.start_s[row] = now

    def finished(self, task: Hashable, now: float, cost_s: float | None = None) -> None:
        """Take note that a task is done, at a cost in worker-seconds; its service time if None."""
        if now.__class__ is not float:
            now = _check.number("now", now, least=0)
        if cost_s is not None and (cost_s.__class__ is not float or not 0.0 <= cost_s < inf):
            cost_s = _check.number("cost_s", cost_s, least=0)
        with self._lock:
            if not self._next_s > now >= 0.0:
                with self._passing(now):
                    self.finished(task, now, cost_s)
                return
            log = self._log
            try:
                row = log.open.get(task)
            except TypeError as error:
                raise _no_id(error, task=task) from None
            if row is None or log.state[row] != STARTED:
                self.unmatched += 1
                return
            start_s = log.start_s[row]
            if now < start_s:
                self.turned_back += 1
                now = start_s
            del log.open[task]
            log.state[row] = FINISHED
            log.finish_s[row] = now
            log.cost_s[row] = now - start_s if cost_s is None else cost_s

    def advance(self, now: float) -> list[WindowReport]:
        """Let time pass to `now`, and return the reports of the windows that have ended since.

        Events do so by themselves; call it from a timer, as in a pool that is stuck nothing
        happens.
        """
        with self._lock, self._passing(now) as made:
            return made

    # --- windows --------------------------------------------------------------------------

    @contextmanager
    def _passing(self, now: float) -> Iterator[list[WindowReport]]:
        """Let time pass, take in what happened, and only then tell of the reports made."""
        made = self._pass(_check.number("now", now, least=0, most=self._last_s))
        try:
            yield made
        finally:
            self._tell()

    def _pass(self, now: float) -> list[WindowReport]:
        if self._step < 0:  # the first window ends at the first step after the first event
            self._step = floor(now / self.step_s)
        # after a long silence only the last steps are made up
        self._step = max(self._step, floor(now / self.step_s) - MOST_STEPS)
        self._next_s = (self._step + 1) * self.step_s
        made = []
        while self._next_s <= now:
            end = self._next_s
            self._now = max(self._now, end)
            self._step += 1
            self._next_s = (self._step + 1) * self.step_s
            made.append(self.report(end))
            self.reports.append(made[-1])
            self._untold.append(made[-1])
        self._now = max(self._now, now)
        return made

    def _tell(self) -> None:
        # a report is off the list before it is told, as `on_report` may report events itself
        while self._untold:
            report = self._untold.popleft()
            if self.on_report is None:
                continue
            try:
                self.on_report(report)
            except Exception:
                self.failed_reports += 1
                _log.exception(
                    "on_report raised for the window that ended at %g s", report.window[1]
                )

    @property
    def next_report_s(self) -> float:
        """When the next report is due, in seconds; minus infinity before the first event."""
        return self._next_s

    @property
    def latest(self) -> WindowReport | None:
        """The last report that was made, if any."""
        return self.reports[-1] if self.reports else None

    def report(self, end_s: float | None = None) -> WindowReport:
        """Return the report of the window that ends at `end_s`, as things are known now.

        Parameters
        ----------
        end_s : float, optional
            End of the window in seconds, excluded; the time of the last event by default. The
            tasks of windows that ended more than two steps ago may be forgotten.

        Raises
        ------
        ValueError
            If the window begins before what is remembered.
        """
        with self._lock:
            end = self._now
            if end_s is not None:
                end = _check.number("end_s", end_s, least=0, most=self._last_s)
            if end - self.window_s < self._forgotten_s:
                raise ValueError(
                    f"end_s must be at least {self._forgotten_s + self.window_s:g}, as older "
                    f"tasks are forgotten; got {end:g}"
                )
            return self._report(end - self.window_s, end)

    def _report(self, start: float, end: float) -> WindowReport:
        log = self._log
        report, self._mean_cost_s = fairness_of(
            log.columns(),
            log.request,
            list(log.code),
            np.array([self._weights.get(name, 1.0) for name in log.code]),
            workers=self.capacity_workers,
            window=(start, end),
            now=max(self._now, end),
            mean_cost_s=self._mean_cost_s,
        )
        return report

    def _forget(self) -> None:
        """Drop what no window to come can hold, and none that ended up to two steps ago."""
        before_s = self._now - self.window_s - 2 * self.step_s
        if self._log.forget(before_s):
            self._forgotten_s = max(self._forgotten_s, before_s)
        self._forget_at = max(FEWEST_KEPT, 2 * len(self._log))


def _no_id(error: TypeError, **ids: Hashable) -> TypeError:
    """Return an error that names what has no hash, in place of one that does not."""
    for field, value in ids.items():
        try:
            hash(value)
        except TypeError:
            return TypeError(f"{field} must be hashable; got {value!r}")
    return error
