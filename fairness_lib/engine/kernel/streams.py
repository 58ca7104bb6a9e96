"""Random streams: SFC64, four words a stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...traffic.streams import LG1, LG2, LG3, LG4, LG5, LG6, LG7, LN2_HIGH, LN2_LOW, SQRT_HALF
from .columns import Column

ONE, ARRIVALS, COSTS = np.uint64(1), np.uint64(0), np.uint64(1)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
GAMMA, MIX1, MIX2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


def splitmix64(word: Any) -> Any:
    """Scramble one 64-bit word."""
    word = word + GAMMA
    word = (word ^ (word >> 30)) * MIX1
    word = (word ^ (word >> 27)) * MIX2
    return word ^ (word >> 31)


def next_word(words: Column, stream: int) -> Any:
    """Draw 64 bits."""
    at = 4 * stream
    a, b, c, counter = words[at], words[at + 1], words[at + 2], words[at + 3]
    total = a + b + counter
    words[at] = b ^ (b >> 11)
    words[at + 1] = c + (c << 3)
    words[at + 2] = ((c << 24) | (c >> 40)) + total
    words[at + 3] = counter + ONE
    return total


def open_stream(words: Column, stream: int, key: Any, seed: Any, purpose: Any) -> None:
    """Put a stream at its start, as `streams.stream_state` does."""
    word = splitmix64(key + splitmix64(seed + seed + purpose))
    at = 4 * stream
    words[at], words[at + 1] = word, splitmix64(word)
    words[at + 2], words[at + 3] = splitmix64(word ^ ALL_BITS), ONE
    for _ in range(12):
        next_word(words, stream)


def uniform(words: Column, stream: int) -> float:
    """Draw a variate in [0, 1)."""
    return float(next_word(words, stream) >> 11) * 2.0**-53


def exponential(words: Column, stream: int) -> float:
    """Draw a variate of mean 1."""
    m, k = 1.0 - uniform(words, stream), 0.0
    while m < SQRT_HALF:
        m *= 2.0
        k -= 1.0
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = w * (LG2 + w * (LG4 + w * LG6)) + z * (LG1 + w * (LG3 + w * (LG5 + w * LG7)))
    half = 0.5 * f * f
    return -(k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f))
