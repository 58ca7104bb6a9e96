"""Figures of a decision show its numbers."""

from __future__ import annotations

from matplotlib.figure import Figure

from fairness_lib import plots


def test_offered_load_shows_every_bin_and_the_pool() -> None:
    ax = plots.offered_load(Figure().subplots(), [1.0, 6.0, 2.0], ("big", [0.0, 5.0, 0.0]), 4, 3600)
    all_, own = (patch.get_data() for patch in ax.patches)
    assert all_.values.tolist() == [1.0, 6.0, 2.0]
    assert own.values.tolist() == [0.0, 5.0, 0.0]
    assert all_.edges.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert ax.lines[0].get_ydata()[0] == 4
    assert {text.get_text() for text in ax.texts} == {"4 workers", "all tenants", "big"}


def test_waits_by_tenant_puts_each_policy_s_waits_beside_the_names() -> None:
    waits = {"fifo": {"a": 50.0, "b": 60.0}, "drr": {"a": 60.0, "b": 1.0}}
    ax = plots.waits_by_tenant(Figure().subplots(), waits)
    assert [line.get_xdata().tolist() for line in ax.lines] == [[50.0, 60.0], [60.0, 1.0]]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_xscale() == "log"
