"""Shuffle sharding: how unlikely it is that a quiet tenant has no queue to itself.

Every tenant gets a hand of `hand_size` queues out of `queues`, each hand equally likely, and
puts a task into the shortest queue in its hand. Loud tenants (elephants) fill all of theirs. A
quiet one (a mouse) is crowded out if its whole hand lies within the union of theirs. The
probabilities are those that the documentation of Kubernetes' API Priority and Fairness prints.
"""

from __future__ import annotations

from math import comb

from .. import _check

KUBERNETES_TABLE: tuple[tuple[int, int, float, float, float], ...] = (
    (12, 32, 4.428838398950118e-09, 0.11431348830099144, 0.9935089607656024),
    (10, 64, 6.601827268370426e-12, 0.00045571320990370776, 0.49999929150089345),
    (8, 64, 2.25929199850899e-10, 0.0004886697053040446, 0.35935114681123076),
    (7, 128, 1.0579122850901972e-11, 6.960839379258192e-06, 0.02406157386340147),
    (6, 256, 2.7134626662687968e-12, 2.9516464018476436e-07, 0.0008895654642000348),
    (6, 1024, 6.337324016514285e-16, 8.09060164312957e-11, 4.517408062903668e-07),
)
"""Rows of the Kubernetes documentation: hand size, queues, and the probability that 1, 4 and 16
elephants crowd a mouse out."""


def crowded_out(hand_size: int, queues: int, elephants: int) -> float:
    """Probability that a mouse's whole hand lies within the elephants' hands.

    Parameters
    ----------
    hand_size : int
        Queues in each tenant's hand, at most `queues`.
    queues : int
        Queues there are, 1 or more.
    elephants : int
        Tenants that fill every queue in their hands, 0 or more.

    Returns
    -------
    float
        Between 0 and 1, exact but for rounding: the number of queues that the elephants fill is
        a Markov chain over one elephant after another. It does not see how much harm a partly
        filled hand does, nor that hands dealt by a hash are the same at each attempt.

    Examples
    --------
    >>> crowded_out(hand_size=1, queues=4, elephants=1)
    0.25
    >>> f"{crowded_out(hand_size=8, queues=64, elephants=4):.6f}"
    '0.000489'
    """
    queues = _check.whole("queues", queues)
    hand_size = _check.whole("hand_size", hand_size)
    if hand_size > queues:
        raise ValueError(f"hand_size must be at most queues = {queues}; got {hand_size}")
    elephants = _check.whole("elephants", elephants, least=0)
    hands = comb(queues, hand_size)
    filled = {0: 1.0}  # how many queues are filled, and how likely that is
    for _ in range(elephants):
        after: dict[int, float] = {}
        for full, likely in filled.items():
            for fresh in range(max(0, hand_size - full), min(hand_size, queues - full) + 1):
                ways = comb(queues - full, fresh) * comb(full, hand_size - fresh)
                after[full + fresh] = after.get(full + fresh, 0.0) + likely * (ways / hands)
        filled = after
    return sum(likely * (comb(full, hand_size) / hands) for full, likely in filled.items())
