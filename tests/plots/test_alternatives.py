"""Figures of the alternatives show the numbers they are given."""

from __future__ import annotations

from matplotlib.figure import Figure

from fairness_lib import plots


def test_kept_in_a_crowd_draws_a_line_a_policy_and_names_it() -> None:
    kept = {"DRR": [1.0, 0.5], "start tags": [1.0, 1.0]}
    ax = plots.kept_in_a_crowd(Figure().subplots(), [1, 20], kept)
    assert [list(line.get_ydata()) for line in ax.lines] == list(kept.values())
    assert {text.get_text() for text in ax.texts} == set(kept)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "20"]


def test_demand_met_names_each_rule_at_the_burstiest() -> None:
    ax = plots.demand_met(Figure().subplots(), [1.0, 16.0], {"max-min": [1.0, 0.25]})
    assert ax.lines[0].get_ydata().tolist() == [1.0, 0.25]
    assert [(text.get_text(), text.xy) for text in ax.texts] == [("max-min", (16.0, 0.25))]
