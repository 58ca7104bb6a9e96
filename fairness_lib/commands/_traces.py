"""Options of the subcommands that read a trace, and the trace that they name."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..policies.policy import POLICIES
from ..traffic.traces import Trace, read_trace
from ..traffic.traces.columns import UNITS
from ..traffic.traces.rows import KINDS
from . import _cli

ROLES = {
    "tenant": "whose task it is",
    "arrival": "when it came",
    "start": "when its service began",
    "end": "when its service ended",
    "wait": "how long it waited",
    "width": "how many workers it took",
}


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Add the trace and all that says how to read it."""
    parser.add_argument(
        "trace",
        metavar="TRACE",
        help="a log with one row a task; - for standard input; example for a made-up one",
    )
    group = parser.add_argument_group(
        "reading", "Columns are found by the usual words; what was recognised is said."
    )
    for role, what in ROLES.items():
        group.add_argument(f"--{role}", metavar="COLUMN", help=f"{what}")
    group.add_argument(
        "--cost",
        metavar="EXPRESSION",
        help="a column, or arithmetic of columns: 'prompt_tokens + 2*output_tokens'",
    )
    group.add_argument(
        "--cost-per-second",
        type=number(above=0),
        default=1.0,
        metavar="N",
        help="cost that a worker does a second, where costs are not times (default: 1)",
    )
    group.add_argument(
        "--unit",
        action="append",
        default=[],
        type=pair("COLUMN=UNIT"),
        metavar="COLUMN=UNIT",
        help=f"of {', '.join(UNIT_NAMES)}",
    )
    group.add_argument(
        "--weight",
        action="append",
        default=[],
        type=pair("TENANT=N", float),
        metavar="TENANT=N",
        help="a tenant's entitlement (default: 1 for all)",
    )
    group.add_argument("--kind", choices=KINDS, help="the file's (default: found out)")
    group.add_argument(
        "--skip-bad-rows", action="store_true", help="leave them out, and count them by kind"
    )


UNIT_NAMES = [name for name in ("ns", "us", "ms", "s", "min", "h") if name in UNITS]


def add_pool(parser: argparse.ArgumentParser) -> None:
    """Add the pool, the policies and what they are given."""
    parser.add_argument(
        "--workers", type=whole, metavar="N", help="size of the pool (default: found out)"
    )
    parser.add_argument(
        "--policies",
        type=names_of_policies,
        metavar="A,B",
        help=f"of {', '.join(POLICIES)} (default: the article's that need no contract)",
    )
    parser.add_argument(
        "--as-is",
        choices=tuple(POLICIES),
        metavar="POLICY",
        default="fifo",
        help="today's policy, with which the others are compared (default: fifo)",
    )
    parser.add_argument(
        "--load",
        type=number(above=0),
        default=1.0,
        metavar="X",
        help="let tasks come X times as fast (default: 1)",
    )
    parser.add_argument(
        "--quantum",
        type=duration,
        metavar="T",
        help="work a turn of round robin grants (default: the mean cost)",
    )
    parser.add_argument(
        "--cap", type=whole, metavar="N", help="most tasks that may wait (default: no limit)"
    )
    parser.add_argument(
        "--quota",
        action="append",
        type=pair("NAME=RATE/BURST", bucket),
        metavar="NAME=RATE/BURST",
        help="what a contract grants tenants of this name or pattern, in tasks a second",
    )


def traced(arguments: argparse.Namespace) -> Trace:
    """Read the trace that the arguments name."""
    units = dict(arguments.unit)
    try:
        return read_trace(
            arguments.trace,
            kind=arguments.kind,
            cost=arguments.cost,
            units=units,
            cost_per_s=arguments.cost_per_second,
            weights=dict(arguments.weight),
            skip_bad_rows=arguments.skip_bad_rows,
            **{role: getattr(arguments, role) for role in ROLES},
        )
    except (ValueError, TypeError) as error:
        raise _cli.UsageError(str(error)) from error


def progress(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """Return what follows a list of jobs: a bar on stderr, if that is a terminal."""
    from tqdm import tqdm

    def follow(jobs: Sequence[Any]) -> Iterable[Any]:
        bar: Iterable[Any] = tqdm(jobs, desc=what, leave=False, disable=None, file=sys.stderr)
        return bar

    return follow


def duration(text: str) -> float:
    """Read ``50ms`` or ``2.5`` (seconds).

    Examples
    --------
    >>> duration("50ms"), duration("2.5"), duration("1 min")
    (0.05, 2.5, 60.0)
    """
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-zµ]*)\s*", text)
    if match is None or (match[2] and match[2] not in UNITS):
        said = f"must be a time such as 50ms, 2.5s or 1min; got {text!r}"
        raise argparse.ArgumentTypeError(said)
    return float(match[1]) * UNITS[match[2] or "s"]


def window(text: str) -> tuple[float, float] | None:
    """Read ``auto`` or ``START,END`` in seconds."""
    if text == "auto":
        return None
    start, comma, end = text.partition(",")
    if not comma:
        raise argparse.ArgumentTypeError(f"must be auto, or START,END in seconds; got {text!r}")
    return duration(start), duration(end)


def number(*, above: float) -> Callable[[str], float]:
    """Return a reader of finite numbers above a bound."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not above < value < float("inf"):
            raise argparse.ArgumentTypeError(f"must be a number above {above:g}; got {text!r}")
        return value

    return read


def whole(text: str) -> int:
    """Read a whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")
    return int(text)


def bucket(text: str) -> tuple[float, float]:
    """Read ``RATE/BURST``."""
    rate, _, burst = text.partition("/")
    return float(rate), float(burst)


def pair(form: str, value: Callable[[str], Any] = str) -> Callable[[str], tuple[str, Any]]:
    """Return a reader of ``NAME=VALUE``; a name may hold an equals sign."""

    def read(text: str) -> tuple[str, Any]:
        name, equals, given = text.rpartition("=")
        try:
            if name and equals:
                return name, value(given)
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"must be {form}; got {text!r}")

    return read


def names_of_policies(text: str) -> list[str]:
    """Read distinct names of policies with commas between."""
    names = text.split(",")
    for name in names:
        if name not in POLICIES or names.count(name) > 1:
            known = ", ".join(POLICIES)
            raise argparse.ArgumentTypeError(f"must be distinct, of {known}; got {text!r}")
    return names
