"""How events come in: one at a time or many at once, from any thread.

What comes one at a time is put aside in a list, which takes a fraction of a microsecond, and
counted by the thousand. Subclasses count in `_apply`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy
from itertools import count
from math import inf
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check, _count
from ..policies.tasks import REJECTED
from .names import plain_name

REASONS = tuple(outcome.label for outcome in REJECTED)
BATCH = 4096

Indices = NDArray[np.int64]


class Recorder(ABC):
    """Takes in events, checks them, and hands them on in batches.

    Parameters
    ----------
    reasons : sequence of str
        The reasons there are for a rejection.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = _check.names("reasons", reasons)
        self._reason_set = frozenset(self.reasons)
        self._lock = RLock()
        # what came one at a time waits here for its batch
        self._one_arrived: list[str] = []
        self._one_abandoned: list[str] = []
        self._one_rejected: list[tuple[str, str]] = []
        self._one_started: list[tuple[str, float]] = []

    def __getstate__(self) -> dict[str, Any]:
        """Return a copy of all but the lock, as of one moment."""
        with self._lock:
            self.flush()
            return deepcopy({k: v for k, v in self.__dict__.items() if k != "_lock"})

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a copy's state, with a lock of its own."""
        self.__dict__.update(state, _lock=RLock())

    # --- one at a time --------------------------------------------------------------------

    def arrived(self, tenant: str) -> None:
        """Count a task that arrives, whatever becomes of it."""
        if tenant.__class__ is not str:
            tenant = plain_name(tenant)
        pending = self._one_arrived
        pending.append(tenant)
        if len(pending) >= BATCH:
            self.flush()

    def rejected(self, tenant: str, reason: str) -> None:
        """Count a task, counted as arrived before, that is turned away for a reason."""
        if tenant.__class__ is not str:
            tenant = plain_name(tenant)
        if reason.__class__ is not str or reason not in self._reason_set:
            _check.choice("reason", reason, self.reasons)
            reason = plain_name(reason)
        pending = self._one_rejected
        pending.append((tenant, reason))
        if len(pending) >= BATCH:
            self.flush()

    def started(self, tenant: str, wait_s: float) -> None:
        """Count a task that leaves the queue for a worker after `wait_s` seconds."""
        if tenant.__class__ is not str:
            tenant = plain_name(tenant)
        if wait_s.__class__ is not float or not 0.0 <= wait_s < inf:
            wait_s = _check.number("wait_s", wait_s, least=0)
        pending = self._one_started
        pending.append((tenant, wait_s))
        if len(pending) >= BATCH:
            self.flush()

    def abandoned(self, tenant: str) -> None:
        """Count a task that leaves the queue without service."""
        if tenant.__class__ is not str:
            tenant = plain_name(tenant)
        pending = self._one_abandoned
        pending.append(tenant)
        if len(pending) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Take in what was recorded one at a time; `close` does it too."""
        with self._lock:
            # other threads go on: whoever's leaving is seen here has its arrival seen after it
            rejected, abandoned = _drain(self._one_rejected), _drain(self._one_abandoned)
            started, arrived = _drain(self._one_started), _drain(self._one_arrived)
            if arrived:
                self.record("arrived", arrived)
            for reason in self.reasons:
                tenants = [tenant for tenant, why in rejected if why == reason]
                if tenants:
                    self.record(reason, tenants)
            if started:
                self.record("started", [t for t, _ in started], wait_s=[w for _, w in started])
            if abandoned:
                self.record("abandoned", abandoned)

    # --- many at once ---------------------------------------------------------------------

    def record(
        self,
        event: str,
        tenants: Sequence[str] | NDArray[np.integer[Any]],
        *,
        names: Sequence[str] | None = None,
        wait_s: Any = None,
    ) -> None:
        """Count many tasks to which the same happened.

        Parameters
        ----------
        event : str
            ``"arrived"``, ``"started"``, ``"abandoned"``, or the reason of a rejection.
        tenants : sequence of str, or array of int
            Each task's tenant: its name, or its index into `names`.
        names : sequence of str, optional
            Distinct tenant names, if `tenants` holds indices.
        wait_s : array of float
            Each task's queue wait in seconds, for ``"started"``.

        Raises
        ------
        ValueError, TypeError
            If an argument is not allowed; nothing is counted then.
        """
        _check.choice("event", event, ("arrived", "started", "abandoned", *self.reasons))
        if (wait_s is not None) != (event == "started"):
            raise ValueError(f'wait_s must be given for "started" only; event is {event!r}')
        distinct, task_tenant = _coded(tenants, names)
        waits = None
        if wait_s is not None:
            waits = _check.column("wait_s", wait_s, length=len(task_tenant))
        if len(task_tenant) == 0:
            return
        with self._lock:
            self._apply(event, distinct, task_tenant, waits)

    @abstractmethod
    def _apply(
        self,
        event: str,
        distinct: list[str],
        task_tenant: Indices,
        waits: NDArray[np.float64] | None,
    ) -> None:
        """Count a batch of one event: distinct tenants, each task's index into them, waits."""


def _drain(pending: list[Any]) -> list[Any]:
    """Empty a list that other threads may be appending to."""
    batch = pending[: len(pending)]
    del pending[: len(batch)]
    return batch


def _coded(
    tenants: Sequence[str] | NDArray[np.integer[Any]], names: Sequence[str] | None
) -> tuple[list[str], Indices]:
    """Return the distinct names, and each task's index into them."""
    if names is not None:
        if isinstance(names, str) or not hasattr(names, "__len__"):
            raise TypeError(f"names must be a sequence of strings; got {names!r}")
        tenants = np.asarray(tenants)
        code = _check.indices("tenants", tenants, length=tenants.size, below=len(names))
        used = np.flatnonzero(_count.count(code, len(names)))
        place = np.empty(len(names), dtype=np.int64)
        place[used] = np.arange(len(used))
        distinct = [plain_name(names[i]) for i in used.tolist()]
        _check.distinct("names", distinct)
        return distinct, place[code]
    if isinstance(tenants, np.ndarray):
        tenants = tenants.tolist()
    if not isinstance(tenants, list):
        tenants = _check.several("tenants", tenants, "strings")
    index: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(index.__getitem__, tenants), dtype=np.int64, count=len(tenants))
        plain = {*map(type, index)} <= {str}
    except TypeError:  # what has no hash is no string
        plain = False
    if not plain:
        return _coded([plain_name(tenant) for tenant in tenants], None)
    return list(index), codes
