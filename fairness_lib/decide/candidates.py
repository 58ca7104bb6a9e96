"""The policies to compare, with the trace's parameters: no cap, and no quota without a contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .. import _check
from ..policies.policy import ARTICLE_POLICIES, POLICIES, Policy, takes, without_contract

Buckets = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Terms:
    """What all policies are given alike.

    Parameters
    ----------
    quantum_s : float
        For round-robin policies, in worker-seconds.
    cap : int or None
        Most tasks that may wait; None, the default, for no limit.
    quota : mapping of str to (rate_per_s, burst), optional
        What a contract grants each tenant, by name or pattern; never made up.
    """

    quantum_s: float
    cap: int | None = None
    quota: Buckets | None = None


def candidates(names: Sequence[str] | None, as_is: str, terms: Terms) -> list[Policy]:
    """Make the policies of these names, today's among them."""
    usual = without_contract() if terms.quota is None else list(ARTICLE_POLICIES)
    chosen = usual if names is None else list(names)
    for name in [*chosen, as_is]:
        _check.choice("policies", name, POLICIES)
        if "buckets" in takes(name) and terms.quota is None:
            raise ValueError(
                f"policies must have a contract for {name!r}: give a quota (--quota NAME=RATE/BURST"
                "); one cannot be read off a trace"
            )
    if as_is not in chosen:
        chosen.insert(0, as_is)
    _check.distinct("policies", chosen)
    given = {"quantum_s": terms.quantum_s, "cap": terms.cap, "buckets": terms.quota}
    return [
        replace(
            POLICIES[name](**{key: value for key, value in given.items() if key in takes(name)}),
            name=name,
        )
        for name in chosen
    ]
