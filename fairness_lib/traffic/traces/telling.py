"""What was taken for what, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from .cells import Reading
from .columns import Columns, listed
from .cost import CostExpression
from .rows import Table


class Taken(Protocol):
    """How costs and columns were read."""

    readings: dict[str, Reading]
    expression: CostExpression | None
    cost_per_s: float


def told(
    table: Table, columns: Columns, taken: Taken, rows: int, tenants: int, several: bool
) -> Iterator[str]:
    """Say what was taken for what, a line each."""
    readings = taken.readings

    def column(name: str) -> str:
        how = f", {readings[name].said()}" if name in readings else ""
        return f"column {name!r}{how}"

    yield f"{table.kind}: {rows:,} rows"
    yield f"tenant: column {columns.tenant!r}, {tenants:,} tenants"
    if columns.arrival is not None:
        yield f"arrival: {column(columns.arrival)}"
    else:
        yield f"arrival: end, {column(str(columns.end))}, less the cost"
    per_s = f", of which a worker does {taken.cost_per_s:g} per second"
    per_s = "" if taken.cost_per_s == 1 else per_s
    if taken.expression is not None:
        units = "; ".join(column(n) for n in taken.expression.columns if n in readings)
        yield f"cost: {taken.expression.text}{f' ({units})' if units else ''}{per_s}"
    elif columns.cost is not None:
        yield f"cost: {column(columns.cost)}{per_s}"
    else:
        begin = columns.start or columns.arrival
        yield f"cost: end, {column(str(columns.end))}, less {column(str(begin))}{per_s}"
    if columns.wait is not None:
        yield f"measured wait: {column(columns.wait)}"
    elif columns.start not in (None, columns.arrival):
        yield f"measured wait: start, {column(str(columns.start))}, less the arrival"
    if columns.width is not None and several:
        yield (
            f"workers a task takes: column {columns.width!r}; a task of several workers counts "
            "as several tasks that may start one by one"
        )
    used = {v for v in vars(columns).values() if isinstance(v, str)}
    used |= set(taken.expression.columns) if taken.expression is not None else set()
    if unused := [name for name in table.names if name and name not in used]:
        yield f"not used: {listed(unused)}"
