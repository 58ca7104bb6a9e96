"""Tasks that take several workers, kept whole: what it changes that a comparison splits them.

A comparison splits such a task into parts for one worker each, since what fair sharing owes is
defined for those. Here it keeps its width: it starts when that many workers are idle, and nobody
overtakes it meanwhile, which leaves workers idle that split tasks would use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .candidates import candidates
from .situation import loaded, run

if TYPE_CHECKING:
    from .compare import Comparison


@dataclass(frozen=True)
class Whole:
    """Mean waits of tenants within their share, by task of the log, in seconds.

    Parameters
    ----------
    policy : str
        The policy's name.
    split_s : float
        With each task in parts, until its last part starts.
    whole_s : float
        With its width kept.
    """

    policy: str
    split_s: float
    whole_s: float


def kept_whole(c: Comparison) -> Iterator[Whole]:
    """Run each policy with widths kept; nothing where no task is wide or the pool is too small."""
    whole, s = c.trace.whole, c.situation
    if whole is None or whole.width is None or whole.width.max() > s.workers:
        return
    whole = whole if c.load == 1 else loaded(whole, c.load)
    first = c.trace.first_parts
    mine = s.judged[first] & ~s.beyond[whole.tenant]
    names = [one.policy for one in c.outcomes]
    for policy, one in zip(candidates(names, c.as_is, c.terms), c.outcomes, strict=True):
        wait_s = run(whole, policy, s.workers).wait_s
        split_s = np.maximum.reduceat(one.run.wait_s, first)
        served = mine & np.isfinite(wait_s) & np.isfinite(split_s)
        if served.any():
            yield Whole(policy.name, float(split_s[served].mean()), float(wait_s[served].mean()))
