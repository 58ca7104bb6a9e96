"""Priority: strict, and with ageing."""

from __future__ import annotations

import pytest
from cases import start_times, tasks

from fairness_lib import Policy, Priority, simulate

LEVELS = {"vital": 0, "*": 1}


def priority(**settings) -> Policy:
    return Policy("priority", Priority(levels=LEVELS, **settings))


def test_schedule_by_hand() -> None:
    """Whenever the worker is free the vital task goes first, then whoever came first."""
    work = tasks(
        ("z", 0.0, 1.0),
        ("b", 0.0, 1.0),
        ("a", 0.0, 1.0),
        ("vital", 0.5, 1.0),
        ("vital", 1.5, 1.0),
    )
    assert start_times(work, priority()) == [0.0, 3.0, 4.0, 1.0, 2.0]


def busy(vital: int):
    """A task that comes first, and vital ones that alone keep the worker busy."""
    return tasks(
        ("vital", 0.0, 1.0), ("batch", 0.25, 1.0), *[("vital", t + 0.5, 1.0) for t in range(vital)]
    )


def test_a_busy_level_starves_those_above_it() -> None:
    assert start_times(busy(20), priority())[1] == 21.0


def test_ageing_makes_a_level_worth_so_many_seconds() -> None:
    """A task that came at 0.25 goes before those that come after 3.25."""
    assert start_times(busy(20), priority(ageing_s=3.0))[1] == 4.0
    assert start_times(busy(20), priority(ageing_s=100.0))[1] == 21.0


def test_ties_within_a_level_go_to_who_came_first() -> None:
    work = tasks(("z", 0.0, 1.0), ("b", 0.0, 1.0), ("a", 0.0, 1.0), ("b", 0.0, 1.0))
    for policy in (priority(), priority(ageing_s=1.0)):
        assert start_times(work, policy) == [0.0, 1.0, 2.0, 3.0]


def test_a_tenant_without_a_level_is_named() -> None:
    policy = Policy("priority", Priority(levels={"vital": 0}))
    with pytest.raises(ValueError, match="levels has no entry for tenant 'z'; it names vital"):
        simulate(tasks(("z", 0.0, 1.0)), policy, 1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"levels": {"a": -1}}, r"levels\['a'\] must be a whole number of at least 0; got -1"),
        ({"levels": {"a": 0}, "ageing_s": 0}, "ageing_s must be .* above 0; got 0"),
        ({"levels": {"a": 0}, "cap": 1.5}, "cap must be a whole number"),
    ],
)
def test_what_is_not_allowed_is_named(settings, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        Priority(**settings)
