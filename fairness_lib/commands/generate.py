"""``fairness generate SCENARIO.toml``: the tasks of a scenario, as a log."""

from __future__ import annotations

import argparse
from typing import Any

from . import _cli


def register(commands: Any) -> None:
    """Add the subcommand ``generate``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "generate",
        help="a log of tasks from a scenario file",
        description="Draw the tasks of a scenario (TOML) and write them as CSV: tenant, arrival_s, "
        "cost_s. The scenario 'article' comes with the package; --show prints its file to begin "
        "with.",
        epilog="example: fairness generate article --show > mine.toml",
    )
    add = parser.add_argument
    add("scenario", metavar="SCENARIO.toml", help="a file, or an example: article, service")
    add("--seed", type=seed, default=1, metavar="N", help="what chance is drawn from (default: 1)")
    add("--show", action="store_true", help="print the scenario's file instead of its tasks")
    _cli.add_out(parser)
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Write the tasks."""
    from ..traffic.scenario_file import read_scenario, text_of

    _cli.check_out(arguments.out)
    try:
        if arguments.show:
            _cli.emit(text_of(arguments.scenario), arguments.out)
            return 0
        workload = read_scenario(arguments.scenario).workload(arguments.seed)
    except (ValueError, TypeError) as error:
        raise _cli.UsageError(str(error)) from error
    frame = workload.to_frame()[["tenant", "arrival_s", "cost_s"]]
    _cli.emit(str(frame.to_csv(index=False, lineterminator="\n")), arguments.out)
    return 0


def seed(text: str) -> int:
    """Read one seed."""
    seeds = _cli.seed_list(text)
    if len(seeds) != 1:
        raise argparse.ArgumentTypeError(f"must be one whole number; got {text!r}")
    return seeds[0]
