"""The event loop of `simulate` for a page's MicroPython, and what it needs to run a reader's class.

The order of events and the sums are those of `engine.simulate`, so the times are the same bits;
what only a page needs is that a fault is told at once, with the task and the time.
"""

import json
import sys
from array import array
from heapq import heappop, heappush

SERVED, WAITING = 0, 1
SOURCE = "your policy"


class Reason:
    """A reason to reject a task, told apart by identity as the library's are."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __repr__(self):
        return "Outcome." + self.name


class Outcome:
    """Stands in for `fairness_lib.Outcome`."""

    QUEUE_FULL = Reason("QUEUE_FULL", 2)
    QUOTA = Reason("QUOTA", 3)


class Tasks:
    """What a discipline may know, by the names of `fairness_lib.Tasks`."""

    def __init__(self, tenants, weight, tenant, estimate_s):
        self.tenants, self.weight = tenants, weight
        self.tenant, self.estimate_s = tenant, estimate_s


class Misdeed(Exception):
    """What no discipline may do: which rule, what was given, and when."""

    def __init__(self, rule, given, now):
        super().__init__(rule, given, now)
        self.rule, self.given, self.now = rule, given, now


class Deque(list):
    """MicroPython's deque has a fixed length and cannot rotate; this one can."""

    def popleft(self):
        return self.pop(0)

    def appendleft(self, item):
        self.insert(0, item)

    def rotate(self, steps=1):
        for _ in range(abs(steps) % len(self) if self else 0):
            if steps < 0:
                self.append(self.pop(0))
            else:
                self.insert(0, self.pop())


def of_source(source):
    """Return an object of the last class with begin, put and take that the source defines."""
    names = {"__name__": SOURCE}
    exec(compile(source, SOURCE, "exec"), names)
    found = None
    for line in source.split("\n"):
        if line.startswith("class "):
            made = names[line[6:].split("(")[0].split(":")[0].strip()]
            if all(hasattr(made, name) for name in ("begin", "put", "take")):
                found = made
    if found is None:
        raise TypeError("there is no class with begin, put and take")
    return found()


def run(discipline, tasks, arrival_s, cost_s, workers, told=lambda task: None):
    """Return when each task started, NaN if it did not, and its outcome."""
    discipline.begin(tasks)
    put, take = discipline.put, discipline.take
    finished = getattr(discipline, "finished", None)
    full, quota = Outcome.QUEUE_FULL, Outcome.QUOTA
    start_s = [float("nan")] * len(arrival_s)
    outcome = bytearray(b"\x01" * len(arrival_s))  # all waiting
    running, order = [], 0  # (finish_s, order of start, task)
    arriving = -1

    def dispatch(now):
        nonlocal order
        while len(running) < workers:
            task = take(now)
            if task is None:
                return
            if not isinstance(task, int) or not 0 <= task < len(start_s):
                raise Misdeed("no task", repr(task), now)
            if task > arriving:
                raise Misdeed("early", task, now)
            if outcome[task] != WAITING:
                raise Misdeed("again" if outcome[task] == SERVED else "rejected", task, now)
            outcome[task] = SERVED
            start_s[task] = now
            heappush(running, (now + cost_s[task], order, task))
            order += 1

    def complete(until):
        while running and running[0][0] <= until:
            finish, _, task = heappop(running)
            if finished is not None:
                finished(task, cost_s[task], finish)
            dispatch(finish)

    for task, now in enumerate(arrival_s):
        complete(now)
        arriving = task
        reason = put(task, now)
        if reason is not None:
            if reason is not full and reason is not quota:
                raise Misdeed("no reason", repr(reason), now)
            outcome[task] = reason.value
        if len(running) < workers:
            dispatch(now)
        if task % 1000 == 0:
            told(task)
    complete(float("inf"))
    return start_s, outcome


def fault(error):
    """Return an exception as the page wants it: its kind, its words, and the reader's own line."""
    import io

    text = io.StringIO()
    sys.print_exception(error, text)
    lines = text.getvalue().split("\n")
    mark = 'File "' + SOURCE + '", line '
    own = [line.split(mark)[1].split(",")[0] for line in lines if mark in line]
    said = {"kind": type(error).__name__, "words": str(error), "line": int(own[-1]) if own else 0}
    if isinstance(error, Misdeed):
        said["rule"], said["given"], said["now"] = error.rule, error.given, error.now
    return said


def answer(source, setting, told):
    """Run a source on the columns in files; leave the result in files, return what to say."""
    import collections

    collections.deque = Deque
    with open("/fairness_lib.py", "w") as file:
        file.write("from loop import Outcome, Tasks")
    given = json.loads(setting)

    def column(kind, name):
        with open("/" + name, "rb") as file:
            return list(array(kind, file.read()))

    cost_s = column("d", "cost_s")
    tasks = Tasks(given["tenants"], given["weight"], column("i", "tenant"), cost_s)
    try:
        discipline = of_source(source)
        start_s, outcome = run(
            discipline, tasks, column("d", "arrival_s"), cost_s, given["workers"], told
        )
        claim = getattr(discipline, "quantum_s", None)
    except Exception as error:
        return json.dumps({"fault": fault(error)})
    with open("/start_s", "wb") as file:
        file.write(array("d", start_s))
    with open("/outcome", "wb") as file:
        file.write(outcome)
    return json.dumps({"quantum_s": claim if isinstance(claim, (int, float)) else None})
