"""Rows of counters for the tenants that matter most, in bounded memory.

The space-saving summary of Metwally, Agrawal and El Abbadi (2005), fed by batches: a full table
takes a new tenant in at the cost of the one with the smallest bound on its weight. After a total
weight N in a table of m rows,

* a tenant's weight is at most its `bound` and at least its `bound` less its `error`;
* no error, and no weight of a tenant without a row, is above N / m.

While there are no more tenants than rows, nothing is dropped and every error is 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class HeavyHitters:
    """A table of the tenants with the largest weight.

    Parameters
    ----------
    capacity : int or None
        Most rows; None for no limit.
    columns : int
        Counters in a row. They count from when a tenant got its row, so never too much.
    """

    def __init__(self, capacity: int | None, columns: int) -> None:
        self.capacity = capacity
        self.columns = columns
        self.clear(keep=[])

    def __len__(self) -> int:
        """Return the number of tenants that have a row."""
        return len(self.slot)

    def clear(self, keep: Sequence[int]) -> None:
        """Start a new period with no weights and no counts; only the rows in `keep` stay."""
        rows = np.zeros((max(64, len(keep)), self.columns), dtype=np.int64)
        names = [self.names[i] for i in keep] if keep else []
        self.names: list[str] = names
        self.slot = {name: i for i, name in enumerate(names)}
        self.rows = rows
        self.wait_sum_s = np.zeros(len(rows))
        self.bound = np.zeros(len(rows), dtype=np.int64)
        self.error = np.zeros(len(rows), dtype=np.int64)
        self.overflowed = False

    @property
    def floor(self) -> int:
        """The most weight a tenant without a row can have had in this period."""
        return int(self.bound[: len(self)].min()) if self.overflowed else 0

    def find(self, names: Sequence[str]) -> Indices:
        """Return each name's row, -1 where it has none."""
        get = self.slot.get
        return np.fromiter((get(name, -1) for name in names), dtype=np.int64, count=len(names))

    def add(self, names: Sequence[str], weight: Indices, *, contend: bool = True) -> Indices:
        """Add to the weight of distinct tenants; return each one's row, -1 where it gets none.

        With `contend` false, a newcomer gets a row only if there is room.
        """
        slots = self.find(names)
        known = slots >= 0
        self.bound[slots[known]] += weight[known]
        new = np.flatnonzero(~known)
        room = len(new) if self.capacity is None else self.capacity - len(self)
        fits, rest = new[:room], new[room:]
        if len(fits):
            first = len(self)
            slots[fits] = np.arange(first, first + len(fits))
            self._grow(first + len(fits))
            self._place([names[i] for i in fits.tolist()], slots[fits].tolist())
            self.bound[slots[fits]] = weight[fits]
        if len(rest) and contend:
            slots[rest] = self._contend(names, rest, weight[rest])
            slots[known] = self.find([names[i] for i in np.flatnonzero(known).tolist()])
            slots[fits] = self.find([names[i] for i in fits.tolist()])
        return slots

    def _contend(self, names: Sequence[str], rest: Indices, weight: Indices) -> Indices:
        """Let newcomers take the rows whose bounds are below theirs."""
        bound = self.bound[: len(self)]
        # after an overflow in this period a newcomer may have had as much as the floor before
        floor = self.floor
        self.overflowed = True
        pairs = min(len(rest), len(self))
        strongest = np.argsort(-weight, kind="stable")[:pairs]
        weakest = np.argpartition(bound, pairs - 1)[:pairs]
        weakest = weakest[np.argsort(bound[weakest], kind="stable")]
        swaps = int((floor + weight[strongest] > bound[weakest]).sum())
        winners, losers = strongest[:swaps], weakest[:swaps]
        for loser in losers.tolist():
            del self.slot[self.names[loser]]
        self.rows[losers] = 0
        self.wait_sum_s[losers] = 0.0
        self._place([names[i] for i in rest[winners].tolist()], losers.tolist())
        self.bound[losers] = floor + weight[winners]
        self.error[losers] = floor
        slots = np.full(len(rest), -1, dtype=np.int64)
        slots[winners] = losers
        return slots

    def _place(self, names: Sequence[str], slots: Sequence[int]) -> None:
        self.slot.update(zip(names, slots, strict=True))
        for name, slot in zip(names, slots, strict=True):
            if slot == len(self.names):
                self.names.append(name)
            else:
                self.names[slot] = name

    def _grow(self, needed: int) -> None:
        size = len(self.bound)
        if needed <= size:
            return
        size = max(needed, 2 * size)
        if self.capacity is not None:
            size = max(needed, min(size, self.capacity))
        more = size - len(self.bound)
        self.rows = np.concatenate([self.rows, np.zeros((more, self.columns), dtype=np.int64)])
        self.wait_sum_s = np.concatenate([self.wait_sum_s, np.zeros(more)])
        self.bound = np.concatenate([self.bound, np.zeros(more, dtype=np.int64)])
        self.error = np.concatenate([self.error, np.zeros(more, dtype=np.int64)])
