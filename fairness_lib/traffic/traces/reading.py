"""A log of tasks, read into a workload: row by row right, or an error that names the row."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ... import _check
from .asked import ROLES, Asked
from .formats import table_of
from .rows import KINDS, Chunk, Table
from .source import opened
from .trace import Trace

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = Path(__file__).parent.parent / "examples" / "service.csv.gz"
"""A made-up log of a service with twelve customers, with measured waits."""
USUAL: dict[str, Any] = {
    **{"cost": None, "units": None, "cost_per_s": 1.0, "weights": None, "skip_bad_rows": False}
}


def read_trace(
    path: str | os.PathLike[str] | IO[bytes],
    *,
    kind: str | None = None,
    tenant: str | None = None,
    arrival: str | None = None,
    start: str | None = None,
    end: str | None = None,
    cost: str | None = None,
    wait: str | None = None,
    width: str | None = None,
    units: Mapping[str, str] | None = None,
    cost_per_s: float = 1.0,
    weights: Mapping[str, float] | None = None,
    skip_bad_rows: bool = False,
) -> Trace:
    r"""Read a log of tasks.

    CSV, TSV and the like with a header, JSON Lines, the Standard Workload Format, or Parquet (with
    pyarrow); plain or gzip. Columns are found by the usual words, or given by name. What was
    recognised stands in `Trace.recognised`.

    Parameters
    ----------
    path : path, binary file, "-" or "example"
        The file; "-" for standard input; "example" for the log that comes with the package.
    kind : {"csv", "tsv", "jsonl", "swf", "parquet"}, optional
        Found out by default.
    tenant, arrival, start, end, wait, width : str, optional
        Names of columns: whose task it is; when it came; when its service began and ended; how
        long it waited; how many workers it took.
    cost : str, optional
        Name of a column, or an expression such as ``"prompt_tokens + 2*output_tokens"``; see
        `CostExpression`.
    units : mapping of str to str, optional
        Units of time by column, such as ``{"duration": "ms"}``.
    cost_per_s : float
        How much cost a worker does per second; 1 if costs are seconds.
    weights : mapping of str to float, optional
        Entitlements by tenant; 1 for all others.
    skip_bad_rows : bool
        Leave bad rows out and count them by kind, instead of raising an error at the first.

    Returns
    -------
    Trace

    Raises
    ------
    TraceError
        If the file or a row cannot be read; it is a `ValueError`.

    Examples
    --------
    >>> import io
    >>> log = b"app,submitted_at,took_ms\nshop,0.5,20\nblog,0.0,30\n"
    >>> trace = read_trace(io.BytesIO(log))
    >>> trace.workload.tenants, trace.workload.cost_s.tolist()
    (('blog', 'shop'), [0.03, 0.02])
    >>> print(trace.recognised[1])
    tenant: column 'app', 2 tenants
    """
    given = {"tenant": tenant, "arrival": arrival, "start": start, "end": end}
    given |= {"wait": wait, "width": width}
    if kind is not None:
        _check.choice("kind", kind, KINDS)
    source = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", "a stream")
    asked = Asked(given, cost, units, cost_per_s, weights, skip_bad_rows)
    stream = opened(EXAMPLE if path == "example" else path)
    try:
        table = table_of(stream, kind, [name for name in asked.given.values() if name])
        return asked.read(table, "standard input" if source == "-" else str(source))
    finally:
        if stream is not path and source != "-":
            stream.close()


def read_frame(frame: pd.DataFrame, **how: Any) -> Trace:
    """Read a table of tasks as `read_trace` reads a file; its arguments are the same."""
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a DataFrame; got {type(frame).__name__}")
    asked = Asked(
        {role: how.pop(role, None) for role in ROLES},
        **{name: how.pop(name, usual) for name, usual in USUAL.items()},
    )
    if how:
        raise TypeError(f"from_frame() has no argument {next(iter(how))!r}")
    table = Table("frame", [str(name) for name in frame.columns], lambda _: iter(()), "row")

    def chunks(wanted: Any) -> Any:
        places = [table.names.index(name) for name in wanted]
        own = frame.iloc[:, places].set_axis(list(wanted), axis=1)
        plain = own.apply(lambda c: c.astype(object) if c.dtype.name == "category" else c)
        yield Chunk(plain, lambda row: int(row))

    table.chunks = chunks
    return asked.read(table, "a table")
