"""Argument checks: every message names the field, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def number(
    field: str,
    value: Any,
    *,
    least: float = -math.inf,
    above: float | None = None,
    most: float = math.inf,
) -> float:
    """Return `value` as a finite float within bounds, or raise an error that names `field`."""
    bound = f"above {above:g}" if above is not None else f"at least {least:g}"
    if least == -math.inf and above is None:
        bound = "finite"
    if most != math.inf:
        bound += f" and at most {most:g}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{field} must be a number, {bound}; got {value!r}")
    x = float(value)
    if not math.isfinite(x) or x < least or x > most or (above is not None and x <= above):
        raise ValueError(f"{field} must be {bound}; got {value!r}")
    return x


def window(field: str, value: Any, horizon_s: float) -> tuple[float, float]:
    """Return `value` as a (start, end) in seconds within the horizon."""
    try:
        start, end = value
    except (TypeError, ValueError):
        raise TypeError(f"{field} must be (start, end) in seconds; got {value!r}") from None
    start = number(f"{field} start", start, least=0)
    end = number(f"{field} end", end, above=start)
    if end > horizon_s:
        raise ValueError(f"{field} must end by horizon_s = {horizon_s:g}; got {end:g}")
    return start, end


def whole(field: str, value: Any, *, least: int = 1) -> int:
    """Return `value` as an int of at least `least`, or raise an error that names `field`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{field} must be a whole number of at least {least}; got {value!r}")
    n = int(value)
    if n < least:
        raise ValueError(f"{field} must be a whole number of at least {least}; got {value!r}")
    return n


def seed(field: str, value: Any) -> int:
    """Return `value` as a seed: a whole number below 2**63, where streams begin to repeat."""
    n = whole(field, value, least=0)
    if n >= 2**63:
        raise ValueError(f"{field} must be below 2**63; got {value!r}")
    return n


def choice(field: str, value: Any, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of `allowed`, or raise an error that lists them."""
    names = list(allowed)
    if value not in names:
        raise ValueError(f"{field} must be one of {', '.join(names)}; got {value!r}")
    return str(value)


def several(field: str, value: Any, what: str) -> list[Any]:
    """Return what `value` iterates over; a string is one thing and not several."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{field} must be several {what}; got {value!r}")
    return list(value)


def by_name(field: str, value: Any, what: str) -> Mapping[str, Any]:
    """Return `value` if it is a mapping whose keys are strings."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{field} must be a mapping of names to {what}; got {value!r}")
    for name in value:
        if not isinstance(name, str):
            raise TypeError(f"{field} must go by name; got {name!r}")
    return value


def names(field: str, value: Iterable[str]) -> tuple[str, ...]:
    """Return `value` as a tuple of distinct, non-empty strings."""
    result = tuple(several(field, value, "strings"))
    for name in result:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{field} must be non-empty strings; got {name!r}")
    distinct(field, result)
    return result


def distinct(field: str, values: Iterable[Hashable]) -> None:
    """Raise an error that names the first value that stands more than once."""
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{field} must be distinct; {value!r} stands more than once")
        seen.add(value)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array`, made read-only."""
    array.setflags(write=False)
    return array


def column(
    field: str,
    values: ArrayLike,
    *,
    length: int | None = None,
    most: float = math.inf,
    positive: bool = False,
) -> NDArray[np.float64]:
    """Return a read-only float64 copy of a column of finite numbers, none negative."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{field} must be a column of numbers; {error}") from None
    if array.ndim == 0:
        raise TypeError(f"{field} must be a column of numbers; got {values!r}")
    _shape(field, array, length)
    ok = np.isfinite(array) & (array <= most) & (array > 0 if positive else array >= 0)
    if not ok.all():
        row = int(np.argmin(ok))
        bound = "above 0" if positive else "at least 0"
        bound += "" if most == math.inf else f" and at most {most:g}"
        raise ValueError(f"{field} must be finite and {bound}; row {row} is {array[row]!s}")
    return frozen(array)


def indices(field: str, values: ArrayLike, *, length: int, below: int) -> NDArray[np.int64]:
    """Return a read-only int64 copy of a column of indices in [0, below)."""
    array = np.array(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{field} must be a column of whole numbers; got {array.dtype}")
    _shape(field, array, length)
    ok = (array >= 0) & (array < below)
    if not ok.all():
        row = int(np.argmin(ok))
        raise ValueError(f"{field} must be in 0 to {below - 1}; row {row} is {array[row]}")
    return frozen(array.astype(np.int64))


def _shape(field: str, array: NDArray[Any], length: int | None) -> None:
    if array.ndim != 1:
        raise ValueError(f"{field} must have one dimension; got {array.ndim}")
    if length is not None and len(array) != length:
        raise ValueError(f"{field} must have {length} rows; got {len(array)}")
