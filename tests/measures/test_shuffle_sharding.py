"""Shuffle sharding: the published probabilities, and hands counted one by one."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from cases import VECTORS

from fairness_lib.measures.shuffle_sharding import KUBERNETES_TABLE, crowded_out


@pytest.mark.parametrize("row", KUBERNETES_TABLE, ids=lambda row: f"{row[0]} of {row[1]}")
def test_published_probabilities(row) -> None:
    hand_size, queues, *published = row
    ours = [crowded_out(hand_size, queues, elephants) for elephants in (1, 4, 16)]
    assert ours == pytest.approx(published, rel=1e-12)


def test_the_table_is_the_published_one() -> None:
    assert [list(row) for row in KUBERNETES_TABLE] == VECTORS["shuffle_sharding"]["rows"]


@pytest.mark.parametrize(("hand_size", "queues", "elephants"), [(1, 3, 2), (2, 4, 1), (2, 5, 2)])
def test_equals_counting_every_deal(hand_size, queues, elephants) -> None:
    hands = [frozenset(hand) for hand in combinations(range(queues), hand_size)]
    deals = list(product(hands, repeat=elephants + 1))
    crowded = sum(mouse <= frozenset().union(*rest) for mouse, *rest in deals)
    assert crowded_out(hand_size, queues, elephants) == pytest.approx(crowded / len(deals))


def test_edges() -> None:
    assert crowded_out(3, 8, 0) == 0.0
    assert crowded_out(8, 8, 1) == 1.0
    assert crowded_out(1, 1, 5) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((9, 8, 1), "hand_size must be at most queues = 8; got 9"),
        ((0, 8, 1), "hand_size"),
        ((1, 0, 1), "queues"),
        ((1, 8, -1), "elephants"),
    ],
)
def test_wrong_numbers_are_named(arguments, said) -> None:
    with pytest.raises(ValueError, match=said):
        crowded_out(*arguments)
