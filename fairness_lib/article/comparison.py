"""The article's numbers, ours beside the published.

`article_results` runs the article's policies, `compare` sets the outcome beside
`published.FIGURES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from .. import _check
from ..engine.simulate import simulate
from ..measures.properties import check, f4
from ..measures.report import FairnessReport, measure
from ..policies.policy import ARTICLE_POLICIES
from ..traffic.workload import Workload
from .published import FIGURES, UNITS, Figure
from .scenario import SEEDS, SOLO_BURST_FACTOR, article_workload

SOLO_SEED = 1
RESULT_COLUMNS = ["scenario", "seed", "policy", "metric", "value"]
COMPARE_COLUMNS = [
    *("scenario", "seeds", "policy", "metric", "unit", "published", "ours", "agrees", "note")
]
Track = Callable[[Sequence[Any]], Iterable[Any]]


def article_results(seeds: Iterable[int] = SEEDS, *, track: Track = iter) -> pd.DataFrame:
    """Run the four policies on the article's traffic, and on its solo control.

    Parameters
    ----------
    seeds : iterable of int
        Seeds of the burst scenario, distinct. The control runs with the article's seed 1.
    track : callable
        Wraps the list of runs, to show progress: ``tqdm``, for one.

    Returns
    -------
    DataFrame
        One number a row: scenario (``burst`` or ``solo``), seed, policy, metric, value. Metrics
        are those of `published.UNITS` (waits in the unit that their names carry), the counts
        rejected_<reason> in tasks, and the properties, F1 to F4 and "owed is kept": 1 where one
        held, else 0. What is not defined has no row: nobody is within their share in the control.

    Examples
    --------
    >>> results = article_results([1]).set_index(["scenario", "policy", "metric"])["value"]
    >>> round(float(results["burst", "drr", "min_x"]), 3)
    0.989
    """
    chosen = [
        _check.seed("seeds", seed) for seed in _check.several("seeds", seeds, "whole numbers")
    ]
    if not chosen:
        raise ValueError("seeds must hold at least one seed; got none")
    _check.distinct("seeds", chosen)
    jobs = [("burst", seed, policy) for seed in chosen for policy in ARTICLE_POLICIES]
    jobs += [("solo", SOLO_SEED, policy) for policy in ARTICLE_POLICIES]
    rows: list[tuple[str, int, str, str, float]] = []
    drawn: tuple[tuple[str, int], Workload] | None = None
    for scenario, seed, policy in track(jobs):
        if drawn is None or drawn[0] != (scenario, seed):
            drawn = (scenario, seed), _workload(scenario, seed)
        report = measure(simulate(drawn[1], ARTICLE_POLICIES[policy]()))
        rows += (
            (scenario, seed, policy, metric, value)
            for metric, value in _numbers(report, scenario)
            if not isnan(value)  # such as a wait within share where nobody is
        )
    return pd.DataFrame(rows, columns=RESULT_COLUMNS)


def _workload(scenario: str, seed: int) -> Workload:
    if scenario == "solo":
        return article_workload(seed, burst_factor=SOLO_BURST_FACTOR, solo=True)
    return article_workload(seed)


def _numbers(report: FairnessReport, scenario: str) -> Iterator[tuple[str, float]]:
    """Yield what the article reports of a run, and what fair sharing owes, as (metric, value)."""
    heavy = report.run.workload.tenants.index("heavy")
    yield "jain", report.jain
    yield "min_x", report.min_x
    yield "p99_wait_ms", 1e3 * report.under_share_p99_wait_s
    yield "heavy_per_s", float(report.tenants["completed_per_s"].iloc[heavy])
    yield "utilisation", report.utilisation_with_drain  # the article's count
    yield "owed", float(report.owed)
    yield "kept", report.kept
    yield "worst_behind_p99_ms", 1e3 * report.worst_behind_p99_s
    yield "heavy_p99_wait_s", float(report.tenants["wait_p99_s"].iloc[heavy])
    yield "demand_per_s", float(report.tenants["demand_per_s"].sum())
    for reason, n in report.run.counts().items():
        if reason not in ("served", "waiting"):
            yield f"rejected_{reason}", float(n)
    for verdict in [f4(report)] if scenario == "solo" else check(report):
        if verdict.held is not None:
            yield verdict.name, float(verdict.held)


def compare(results: pd.DataFrame) -> pd.DataFrame:
    """Set results beside the article's published figures.

    Parameters
    ----------
    results : DataFrame
        From `article_results`.

    Returns
    -------
    DataFrame
        One published figure a row, in the article's order: scenario, seeds (``1``, or the
        ``lowest`` or ``highest`` of 1 to 3), policy, metric, unit, published and ours (numbers;
        ours not rounded, NaN if its seeds were not run), agrees (to the printed digits; missing
        if not run), and note (why a difference is known, or what was not run).
    """
    if not isinstance(results, pd.DataFrame):
        raise TypeError(f"results must be a DataFrame from article_results(); got {results!r}")
    missing = [column for column in RESULT_COLUMNS if column not in results]
    if missing:
        raise ValueError(f"results must have the columns of article_results; no {missing[0]!r}")
    keys = zip(*(results[column] for column in RESULT_COLUMNS[:-1]), strict=True)
    values = dict(zip(keys, results["value"], strict=True))
    rows = []
    for figure in FIGURES:
        ours = _ours(figure, values)
        needed = "seed 1" if figure.seeds == "1" else "seeds 1, 2, 3"
        rows.append(
            (figure.scenario, figure.seeds, figure.policy, figure.metric, UNITS[figure.metric])
            + (figure.value, np.nan if ours is None else ours)
            + ((pd.NA, f"not run: needs {needed}") if ours is None else _verdict(figure, ours))
        )
    return pd.DataFrame(rows, columns=COMPARE_COLUMNS).astype({"agrees": "boolean"})


def _ours(figure: Figure, values: dict[tuple[str, int, str, str], float]) -> float | None:
    """Return our number for a published one, None if what it needs was not run."""
    policy = "fifo" if figure.policy == "any" else figure.policy  # all see the same demand
    seeds = (1,) if figure.seeds == "1" else SEEDS
    found = [
        values.get((figure.scenario, seed, policy, figure.metric))
        for seed in _check.several("seeds", seeds, "whole numbers")
    ]
    known = [value for value in found if value is not None]
    if len(known) < len(seeds):
        return None
    return max(known) if figure.seeds == "highest" else min(known)


def _verdict(figure: Figure, ours: float) -> tuple[bool, str]:
    if figure.agrees(ours):
        return True, ""
    return False, figure.note or "differs from the article"


def unexplained(comparison: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison that differ without a known reason."""
    known = {figure.key for figure in FIGURES if figure.note}
    rows = [
        row.Index
        for row in comparison.itertuples()
        if row.agrees is not pd.NA
        and not row.agrees
        and (row.scenario, row.seeds, row.policy, row.metric) not in known
    ]
    return comparison.loc[rows]
