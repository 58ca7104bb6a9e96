"""Who deserves how much: weighted max-min fair allocation, of one resource or of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check

if TYPE_CHECKING:
    import pandas as pd

Weights = Union[Mapping[Any, float], "pd.Series", ArrayLike, None]
LEAST_RATIO = 2.0**-1000
"""Weights still farther below the largest count as this: a float holds no such ratio."""


@overload
def max_min_fair(
    demands: Mapping[Any, float], capacity: float, weights: Weights = None
) -> dict[Any, float]: ...
@overload
def max_min_fair(demands: pd.Series, capacity: float, weights: Weights = None) -> pd.Series: ...
@overload
def max_min_fair(
    demands: ArrayLike, capacity: float, weights: Weights = None
) -> NDArray[np.float64]: ...
def max_min_fair(demands: Any, capacity: float, weights: Weights = None) -> Any:
    """Share a capacity by weighted max-min fairness, by water filling (Keshav 1997).

    Whoever asks for less than a share in proportion to its weight gets all it asks for; what
    that leaves is shared among the others in the same way. Nobody could get more without
    somebody who has less, by weight, getting less still. Takes O(n log n) for n demands.

    Parameters
    ----------
    demands : mapping, Series or array of float
        What each asks for, 0 or more, in any unit of rate.
    capacity : float
        What there is to share, 0 or more, in the same unit; may be infinite.
    weights : mapping, Series or array of float, optional
        Entitlements above 0, for exactly the tenants of `demands`; 1 for all by default.

    Returns
    -------
    mapping, Series or array
        The allocation, of the same kind as `demands`; an array comes back as a numpy array.

    Raises
    ------
    ValueError, TypeError
        If a number is not allowed, or `weights` is not for the same tenants.

    Examples
    --------
    >>> max_min_fair({"heavy": 2000, "mid": 240, "small": 100}, 800)
    {'heavy': 460.0, 'mid': 240.0, 'small': 100.0}
    """
    if isinstance(demands, Mapping):
        names = list(demands)
        wanted = _check.column("demands", list(demands.values()))
        return dict(zip(names, _share(wanted, capacity, _by_name(weights, names)), strict=True))
    if _is_series(demands):
        names = list(demands.index)
        _check.distinct("demands", names)
        shares = _share(_check.column("demands", demands), capacity, _by_name(weights, names))
        return type(demands)(shares, index=demands.index, name="fair_share")
    return np.array(_share(_check.column("demands", demands), capacity, weights))


def dominant_resource_fair(
    per_task: Mapping[Any, Mapping[Any, float]],
    capacity: Mapping[Any, float],
    demands: Mapping[Any, float] | None = None,
    weights: Mapping[Any, float] | None = None,
) -> dict[Any, float]:
    """Share several resources by dominant resource fairness (Ghodsi et al. 2011).

    A tenant's dominant share is its share of the resource of which it takes the largest part.
    All dominant shares rise together, in proportion to the weights, until a resource is used up;
    whoever needs it stops there, whoever has all its tasks stops too, and the others go on. With
    one resource this is `max_min_fair`. Tasks are divisible, as rates are.

    Parameters
    ----------
    per_task : mapping of tenant to mapping of resource to float
        What one of its tasks takes of each resource, 0 or more, and of one at least more than 0.
    capacity : mapping of resource to float
        What there is of each resource, 0 or more.
    demands : mapping of tenant to float, optional
        How many tasks each asks for; without limit by default.
    weights : mapping of tenant to float, optional
        Entitlements above 0, for exactly the tenants of `per_task`; 1 for all by default.

    Returns
    -------
    dict of tenant to float
        How many tasks each gets, or how many a second where the capacities are rates.

    Raises
    ------
    ValueError, TypeError
        If a number is not allowed, a resource is unknown, or the tenants differ.

    Examples
    --------
    The paper's: A's tasks take 1 CPU and 4 GB, B's 3 CPUs and 1 GB, of 9 CPUs and 18 GB.

    >>> tasks = {"A": {"cpu": 1, "gb": 4}, "B": {"cpu": 3, "gb": 1}}
    >>> dominant_resource_fair(tasks, {"cpu": 9, "gb": 18})
    {'A': 3.0, 'B': 2.0}
    """
    for field, given in (("per_task", per_task), ("capacity", capacity)):
        if not isinstance(given, Mapping):
            raise TypeError(f"{field} must be a mapping; got {given!r}")
    names = list(per_task)
    if not names:
        return {}
    left = _check.column("capacity", list(capacity.values())).copy()
    use = np.array([_amounts(name, per_task[name], list(capacity)) for name in names])
    with np.errstate(divide="ignore", invalid="ignore"):
        dominant = np.where(use > 0, use / left, 0.0).max(axis=1)
    weight = np.ones(len(names))
    if weights is not None:
        entitled = _in_order("weights", weights, names, "per_task")
        weight = _check.column("weights", entitled, length=len(names), positive=True)
    open_ = np.full(len(names), np.inf)
    if demands is not None:
        open_ = _check.column("demands", _in_order("demands", demands, names, "per_task")).copy()

    tasks = np.zeros(len(names))
    speed = weight / dominant  # tasks for each unit of weighted dominant share
    going = (open_ > 0) & (speed > 0)
    while going.any():
        pace = np.where(going, speed, 0.0)
        drain = pace @ use
        with np.errstate(divide="ignore", invalid="ignore"):
            lasts = np.where(drain > 0, left / drain, np.inf)
            wants = np.where(going, open_ / speed, np.inf)
        step = min(lasts.min(), wants.min())
        tasks += step * pace
        open_ -= step * pace
        left = np.maximum(left - step * drain, 0.0)
        left[lasts <= step] = 0.0
        open_[wants <= step] = 0.0
        going &= (open_ > 0) & ~(use[:, left == 0] > 0).any(axis=1)
    return {name: float(n) for name, n in zip(names, tasks, strict=True)}


def _amounts(name: Any, amounts: Mapping[Any, float], resources: list[Any]) -> list[float]:
    """One tenant's use of each resource, checked."""
    if not isinstance(amounts, Mapping):
        raise TypeError(f"per_task[{name!r}] must be a mapping; got {amounts!r}")
    for resource in amounts:
        if resource not in resources:
            raise ValueError(f"per_task[{name!r}] names {resource!r}, which has no capacity")
    field = f"per_task[{name!r}]"
    row = [_check.number(f"{field}[{r!r}]", amounts.get(r, 0.0), least=0) for r in resources]
    if not any(row):
        raise ValueError(f"{field} must take more than 0 of some resource; got {dict(amounts)!r}")
    return row


def _share(wanted: NDArray[np.float64], capacity: float, weights: Any) -> list[float]:
    n = len(wanted)
    if capacity != np.inf:
        capacity = _check.number("capacity", capacity, least=0)
    weight = (
        np.ones(n)
        if weights is None
        else _check.column("weights", weights, length=n, positive=True)
    )
    if n == 0:
        return []
    # in units that are powers of two, so that no bit changes, and no sum overflows that counts
    weight = np.maximum(np.ldexp(weight, -np.frexp(weight.max())[1]), LEAST_RATIO)
    size = np.frexp(min(wanted.max(), capacity or np.inf))[1]
    with np.errstate(over="ignore"):  # far beyond the capacity, or the demands, is infinite
        demand, room = np.ldexp(wanted, -size), np.ldexp(capacity, -size)
        asked = demand / weight
        order = np.argsort(asked, kind="stable")
        # the level if everybody before this one is satisfied, and this one and all after it share
        before = np.concatenate([[0.0], np.cumsum(demand[order])[:-1]])
        sharing = np.cumsum(weight[order][::-1])[::-1]
        level = (room - before) / sharing
    unsatisfied = np.flatnonzero(asked[order] > level)
    if len(unsatisfied) == 0:
        return [float(x) for x in wanted]
    first = unsatisfied[0]
    shares = wanted.copy()
    shares[order[first:]] = np.ldexp(max(float(level[first]), 0.0) * weight[order[first:]], size)
    return [float(x) for x in shares]


def _by_name(weights: Any, names: list[Any]) -> list[float] | None:
    return None if weights is None else _in_order("weights", weights, names)


def _in_order(field: str, given: Any, names: list[Any], of: str = "demands") -> list[float]:
    """Return values given by name in the order of the names, which have to be the same ones."""
    if not (isinstance(given, Mapping) or _is_series(given)):
        raise TypeError(f"{field} must go by name, as {of} do; got {type(given).__name__}")
    given = dict(given)
    for name in names:
        if name not in given:
            raise ValueError(f"{field} must be for the tenants of {of}; {name!r} has none")
    known = set(names)
    for name in given:
        if name not in known:
            raise ValueError(f"{field} must be for the tenants of {of}; {name!r} is unknown")
    return [given[name] for name in names]


def _is_series(values: Any) -> bool:
    """Tell a pandas Series without importing pandas."""
    return hasattr(values, "index") and hasattr(values, "to_numpy")
