"""The subcommand ``sweep``: seeds and grids of parameters from the shell."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..article.scenario import article_scenario, article_workload
from ..policies.policy import ARTICLE_POLICIES, POLICIES, without_contract
from ..runs.ensemble import RUN_COLUMNS, sweep
from ..runs.intervals import intervals
from ..traffic.scenario_file import read_scenario
from . import _cli

if TYPE_CHECKING:
    import pandas as pd

TRAFFIC: dict[str, Callable[..., Any]] = {"scenario": article_scenario, "article": article_workload}
METRICS = [name for name in RUN_COLUMNS if not name.endswith("_tenant")]
SHOWN = ["kept", "worst_behind_p99_s", "jain", "min_x", "under_share_p99_wait_s"]
EXAMPLE = "example: fairness sweep quantum_s=0.001,0.01,0.1 --policies drr --seeds 0-49 --jobs 2"


def register(commands: Any) -> None:
    """Add the subcommand ``sweep``."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "sweep",
        help="run policies over seeds and grids of parameters, with confidence intervals",
        description="Run the article's policies over seeds and, if any are given, every "
        "combination of parameters; print each metric's mean with a 95 % interval. Parameters "
        "are those of the policies (quantum_s, cap), of the traffic (burst_factor) and workers.",
        epilog=EXAMPLE,
    )
    add = parser.add_argument
    add("grid", nargs="*", type=parameter, metavar="NAME=VALUE,...", help="values to combine")
    add(
        "--policies",
        type=_one_of(POLICIES),
        metavar="A,B",
        help=f"of {', '.join(POLICIES)} (default: the article's; without quotas for a file)",
    )
    add(
        "--seeds",
        type=seed_ranges,
        default=list(range(20)),
        metavar="0-19",
        help="such as 1,2,3 or 0-199 (default: 0-19)",
    )
    add(
        "--traffic",
        default="scenario",
        metavar="scenario|article|FILE.toml",
        help="the article's scenario (default), its own stream, task for task, or a scenario file",
    )
    add(
        "--metrics",
        type=_one_of(METRICS),
        default=SHOWN,
        metavar="A,B",
        help=f"of {', '.join(METRICS)} (default: {','.join(SHOWN)})",
    )
    add("--format", choices=("table", "csv", "json"), default="table", help="default: table")
    add("--jobs", type=_processes, default=1, metavar="N", help="processes (default: 1)")
    add(
        "--out",
        type=Path,
        metavar="RUNS.parquet",
        help="keep every run in this file as it comes, and make none again that is in it",
    )
    parser.set_defaults(run=command)


def command(arguments: argparse.Namespace) -> int:
    """Run the sweep and print its intervals; 1 if a run fails, else 0."""
    grid = dict(arguments.grid)
    if len(grid) < len(arguments.grid):
        raise _cli.UsageError("a parameter stands more than once")
    traffic, policies = _traffic(arguments.traffic, arguments.policies)
    _cli.check_out(arguments.out)
    pool = (
        ProcessPoolExecutor(arguments.jobs, get_context("spawn"), leave_ctrl_c_to_the_parent)
        if arguments.jobs > 1
        else nullcontext()
    )
    with pool as executor:
        try:
            runs = sweep(
                traffic,
                policies,
                grid,
                arguments.seeds,
                executor=executor,
                out=arguments.out,
            )
        except (ValueError, TypeError, ImportError) as error:
            raise _cli.UsageError(str(error)) from error
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 1
    _cli.emit(render(summary(runs, list(grid), arguments.metrics), arguments.format), None)
    return 0


def _traffic(named: str, policies: list[str] | None) -> tuple[Any, dict[str, Any]]:
    """Return the traffic of this name, and policies by name that fit it."""
    if named in TRAFFIC:
        return TRAFFIC[named], {name: POLICIES[name] for name in policies or ARTICLE_POLICIES}
    try:
        scenario = read_scenario(named)
    except ValueError as error:
        allowed = f"--traffic must be {', '.join(TRAFFIC)} or a scenario file"
        raise _cli.UsageError(f"{allowed}; {error}") from error
    return scenario, {name: POLICIES[name] for name in policies or without_contract()}


def summary(runs: pd.DataFrame, grid: list[str], metrics: list[str]) -> pd.DataFrame:
    """Return one row per metric and group of runs: its mean, with a confidence interval."""
    import pandas as pd

    tables = {name: intervals(runs, name, ["policy", *grid]) for name in metrics}
    table = pd.concat(tables, names=["metric"]).reset_index()
    return table.dropna(axis="columns", how="all")


def render(table: pd.DataFrame, how: str) -> str:
    """Write the table as text."""
    if how == "csv":
        return table.to_csv(index=False)
    if how == "json":
        return table.to_json(orient="records", indent=2, double_precision=15) + "\n"
    return table.to_string(index=False, float_format="{:.4g}".format, na_rep="-") + "\n"


def parameter(text: str) -> tuple[str, list[Any]]:
    """Read ``cap=50,200,none`` as a name and its values.

    Examples
    --------
    >>> parameter("cap=50,none"), parameter("quantum_s=1e-3")
    (('cap', [50, None]), ('quantum_s', [0.001]))
    """
    name, equals, values = text.partition("=")
    try:
        if name and equals:
            return name, [_value(value) for value in values.split(",")]
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"parameters must be like cap=50,200; got {text!r}")


def seed_ranges(text: str) -> list[int]:
    """Read ``0-4,7`` as five seeds and one more.

    Examples
    --------
    >>> seed_ranges("0-4,7")
    [0, 1, 2, 3, 4, 7]
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not all(end.isascii() and end.isdigit() for end in (first, last if dash else first)):
            raise argparse.ArgumentTypeError(f"seeds must be like 1,2,3 or 0-199; got {text!r}")
        seeds += range(int(first), int(last if dash else first) + 1)
    if not seeds or len(set(seeds)) < len(seeds):
        raise argparse.ArgumentTypeError(f"seeds must be some, and distinct; got {text!r}")
    return seeds


def leave_ctrl_c_to_the_parent() -> None:
    """Let a worker finish what it is at: the parent, which got Ctrl-C too, ends it then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _value(text: str) -> Any:
    if text.lower() == "none":
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def _one_of(allowed: Any) -> Any:
    def read(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in allowed or names.count(name) > 1:
                known = ", ".join(allowed)
                raise argparse.ArgumentTypeError(f"must be distinct, of {known}; got {text!r}")
        return names

    return read


def _processes(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1; got {text!r}")
    return int(text)
