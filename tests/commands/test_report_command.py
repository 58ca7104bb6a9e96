"""The report: what it compares, how it marks a difference, how it is laid out."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from cases import SEEDS, article_numbers, article_report

from fairness_lib import ARTICLE_POLICIES
from fairness_lib.article.comparison import (
    COMPARE_COLUMNS,
    RESULT_COLUMNS,
    article_results,
    compare,
    unexplained,
)
from fairness_lib.article.published import FIGURES, UNITS
from fairness_lib.commands.report_text import FORMATS, render, summary, tables


@pytest.fixture(scope="module")
def results() -> pd.DataFrame:
    return article_numbers()


@pytest.fixture(scope="module")
def partial(results) -> pd.DataFrame:
    return results[(results["scenario"] == "solo") | (results["seed"] == 2)]


def changed(results: pd.DataFrame, policy: str, metric: str, value: float) -> pd.DataFrame:
    """Return the results with one number of seed 1 replaced."""
    other = results.copy()
    row = (other["scenario"] == "burst") & (other["seed"] == 1) & (other["policy"] == policy)
    other.loc[row & (other["metric"] == metric), "value"] = value
    return other


def test_results_are_the_reports_of_the_runs(results) -> None:
    values = results.set_index(RESULT_COLUMNS[:-1])["value"].sort_index()
    for policy in ARTICLE_POLICIES:
        for seed in SEEDS:
            report, own = article_report(policy, seed), values["burst", seed, policy]
            assert own["jain"] == report.jain
            assert own["min_x"] == report.min_x
            assert own["p99_wait_ms"] == 1e3 * report.under_share_p99_wait_s
            assert own["utilisation"] == report.utilisation_with_drain
            assert (own["owed"], own["kept"]) == (report.owed, report.kept)
            heavy = report.tenants.loc["heavy"]
            assert own["heavy_per_s"] == heavy["completed_per_s"]
            assert own["heavy_p99_wait_s"] == heavy["wait_p99_s"]
            for reason in ("queue_full", "quota"):
                assert own[f"rejected_{reason}"] == report.run.counts()[reason]


def test_results_are_tidy(results) -> None:
    assert results.columns.tolist() == RESULT_COLUMNS
    assert not results.duplicated(RESULT_COLUMNS[:-1]).any()
    assert not results.isna().any().any()
    assert set(UNITS) <= set(results["metric"])
    runs = results[["scenario", "seed", "policy"]].drop_duplicates()
    assert len(runs) == 4 * len(SEEDS) + 4


def test_results_can_show_their_progress() -> None:
    seen: list = []

    def track(jobs):
        for job in jobs:
            seen.append(job)
            yield job

    article_results([5], track=track)
    assert len(seen) == 8
    assert seen[0] == ("burst", 5, "fifo")


def test_the_comparison_has_a_row_for_each_published_figure(results) -> None:
    comparison = compare(results)
    assert comparison.columns.tolist() == COMPARE_COLUMNS
    assert comparison["published"].tolist() == [figure.value for figure in FIGURES]
    assert comparison["agrees"].sum() == 36
    assert (comparison["note"] != "").sum() == 2
    assert len(unexplained(comparison)) == 0


def test_a_figure_that_drifts_is_found_marked_and_unexplained(results) -> None:
    drifted = changed(results, "drr", "p99_wait_ms", 19.4)
    comparison = compare(drifted)
    (row,) = unexplained(comparison).itertuples()
    assert (row.policy, row.metric, row.seeds) == ("drr", "p99_wait_ms", "1")
    assert row.note == "differs from the article"
    assert "19.40* (19.5)" in render(drifted)
    assert "35 of 38 published figures" in summary(comparison)


def test_a_figure_that_is_not_a_number_does_not_pass(results) -> None:
    drifted = changed(results, "fifo", "jain", float("nan"))
    assert set(unexplained(compare(drifted))["seeds"]) >= {"1"}


def test_ranges_are_the_least_and_the_greatest_of_the_seeds(results) -> None:
    comparison = compare(results).set_index(["seeds", "policy", "metric"])["ours"]
    waits = [1e3 * article_report("quota", seed).under_share_p99_wait_s for seed in SEEDS]
    assert comparison["lowest", "quota", "p99_wait_ms"] == min(waits)
    assert comparison["highest", "quota", "p99_wait_ms"] == max(waits)


def test_figures_whose_seeds_were_not_run_are_missing_not_wrong(partial) -> None:
    comparison = compare(partial)
    burst = comparison[comparison["scenario"] == "burst"]
    assert burst["agrees"].isna().all()
    assert burst["ours"].isna().all()
    assert set(burst["note"]) == {"not run: needs seed 1", "not run: needs seeds 1, 2, 3"}
    assert len(unexplained(comparison)) == 0
    assert comparison.loc[comparison["scenario"] == "solo", "agrees"].notna().all()
    assert "not run: 31." in summary(comparison)


def test_tables_stand_as_in_the_article_ours_beside_the_published(results) -> None:
    laid = tables(results, compare(results))
    first, ranges, solo, by_seed, held = laid.values()
    assert first.set_index("policy").loc["drr"].tolist() == [
        *("1.000 (1.000)", "0.989 (0.989)", "19.5 (19.5)", "468.1 (468.1)", "0.953 (0.953)")
    ]
    assert first.set_index("policy").loc["drr_quota", "heavy, tasks/s"] == "452.65* (452.7)"
    assert ranges.iloc[0].tolist() == ["fifo", "Jain index", "0.736 (0.736)", "0.757 (0.757)"]
    assert solo.set_index("policy").loc["quota", "utilisation"] == "0.5215* (0.522)"
    assert by_seed["seed"].tolist() == [seed for seed in SEEDS for _ in ARTICLE_POLICIES]
    assert held.set_index("policy").loc["fifo"].tolist() == [0, 0, 0, 0, 1]
    assert held.set_index("policy").loc["drr"].tolist() == [3, 3, 3, 3, 1]


def test_tables_without_the_published_seeds_show_ours_alone(partial) -> None:
    laid = tables(partial, compare(partial))
    assert [title.split(":")[0] for title in laid][:2] == [
        "Heavy alone, seed 1",
        "Every seed that was run",
    ]


def test_text_explains_both_known_differences(results) -> None:
    closing = render(results).split("36 of 38")[1]
    assert closing.count("\n* ") == 2
    assert "452.65" in closing
    assert "0.52147" in closing


def test_markdown_has_whole_tables_and_no_stray_emphasis(results) -> None:
    text = render(results, "markdown")
    widths = [
        {line.count(" | ") for line in block.splitlines()}
        for block in text.split("\n\n")
        if block.startswith("|")
    ]
    assert len(widths) == 5
    assert all(len(columns) == 1 for columns in widths)
    assert text.replace(r"\*", "").count("*") == 0


def test_csv_is_the_comparison_to_the_last_bit(results) -> None:
    read = pd.read_csv(io.StringIO(render(results, "csv")), keep_default_na=False)
    expected = compare(results)
    assert read.columns.tolist() == COMPARE_COLUMNS
    assert read["ours"].tolist() == expected["ours"].tolist()
    assert read["note"].tolist() == expected["note"].tolist()


@pytest.mark.parametrize("which", ["results", "partial"])
def test_json_holds_comparison_and_results(which, request) -> None:
    frame = request.getfixturevalue(which)
    read = json.loads(render(frame, "json"))
    assert set(read) == {"fairness_lib", "comparison", "results"}
    assert [row["value"] for row in read["results"]] == frame["value"].tolist()
    ours = [np.nan if row["ours"] is None else row["ours"] for row in read["comparison"]]
    assert np.array_equal(ours, compare(frame)["ours"], equal_nan=True)
    assert {row["agrees"] for row in read["comparison"]} <= {True, False, None}


@pytest.mark.parametrize("style", FORMATS)
def test_every_format_ends_with_one_newline(style, results) -> None:
    text = render(results, style)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
