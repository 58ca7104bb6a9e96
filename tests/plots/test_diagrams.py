"""The diagrams say what the objects they are drawn from say."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from fairness_lib import (
    ARTICLE_POLICIES,
    Policy,
    Workload,
    article_workload,
    drr,
    fifo,
    measure,
    plots,
    simulate,
)


def texts(ax) -> str:
    return " ".join(text.get_text().replace("\n", " ") for text in ax.texts)


@pytest.mark.parametrize("name", ARTICLE_POLICIES)
def test_a_task_path_shows_a_bucket_only_where_there_is_one(name: str) -> None:
    drawn = texts(plots.task_path(Figure().subplots(), ARTICLE_POLICIES[name]()))
    assert ("no token" in drawn) == ("quota" in name)
    assert ("a queue each" in drawn) == ("drr" in name)


def test_a_task_path_carries_the_parameters_of_its_policy() -> None:
    assert "at most 7" in texts(plots.task_path(Figure().subplots(), fifo(cap=7)))
    assert "queue full" not in texts(plots.task_path(Figure().subplots(), fifo(cap=None)))
    assert "+25 ms" in texts(plots.task_path(Figure().subplots(), drr(quantum_s=0.025)))


def test_a_policy_without_a_drawing_is_refused() -> None:
    class Stack:
        begin = put = take = print

    with pytest.raises(TypeError, match="policy must be Fifo or DeficitRoundRobin"):
        plots.task_path(Figure().subplots(), Policy("stack", Stack()))


def test_a_schedule_has_a_bar_for_each_task_served_and_a_cross_for_the_others() -> None:
    workload = Workload(["a"], [0.0] * 4, [0] * 4, [0.010] * 4, horizon_s=1)
    run = simulate(workload, fifo(cap=1), workers=2)
    ax = plots.schedule(Figure().subplots(), run)
    assert len(ax.patches) == int(run.served.sum()) == 3
    assert texts(ax).count("rejected") == 1
    assert max(bar.get_x() + bar.get_width() for bar in ax.patches) == pytest.approx(20)


def test_no_worker_serves_two_tasks_at_once() -> None:
    rng = np.random.default_rng(1)
    workload = Workload(["a"], np.sort(rng.random(200)), [0] * 200, rng.random(200) / 50, 1)
    run = simulate(workload, fifo(), workers=3)
    worker = np.array(plots.worker_of(run.start_s.tolist(), run.finish_s.tolist()))
    assert set(worker) == {1, 2, 3}
    for number in (1, 2, 3):
        mine = worker == number
        assert (run.finish_s[mine][:-1] <= run.start_s[mine][1:]).all()


def test_water_is_as_high_as_the_shares() -> None:
    demands = {"small": 2.0, "mid": 4.0, "heavy": 10.0}
    ax = plots.water_filling(Figure().subplots(), demands, 12.0)
    heights = [vessel.get_height() for vessel in ax.patches]
    assert heights == [2.0, 2.0, 4.0, 4.0, 6.0, 10.0]


@pytest.mark.parametrize("workers", [1, 3, 8, 20])
def test_a_task_path_has_as_many_workers_as_it_says(workers: int) -> None:
    ax = plots.task_path(Figure().subplots(), fifo(), workers)
    circles = [patch for patch in ax.patches if isinstance(patch, Circle)]
    assert f"{workers} workers" in texts(ax)
    assert len(circles) == 1 + workers  # and the arriving task
    assert len({circle.center for circle in circles}) == 1 + workers


@pytest.mark.parametrize("name", ["drr", "drr_quota"])
def test_the_arriving_task_goes_to_the_queue_of_its_own_tenant(name: str) -> None:
    ax = plots.task_path(Figure().subplots(), ARTICLE_POLICIES[name]())
    row = next(text.get_position()[1] for text in ax.texts if text.get_text() == "small")
    assert ax.patches[0].get_facecolor() == to_rgba(plots.GROUP_COLORS["small"])
    arrows = [(text.xyann[1], text.xy[1]) for text in ax.texts if text.get_text() == ""]
    assert (2.4, row) in arrows
    assert row != 2.4  # which is where all queues meet, and mid's


def test_waits_name_the_groups_where_they_are_farthest_apart() -> None:
    workload = article_workload(1)
    reports = [measure(simulate(workload, policy)) for policy in (fifo(), drr())]
    ax = plots.wait_p99(Figure().subplots(), reports)
    named = {text.get_text(): text.xy for text in ax.texts if text.get_text() in plots.GROUP_COLORS}
    assert set(named) == set(plots.GROUP_COLORS)
    assert all(round(y) == 1 for _, y in named.values())
    assert named["heavy"][0] > 5 * named["small"][0]
    assert ax.get_xlim()[0] < 0.5 * named["small"][0]  # there is room for a name beside it
