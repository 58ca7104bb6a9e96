"""Numbers about columns of numbers: Jain's index, sums and quantiles that reproduce."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check


def jain_index(x: ArrayLike) -> float:
    """Jain's fairness index, ``sum(x)**2 / (n * sum(x**2))`` (Jain, Chiu and Hawe 1984).

    Between 1/n (one has everything) and 1 (all are equal), whatever the unit. It does not see
    one starved tenant among many, nor waiting, nor capacity wasted for all alike.

    Parameters
    ----------
    x : array of float
        What each tenant got, 0 or more; leave out tenants without demand.

    Returns
    -------
    float
        The index; 1 if all are 0, since nobody has more than another.

    Raises
    ------
    ValueError, TypeError
        If `x` is empty or holds a value that is not allowed.

    Examples
    --------
    >>> jain_index([1, 1, 1, 1]), jain_index([4, 0, 0, 0])
    (1.0, 0.25)
    """
    values = _check.column("x", x)
    if len(values) == 0:
        raise ValueError("x must hold at least one value; got none")
    top = float(values.max())
    if top == 0.0:
        return 1.0
    values = values / top
    whole = total(values)  # its square as a product: libm's power differs in the last bit
    return float(whole * whole / (len(values) * total(values * values)))


def total(values: NDArray[np.float64]) -> float:
    """Sum from left to right: the same bits in both tiers, on every machine and in a page."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def quantile(sorted_values: NDArray[np.float64], q: float) -> float:
    """Return element ``int(q * (n - 1))`` of sorted values, as the article does; NaN if empty."""
    n = len(sorted_values)
    return float(sorted_values[int(q * (n - 1))]) if n else float("nan")
