"""Credits: fairness over time, for tenants whose demand comes in bursts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _check


@dataclass(frozen=True, eq=False)
class CreditShares:
    """What sharing by credits gave.

    Attributes
    ----------
    allocation : array of float, shape (periods, tenants)
        What each tenant got in each period, never more than it asked for.
    credits : array of float, shape (tenants,)
        What each holds at the end; their sum depends on nobody's demand.
    """

    allocation: NDArray[np.float64]
    credits: NDArray[np.float64]


def share_by_credits(
    demands: ArrayLike,
    capacity: float,
    *,
    guaranteed: float = 0.5,
    credits: float = 1e6,
    half_life: float | None = None,
) -> CreditShares:
    """Share a capacity period by period; who gave before gets before others (Karma).

    Everybody has the same fair share, and the part `guaranteed` of it for certain. Who asks for
    less than that part gives the rest away, and earns a credit for each unit that is used. What
    is given away, and what is not guaranteed to anybody, goes to those who want more than their
    part, a credit a unit: whoever has most credits first. Units are divisible here.

    Max-min fairness forgets: a tenant that asked for little for an hour has no more right to its
    burst than one that bursts all the time. The price of memory is that who has saved may take
    everything beyond the others' guaranteed part; with 1 guaranteed, only what was given away.

    Parameters
    ----------
    demands : array of float, shape (periods, tenants)
        What each asks for in each period, 0 or more, in the unit of `capacity`.
    capacity : float
        What there is in each period, above 0.
    guaranteed : float
        Part of the fair share that everybody is certain of, from 0 to 1 (the paper's alpha).
    credits : float
        What each starts with; it should not run out.
    half_life : float or None
        After how many periods what a tenant holds above or below the average has halved, so that
        old savings and old debts count less; None for a memory without end.

    Returns
    -------
    CreditShares

    Raises
    ------
    ValueError
        If a number is not allowed.

    References
    ----------
    Vuppalapati, Fikioris, Agarwal, Cidon, Khandelwal and Tardos: Karma. OSDI 2023.

    Examples
    --------
    Two periods for two tenants: a gives in the first, and gets in the second.

    >>> share_by_credits([[0, 8], [8, 8]], 8, guaranteed=0).allocation.tolist()
    [[0.0, 8.0], [8.0, 0.0]]
    """
    wanted = np.asarray(demands, dtype=np.float64)
    if wanted.ndim != 2 or not wanted.size:
        raise ValueError(f"demands must have a row a period and a column a tenant; got {demands!r}")
    _check.column("demands", wanted.ravel())
    _check.number("capacity", capacity, above=0)
    _check.number("guaranteed", guaranteed, least=0, most=1)
    _check.number("credits", credits, least=0)
    if half_life is not None:
        _check.number("half_life", half_life, above=0)
    fade = 1.0 if half_life is None else 0.5 ** (1.0 / half_life)
    tenants = wanted.shape[1]
    own = guaranteed * capacity / tenants
    held = np.full(tenants, float(credits))
    allocation = np.minimum(wanted, own)
    for asked, got in zip(wanted, allocation, strict=True):
        if half_life is not None:
            held = held.mean() + fade * (held - held.mean())
        held += capacity / tenants - own
        given = np.maximum(own - asked, 0.0)
        wants = np.minimum(asked - got, held)
        room = min(capacity - own * tenants + given.sum(), wants.sum())
        lent = _from_the_top(held, wants, room)
        held += _from_the_top(-held, given, min(room, given.sum()))  # the poorest earn first
        held -= lent
        got += lent
    return CreditShares(allocation, held)


def _from_the_top(
    height: NDArray[np.float64], depth: NDArray[np.float64], volume: float
) -> NDArray[np.float64]:
    """Take `volume` off columns of these heights, no deeper than `depth`, the highest first."""
    edges = np.unique(np.concatenate([height, height - depth]))[::-1]
    taken = np.clip(height[:, None] - edges, 0.0, depth[:, None])  # down to each edge
    below = np.searchsorted(taken.sum(axis=0), volume)
    if below == 0:
        return np.zeros_like(height)
    if below == len(edges):
        return depth.copy()
    upper, lower = taken[:, below - 1], taken[:, below]
    part = (volume - upper.sum()) / (lower.sum() - upper.sum())
    return np.asarray(upper + part * (lower - upper))
