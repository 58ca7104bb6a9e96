"""Streams: the same bits in Python integers and in numpy, and a logarithm with bits of its own."""

from __future__ import annotations

import hashlib
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness_lib.traffic.streams import (
    ARRIVALS,
    COSTS,
    Stream,
    portable_log,
    splitmix64,
    stream_state,
    tenant_key,
)

WORD = 2**64 - 1


def sfc64(state: tuple[int, int, int, int], n: int) -> list[int]:
    """Doty-Humphrey's small fast counting generator, in plain integers."""
    a, b, c, counter = state
    words = []
    for _ in range(n):
        word = (a + b + counter) & WORD
        a, b = b ^ (b >> 11), (c + (c << 3)) & WORD
        c = (((c << 24) | (c >> 40)) + word) & WORD
        counter += 1
        words.append(word)
    return words


@pytest.mark.parametrize("purpose", [ARRIVALS, COSTS])
@pytest.mark.parametrize(("seed", "name"), [(0, "a"), (1, "heavy"), (2**40, "租户")])
def test_numpys_words_are_those_of_plain_integer_arithmetic(seed, name, purpose) -> None:
    words = Stream(seed, name, purpose).bits.random_raw(500).tolist()
    assert words == sfc64(stream_state(seed, name, purpose), 500)


def test_published_values_of_the_hashes() -> None:
    """FNV-1a's published vectors, and the first outputs of SplitMix64 from state 0."""
    assert tenant_key("") == 0xCBF29CE484222325
    assert tenant_key("a") == 0xAF63DC4C8601EC8C
    assert tenant_key("foobar") == 0x85944171F73967E8
    assert splitmix64(0) == 0xE220A8397B1DCDAF
    assert splitmix64(0x9E3779B97F4A7C15) == 0x6E789E6AA1B965F4


def test_uniform_variates_are_the_upper_53_bits() -> None:
    words = sfc64(stream_state(3, "a", ARRIVALS), 100)
    assert Stream(3, "a", ARRIVALS).uniform(100).tolist() == [(w >> 11) / 2**53 for w in words]


def test_exponential_variates_are_minus_the_logarithm() -> None:
    u = Stream(3, "a", COSTS).uniform(1000)
    drawn = Stream(3, "a", COSTS).exponential(1000)
    assert drawn == pytest.approx([-math.log(1 - x) for x in u.tolist()], rel=1e-15)
    assert (drawn >= 0).all()
    assert np.isfinite(drawn).all()


def test_golden_bits_of_a_stream() -> None:
    """These may never change: workloads of a seed, stored outputs and the pages rest on them."""
    assert [
        x.hex() for x in Stream(1, "heavy", ARRIVALS).exponential(3).tolist()
    ] == GOLDEN_ARRIVALS
    assert [x.hex() for x in Stream(1, "heavy", COSTS).exponential(3).tolist()] == GOLDEN_COSTS


GOLDEN_ARRIVALS = ["0x1.d10eaf5558f80p-3", "0x1.3eacf485d1415p-1", "0x1.09a23468288f5p+0"]
GOLDEN_COSTS = ["0x1.08b23e6007520p-1", "0x1.5ddbddc46d6a3p-3", "0x1.7e0e6dc82f27bp-1"]


@given(st.integers(0, 2**32), st.text(min_size=1, max_size=8), st.integers(1, 40))
def test_a_stream_does_not_depend_on_how_it_is_drawn(seed, name, first) -> None:
    at_once = Stream(seed, name, COSTS).exponential(50)
    stream = Stream(seed, name, COSTS)
    in_parts = np.concatenate([stream.exponential(first), stream.exponential(50 - first)])
    assert in_parts.tobytes() == at_once.tobytes()


def test_streams_of_other_seeds_names_and_purposes_are_unrelated() -> None:
    """A thousand streams: no state twice, and no correlation beyond chance."""
    keys = [(s, n, p) for s in range(50) for n in map(str, range(10)) for p in (ARRIVALS, COSTS)]
    assert len({stream_state(*key) for key in keys}) == len(keys)
    draws = np.array([Stream(*key).uniform(400) for key in keys])
    correlation = np.corrcoef(draws)[np.triu_indices(len(keys), 1)]
    assert abs(correlation).max() < 6.5 / 20  # 6.5 sigma among half a million pairs
    assert correlation.std() == pytest.approx(1 / 20, rel=0.02)


# --- the logarithm --------------------------------------------------------------------------------


def ulps(ours: float, other: float) -> float:
    return abs(ours - other) / math.ulp(other) if other else abs(ours)


def log_of(x: float) -> float:
    return float(portable_log(np.array([x]))[0])


positive = st.floats(min_value=0, exclude_min=True, allow_infinity=False, allow_nan=False)


@given(positive | st.floats(0.5, 2.0))
def test_portable_log_is_within_1_ulp_of_libm(x) -> None:
    assert ulps(log_of(x), math.log(x)) <= 1


def test_portable_log_is_within_1_ulp_of_libm_on_a_grid() -> None:
    """Over all exponents, subnormal numbers included, and dense around 1."""
    x = np.concatenate(
        [
            np.ldexp(np.linspace(0.5, 1, 41)[:-1], np.arange(-1073, 1025)[:, None]).ravel(),
            1 + np.linspace(-0.3, 0.45, 20001),
            1 - Stream(1, "u", COSTS).uniform(50_000),
        ]
    )
    x = x[(x > 0) & np.isfinite(x)]
    ours, libm = portable_log(x), np.array([math.log(value) for value in x.tolist()])
    assert len(x) > 100_000
    assert (np.abs(ours - libm) <= np.abs(np.spacing(libm))).all()


@given(positive)
def test_portable_log_is_within_1_ulp_of_the_true_logarithm(x) -> None:
    with localcontext(prec=60):
        true = Fraction(Decimal(x).ln())
    error = abs(Fraction(log_of(x)) - true)
    assert error <= Fraction(math.ulp(float(true)))


@pytest.mark.parametrize("exponent", [-1074, -1022, -53, -1, 0, 1, 10, 1023])
def test_portable_log_of_a_power_of_two(exponent) -> None:
    assert ulps(log_of(2.0**exponent), exponent * math.log(2)) <= 1


def test_portable_log_of_one_is_nothing() -> None:
    assert log_of(1.0) == 0.0


def test_golden_bits_of_the_logarithm() -> None:
    """Its own bits, whatever libm, SIMD or fused multiply-add a machine has."""
    x = [5e-324, 1e-300, 1e-9, 0.1, 0.5, 0.7071067811865475, 0.7071067811865476]
    x += [0.999999999999999, 1.0000000000000002, 1.5, math.e, 10.0, 1e9, 1.7e308]
    assert [value.hex() for value in portable_log(np.array(x)).tolist()] == GOLDEN_LOG


GOLDEN_LOG = [
    "-0x1.74385446d71c3p+9",
    "-0x1.5963447f87fb5p+9",
    "-0x1.4b927f32bffb8p+4",
    "-0x1.26bb1bbb55515p+1",
    "-0x1.62e42fefa39efp-1",
    "-0x1.62e42fefa39f1p-2",
    "-0x1.62e42fefa39eep-2",
    "-0x1.2000000000003p-50",
    "0x1.fffffffffffffp-53",
    "0x1.9f323ecbf984cp-2",
    "0x1.0000000000000p+0",
    "0x1.26bb1bbb55516p+1",
    "0x1.4b927f32bffb8p+4",
    "0x1.62dd08fdc6f88p+9",
]


def test_golden_bits_of_the_logarithm_over_a_grid() -> None:
    """A coefficient that is off by its last bit shows among forty thousand values."""
    x = np.arange(1, 40_001) / 2.0**15  # exact
    little = portable_log(x).astype("<f8").tobytes()
    assert hashlib.sha256(little).hexdigest()[:16] == "dff5337b01a0fab0"


def test_portable_log_of_an_array_is_that_of_its_elements() -> None:
    """Length and alignment choose among SIMD paths, which must not show."""
    x = Stream(2, "u", COSTS).uniform(257) + 1e-3
    whole = portable_log(x)
    assert [log_of(value) for value in x.tolist()] == whole.tolist()
    assert portable_log(x[3:]).tobytes() == whole[3:].tobytes()
