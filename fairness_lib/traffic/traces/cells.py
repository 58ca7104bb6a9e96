"""Cells become numbers: times, durations and names, with their units and what is wrong with them.

Seconds are floats. A time stamp is kept as whole nanoseconds where the file has a calendar's, so
that nothing is lost before the first one is taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .columns import UNITS, unit_of
from .source import TraceError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
EPOCHS = ((1e8, 1e11, 1.0), (1e11, 1e14, 1e-3), (1e14, 1e17, 1e-6), (1e17, 1e20, 1e-9))
"""Bounds between which a number can be a time since 1970 in a unit: from 1973 to 5138."""
FORMATS = ("ISO8601", "%d/%b/%Y:%H:%M:%S %z", "%d/%b/%Y:%H:%M:%S", "%Y/%m/%d %H:%M:%S")
MOST_NAME = 10_000
"""Characters of the longest tenant's name."""
_WITH_UNIT = re.compile(rf"\s*([-+.\deE]+)\s*({'|'.join(sorted(UNITS, key=len, reverse=True))})\s*")


@dataclass(frozen=True)
class Reading:
    """How a column is read: its unit in seconds, or a calendar's format; and how that is known."""

    name: str
    unit_s: float = 1.0
    calendar: str | None = None
    unit_in_cells: bool = False
    known_by: str = ""

    def said(self) -> str:
        """Say in words how it is read."""
        unit = next((name for name, size in _SHORT.items() if size == self.unit_s), "")
        what = "calendar times" if self.calendar else f"in {unit or f'units of {self.unit_s:g} s'}"
        return f"{what} ({self.known_by})"


_SHORT = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def numbers(cells: pd.Series) -> Floats:
    """Return cells as numbers, NaN where they are none."""
    import pandas as pd

    if cells.dtype.kind in "iuf":
        return cells.to_numpy(np.float64, na_value=np.nan)
    if cells.dtype == object:
        cells = cells.where(~cells.map(lambda cell: isinstance(cell, bool)), None)
    try:
        return np.array(pd.to_numeric(cells, errors="coerce"), dtype=np.float64)
    except (OverflowError, TypeError, ValueError):  # lists, or numbers of too many digits
        return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _number(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return np.nan
    try:
        return float(cell)
    except (ValueError, OverflowError):
        return np.nan


def how_to_read(name: str, cells: pd.Series, given_s: float | None, *, stamp: bool) -> Reading:
    """Find a column's unit: given, in its cells, in its name, by size if a time stamp, or seconds.

    Raises
    ------
    TraceError
        If most cells are neither numbers nor times that are known.
    """
    if given_s is not None:
        return Reading(name, given_s, known_by="as given")
    if stamp and cells.dtype.kind == "M":
        return Reading(name, calendar="native", known_by="by their type")
    if not stamp and cells.dtype.kind == "m":
        return Reading(name, unit_in_cells=True, known_by="by their type")
    values = numbers(cells)
    good = values[np.isfinite(values)]
    if 2 * len(good) < len(cells) or not len(good):
        text = cells.astype(str)
        if stamp:
            for calendar in FORMATS:
                if 2 * int((calendar_ns(text, calendar) != NO_TIME).sum()) > len(cells):
                    return Reading(name, calendar=calendar, known_by="recognised")
        elif 2 * int(text.str.fullmatch(_WITH_UNIT.pattern).sum()) > len(cells):
            return Reading(name, unit_in_cells=True, known_by="unit in each cell")
        if len(good) == 0:
            what = "times, such as 2026-01-31T12:00:00Z or seconds" if stamp else "numbers"
            shown = repr(str(cells.iloc[0])[:60]) if len(cells) else "nothing"
            raise TraceError(f"column {name!r} must hold {what}; it begins with {shown}")
    if (unit_s := unit_of(name)) is not None:
        return Reading(name, unit_s, known_by="by its name")
    if stamp and len(good):
        for low, high, unit_s in EPOCHS:
            if low <= float(np.median(good)) < high:
                return Reading(name, unit_s, known_by="since 1970, by their size")
    return Reading(name, known_by="nothing says otherwise")


NO_TIME = np.iinfo(np.int64).min


def calendar_ns(cells: pd.Series, calendar: str) -> NDArray[np.int64]:
    """Return calendar times as nanoseconds since 1970, UTC unless they say; `NO_TIME` for none."""
    import pandas as pd

    how: dict[str, Any] = {} if calendar == "native" else {"format": calendar}
    try:
        stamps: Any = pd.to_datetime(cells, utc=True, errors="coerce", **how)
        return np.array(stamps.astype("datetime64[ns, UTC]").array.asi8)
    except (ValueError, OverflowError, TypeError):  # beyond the years that nanoseconds can count
        stamps = pd.Series([_stamp(cell, how) for cell in cells], dtype="datetime64[ns, UTC]")
        return np.array(stamps.array.asi8)


def _stamp(cell: Any, how: dict[str, Any]) -> Any:
    import pandas as pd

    try:
        return pd.to_datetime(cell, utc=True, errors="coerce", **how).as_unit("ns")
    except (ValueError, OverflowError, TypeError, AttributeError):
        return pd.NaT


def durations(cells: pd.Series, reading: Reading) -> Floats:
    """Return cells as seconds, NaN where they are no number."""
    if reading.unit_in_cells and cells.dtype.kind == "m":
        return np.array(cells.dt.total_seconds(), dtype=np.float64)
    if reading.unit_in_cells:
        parts = cells.astype(str).str.extract(rf"^{_WITH_UNIT.pattern}$")
        return numbers(parts[0]) * parts[1].map(UNITS).to_numpy(np.float64)
    return numbers(cells) * reading.unit_s


def stamps(cells: pd.Series, reading: Reading) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return times, whole nanoseconds or seconds, and where they are none."""
    if reading.calendar is not None:
        times = calendar_ns(cells, reading.calendar)
        return times, times == NO_TIME
    seconds = numbers(cells) * reading.unit_s
    return seconds, ~np.isfinite(seconds)


class Names:
    """Tenants by name, numbered as they come."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def indices(self, cells: pd.Series) -> tuple[NDArray[np.int64], Callable[[int], str]]:
        """Return each cell's tenant, -1 for none, and what is wrong with such a cell."""
        import pandas as pd

        if cells.dtype == object and not cells.map(lambda cell: isinstance(cell, str)).all():
            cells = cells.map(name_of)
        codes, unique = pd.factorize(cells)
        places = [self._place(name) for name in unique]
        found = np.array([*places, -1], dtype=np.int64)[codes]

        def wrong(row: int) -> str:
            cell = cells.iloc[row]
            if not isinstance(cell, str) or not cell:
                return "is empty"
            if len(cell) > MOST_NAME:
                return f"has {len(cell):,} characters, more than {MOST_NAME:,}"
            return "is no text that UTF-8 can write"

        return found, wrong

    def _place(self, name: Any) -> int:
        text = name_of(name)
        if not text or len(text) > MOST_NAME:
            return -1
        try:
            text.encode()
        except UnicodeEncodeError:
            return -1
        return self.places.setdefault(text, len(self.places))


def name_of(cell: Any) -> str | None:
    """Return a cell as a name: text as it is, whole numbers by their digits, None for others."""
    if isinstance(cell, str):
        return str.__str__(cell)
    if isinstance(cell, (bool, np.bool_)) or cell is None:
        return None
    if isinstance(cell, (int, np.integer)):
        return str(cell) if abs(int(cell)) < 10**100 else None
    if isinstance(cell, (float, np.floating)):
        return str(int(cell)) if np.isfinite(cell) and cell == int(cell) else None
    return None
