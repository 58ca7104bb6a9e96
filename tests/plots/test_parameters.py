"""Figures over parameters show the numbers that they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fairness_lib import plots


def test_waits_by_spare_rate_stand_where_they_are_beside_the_closed_form() -> None:
    rows = [("small", 10.0, 460.0), ("mid", 100.0, 50.0), ("small", 200.0, 20.0)]
    waits = pd.DataFrame(rows, columns=["group", "spare_per_s", "wait_ms"])
    ax = plots.wait_by_spare_rate(Figure().subplots(), waits)
    small, mid = (np.asarray(drawn.get_offsets()) for drawn in ax.collections)
    assert small.tolist() == [[10.0, 460.0], [200.0, 20.0]]
    assert mid.tolist() == [[100.0, 50.0]]
    spare, wait_ms = ax.lines[0].get_data()
    # P(more than t) = exp(-spare * t) is 1 % there
    assert np.exp(-spare * wait_ms / 1e3) == pytest.approx(0.01)
    assert spare[0] < 10 < 200 < spare[-1]
    named = {text.get_text(): text.xy for text in ax.texts}
    assert named["small"] == (10.0, 460.0)
