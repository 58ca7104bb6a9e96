"""The report as text: the article's tables, as plain text, Markdown, CSV or JSON.

Ours stands first, the published figure in brackets behind it. A difference is marked with an
asterisk, shown with one digit more, and explained below the tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from .. import __version__, _check
from ..article.comparison import compare
from ..article.published import FIGURES
from ..measures.properties import OWED
from ..policies.policy import ARTICLE_POLICIES

FORMATS = ("table", "markdown", "csv", "json")
HEADINGS = {
    "jain": ("Jain index", 3),
    "min_x": ("min x", 3),
    "p99_wait_ms": ("p99 wait within share, ms", 1),
    "heavy_per_s": ("heavy, tasks/s", 1),
    "utilisation": ("utilisation", 3),
    "heavy_p99_wait_s": ("heavy's p99 wait, s", 2),
    "demand_per_s": ("demand, tasks/s", 0),
}
"""Heading and digits of each metric that the article reports."""
OURS = {
    "owed": ("owed starts", 0),
    "kept": ("kept", 3),
    "worst_behind_p99_ms": ("worst p99 behind, ms", 1),
}
"""The same of what fair sharing owes, which is not in the article."""
PROPERTIES = (OWED, "F1", "F2", "F3", "F4")

_FIGURES = {figure.key: figure for figure in FIGURES}


def tables(results: pd.DataFrame, comparison: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Lay results and their comparison out as the article does: tables of text, by title."""
    of_one = comparison[comparison["seeds"] == "1"]
    burst, solo = (of_one[of_one["scenario"] == name] for name in ("burst", "solo"))
    seeds = results.loc[results["scenario"] == "burst", "seed"].unique()
    laid = {
        "Seed 1: ours (published)": _pivot(burst),
        "Seeds 1 to 3: ours (published)": _ranges(comparison[comparison["seeds"] != "1"]),
        "Heavy alone, seed 1: ours (published)": _pivot(solo),
        "Every seed that was run: ours": _by_seed(results[results["scenario"] == "burst"]),
        f"Properties, held on so many of {_count(len(seeds), 'seed')} (F4: of 1)": _held(results),
    }
    return {title: table for title, table in laid.items() if len(table)}


def _cell(row: Any) -> str:
    """Write one figure: ours, a mark if it differs, and the published one."""
    figure = _FIGURES[row.scenario, row.seeds, row.policy, row.metric]
    digits = figure.digits if row.agrees else figure.digits + 1
    return f"{row.ours:.{digits}f}{'' if row.agrees else '*'} ({figure.printed})"


def _pivot(comparison: pd.DataFrame) -> pd.DataFrame:
    cells: dict[str, dict[str, str]] = {}
    for row in comparison[comparison["agrees"].notna()].itertuples():
        cells.setdefault(str(row.policy), {})[_heading(str(row.metric))] = _cell(row)
    frame = pd.DataFrame.from_dict(cells, orient="index").fillna("")
    return frame.rename_axis("policy").reset_index() if len(frame) else frame


def _ranges(comparison: pd.DataFrame) -> pd.DataFrame:
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in comparison[comparison["agrees"].notna()].itertuples():
        key = (str(row.policy), _heading(str(row.metric)))
        cells.setdefault(key, {})[str(row.seeds)] = _cell(row)
    rows = [(*key, seen.get("lowest", ""), seen.get("highest", "")) for key, seen in cells.items()]
    return pd.DataFrame(rows, columns=["policy", "metric", "lowest", "highest"])


def _by_seed(results: pd.DataFrame) -> pd.DataFrame:
    rows = [
        {"seed": seed, "policy": policy}
        | {
            heading: f"{values[metric]:.{digits}f}"
            for metric, (heading, digits) in (OURS | HEADINGS).items()
        }
        for (seed, policy), group in results.groupby(["seed", "policy"], sort=False)
        for values in [group.set_index("metric")["value"]]
    ]
    return pd.DataFrame(rows)


def _held(results: pd.DataFrame) -> pd.DataFrame:
    verdicts = results[results["metric"].isin(PROPERTIES)]
    held = verdicts.pivot_table(index="policy", columns="metric", values="value", aggfunc="sum")
    held = held.reindex(list(ARTICLE_POLICIES), columns=PROPERTIES).fillna(0).astype(int)
    return held.rename_axis(columns=None).reset_index()


def _heading(metric: str) -> str:
    return HEADINGS[metric][0]


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def summary(comparison: pd.DataFrame) -> str:
    """Say how many published figures came out, and explain each one that did not."""
    run = comparison[comparison["agrees"].notna()]
    differ = run[~run["agrees"].astype(bool)]
    said = (
        f"{len(run) - len(differ)} of {_count(len(comparison), 'published figure')} reproduced "
        f"to the printed digit; marked * as different: {len(differ)}; "
        f"not run: {len(comparison) - len(run)}."
    )
    lines = [
        f"* {row.scenario}, {row.policy}, {row.metric}: {row.note}." for row in differ.itertuples()
    ]
    return "\n".join([said, *lines])


def render(results: pd.DataFrame, style: str = "table") -> str:
    """Write results beside the published figures as ``table``, ``markdown``, ``csv`` or ``json``.

    CSV holds the comparison; JSON holds it and the results, with numbers that are not rounded.
    """
    _check.choice("style", style, FORMATS)
    comparison = compare(results)
    if style == "csv":
        return str(comparison.to_csv(index=False, lineterminator="\n"))
    if style == "json":
        parts = {"fairness_lib": __version__} | {
            name: frame.astype(object).where(frame.notna(), None).to_dict("records")
            for name, frame in (("comparison", comparison), ("results", results))
        }
        return json.dumps(parts, indent=1, allow_nan=False) + "\n"
    layout = _markdown if style == "markdown" else _plain
    return layout(tables(results, comparison), summary(comparison)) + "\n"


OF_RUNS = ("kept", "worst_behind_p99_s", "jain", "min_x", "under_share_p99_wait_s", "utilisation")
"""The measures of a scenario file's runs."""


def of_runs(runs: pd.DataFrame, style: str = "table") -> str:
    """Write the measures of runs from `replicate`, a row each, in one of the `FORMATS`."""
    _check.choice("style", style, FORMATS)
    table = runs[["seed", "policy", *OF_RUNS]]
    if style == "csv":
        return str(table.to_csv(index=False, lineterminator="\n"))
    if style == "json":
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return json.dumps({"fairness_lib": __version__, "runs": rows}, indent=1) + "\n"
    shown = table.assign(**{name: table[name].map("{:.4g}".format) for name in OF_RUNS})
    layout = _markdown if style == "markdown" else _plain
    return layout({"Every seed": shown}, "Times in seconds. Caps are the policies' own.") + "\n"


def _plain(laid: dict[str, pd.DataFrame], closing: str) -> str:
    parts = [f"{title}\n\n{table.to_string(index=False)}" for title, table in laid.items()]
    return "\n\n".join([*parts, closing])


def _markdown(laid: dict[str, pd.DataFrame], closing: str) -> str:
    def row(cells: Iterable[object]) -> str:
        return "| " + " | ".join(str(cell).replace("*", r"\*") for cell in cells) + " |"

    parts = []
    for title, table in laid.items():
        lines = [row(table.columns), row("---" for _ in table.columns)]
        lines += [row(cells) for cells in table.itertuples(index=False)]
        parts.append(f"## {title}\n\n" + "\n".join(lines))
    return "\n\n".join([*parts, closing.replace("*", r"\*").replace("\n", "\n\n")])
