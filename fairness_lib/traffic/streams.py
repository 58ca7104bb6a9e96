"""Random streams that give the same bits in Python, in numba and in a browser.

Every tenant has two streams of its own, one for arrivals and one for costs, keyed by
``(seed, name, purpose)``. Adding, removing or changing a tenant therefore leaves the
traffic of all others as it was (common random numbers).

The generator is SFC64 (Doty-Humphrey, PractRand), stepped by numpy here and by plain
integer arithmetic in the compiled tier. Exponential variates use a logarithm made of
``frexp`` and + - * / only (the fdlibm polynomial, Sun Microsystems 1993): libm, numpy's
SIMD log and a browser's ``Math.log`` differ in the last bit, this one does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

ARRIVALS, COSTS = 0, 1
"""The two purposes a tenant's streams serve."""

_WORD = (1 << 64) - 1
_WARM_UP = 12

# fdlibm e_log.c: log(1 + f) = f - (f*f/2 - s*(f*f/2 + R(s*s))),  s = f / (2 + f)
LG1, LG2, LG3, LG4, LG5, LG6, LG7 = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
SQRT_HALF = 0.7071067811865476


def splitmix64(word: int) -> int:
    """Scramble one 64-bit word (Steele, Lea and Flood 2014)."""
    word = (word + 0x9E3779B97F4A7C15) & _WORD
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _WORD
    return word ^ (word >> 31)


def tenant_key(name: str) -> int:
    """64-bit key of a tenant's name: FNV-1a over its UTF-8 bytes."""
    key = 0xCBF29CE484222325
    for byte in name.encode("utf-8"):
        key = ((key ^ byte) * 0x100000001B3) & _WORD
    return key


def stream_state(seed: int, name: str, purpose: int) -> tuple[int, int, int, int]:
    """SFC64 state ``(a, b, c, counter)`` of one stream, warmed up.

    Parameters
    ----------
    seed : int
        The workload's seed, 0 or more.
    name : str
        The tenant's name.
    purpose : int
        ``ARRIVALS`` or ``COSTS``.
    """
    word = splitmix64((tenant_key(name) + splitmix64(seed * 2 + purpose)) & _WORD)
    a, b, c, counter = word, splitmix64(word), splitmix64(word ^ _WORD), 1
    for _ in range(_WARM_UP):
        total = (a + b + counter) & _WORD
        counter += 1
        a = b ^ (b >> 11)
        b = (c + (c << 3)) & _WORD
        c = (((c << 24) | (c >> 40)) + total) & _WORD
    return a, b, c, counter


class Stream:
    """One stream of uniform and exponential variates."""

    def __init__(self, seed: int, name: str, purpose: int) -> None:
        self.bits = np.random.SFC64()
        state = np.array(stream_state(seed, name, purpose), dtype=np.uint64)
        self.bits.state = {
            "bit_generator": "SFC64",
            "state": {"state": state},
            "has_uint32": 0,
            "uinteger": 0,
        }

    def uniform(self, n: int) -> NDArray[np.float64]:
        """Draw `n` variates in [0, 1), from the upper 53 bits of each word."""
        words = self.bits.random_raw(n) >> np.uint64(11)
        return words.astype(np.float64) * 2.0**-53

    def exponential(self, n: int) -> NDArray[np.float64]:
        """Draw `n` variates of mean 1, the same bits on every machine."""
        return -portable_log(1.0 - self.uniform(n))


def portable_log(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithm of positive, finite `x`, the same bits on every machine.

    Within 1 ulp of the true value. ``log(0)`` and negative arguments are outside its domain.

    >>> float(portable_log(np.array([1.0, 2.0]))[1])
    0.6931471805599453
    """
    mantissa, exponent = np.frexp(x)
    low = mantissa < SQRT_HALF
    mantissa = np.where(low, mantissa * 2.0, mantissa)
    k = (exponent - low).astype(np.float64)
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = w * (LG2 + w * (LG4 + w * LG6)) + z * (LG1 + w * (LG3 + w * (LG5 + w * LG7)))
    half = 0.5 * f * f
    log: NDArray[np.float64] = k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f)
    return log
