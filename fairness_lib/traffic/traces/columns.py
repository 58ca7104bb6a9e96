"""Which column is what: by the words that logs use, and by what the reader says.

A column's name is taken apart into words and a unit: ``requestLatency_ms`` is *request latency*
in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .source import TraceError

UNITS = {
    **dict.fromkeys(("ns", "nanos", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("us", "µs", "micros", "microsecond", "microseconds", "usec"), 1e-6),
    **dict.fromkeys(("ms", "millis", "millisecond", "milliseconds", "msec"), 1e-3),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
"""Units of time by the names they go by, in seconds."""
TENANT = (
    *("tenant", "customer", "account", "organisation", "organization", "org", "app", "application"),
    *("namespace", "project", "workspace", "team", "owner", "user", "client", "queue", "group"),
    *("department", "partition", "tenantid", "userid", "appid", "clientid", "model"),
)
ARRIVAL = (
    *("arrival", "arrived", "submit", "submitted", "submission", "enqueued", "received"),
    *("created", "requested", "timestamp", "datetime", "time", "ts", "date"),
)
START = ("start", "started", "begin", "began", "dispatched")
END = ("end", "ended", "finish", "finished", "complete", "completed", "completion", "stop")
COST = (
    *("cost", "service", "runtime", "run", "execution", "exec", "processing", "cpu"),
    *("duration", "elapsed", "took", "latency", "response"),
)
WAIT = ("wait", "waited", "waiting", "queued", "queueing", "queuing", "queue", "delay", "ttft")
WIDTH = ("width", "processors", "procs", "nprocs", "gpus", "workers", "nodes", "cores", "slots")
STAMPS = ("timestamp", "time", "ts", "date", "datetime", "at", "utc")
"""Words that say only that a column is a time."""
SWF = (
    *("job", "submit_s", "wait_s", "run_s", "processors", "cpu_used_s", "memory_kb"),
    *("requested_processors", "requested_time_s", "requested_memory_kb", "status", "user"),
    *("group", "executable", "queue", "partition", "preceding_job", "think_time_s"),
)
"""The 18 fields of the Standard Workload Format, in order."""


@dataclass(frozen=True)
class Columns:
    """Which column is what, by name; None where there is none.

    Without an arrival, a task arrived at its end less its cost; without a cost, that is its end
    less its start; without a start, less its arrival.
    """

    tenant: str
    arrival: str | None
    start: str | None
    end: str | None
    cost: str | None
    wait: str | None = None
    width: str | None = None


def words_of(name: str) -> list[str]:
    """Take a column's name apart.

    Examples
    --------
    >>> words_of("requestLatency_ms"), words_of("end timestamp (s)")
    (['request', 'latency', 'ms'], ['end', 'timestamp', 's'])
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.findall(r"[^\W_]+", parted)]


def unit_of(name: str) -> float | None:
    """Return the unit at the end of a column's name, in seconds; None if there is none.

    Examples
    --------
    >>> unit_of("requestLatency_ms"), unit_of("duration")
    (0.001, None)
    """
    words = words_of(name)
    return UNITS.get(words[-1]) if len(words) > 1 else None


def recognise(names: Sequence[str], given: Mapping[str, str | None]) -> Columns:
    """Say which column is what; what is given by role counts, and has to exist."""
    for role, name in given.items():
        if name is not None:
            exists(role, name, names)
    taken = {name for name in given.values() if name is not None}
    free = [name for name in names if name not in taken]

    def choose(role: str, words: Iterable[str], but: Iterable[str] = ()) -> str | None:
        if given.get(role) is not None:
            return given[role]
        found = first_with(words, free, set(but))
        if found is not None:
            free.remove(found)
        return found

    tenant = choose("tenant", TENANT, but=(*WAIT, *COST, *UNITS, *STAMPS))
    end = choose("end", END)
    wait = choose("wait", WAIT, but=("id", "name", "length", "depth"))
    if wait is None and given.get("wait") is None:
        wait = next((n for n in free if {"first", "token"} <= set(words_of(n))), None)
        if wait is not None:
            free.remove(wait)
    width = choose("width", WIDTH, but=("requested",))
    arrival = choose("arrival", ARRIVAL, but=(*START, *END, "run", "service", "cpu", "think"))
    start = choose("start", START)
    cost = choose("cost", COST, but=("requested", "limit", "timeout"))
    if arrival is None and start is not None:
        arrival = start  # nothing else says when it came
    if tenant is None:
        raise missing("tenant", "whose task it is", TENANT, names)
    if arrival is None and end is None:
        raise missing("arrival", "when a task came", ARRIVAL, names)
    if cost is None and (arrival is None or end is None):
        raise missing("cost", "how long a task takes", COST, names)
    chosen = Columns(tenant, arrival, start, end, cost, wait, width)
    for role, name in vars(chosen).items():
        if name is not None:
            exists(role, name, names)
    return chosen


def first_with(words: Iterable[str], names: Sequence[str], but: set[str]) -> str | None:
    """Return the first name with one of the words in it, the earlier words before the later."""
    for word in words:
        for name in names:
            own = words_of(name)
            if (word in own or "".join(own) == word) and not but & set(own) - {word}:
                return name
    return None


def exists(role: str, name: str, names: Sequence[str]) -> None:
    """Raise an error that lists the columns if there is none of this name, or more than one."""
    if name not in names:
        raise TraceError(f"there is no column {name!r} for {role}; there are: {listed(names)}")
    if list(names).count(name) > 1:
        raise TraceError(f"there is more than one column {name!r}; rename one of them")


def missing(role: str, what: str, words: Sequence[str], names: Sequence[str]) -> TraceError:
    """Return the error for a role that no column has."""
    return TraceError(
        f"no column says {what}: none is called {', '.join(words[:4])} or the like. Name it "
        f"(--{role} COLUMN) out of: {listed(names)}"
    )


def shown_name(name: str) -> str:
    """Return a column's name as it can be shown in a line."""
    return name if name.isprintable() and len(name) <= 60 else repr(name[:60])


def listed(names: Sequence[str]) -> str:
    """List names in a line, however many and however long they are."""
    shown = [repr(name if len(name) <= 60 else f"{name[:57]}...") for name in names[:40]]
    more = f", and {len(names) - 40} more" if len(names) > 40 else ""
    return ", ".join(shown) + more
