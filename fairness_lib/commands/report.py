"""``python -m fairness_lib report``: the article's tables, ours beside the published."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from ..article.comparison import article_results, compare, unexplained
from ..article.scenario import SEEDS
from ..policies.policy import POLICIES, without_contract
from ..traffic.scenario_file import read_scenario
from . import _cli


def register(commands: Any) -> None:
    """Add the subcommand ``report``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="reproduce the article's tables, ours beside the published figures",
        description="Run the article's four policies and its solo control, and print its tables, "
        "ours beside the published figures. Exit code 1 if a figure differs for no known reason. "
        "Of a scenario file, print the same measures of every policy that needs no contract.",
    )
    parser.add_argument(
        "scenario", nargs="?", metavar="SCENARIO.toml", help="a file in place of the article"
    )
    parser.add_argument(
        "--format",
        choices=("table", "markdown", "csv", "json"),
        default="table",
        help="default: table",
    )
    parser.add_argument(
        "--seeds",
        type=_cli.seed_list,
        default=SEEDS,
        metavar="1,2,3",
        help="seeds of the burst scenario; figures published for others are then not compared",
    )
    _cli.add_out(parser)
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Run the report; 1 if a figure differs for no known reason, else 0."""
    from tqdm import tqdm

    from .report_text import render

    _cli.check_out(arguments.out)

    def progress(jobs: Sequence[Any]) -> Iterable[Any]:  # on stderr, and only on a terminal
        bar: Iterable[Any] = tqdm(jobs, desc="runs", unit="run", leave=False, disable=None)
        return bar

    if arguments.scenario is not None:
        _cli.emit(_of_file(arguments.scenario, arguments.seeds, arguments.format), arguments.out)
        return 0
    results = article_results(arguments.seeds, track=progress)
    _cli.emit(render(results, arguments.format), arguments.out)
    return 1 if len(unexplained(compare(results))) else 0


def _of_file(path: str, seeds: Sequence[int], style: str) -> str:
    """Return the measures of a scenario file's traffic, by seed and policy."""
    from ..runs.ensemble import replicate
    from .report_text import of_runs

    try:
        policies = [POLICIES[name]() for name in without_contract()]
        return of_runs(replicate(read_scenario(path), policies, seeds, progress=None), style)
    except (ValueError, TypeError) as error:
        raise _cli.UsageError(str(error)) from error
