"""Clients that do not just go away when they are rejected, and so blur what demand is.

What a server sees are attempts. A client that retries sends several for one request; one that
holds back after a rejection sends none for requests that it has. Times are in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf

from .. import _check
from ..policies.policy import Admission
from ..policies.tasks import REJECTED, Tasks, no_rejection
from ..traffic.workload import Workload
from .monitor import FairnessMonitor
from .window import WindowReport


@dataclass(frozen=True)
class Clients:
    """What clients do when they are rejected.

    Parameters
    ----------
    retries : int
        How often they send a rejected request again.
    backoff_s : float
        How many seconds later; twice as many each time.
    hold_back_s : float
        For how many seconds after a rejection a tenant's clients send nothing. The requests that
        they have in that time are given up, and never sent.
    """

    retries: int = 0
    backoff_s: float = 1.0
    hold_back_s: float = 0.0

    def __post_init__(self) -> None:
        _check.whole("retries", self.retries, least=0)
        _check.number("backoff_s", self.backoff_s, above=0)
        _check.number("hold_back_s", self.hold_back_s, least=0)


def attempts(
    workload: Workload, admission: Admission, clients: Clients
) -> Iterator[tuple[float, int, int, bool]]:
    """Yield (now, request, attempt, admitted) of all that clients send, in time order.

    Parameters
    ----------
    workload : Workload
        The requests that clients have: the true demand.
    admission : Admission
        Lets attempts in or rejects them, such as `Quota`. There is no queue behind it.
    clients : Clients
        What they do when rejected.

    Examples
    --------
    >>> from fairness_lib import Quota, Workload
    >>> two = Workload(["a"], [0.0, 0.1], [0, 0], [0.01, 0.01], horizon_s=1)
    >>> list(attempts(two, Quota({"a": (1.0, 1)}), Clients(retries=1, backoff_s=2.0)))
    [(0.0, 0, 1, True), (0.1, 1, 1, False), (2.1, 1, 2, True)]
    """
    tenant = workload.tenant.tolist()
    admission.begin(
        Tasks(workload.tenants, workload.weight.tolist(), tenant, workload.estimate_s.tolist())
    )
    quiet_until = [-inf] * len(workload.tenants)
    due = [(now, request, 1) for request, now in enumerate(workload.arrival_s.tolist())]
    while due:
        now, request, attempt = heappop(due)
        who = tenant[request]
        if now < quiet_until[who]:
            continue
        reason = admission.admit(request, now)
        admitted = reason is None
        if not admitted and not any(reason is known for known in REJECTED):
            raise no_rejection(reason, request)
        yield now, request, attempt, admitted
        if not admitted:
            quiet_until[who] = now + clients.hold_back_s
            if attempt <= clients.retries:
                later = now + clients.backoff_s * 2 ** (attempt - 1)
                heappush(due, (later, request, attempt + 1))


def watch_clients(
    workload: Workload,
    admission: Admission,
    clients: Clients,
    monitor: FairnessMonitor,
    marked: bool = True,
) -> list[WindowReport]:
    """Let a monitor see what clients send, until the horizon; what is let in is served at once.

    Parameters
    ----------
    workload, admission, clients
        As in `attempts`.
    monitor : FairnessMonitor
        One that has seen nothing yet; its reports are returned.
    marked : bool
        Whether clients mark retries. If not, attempts carry the id of their request only.
    """
    made: list[WindowReport] = []
    cost_s = workload.cost_s.tolist()
    names, tenant = workload.tenants, workload.tenant.tolist()
    for now, request, attempt, admitted in attempts(workload, admission, clients):
        if now >= workload.horizon_s:
            break
        if now >= monitor.next_report_s:
            made += monitor.advance(now)
        task = (request, attempt)
        retry = marked and attempt > 1
        monitor.arrived(task, names[tenant[request]], now, retry=retry, request=request)
        if admitted:
            monitor.started(task, now)
            monitor.finished(task, now, cost_s[request])
        else:
            monitor.rejected(task, now)
    return made + monitor.advance(workload.horizon_s)
