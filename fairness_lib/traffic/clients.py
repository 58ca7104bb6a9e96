"""How clients behave: how long they wait, when they come again, and when they send the next task.

By default the traffic is an *open loop*: tasks come when they come, and whatever becomes of them
changes nothing. Clients that leave after a while, that come again, or that send a task only once
the last one is answered react to the service they get. Times are in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _check
from .service_times import ServiceTime
from .streams import Stream, splitmix64

MOST_WAIT_S = 1e9
MOST_ATTEMPTS = 1_000_000
_WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Retry:
    """A task that was rejected, or given up by a client that waited too long, comes again.

    The k-th wait is ``backoff_s * factor ** (k - 1)``, at most `most_s`; of it the part `jitter` is
    drawn at random: ``wait * (1 - jitter * u)``, u uniform in [0, 1).

    Parameters
    ----------
    attempts : int
        How often a task is sent at most, the first time included; 1 is no retry.
    backoff_s : float
        The first wait in seconds, 0 or more.
    factor : float
        What the wait is multiplied by from one attempt to the next, 1 or more: 1 is a fixed
        backoff, 2 the usual exponential one.
    most_s : float
        The longest wait in seconds.
    jitter : float
        The random part of a wait, 0 to 1: 0 is none, 1 is known as full jitter. Clients that
        were rejected at one instant all come back at one instant without it.
    retry_after : bool
        Whether the client waits first as long as the rejection tells it to: until its bucket has
        a token again, or its queue is expected to be gone. The wait above comes after that.

    Examples
    --------
    >>> Retry(attempts=5, backoff_s=0.1, factor=2, jitter=1)
    Retry(attempts=5, backoff_s=0.1, factor=2, most_s=60.0, jitter=1, retry_after=False)
    """

    attempts: int = 3
    backoff_s: float = 1.0
    factor: float = 2.0
    most_s: float = 60.0
    jitter: float = 0.0
    retry_after: bool = False

    def __post_init__(self) -> None:
        if _check.whole("attempts", self.attempts) > MOST_ATTEMPTS:
            raise ValueError(f"attempts must be at most {MOST_ATTEMPTS}; got {self.attempts}")
        _check.number("backoff_s", self.backoff_s, least=0, most=MOST_WAIT_S)
        _check.number("factor", self.factor, least=1, most=MOST_WAIT_S)
        _check.number("most_s", self.most_s, least=0, most=MOST_WAIT_S)
        _check.number("jitter", self.jitter, least=0, most=1)
        if not isinstance(self.retry_after, bool):
            raise TypeError(f"retry_after must be True or False; got {self.retry_after!r}")


@dataclass(frozen=True)
class Clients:
    """How a tenant's clients behave.

    Parameters
    ----------
    patience : float or ServiceTime, optional
        How long a client waits for the answer to an attempt, in seconds; or a distribution to draw
        it from, for each task. Then it leaves: a task in the queue is taken out of it, and
        service that has begun goes on for nobody. Without it clients wait for ever.
    retry : Retry, optional
        How a task comes again that was rejected, or whose client left.
    number : int, optional
        A closed loop of so many clients: each sends a task, waits for what becomes of it (until it
        is done, rejected, or given up, for the last time), thinks, and sends the next one. The
        tenant's ``rate_per_s`` is 0 then, as the pool decides how much comes.
    think : float or ServiceTime
        How long a client of a closed loop thinks before each of its tasks, the first included, in
        seconds; a mean above 0.

    Examples
    --------
    >>> Clients(patience=2.0, retry=Retry(attempts=2)).retry.attempts
    2
    """

    patience: float | ServiceTime | None = None
    retry: Retry | None = None
    number: int | None = None
    think: float | ServiceTime = 1.0

    def __post_init__(self) -> None:
        if self.patience is not None:
            _time("patience", self.patience)
        if self.retry is not None and not isinstance(self.retry, Retry):
            raise TypeError(f"retry must be a Retry record; got {self.retry!r}")
        if self.number is not None:
            _check.whole("number", self.number)
        mean_s = _time("think", self.think)
        if not mean_s > 0:
            raise ValueError(f"think must have a mean above 0; got {self.think!r}")


def _time(field: str, given: Any) -> float:
    """Return the mean of a time or a distribution of times."""
    if hasattr(given, "sample"):
        return float(given.mean_s)
    return _check.number(field, given, least=0, most=MOST_WAIT_S)


def drawn(given: float | ServiceTime, stream: Stream, n: int) -> NDArray[np.float64]:
    """Return `n` times: drawn, or all the same."""
    return given.sample(stream, n) if hasattr(given, "sample") else np.full(n, float(given))


def jitter_key(seed: int) -> int:
    """Return the word from which a workload's jitter is drawn."""
    return splitmix64(splitmix64(seed) ^ 0x6A09E667F3BCC908)


def uniform(key: int, task: int, attempt: int) -> float:
    """Return a variate in [0, 1) for one attempt of one task, whatever else was drawn before."""
    word = splitmix64((splitmix64((key + task) & _WORD) + attempt) & _WORD)
    return (word >> 11) * 2.0**-53
