"""Argument checks: every message names the field, the value and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from numbers import Real
from operator import index
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
    if most != math.inf:
        bound += f" and at most {most:g}"
    elif least == -math.inf and above is None:
        bound = "finite"
    else:
        bound = f"finite and {bound}"
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{field} must be a number, {bound}; got {_shown(value)}")
    x = _float(value)
    if not math.isfinite(x) or x < least or x > most or (above is not None and x <= above):
        raise ValueError(f"{field} must be {bound}; got {_shown(value)}")
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
    try:
        if isinstance(value, bool):
            raise TypeError
        n = index(value)
    except TypeError:
        said = f"{field} must be a whole number of at least {least}; got {_shown(value)}"
        raise TypeError(said) from None
    if n < least:
        raise ValueError(f"{field} must be a whole number of at least {least}; got {_shown(value)}")
    return n


def seed(field: str, value: Any) -> int:
    """Return `value` as a seed: a whole number below 2**63, where streams begin to repeat."""
    n = whole(field, value, least=0)
    if n >= 2**63:
        raise ValueError(f"{field} must be below 2**63; got {_shown(value)}")
    return n


def _float(value: Any) -> float:
    """Return `value` as a float; infinity for whole numbers and fractions beyond the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: Any) -> str:
    """Show a value in a line, however many digits it has."""
    if isinstance(value, int) and value.bit_length() > 128:
        digits, power = math.modf(math.log10(abs(value)))
        return f"about {'-' * (value < 0)}{10**digits:.1f}e{power:.0f}"
    try:
        shown = repr(value)
    except ValueError:  # a fraction of numbers with more digits than Python writes
        return f"a {type(value).__name__} of too many digits"
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


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


def by_name(field: str, value: Any, what: str) -> dict[str, Any]:
    """Return `value` as a dict if it is a mapping whose keys are strings, made plain ones."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{field} must be a mapping of names to {what}; got {value!r}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"{field} must go by name; got {key!r}")
    return {str.__str__(key): item for key, item in value.items()}


def weights(value: Any) -> dict[str, float] | None:
    """Return weights by tenant name, each above 0; None for None."""
    if value is None:
        return None
    named = by_name("weights", value, "numbers")
    for key, weight in named.items():
        number(f"weights[{key!r}]", weight, above=0)
    return named


def name(field: str, value: Any, *, utf8: bool = False) -> str:
    """Return `value` as a plain, non-empty string, also if it is one of numpy's or a subclass."""
    if not isinstance(value, str) or not value:
        raise TypeError(f"{field} must be non-empty strings; got {value!r}")
    plain = str.__str__(value)  # a subclass may say something else by its own
    try:
        if utf8:
            plain.encode()
    except UnicodeEncodeError:
        said = f"{field} must be text that UTF-8 can write; {plain!r} has a lone surrogate"
        raise ValueError(said) from None
    return plain


def names(field: str, value: Iterable[str], *, utf8: bool = False) -> tuple[str, ...]:
    """Return `value` as a tuple of distinct names."""
    result = tuple(name(field, one, utf8=utf8) for one in several(field, value, "strings"))
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
    least: float = 0.0,
    most: float = math.inf,
    positive: bool = False,
    endless: bool = False,
) -> NDArray[np.float64]:
    """Return a read-only float64 copy of a column of finite numbers within bounds.

    With `endless`, infinity is allowed too.
    """
    bound = "above 0" if positive else f"at least {least:g}"
    bound += "" if most == math.inf else f" and at most {most:g}"
    bound += ", or infinite" if endless else ""
    _unmasked(field, values)
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        given = np.array(values, dtype=object).ravel().tolist()
        row = next(i for i, value in enumerate(given) if not math.isfinite(_float(value)))
        said = f"{field} must be finite and {bound}; row {row} is {_shown(given[row])}"
        raise ValueError(said) from None
    except (TypeError, ValueError) as error:
        raise TypeError(f"{field} must be a column of numbers; {error}") from None
    if array.ndim == 0:
        raise TypeError(f"{field} must be a column of numbers; got {values!r}")
    _shape(field, array, length)
    ok = np.isfinite(array) & (array <= most) & (array > 0 if positive else array >= least)
    ok |= endless & (array == math.inf)
    if not ok.all():
        row = int(np.argmin(ok))
        raise ValueError(f"{field} must be finite and {bound}; row {row} is {array[row]!s}")
    return frozen(array)


def indices(
    field: str, values: ArrayLike, *, length: int, below: int, least: int = 0
) -> NDArray[np.int64]:
    """Return a read-only int64 copy of a column of indices in [least, below)."""
    _unmasked(field, values)
    array = np.array(values)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{field} must be a column of whole numbers; got {array.dtype}")
    _shape(field, array, length)
    ok = (array >= least) & (array < below)
    if not ok.all():
        row = int(np.argmin(ok))
        raise ValueError(f"{field} must be in {least} to {below - 1}; row {row} is {array[row]}")
    return frozen(array.astype(np.int64))


def _shape(field: str, array: NDArray[Any], length: int | None) -> None:
    if array.ndim != 1:
        raise ValueError(f"{field} must have one dimension; got {array.ndim}")
    if length is not None and len(array) != length:
        raise ValueError(f"{field} must have {length} rows; got {len(array)}")


def _unmasked(field: str, values: ArrayLike) -> None:
    """Raise an error that names the first masked entry: whatever stands under it means nothing."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = int(np.argmax(np.ma.getmaskarray(values)))
        raise ValueError(f"{field} must have no masked entries; row {row} is masked")
