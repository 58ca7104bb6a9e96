"""``fairness capacity TRACE``: how many workers each policy needs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from . import _cli, _traces


def register(commands: Any) -> None:
    """Add the subcommand ``capacity``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "capacity",
        help="fewest workers with which each policy keeps what is owed",
        description="Replay a log of tasks and find, by bisection, the fewest workers with which "
        "each policy starts 99 % of what fair sharing owes on today's pool in time.",
        epilog="example: fairness capacity requests.csv --workers 8 --objective 50ms",
    )
    _traces.add_trace(parser)
    _traces.add_pool(parser)
    add = parser.add_argument
    add(
        "--objective",
        type=_traces.duration,
        required=True,
        metavar="T",
        help="how soon a start is owed, such as 50ms",
    )
    add("--format", choices=("table", "json"), default="table", help="default: table")
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Find the pools and print them."""
    from ..decide import capacity
    from ..decide.words import span

    trace = _traces.traced(arguments)
    try:
        found = capacity(
            trace,
            objective_s=arguments.objective,
            workers=arguments.workers,
            policies=arguments.policies,
            as_is=arguments.as_is,
            load=arguments.load,
            cap=arguments.cap,
            quantum_s=arguments.quantum,
            quota=dict(arguments.quota) if arguments.quota else None,
            track=_traces.progress("policies"),
        )
    except (ValueError, TypeError) as error:
        raise _cli.UsageError(str(error)) from error
    if arguments.format == "json":
        _cli.emit(json.dumps(asdict(found) | {"saved": found.saved}, indent=1) + "\n", None)
        return 0
    lines = [
        f"Today's pool: {found.today} workers ({found.how}).",
        f"Owed on it: {found.owed:,} starts within {span(found.objective_s)}.",
        f"Fewest workers that keep {found.kept:.0%} of them:",
    ]
    width = max(map(len, found.workers))
    for name, workers in found.workers.items():
        saved = found.saved.get(name, 0)
        more = f", {saved} fewer than {next(iter(found.workers))}" if saved > 0 else ""
        lines.append(f"  {name:{width}}  {'no pool does' if workers is None else workers}{more}")
    _cli.emit("\n".join(lines) + "\n", None)
    return 0
