"""What a reader asks of a table of cells, and the tasks in it: each row right, or named.

Rows come in chunks. A bad row raises an error that names its place, column and value, or is left
out and counted by kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _check
from ..workload import MOST_COST_S
from . import cells
from .columns import UNITS, Columns, exists, listed, recognise, shown_name, unit_of
from .cost import CostExpression
from .rows import Chunk, Table
from .source import TraceError
from .telling import told
from .trace import Trace, in_order

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
MOST_TASKS = 20_000_000
"""Tasks of the largest trace: more would not fit a common machine's memory."""
MOST_WIDTH = 1_000_000
SWF_COLUMNS = {
    **{"tenant": "user", "arrival": "submit_s", "cost": "run_s"},
    **{"wait": "wait_s", "width": "processors"},
}
ROLES = ("tenant", "arrival", "start", "end", "wait", "width")


class Asked:
    """What was asked for, and the reading of a table by it."""

    def __init__(
        self,
        given: dict[str, str | None],
        cost: str | None,
        units: Mapping[str, str] | None,
        cost_per_s: float,
        weights: Mapping[str, float] | None,
        skip_bad_rows: bool,
    ) -> None:
        self.given, self.cost, self.skip = given, cost, skip_bad_rows
        self.units = {
            column: UNITS[_check.choice(f"units[{column!r}]", unit, UNITS)]
            for column, unit in _check.by_name("units", units or {}, "units").items()
        }
        self.cost_per_s = _check.number("cost_per_s", cost_per_s, above=0)
        self.weights = _check.by_name("weights", weights or {}, "numbers")
        self.dropped: Counter[str] = Counter()
        self.names = cells.Names()
        self.expression: CostExpression | None = None
        self.readings: dict[str, cells.Reading] = {}

    def read(self, table: Table, source: str) -> Trace:
        """Read all rows."""
        columns = self.columns_of(table)
        wanted = [name for name in vars(columns).values() if isinstance(name, str)]
        if self.expression is not None:
            wanted += self.expression.columns
        parts: list[tuple[NDArray[Any], ...]] = []
        number = rows = 0
        for chunk in table.chunks(list(dict.fromkeys(wanted))):
            rows += len(chunk.frame) + len(chunk.bad)
            for line, what in chunk.bad:
                self.refuse(f"{table.place} {line} {what}", what)
            if not len(chunk.frame):
                continue
            part = self.part(chunk, columns, table.place)
            parts.append(part)
            number += int(part[4].sum()) if part[4] is not None else len(part[0])
            if number > MOST_TASKS:
                raise TraceError(f"more than {MOST_TASKS:,} tasks; take a part of the trace")
        if not number:
            left = f"; left out: {dict(self.dropped)}" if self.dropped else ""
            raise TraceError(f"the trace holds no task{left}")
        tasks = in_order(parts, self.names.places, self.weights)
        tenants = len(tasks.workload.tenants)
        several = tasks.job is not None
        return Trace(
            tasks.workload,
            source,
            tuple(told(table, columns, self, rows, tenants, several)),
            dict(self.dropped),
            wait_s=tasks.wait_s,
            job=tasks.job,
            rows=rows,
            unsorted=tasks.unsorted,
            began=self.began(tasks.first, columns),
        )

    def began(self, first: Any, columns: Columns) -> str | None:
        """Return the calendar time of the first arrival, in UTC, if the trace has one."""
        if isinstance(first, np.integer):
            return f"{np.datetime64(int(first), 'ns').astype('datetime64[s]')}Z"
        since_1970 = "1970" in self.readings[columns.arrival or str(columns.end)].known_by
        return f"{np.datetime64(int(first), 's')}Z" if since_1970 else None

    def columns_of(self, table: Table) -> Columns:
        """Say which column is what."""
        given = dict(self.given)
        if table.kind == "swf":
            given = {role: given.get(role) or SWF_COLUMNS.get(role) for role in ROLES}
            self.cost = self.cost or SWF_COLUMNS["cost"]
        for name in self.units:
            exists("units", name, table.names)
        names = [name for name in table.names if name]
        if self.cost is not None and self.cost not in names:
            self.expression = CostExpression(self.cost)
            if not self.expression.columns:
                raise TraceError(f"cost must name a column; there are: {listed(names)}")
            for name in self.expression.columns:
                exists("cost", name, names)
            given["cost"] = self.expression.columns[0]  # so that it is not taken for another role
        else:
            given["cost"] = self.cost
        return recognise(names, given)

    def part(self, chunk: Chunk, columns: Columns, place: str) -> tuple[Any, ...]:
        """Return a chunk's good rows: tenant, arrival, cost_s, wait_s, width."""
        frame = chunk.frame
        good = np.ones(len(frame), dtype=bool)

        def check(name: str, wrong: NDArray[np.bool_], what: str | Callable[[int], str]) -> None:
            rows = np.flatnonzero(wrong & good)
            good[rows] = False
            for row in rows.tolist() if callable(what) or not self.skip else ():
                reason = what(row) if callable(what) else what
                shown = repr(str(frame[name].iloc[row])[:60])
                where = f"{place} {chunk.line_of(row)}, column {name!r}"
                self.refuse(f"{where}: {shown} {reason}", f"{shown_name(name)} {reason}")
            if self.skip and not callable(what) and len(rows):
                self.dropped[f"{shown_name(name)} {what}"] += len(rows)

        def read(name: str | None, *, stamp: bool) -> Any:
            if name is None:
                return None
            if name not in self.readings:
                self.readings[name] = cells.how_to_read(
                    name, frame[name], self.units.get(name), stamp=stamp
                )
            if not stamp:
                return cells.durations(frame[name], self.readings[name])
            times, none = cells.stamps(frame[name], self.readings[name])
            check(name, none, "is no time")
            return times

        tenant, wrong = self.names.indices(frame[columns.tenant])
        check(columns.tenant, tenant < 0, wrong)
        arrival, start, end = (
            read(name, stamp=True) for name in (columns.arrival, columns.start, columns.end)
        )
        calendars = {t.dtype.kind for t in (arrival, start, end) if t is not None}
        if len(calendars) > 1:
            raise TraceError("some of arrival, start and end are calendar times and others numbers")

        def between(later: Any, earlier: Any) -> Any:
            with np.errstate(over="ignore", invalid="ignore"):
                apart = later - earlier
            return apart / 1e9 if apart.dtype.kind == "i" else apart

        if self.expression is not None:
            values = {}
            for name in self.expression.columns:
                values[name] = self.amount(frame[name], name)
                check(name, ~np.isfinite(values[name]), "is no number")
            cost = np.broadcast_to(self.expression(values), len(frame)) / self.cost_per_s
            cost_name = self.expression.columns[0]
            check(cost_name, ~np.isfinite(cost), "gives no finite cost")
            check(cost_name, cost < 0, "gives a negative cost")
        elif columns.cost is not None:
            cost_name = columns.cost
            cost = read(cost_name, stamp=False) / self.cost_per_s
            check(cost_name, ~np.isfinite(cost), "is no number")
        else:
            cost_name = str(columns.end)
            cost = between(end, arrival if start is None else start) / self.cost_per_s
        check(cost_name, cost < 0, "is negative" if columns.cost else "is before the start")
        check(cost_name, cost > MOST_COST_S, f"is more than {MOST_COST_S:g} s")
        if arrival is None:
            took = cost * self.cost_per_s
            if end.dtype.kind == "i":
                took = np.round(1e9 * np.where(good, took, 0.0)).astype(np.int64)
            arrival = end - took
        wait = read(columns.wait, stamp=False)
        if wait is not None:
            check(str(columns.wait), ~np.isfinite(wait), "is no number")
            check(str(columns.wait), wait < 0, "is negative")
        elif start is not None and columns.start != columns.arrival:
            wait = between(start, arrival)
            check(str(columns.start), wait < 0, "is before the arrival")
        width = None
        if columns.width is not None:
            number = cells.numbers(frame[columns.width])
            whole = (number == np.floor(number)) & (number >= 1) & (number <= MOST_WIDTH)
            check(columns.width, ~whole, f"is no whole number of 1 to {MOST_WIDTH:,}")
            width = np.where(good, number, 1).astype(np.int64)[good]
        kept = (None if c is None else np.ascontiguousarray(c[good]) for c in (arrival, cost, wait))
        return tenant[good].astype(np.int32), *kept, width

    def amount(self, column: pd.Series, name: str) -> Floats:
        """Return a column of an expression, in seconds if it carries a unit of time."""
        unit_s = self.units.get(name, unit_of(name))
        if unit_s is not None:
            self.readings[name] = cells.Reading(name, unit_s, known_by="by its name")
        return cells.numbers(column) * (1.0 if unit_s is None else unit_s)

    def refuse(self, said: str, kind: str) -> None:
        """Raise an error that names a bad row, or count it."""
        if not self.skip:
            raise TraceError(f"{said} (--skip-bad-rows leaves such rows out and counts them)")
        self.dropped[kind] += 1
