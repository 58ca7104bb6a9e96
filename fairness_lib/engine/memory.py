"""How much memory a policy's state takes in the compiled tier, by counting its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..policies.policy import Policy
from ..policies.tasks import Tasks
from . import compiled

MORE = 1000


def bytes_per_tenant(policy: Policy, name: str = "tenant") -> float | None:
    """Return what one more tenant takes in the compiled tier, in bytes; None if it has no such.

    Those are the columns by tenant of the discipline, of an in-flight limit and of a quota, weights
    included. Blind to the tasks that wait, which take the same under every policy.

    Parameters
    ----------
    policy : Policy
        Its patterns must fit the tenants.
    name : str
        What the tenants' names begin with.

    Examples
    --------
    >>> from fairness_lib import drr, fifo
    >>> bytes_per_tenant(fifo()), bytes_per_tenant(drr())
    (0.0, 56.0)
    """
    if type(compiled.parts(policy)[0]) not in compiled.DISCIPLINES:
        return None
    few, many = (_reserved(policy, name, tenants) for tenants in (MORE, 2 * MORE))
    return (many - few) / MORE


def _reserved(policy: Policy, name: str, tenants: int) -> int:
    """Return what the columns for so many tenants and one task take."""
    names = [f"{name}{i}" for i in range(tenants)]
    return _bytes(compiled.memory_for(policy, Tasks(names, [1.0] * tenants, [], []), 1))


def _bytes(part: Any) -> int:
    if isinstance(part, np.ndarray):
        return int(part.nbytes)
    return sum(map(_bytes, part)) if isinstance(part, tuple) else 0
