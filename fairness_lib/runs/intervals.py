"""What a table of many runs says: means, how well they are known, and how far runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import _check

if TYPE_CHECKING:
    import pandas as pd

INTERVALS = ("runs", "mean", "mean_low", "mean_high", "low", "high")


def intervals(
    runs: pd.DataFrame,
    value: str,
    by: str | Sequence[str] = "policy",
    *,
    level: float = 0.95,
    resamples: int = 2000,
) -> pd.DataFrame:
    """Say how a metric varies over seeds, and how well its mean is known.

    Parameters
    ----------
    runs : DataFrame
        From `replicate` or `sweep`.
    value : str
        The column; rows where it is missing are left out.
    by : str or sequence of str
        Columns that tell groups apart.
    level : float
        Share of the runs, and confidence in the mean, between 0 and 1.
    resamples : int
        How often the mean is drawn again (percentile bootstrap, Efron 1979).

    Returns
    -------
    DataFrame
        By group: runs; mean; mean_low and mean_high, a confidence interval of the mean; low and
        high, percentiles between which that share of the runs lies.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"policy": "drr", "jain": [0.8, 0.9, 1.0]})
    >>> intervals(runs, "jain").round(2).to_dict("records")
    [{'runs': 3, 'mean': 0.9, 'mean_low': 0.8, 'mean_high': 1.0, 'low': 0.8, 'high': 1.0}]
    """
    import pandas as pd

    names = [by] if isinstance(by, str) else list(by)
    for name in [value, *names]:
        _check.choice("value and by", name, list(runs.columns))
    _check.number("level", level, above=0, most=1)
    _check.whole("resamples", resamples)
    ends = [50 * (1 - level), 50 * (1 + level)]

    def describe(values: pd.Series) -> tuple[float, ...]:
        x = values.dropna().to_numpy(dtype=np.float64)
        if len(x) == 0:
            return (0, *[np.nan] * 5)
        chosen = np.random.default_rng(0).integers(0, len(x), (resamples, len(x)))
        means = np.percentile(x[chosen].mean(axis=1), ends)
        return (len(x), x.mean(), *means, *np.percentile(x, ends))

    groups = runs.groupby(names, sort=False, dropna=False)[value]
    rows = [(*group, *describe(values)) for group, values in groups]
    return pd.DataFrame(rows, columns=[*names, *INTERVALS]).set_index(names)
