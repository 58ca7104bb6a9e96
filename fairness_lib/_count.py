"""Counts and sums by index, on every platform.

numpy counts with indices of the platform's own width only, ``np.intp``: 32 bits where addresses
have 32, as in a page. The columns hold 64 bits everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def counts(index: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return how often each of 0 to `n` - 1 is in `index`."""
    index = index.astype(np.intp, copy=False)
    return np.bincount(index, minlength=n).astype(np.int64, copy=False)


def sums(index: NDArray[Any], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Return the sum of the `values` at each of 0 to `n` - 1, added in their order."""
    index = index.astype(np.intp, copy=False)
    return np.bincount(index, values, n).astype(np.float64, copy=False)
