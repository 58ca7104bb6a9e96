"""``fairness compare TRACE``: which policy would have served these tenants, and is that sure."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from . import _cli, _traces

DESCRIPTION = """\
Replay a log of tasks (CSV, TSV, JSON Lines, Parquet or Standard Workload
Format; plain or gzip) under several policies, and say which to choose, that
it does not matter, that everyone is beyond their share, or that this log
cannot say."""
EPILOG = """examples:
  fairness compare requests.csv --workers 8 --out report.html
  fairness compare llm.csv --cost 'request_latency_s - first_token_latency_s'
  zcat log.jsonl.gz | fairness compare - --tenant org --unit took=ms
"""


def register(commands: Any) -> None:
    """Add the subcommand ``compare``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        help="from a log of tasks to a decision between policies",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _traces.add_trace(parser)
    _traces.add_pool(parser)
    add = parser.add_argument
    add("--fit-workers", action="store_true", help="find the pool that explains measured waits")
    add(
        "--objective",
        type=_traces.duration,
        metavar="T",
        help="how soon a start is owed, such as 50ms (default: the mean cost)",
    )
    add(
        "--deadline",
        type=_traces.duration,
        metavar="T",
        help="by when a task that is let in must start: a cap is derived from it",
    )
    add("--trust-costs", action="store_true", help="decide even if costs look like waiting")
    add(
        "--window",
        type=_traces.window,
        metavar="auto|START,END",
        help="judge only what arrives in it, in seconds (default: auto, all contention)",
    )
    add(
        "--format",
        choices=("table", "markdown", "csv", "json"),
        default="table",
        help="of what is printed; csv has a row a tenant (default: table)",
    )
    add("--out", type=Path, metavar="REPORT.html", help="write a report of one HTML file, too")
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Compare, print the result, and write the report."""
    from ..decide import compare
    from ..decide.page import page
    from ..decide.text import render

    _cli.check_out(arguments.out)
    trace = _traces.traced(arguments)
    try:
        found = compare(
            trace,
            workers=arguments.workers,
            fit_workers=arguments.fit_workers,
            policies=arguments.policies,
            as_is=arguments.as_is,
            objective_s=arguments.objective,
            load=arguments.load,
            window_s=arguments.window,
            cap=arguments.cap,
            quantum_s=arguments.quantum,
            quota=dict(arguments.quota) if arguments.quota else None,
            deadline_s=arguments.deadline,
            trust_costs=arguments.trust_costs,
            track=_traces.progress("runs"),
        )
    except (ValueError, TypeError) as error:
        raise _cli.UsageError(str(error)) from error
    record = found.to_dict() | {"command": shlex.join(["fairness", *sys.argv[1:]])}
    if arguments.out is not None:
        _cli.emit(page(record), arguments.out)
    _cli.emit(render(record, arguments.format), None)
    return 0
