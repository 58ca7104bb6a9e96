"""Intervals cover what they say, and are the same every time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_lib import article_scenario, drr, fifo, intervals, replicate


def test_intervals_cover_the_mean_and_the_runs() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        runs = pd.DataFrame({"policy": "p", "value": rng.exponential(1.0, 40)})
        row = intervals(runs, "value", resamples=400).loc["p"]
        covered += row["mean_low"] <= 1.0 <= row["mean_high"]
        assert row["low"] <= row["mean_low"] <= row["mean"] <= row["mean_high"] <= row["high"]
    assert 0.85 <= covered / 200 <= 0.99


def test_intervals_leave_out_what_is_missing_and_keep_groups_apart() -> None:
    runs = pd.DataFrame(
        {"policy": ["b", "b", "a"], "cap": [1.0, np.nan, 1.0], "v": [1.0, 2.0, np.nan]}
    )
    table = intervals(runs, "v", ["policy", "cap"])
    assert table["runs"].tolist() == [1, 1, 0]
    assert table["mean"].isna().tolist() == [False, False, True]
    assert intervals(runs, "v", "policy")["runs"].to_dict() == {"b": 2, "a": 0}


def test_intervals_are_the_same_every_time() -> None:
    serial = replicate(article_scenario(), [fifo(), drr()], seeds=range(3))
    pd.testing.assert_frame_equal(intervals(serial, "jain"), intervals(serial, "jain"))
