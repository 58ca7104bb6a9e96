"""Compare policies on a trace, and decide: everything that a report shows, in one record.

The order is that of the questions: what is in the trace, can its costs be trusted, which pool, who
is beyond their share, when is there contention, what does each policy keep, who pays, how sure is
that, and does it hold on other pools and loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .. import _check
from ..traffic.traces import Trace
from .candidates import Buckets, Terms, candidates
from .outcome import Outcome, outcome
from .parameters import quantum_of
from .pools import Residual, fit, residual, row_of
from .situation import Situation, loaded
from .suspicion import SUSPECT, excess
from .verdict import CHOOSE, UNKNOWN, Decision, decide

OTHER_POOLS, OTHER_LOADS = (0.8, 1.2), (0.8, 1.25)
"""Under which other pools and loads a verdict has to hold."""
Track = Callable[[Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True)
class Elsewhere:
    """The verdict on another pool or load."""

    what: str
    workers: int
    load: float
    decision: Decision
    kept: dict[str, float]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Policies on a trace; made by `compare`.

    Attributes
    ----------
    trace : Trace
        What was read.
    situation : Situation
        The trace on the pool: groups, episodes, what is owed.
    outcomes : tuple of Outcome
        What each policy makes of it.
    decision : Decision
        The verdict.
    as_is : str
        Today's policy.
    workers_from : str
        Where the number of workers comes from: "given", "fitted" or "assumed".
    fitted : Residual or None
        How a replay compares with the measured waits, where there are any.
    elsewhere : tuple of Elsewhere
        The verdict under other pools and loads.
    row : tuple of Elsewhere
        The verdict by pool, where the number of workers is not known.
    terms : Terms
        Quantum, cap and quota that the policies were given.
    load : float
        How many times as fast the tasks come.
    deadline_s : float or None
        By when a task that is let in must start, in seconds.
    suspicion : float
        How much more often a task costs more in a crowd than less, -1 to 1, within tenants.
    """

    trace: Trace
    situation: Situation
    outcomes: tuple[Outcome, ...]
    decision: Decision
    as_is: str
    workers_from: str
    terms: Terms
    load: float
    suspicion: float
    fitted: Residual | None = None
    elsewhere: tuple[Elsewhere, ...] = field(default=())
    row: tuple[Elsewhere, ...] = field(default=())
    deadline_s: float | None = None

    @property
    def now(self) -> Outcome:
        """What today's policy makes of it."""
        return next(one for one in self.outcomes if one.policy == self.as_is)

    def to_dict(self) -> dict[str, Any]:
        """Return all that a report shows, as plain numbers and text."""
        from .account import account

        return account(self)

    def __repr__(self) -> str:
        """Return the verdict and why."""
        return "\n  ".join([f"Comparison({self.decision.sentence}", *self.decision.because]) + ")"


def compare(
    trace: Trace,
    *,
    workers: int | None = None,
    fit_workers: bool = False,
    policies: Sequence[str] | None = None,
    as_is: str = "fifo",
    objective_s: float | None = None,
    load: float = 1.0,
    window_s: tuple[float, float] | None = None,
    cap: int | None = None,
    quantum_s: float | None = None,
    quota: Buckets | None = None,
    deadline_s: float | None = None,
    trust_costs: bool = False,
    track: Track | None = None,
) -> Comparison:
    r"""Compare policies on a trace and decide between them.

    Who is within their share, and which tasks are contended, is fixed once, by the trace and the
    pool. No policy has a cap or a quota unless one is given.

    Parameters
    ----------
    trace : Trace
        From `read_trace`.
    workers : int, optional
        Size of the pool. Without it, it is fitted to measured waits if the trace has them; else a
        row of pools is tried, and the one on which policies differ most is shown.
    fit_workers : bool
        Fit the pool even if `workers` is given; an error without measured waits.
    policies : sequence of str, optional
        Names in `POLICIES`; by default the article's that need no contract.
    as_is : str
        Today's policy, with which the others are compared.
    objective_s : float, optional
        How soon a start is owed, in seconds; the mean cost by default.
    load : float
        How many times as fast the tasks come; costs stay.
    window_s : (float, float), optional
        Only tasks that arrive in it are judged, in seconds; all by default.
    cap : int, optional
        Most tasks that may wait (of a tenant, for policies with a queue each); no limit by default.
    quantum_s : float, optional
        For round-robin policies; the mean cost by default.
    quota : mapping of str to (rate_per_s, burst), optional
        What a contract grants; it brings the policies with a quota into the comparison.
    deadline_s : float, optional
        By when a task that is let in must start: a cap is derived from it, and said.
    trust_costs : bool
        Decide even if costs rise with the number of tasks in flight, as if they contained waiting.
    track : callable, optional
        Wraps the list of runs to come, to show progress.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed.

    Examples
    --------
    >>> import io
    >>> from fairness_lib import read_trace
    >>> rows = [f"big,{i / 50},1" for i in range(300)] + [f"small,{i},0.1" for i in range(300)]
    >>> trace = read_trace(io.BytesIO("\n".join(["app,arrival,cost", *rows]).encode()))
    >>> compare(trace, workers=4, policies=["fifo", "drr"]).decision.sentence
    'Choose drr.'
    """
    if not isinstance(trace, Trace):
        raise TypeError(f"trace must be a Trace from read_trace(); got {trace!r}")
    load = _check.number("load", load, above=0)
    workload = loaded(trace.workload, load) if load != 1 else trace.workload
    if objective_s is None:
        objective_s = float(workload.cost_s.mean())
    _check.number("objective_s", objective_s, least=0)
    if deadline_s is not None:
        _check.number("deadline_s", deadline_s, above=0)
    if window_s is not None:
        window_s = _check.window("window_s", window_s, workload.horizon_s)
    terms = Terms(quantum_of(workload) if quantum_s is None else quantum_s, cap, quota)
    several = candidates(policies, as_is, terms)
    today = next(policy for policy in several if policy.name == as_is)
    fitted, row, how = None, [], "given"
    if fit_workers or (workers is None and trace.wait_s is not None):
        fitted, how = fit(trace, today), "fitted"
        workers = fitted.workers
    elif workers is not None:
        workers = _check.whole("workers", workers)
        if trace.wait_s is not None:
            fitted = residual(trace, today, workers)
    suspicion = excess(trace.workload, trace.wait_s)

    def at(workers: int, faster: float, what: str) -> Elsewhere:
        there = workload if faster == 1 else loaded(workload, faster)
        window = (
            window_s
            if window_s is None or faster == 1
            else (window_s[0] / faster, window_s[1] / faster)
        )
        situation = Situation(there, workers, objective_s, window)
        found = [outcome(situation, policy) for policy in several]
        verdict = decide(situation, found, as_is)
        return Elsewhere(
            what, workers, faster, verdict, {one.policy: one.kept_part for one in found}
        )

    follow = track or (lambda jobs: jobs)
    if workers is None:
        how = "assumed"
        pools = [(number, 1.0, f"{number} workers") for number in row_of(workload)]
        row = [at(*pool) for pool in follow(pools)]
        workers = max(row, key=_parts).workers
    situation = Situation(workload, workers, objective_s, window_s)
    found = tuple(outcome(situation, policy) for policy in follow(several))
    verdict = decide(situation, found, as_is)
    if suspicion > SUSPECT and not trust_costs:
        verdict = distrusted(suspicion)
    others = [
        (number, 1.0, f"{number} workers")
        for factor in OTHER_POOLS
        if (number := max(1, round(workers * factor))) != workers
    ] + [(workers, faster, f"{faster:g} times the load") for faster in OTHER_LOADS]
    elsewhere = tuple(at(*other) for other in follow(others)) if verdict.kind != UNKNOWN else ()
    return Comparison(
        trace,
        situation,
        found,
        replace(verdict, depends=tuple(differs(verdict, elsewhere))),
        as_is,
        how,
        terms,
        load,
        suspicion,
        fitted,
        elsewhere,
        tuple(row),
        deadline_s,
    )


def _parts(one: Elsewhere) -> float:
    """Say how far policies part on a pool; a policy to choose comes before all."""
    margin = one.decision.margin
    if margin is None:
        return -2.0
    return margin.difference + (1.0 if one.decision.kind == CHOOSE else 0.0)


def distrusted(suspicion: float) -> Decision:
    """Return the verdict on costs that seem to contain waiting."""
    why = (
        "The cost seems to contain waiting: when most tasks are in flight, a task costs more than "
        f"in calmer times in {(1 + suspicion) / 2:.0%} of all pairs; service times do in about "
        "50%. Replaying it would count every queue twice. Give the time in service (--cost 'total "
        "- waiting'), or say that it is (--trust-costs)."
    )
    return Decision(UNKNOWN, None, (why,))


def differs(verdict: Decision, elsewhere: Iterable[Elsewhere]) -> Iterable[str]:
    """Say where the verdict is another one."""
    for other in elsewhere:
        if (other.decision.kind, other.decision.policy) != (verdict.kind, verdict.policy):
            policy = f" {other.decision.policy}" if other.decision.policy else ""
            yield f"{other.what}: {other.decision.kind}{policy}"
