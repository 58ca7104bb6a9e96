"""Checks of arguments: what passes is plain, what does not is shown in a line."""

from __future__ import annotations

import enum
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairness_lib as fl
from fairness_lib import _check
from fairness_lib.engine import compiled

HUGE = st.integers(310, 6000).map(lambda power: 10**power)


class Loud(str):
    """A string that says something else by its own."""

    __slots__ = ()

    def __str__(self) -> str:
        return super().__str__().upper() + "!"


class Colour(str, enum.Enum):  # noqa: UP042 - it is what is met, and says Colour.RED
    RED = "red"


# --- numbers ----------------------------------------------------------------------------


@given(HUGE, st.sampled_from([1, -1]))
def test_a_whole_number_beyond_all_floats_is_refused_in_a_short_line(huge, sign) -> None:
    """Also one with more digits than Python will write."""
    for check in (
        lambda: _check.number("field", sign * huge, above=0),
        lambda: _check.number("field", Fraction(sign * huge, 1)),
        lambda: _check.column("field", [1, sign * huge]),
        lambda: _check.column("field", np.array([1, sign * huge], dtype=object)),
        lambda: _check.seed("field", sign * huge),
        lambda: _check.whole("field", -huge),
    ):
        with pytest.raises(ValueError, match=r"^field must be ") as caught:
            check()
        assert type(caught.value) is ValueError
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("value", "shown"), [(10**400, "1.0e400"), (-(10**400), "-1.0e400")])
def test_its_size_and_sign_are_shown(value, shown) -> None:
    with pytest.raises(ValueError, match=rf"at least 0; got about {re.escape(shown)}$"):
        _check.number("field", value, least=0)
    with pytest.raises(ValueError, match=rf"row 1 is about {re.escape(shown)}$"):
        _check.column("field", [0, value])


@pytest.mark.parametrize("bounds", [{}, {"above": 0}, {"least": 0}, {"least": -5}])
@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 10**400])
def test_where_there_is_no_upper_bound_finite_is_said(bounds, value) -> None:
    with pytest.raises(ValueError, match="must be finite"):
        _check.number("field", value, **bounds)


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.booleans())
def test_a_masked_entry_is_refused_by_its_row(mask, as_indices) -> None:
    """It would have passed as whatever stands under the mask."""
    values = np.ma.array([1] * len(mask), mask=mask)

    def check():
        if as_indices:
            return _check.indices("field", values, length=len(mask), below=2)
        return _check.column("field", values)

    if any(mask):
        with pytest.raises(ValueError, match=f"^field .* row {mask.index(True)} is masked"):
            check()
    else:
        assert check().tolist() == [1] * len(mask)


# --- seeds --------------------------------------------------------------------------------

KINDS = [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.array]
SCENARIO = fl.Scenario([fl.Tenant("a", 20), fl.Tenant("b", 5, service_time=fl.Bimodal())], 2, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_numpy_integer_is_a_seed_wherever_one_goes_in(kind) -> None:
    draws = [SCENARIO.workload, lambda seed: fl.article_workload(seed, solo=True)]
    if compiled.installed():
        draws.append(lambda seed: compiled.generate(SCENARIO, seed))
    for draw in draws:
        assert draw(kind(7)).arrival_s.tobytes() == draw(7).arrival_s.tobytes()
    frames = [fl.replicate(SCENARIO, fl.fifo(), seeds=[seed]) for seed in (kind(7), 7)]
    assert frames[0].equals(frames[1])


@given(st.integers(0, 2**63 - 1), st.sampled_from([np.int64, np.uint64]))
def test_and_one_of_any_size(seed, kind) -> None:
    assert (
        SCENARIO.workload(kind(seed)).cost_s.tobytes() == SCENARIO.workload(seed).cost_s.tobytes()
    )


# --- names ---------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(texts, st.sampled_from([Loud, np.str_]))
def test_a_name_is_a_plain_string_wherever_one_comes_in(text, kind) -> None:
    name = kind(text)
    work = fl.Workload([name], [0.0], [0], [1.0], 5.0)
    run = fl.simulate(work, fl.drr_quota(buckets={name: (1, 1)}, weights={name: 2.0}), 1)
    tenant = fl.Tenant(name, 1.0)
    for found in (
        *work.tenants,
        tenant.name,
        fl.Policy(name, fl.Fifo()).name,
        *fl.DeficitRoundRobin(weights={name: 2.0}).weights,
        *fl.Quota({name: (1, 1)}).buckets,
        *fl.measure(run).tenants.index,
    ):
        assert type(found) is str
        assert found == str.__str__(name)
    assert "np.str_" not in repr(tenant)


def test_that_goes_for_what_numpy_finds_unique_and_for_enums() -> None:
    names, codes = np.unique(["b", "a", "b"], return_inverse=True)
    work = fl.Workload(names, [0.0, 0.0, 1.0], codes, [1.0] * 3, 1.0)
    assert [type(name) for name in work.tenants] == [str, str]
    assert _check.names("names", [Colour.RED]) == ("red",)
    assert _check.by_name("weights", {Colour.RED: 1}, "numbers") == {"red": 1}


@given(texts, st.integers(0xD800, 0xDFFF).map(chr), texts)
def test_a_lone_surrogate_is_refused_where_a_name_keys_a_stream(before, lone, after) -> None:
    name = before + lone + after
    for make in (
        lambda: fl.Tenant(name, 1.0),
        lambda: fl.Workload(["a", name], [0.0], [0], [1.0], 1.0),
    ):
        with pytest.raises(
            ValueError, match=r"must be text that UTF-8 can write.*surrogate"
        ) as said:
            make()
        assert type(said.value) is ValueError
        str(said.value).encode()
