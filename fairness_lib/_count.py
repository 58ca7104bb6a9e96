"""Counting by index, on 32-bit platforms too.

Columns of indices are int64 everywhere. numpy's own index type is as wide as a pointer, and where
that is 32 bits, as in Pyodide, `numpy.bincount` refuses int64. So nothing else here calls it.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray


@overload
def count(indices: ArrayLike, n: int) -> NDArray[np.int64]: ...
@overload
def count(indices: ArrayLike, n: int, weights: ArrayLike) -> NDArray[np.float64]: ...
def count(indices: ArrayLike, n: int, weights: ArrayLike | None = None) -> NDArray[Any]:
    """Return how often each of 0 to n - 1 occurs in `indices`, or the sum of its weights.

    >>> count([2, 0, 2], 4).tolist()
    [1, 0, 2, 0]
    """
    found = np.bincount(np.asarray(indices, dtype=np.intp), weights, minlength=n)
    return found.astype(np.int64 if weights is None else np.float64, copy=False)
