"""``python -m fairness_lib report``: the article's tables, ours beside the published."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any

from ..article.comparison import article_results, compare, unexplained
from ..article.scenario import SEEDS
from . import _cli


def register(commands: Any) -> None:
    """Add the subcommand ``report``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="reproduce the article's tables, ours beside the published figures",
        description="Run the article's four policies and its solo control, and print its tables, "
        "ours beside the published figures. Exit code 1 if a figure differs for no known reason.",
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

    results = article_results(arguments.seeds, track=progress)
    _cli.emit(render(results, arguments.format), arguments.out)
    return 1 if len(unexplained(compare(results))) else 0
