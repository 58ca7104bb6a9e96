"""Figures over time show what the run did."""

from __future__ import annotations

from matplotlib.figure import Figure

from fairness_lib import Workload, fifo, plots, simulate


def test_queue_length_counts_who_waits_and_not_who_was_turned_away() -> None:
    # One worker, 1 s a task, two places: of five at time 0, one is served, two wait, two go.
    workload = Workload(["a"], [0.0] * 5 + [2.5], [0] * 6, [1.0] * 6, horizon_s=4)
    run = simulate(workload, fifo(cap=2), workers=1)
    assert run.counts()["queue_full"] == 2
    ax = plots.queue_length(Figure().subplots(), run, step_s=0.5)
    time_s, queued = ax.lines[0].get_data()
    assert dict(zip(time_s.tolist(), queued.tolist(), strict=True)) == {
        **{0.0: 2, 0.5: 2, 1.0: 1, 1.5: 1, 2.0: 0},
        **{2.5: 1, 3.0: 0, 3.5: 0, 4.0: 0},
    }
