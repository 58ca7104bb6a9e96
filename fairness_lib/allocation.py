"""Who deserves how much: weighted max-min fair allocation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check

if TYPE_CHECKING:
    import pandas as pd

Weights = Union[Mapping[Any, float], "pd.Series", ArrayLike, None]


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
    asked = wanted / weight
    order = np.argsort(asked, kind="stable")
    # the level if everybody before this one is satisfied, and this one and all after it share
    before = np.concatenate([[0.0], np.cumsum(wanted[order])[:-1]])
    sharing = np.cumsum(weight[order][::-1])[::-1]
    with np.errstate(over="ignore"):  # a capacity near the largest float is as good as no limit
        level = (capacity - before) / sharing
    unsatisfied = np.flatnonzero(asked[order] > level)
    if len(unsatisfied) == 0:
        return [float(x) for x in wanted]
    first = unsatisfied[0]
    shares = wanted.copy()
    shares[order[first:]] = max(float(level[first]), 0.0) * weight[order[first:]]
    return [float(x) for x in shares]


def _by_name(weights: Any, names: list[Any]) -> list[float] | None:
    if weights is None:
        return None
    if not (isinstance(weights, Mapping) or _is_series(weights)):
        raise TypeError(f"weights must go by name, as demands do; got {type(weights).__name__}")
    given = dict(weights)
    for name in names:
        if name not in given:
            raise ValueError(f"weights must be for the tenants of demands; {name!r} has none")
    known = set(names)
    for name in given:
        if name not in known:
            raise ValueError(f"weights must be for the tenants of demands; {name!r} is unknown")
    return [given[name] for name in names]


def _is_series(values: Any) -> bool:
    """Tell a pandas Series without importing pandas."""
    return hasattr(values, "index") and hasattr(values, "to_numpy")
