"""Many runs: seeds and grids of parameters, on any executor, as one tidy table.

One seed is an anecdote. `replicate` repeats policies over seeds, `sweep` over a grid of
parameters too. Every policy meets the same traffic for the same seed and scenario (common random
numbers), so their differences are not blurred by luck. A run is a pure function of its
parameters: the table does not depend on the executor, on the order in which runs finish, on the
tier that runs them, or on how often the sweep was interrupted.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import product
from os import PathLike
from traceback import format_exc
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _check
from ..engine import compiled
from ..engine.simulate import simulate
from ..measures.report import OBJECTIVE_S, SCALARS, UNITS, measure
from ..measures.tiers import TENANT_COLUMNS as TENANT_METRICS
from ..policies.policy import Policy
from ..policies.tasks import REJECTED, Outcome
from ..traffic.pool import Pool, as_pool
from ..traffic.scenario import Scenario
from ..traffic.workload import Workload
from .runs_file import Rows, RunsFile

if TYPE_CHECKING:
    import pandas as pd


def _column(outcome: Outcome) -> str:
    return f"rejected_{outcome.label}" if outcome in REJECTED else outcome.label


RUNS_A_JOB = 16
RUN_COLUMNS = (
    *(name for name in SCALARS if name != "policy"),
    "fruitless_visits",
    *(_column(outcome) for outcome in Outcome),
)
TENANT_COLUMNS = ("tenant", *TENANT_METRICS)
Traffic = Scenario | Callable[..., Scenario] | Callable[..., Workload]
Policies = Mapping[str, Policy | Callable[..., Policy]] | Iterable[Policy]


def replicate(
    traffic: Traffic, policies: Policies, seeds: Iterable[int], **how: Any
) -> pd.DataFrame:
    """Run every policy on the traffic of every seed.

    Parameters
    ----------
    traffic, policies, seeds, **how
        As for `sweep`, without a grid.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> from fairness_lib import ARTICLE_POLICIES, article_scenario
    >>> runs = replicate(article_scenario(), ARTICLE_POLICIES, seeds=range(2))
    >>> runs.groupby("policy", sort=False)["min_x"].mean().round(2).to_dict()
    {'fifo': 0.28, 'quota': 0.97, 'drr': 0.99, 'drr_quota': 0.98}
    """
    return sweep(traffic, policies, {}, seeds, **how)


def sweep(
    traffic: Traffic,
    policies: Policies,
    grid: Mapping[str, Iterable[Any]],
    seeds: Iterable[int],
    *,
    workers: int | Pool | None = None,
    window: tuple[float, float] | None = None,
    unit: str = "tasks",
    objective_s: float = OBJECTIVE_S,
    backlog: bool = False,
    by: str = "run",
    engine: str = "auto",
    executor: Executor | None = None,
    out: str | PathLike[str] | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Run every policy on the traffic of every seed, for every combination of parameters.

    Parameters
    ----------
    traffic : Scenario or callable
        Where tasks come from: a scenario; or a callable that takes parameters of the grid and
        returns a scenario, such as `article_scenario`; or one that takes ``seed`` too and
        returns a workload, such as `article_workload`.
    policies : mapping of str to Policy or callable, or iterable of Policy
        By name: policies, or callables that take parameters of the grid and return one, such as
        `drr`.
    grid : mapping of str to iterable
        Values by parameter; each goes to whatever takes a parameter of that name, and
        ``workers`` to the pool.
    seeds : iterable of int
        Distinct seeds.
    workers : int or Pool, optional
        The pool; that of the scenario or workload by default.
    window, unit, objective_s, backlog
        As for `measure`.
    by : {"run", "tenant"}
        One row per run, with the scalar metrics; or one row per tenant and run, with its columns.
    engine : {"auto", "readable", "compiled"}
        "auto" takes the compiled tier wherever it can, at the price of its first use.
    executor : Executor, optional
        Where runs are made: in this process by default, or on a ``ProcessPoolExecutor``, or on
        Dask's ``Client.get_executor()``. It is left open. What it sends to other processes has
        to be picklable: functions of a module, not lambdas.
    out : path, optional
        A Parquet file that keeps finished runs as they come. Runs that are in it already are
        not made again, so that an interrupted sweep goes on where it stopped, and a larger one
        adds to it. A callable that makes workloads is known by its name and arguments there.
    progress : bool, optional
        Show a progress bar; by default only on a terminal or in an interactive notebook.

    Returns
    -------
    DataFrame
        In the order of the grid, the policies and the seeds. A parameter that a policy and its
        traffic do not take is missing (NaN) in its rows: each run is in the table once.
        For ``by="run"`` the columns are policy, the grid's, seed, the scalars of a
        `FairnessReport`, fruitless_visits, and how many tasks were served, waiting and rejected
        by reason over the whole run.

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed, such as a parameter that nothing takes.
    RuntimeError
        If a run fails: names its parameters. What was finished is kept in `out`.

    Examples
    --------
    >>> from fairness_lib import article_scenario, drr
    >>> grid = {"burst_factor": [1.0, 5.0], "quantum_s": [0.001, 0.1]}
    >>> runs = sweep(article_scenario, {"drr": drr}, grid, seeds=[1])
    >>> runs[["policy", "burst_factor", "quantum_s", "seed", "under_share_p99_wait_s"]].round(3)
      policy  burst_factor  quantum_s  seed  under_share_p99_wait_s
    0    drr           1.0      0.001     1                   0.154
    1    drr           1.0      0.100     1                   0.143
    2    drr           5.0      0.001     1                   0.021
    3    drr           5.0      0.100     1                   0.035
    """
    import pandas as pd

    metrics = {"run": RUN_COLUMNS, "tenant": TENANT_COLUMNS}[
        _check.choice("by", by, ("run", "tenant"))
    ]
    _check.choice("engine", engine, ("auto", "readable", "compiled"))
    measured = {
        "window": window,
        "unit": _check.choice("unit", unit, UNITS),
        "objective_s": _check.number("objective_s", objective_s, least=0),
        "backlog": bool(backlog),
    }
    how = How(measured, by, engine)
    runs = _plan(traffic, _by_name(policies), _grid(grid, metrics), _seeds(seeds), workers, how)
    with nullcontext(None) if out is None else RunsFile(out) as file:
        known = {} if file is None else file.rows
        done = {key: known[key] for key in runs if key in known}
        missing = {key: run for key, run in runs.items() if key not in done}
        with _bar(len(runs), len(done), progress) as advance:
            for key, rows in _made(_jobs(missing.values()), executor):
                done[key] = rows
                if file is not None:
                    file.add(key, [{**_plain(missing[key]), **row} for row in rows])
                advance()
    given = dict.fromkeys(["policy", *grid, "seed"], np.nan)
    return pd.DataFrame(
        {**given, **run.given, **{name: row[name] for name in metrics}}
        for run in runs.values()
        for row in done[run.key]
    )


# --- the plan -------------------------------------------------------------------------------


@dataclass(frozen=True)
class How:
    """What is measured of every run, and by which tier."""

    measured: dict[str, Any]  # the arguments of `measure`
    by: str
    engine: str


@dataclass(frozen=True)
class Planned:
    """One run: what it is made from, and what tells it from others."""

    key: str
    given: dict[str, Any]  # policy, parameters, seed, as they stand in the table
    traffic: Any  # a scenario, or a callable that takes the seed only
    policy: Policy
    workers: int | Pool | None  # None: the workload's own
    how: How

    def __str__(self) -> str:
        """Name the parameters."""
        return ", ".join(f"{name}={value!r}" for name, value in self.given.items())


def _plan(
    traffic: Traffic,
    policies: Mapping[str, Policy | Callable[..., Policy]],
    grid: Mapping[str, list[Any]],
    seeds: list[int],
    workers: int | Pool | None,
    how: How,
) -> dict[str, Planned]:
    """List all runs, by key: by grid, policy and seed."""
    seeded = "seed" in _taken(traffic, ["seed"])
    ours = {name for name in grid if name == "workers"} | _taken(traffic, grid)
    takes = {name: ours | _taken(policy, grid) for name, policy in policies.items()}
    for name in grid:
        if not any(name in taken for taken in takes.values()):
            raise ValueError(f"grid names {name!r}, which neither traffic nor a policy takes")
    if "workers" in grid and workers is not None:
        raise ValueError("workers must be given once; it is in the grid too")

    runs: dict[str, Planned] = {}
    for point in product(*grid.values()):
        values = dict(zip(grid, point, strict=True))
        source = _called("traffic", traffic, values, seeded)
        if not seeded and not isinstance(source, Scenario):
            raise TypeError(f"traffic must give a Scenario, or take a seed; got {source!r}")
        pool = values.get("workers", workers)
        if pool is None and isinstance(source, Scenario):
            if source.workers is None:
                raise ValueError("workers must be given, as the scenario does not say how many")
            pool = source.workers
        if pool is not None:
            pool = as_pool("workers", pool)
        for name, maker in policies.items():
            policy = _called(f"policies[{name!r}]", maker, values)
            if not isinstance(policy, Policy):
                raise TypeError(f"policies[{name!r}] must give a Policy; got {policy!r}")
            mine = {k: v for k, v in values.items() if k in takes[name]}
            about = repr((_known_as(source), _known_as(policy), pool, how.measured, how.by))
            start = sha256(re.sub(r" at 0x[0-9a-f]+", "", f"{name} {mine} {about}").encode())
            for seed in seeds:
                full = start.copy()
                full.update(str(seed).encode())
                key = full.hexdigest()[:24]
                given = {"policy": name, **mine, "seed": seed}
                runs.setdefault(key, Planned(key, given, source, policy, pool, how))
    return runs


def _taken(target: Any, names: Iterable[str]) -> set[str]:
    """Tell which of these parameters a callable takes; none if it is not one."""
    if isinstance(target, Scenario | Policy) or not callable(target):
        return set()
    parameters = inspect.signature(target).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return set(names)
    return {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY} & set(names)


def _called(field: str, target: Any, values: Mapping[str, Any], seeded: bool = False) -> Any:
    """Give a callable the parameters that it takes, all but the seed."""
    if isinstance(target, Scenario | Policy) or not callable(target):
        return target
    mine = {name: values[name] for name in _taken(target, values)}
    return partial(target, **mine) if seeded else target(**mine)


def _known_as(part: Any) -> str:
    """Describe what determines a run in words that are the same in the next process."""
    if isinstance(part, partial):
        return f"{_known_as(part.func)} {part.args} {sorted(part.keywords.items())}"
    if inspect.isroutine(part):
        return f"{part.__module__}.{part.__qualname__}"
    if isinstance(part, Policy):
        return f"{_known_as(part.discipline)} {_known_as(part.admission)}"
    if "__repr__" not in {name for kind in type(part).__mro__[:-1] for name in vars(kind)}:
        return f"{type(part).__module__}.{type(part).__qualname__} {vars(part)}"
    return repr(part)


def _by_name(policies: Policies) -> dict[str, Policy | Callable[..., Policy]]:
    if isinstance(policies, Mapping):
        named: dict[str, Any] = dict(_check.by_name("policies", policies, "policies"))
    else:
        several = [policies] if isinstance(policies, Policy) else list(policies)
        for policy in several:
            if not isinstance(policy, Policy):
                raise TypeError(f"policies must be by name, or Policy records; got {policy!r}")
        _check.distinct("policies", [policy.name for policy in several])
        named = {policy.name: policy for policy in several}
    if not named:
        raise ValueError("policies must hold at least one; got none")
    return named


def _grid(grid: Mapping[str, Iterable[Any]], metrics: Iterable[str]) -> dict[str, list[Any]]:
    lists = {name: list(values) for name, values in grid.items()}
    for name, values in lists.items():
        if name in ("policy", "seed", *metrics):
            raise ValueError(f"grid may not name {name!r}, which is a column of the table already")
        if not values:
            raise ValueError(f"grid[{name!r}] must hold at least one value; got none")
    return lists


def _seeds(seeds: Iterable[int]) -> list[int]:
    whole = [_check.seed("seeds", seed) for seed in seeds]
    _check.distinct("seeds", whole)
    if not whole:
        raise ValueError("seeds must hold at least one seed; got none")
    return whole


# --- the work -------------------------------------------------------------------------------

Done = list[tuple[str, Rows]]


def _jobs(runs: Iterable[Planned]) -> list[list[Planned]]:
    """Put runs that share their traffic together: it is drawn once per job."""
    shared: dict[tuple[int, int], list[Planned]] = {}
    for run in runs:
        shared.setdefault((id(run.traffic), run.given["seed"]), []).append(run)
    return [
        together[i : i + RUNS_A_JOB]
        for together in shared.values()
        for i in range(0, len(together), RUNS_A_JOB)
    ]


def _made(jobs: list[list[Planned]], executor: Executor | None) -> Iterator[tuple[str, Rows]]:
    """Make the runs, and give the key and rows of each as it is done."""
    futures = [] if executor is None else [executor.submit(_work, job) for job in jobs]
    results = (
        (future.result() for future in as_completed(futures)) if executor else map(_work, jobs)
    )
    try:
        for done, failure in results:
            yield from done
            if failure is not None:
                raise RuntimeError(failure)
    finally:
        for future in futures:
            future.cancel()


def _work(job: list[Planned]) -> tuple[Done, str | None]:
    """Make the runs of one job; return what was done, and what failed."""
    done: Done = []
    run = job[0]
    try:
        workload = _workload(run)
        for run in job:
            done.append((run.key, _rows(run, workload)))
    except Exception as error:
        return done, f"run failed: {run}: {type(error).__name__}: {error}\n\n{format_exc()}"
    return done, None


def _workload(run: Planned) -> Workload:
    """Draw a run's tasks, in the compiled tier if it may and can."""
    seed = run.given["seed"]
    if isinstance(run.traffic, Scenario):
        fast = run.how.engine != "readable" and compiled.installed()
        return compiled.generate(run.traffic, seed) if fast else run.traffic.workload(seed)
    workload = run.traffic(seed=seed)
    if not isinstance(workload, Workload):
        raise TypeError(f"traffic must give a Workload for a seed; got {workload!r}")
    return workload


def _rows(run: Planned, workload: Workload) -> Rows:
    """Run, measure, and put the result into plain numbers."""
    engine = run.how.engine
    if engine == "auto":
        engine = "readable" if compiled.obstacle(run.policy, workload) else "compiled"
    made = simulate(workload, run.policy, run.workers, engine=engine)
    report = measure(made, **run.how.measured)
    if run.how.by == "tenant":
        columns = {"tenant": workload.tenants, **report.by_tenant()}
        plain = [columns[name] for name in TENANT_COLUMNS]
        values = zip(*(getattr(c, "tolist", lambda c=c: c)() for c in plain), strict=True)
        return [dict(zip(TENANT_COLUMNS, row, strict=True)) for row in values]
    counts = {_column(outcome): made.counts()[outcome.label] for outcome in Outcome}
    row = {**report.scalars(), **counts, "fruitless_visits": made.fruitless_visits}
    return [{name: row[name] for name in RUN_COLUMNS}]


def _plain(run: Planned) -> dict[str, Any]:
    """Return the parameters as a file can hold them."""
    return {
        name: value if isinstance(value, int | float | str | None) else repr(value)
        for name, value in run.given.items()
    }


@contextmanager
def _bar(total: int, done: int, show: bool | None) -> Iterator[Callable[[], object]]:
    """Show how far a sweep has got; give the function to be called for each finished run."""
    if show is None:
        show = _interactive()
    if not show:
        yield lambda: None
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, initial=done, unit="run") as bar:
        yield bar.update


def _interactive() -> bool:
    """Tell a terminal, or a notebook with somebody in front of it, from a build or a log."""
    ipython = sys.modules.get("IPython")
    kernel = getattr(ipython and ipython.get_ipython(), "kernel", None)
    if kernel is not None:
        return bool(getattr(kernel, "_allow_stdin", False))
    return sys.stderr.isatty()
