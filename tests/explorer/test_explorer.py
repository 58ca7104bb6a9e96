"""The explorer without a browser: the page's engine gives the library's bits, and Python's side."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")
pytest.importorskip("wasmtime", reason="wasmtime runs the page's engine in tests")

from cases import scalars_of
from wasm_page import WASM, Page

from fairness_lib import (
    Bimodal,
    Burst,
    Deterministic,
    Lognormal,
    Pareto,
    Scenario,
    Tenant,
    article_scenario,
    check,
    fifo,
    measure,
    simulate,
    timeline,
)
from fairness_lib.engine import kernel
from fairness_lib.explorer import explore
from fairness_lib.explorer.rows import names_of, to_rows, to_scenario
from fairness_lib.explorer.view import LIMITS, POLICY_LABELS
from fairness_lib.explorer.words import in_words
from fairness_lib.policies.tasks import Outcome

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = [
    {},
    {"quantum_ms": 0.1, "burst": 10, "seed": 2},
    {"quantum_ms": 1000, "cap": 1, "shared_cap": 1, "seed": 3},
    {"cap": 10_000, "shared_cap": 100_000, "burst": 10, "workers": 5},
    {"quantum_ms": 12.589254117941675, "cap": 37, "burst": 2.7, "seed": 200, "workers": 16},
    {"burst": 1, "workers": 1, "seed": 0},
    {"burst": 10, "in_flight": 1, "cap": 20},
]
OTHERS = {
    "weights": Scenario(
        (
            Tenant("gold", 300, weight=3, bursts=(Burst(5, 15, 4),)),
            Tenant("bronze", 500, weight=0.5),
            Tenant("quiet", 0),
        ),
        workers=4,
        horizon_s=20,
    ),
    "costs": Scenario(
        (
            Tenant("fixed", 90, service_time=Deterministic(0.02)),
            Tenant("odd", 60, service_time=Bimodal(0.002, 0.2, 0.05), bursts=(Burst(0, 4, 3),)),
        ),
        workers=2,
        horizon_s=30,
    ),
    "many": Scenario([Tenant(f"t{i:03}", 2.5) for i in range(240)], workers=6, horizon_s=12),
}


def assert_same_bits(page: Page, explorer) -> None:
    scenario = explorer.scenario()
    workload = explorer.workload()
    n, tenants = len(workload), len(workload.tenants)
    assert page.draw(explorer, room=2 * n) == n
    np.testing.assert_array_equal(page.column("arrival_s")[:n], workload.arrival_s)
    np.testing.assert_array_equal(page.column("tenant")[:n], workload.tenant)
    np.testing.assert_array_equal(page.column("cost_s")[:n], workload.cost_s)
    window = tuple(explorer.view.window)
    for policy in explorer.policies().values():
        run = simulate(workload, policy, scenario.workers, engine="readable")
        report = measure(run, window)
        assert page.run(policy) == 0
        np.testing.assert_array_equal(page.column("start_s")[:n], run.start_s)
        np.testing.assert_array_equal(page.column("outcome")[:n], run.outcome)
        table = report.tenants
        np.testing.assert_array_equal(page.column("arrived"), table["arrived"])
        completed = page.column("completed") / (window[1] - window[0])
        np.testing.assert_array_equal(completed, table["completed_per_s"])
        outcomes = page.column("outcomes").reshape(tenants, kernel.OUTCOMES)
        np.testing.assert_array_equal(outcomes[:, Outcome.QUEUE_FULL], table["rejected_queue_full"])
        np.testing.assert_array_equal(outcomes[:, Outcome.QUOTA], table["rejected_quota"])
        waits = page.column("wait_s").reshape(tenants, 3)
        columns = ["wait_p50_s", "wait_p90_s", "wait_p99_s"]
        np.testing.assert_array_equal(waits, table[columns])
        for name in ("fair_share_per_s", "x", "owed", "fair_work_s", "got_work_s"):
            np.testing.assert_array_equal(page.column(name), table[name])
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(page.column("kept") / page.column("owed"), table["kept"])
        behind = page.column("behind_s").reshape(tenants, 2)
        np.testing.assert_array_equal(behind, table[["behind_p50_s", "behind_p99_s"]])
        assert page.column("missed").tolist() == list(report.missed.values())[: kernel.OUTCOMES]
        assert page.fruitless == run.fruitless_visits
        groups = {row["name"]: names_of(row) for row in explorer.view.tenants}
        over_time = timeline(run, groups)
        by_step = over_time.pivot(index="from_s", columns="group")
        for name in ("wait_s", "waiting"):
            drawn = page.column(f"step_{name}").reshape(len(groups), page.steps)
            np.testing.assert_array_equal(drawn.T, by_step[name][list(groups)])
        scalars = page.column("scalars")
        np.testing.assert_array_equal(scalars, scalars_of(report))


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_page_engine_gives_the_same_bits(setting) -> None:
    assert_same_bits(Page(), explore(policies=list(POLICY_LABELS), **setting))


@pytest.mark.parametrize("name", OTHERS)
def test_page_engine_gives_the_same_bits_for_other_tenants(name: str) -> None:
    explorer = explore(OTHERS[name], policies=list(POLICY_LABELS), seed=5, cap=20, quantum_ms=3)
    assert_same_bits(Page(), explorer)


@pytest.mark.parametrize("stated", [0.02, 3.0])
def test_page_engine_believes_what_a_tenant_states(stated: float) -> None:
    explorer = explore(burst=10, policies=list(POLICY_LABELS))
    rows = [dict(row) for row in explorer.view.tenants]
    rows[0]["stated"] = stated
    explorer.view.tenants = rows
    assert_same_bits(Page(), explorer)
    lied, honest = explorer.reports(), explore(burst=10, policies=list(POLICY_LABELS)).reports()
    for name in ("fifo", "round_robin"):  # they do not ask
        assert lied[name].tenants.equals(honest[name].tenants)
    for name in ("drr", "sfq"):
        heavy = [reports[name].tenants.completed_per_s["heavy"] for reports in (lied, honest)]
        assert (heavy[0] > 1.2 * heavy[1]) == (stated < 1)


def test_page_engine_can_be_used_again_after_other_tenants() -> None:
    page = Page()
    assert_same_bits(page, explore(OTHERS["many"]))
    assert_same_bits(page, explore(OTHERS["weights"]))


def test_page_engine_says_when_there_is_no_room() -> None:
    assert Page().draw(explore(), room=1000) == -1


def test_page_engine_needs_nothing_but_memory_and_is_small() -> None:
    assert Page().imports == [("env", "memory")]
    assert WASM.stat().st_size <= 40_000


def test_shipped_wasm_is_what_the_kernel_compiles_to(tmp_path: Path) -> None:
    for package in ("numba", "ziglang"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed, so the wasm cannot be built again")
    built = tmp_path / "kernel.wasm"
    tool = ROOT / "tools" / "build_wasm.py"
    subprocess.run([sys.executable, str(tool), str(built)], check=True, capture_output=True)
    assert built.read_bytes() == WASM.read_bytes(), "run: python tools/build_wasm.py"


def test_import_of_the_library_leaves_the_widgets_out() -> None:
    code = (
        "import sys, fairness_lib\n"
        "print([m for m in ('ipywidgets', 'anywidget', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- Python's side ------------------------------------------------------------------------------


def test_report_is_the_run_of_the_present_setting() -> None:
    explorer = explore()
    explorer.move(quantum_ms=2, burst=8, seed=7)
    explorer.cap.value = 50
    report = explorer.report("drr")
    discipline = report.run.policy.discipline
    assert (discipline.quantum_s, discipline.cap) == (0.002, 50)
    workload = article_scenario(burst_factor=8).workload(seed=7)
    np.testing.assert_array_equal(report.run.workload.arrival_s, workload.arrival_s)
    assert report.window == (20.0, 40.0)


def test_default_setting_is_the_articles_and_shows_its_argument() -> None:
    reports = explore().reports()
    assert list(reports) == ["fifo", "quota", "drr", "drr_quota"]
    held = {name: [v.held for v in check(report)] for name, report in reports.items()}
    assert held["fifo"] == [False] * 4
    assert held["drr"] == [True] * 4
    assert held["quota"] == [True, False, True, False]


def test_rows_stand_for_the_scenario_they_came_from() -> None:
    for scenario in (article_scenario(), *OTHERS.values()):
        rows = to_rows(scenario)
        factor = max((b.factor for t in scenario.tenants for b in t.bursts), default=1)
        assert (
            to_scenario(rows, factor, scenario.workers, scenario.horizon_s, scenario.window_s)
            == scenario
        )
    assert [(row["name"], row["count"]) for row in to_rows(article_scenario())] == [
        ("heavy", 1),
        ("mid", 4),
        ("small", 20),
    ]


def test_rows_keep_names_that_no_row_of_several_would_have() -> None:
    scenario = Scenario((Tenant("b1", 5), Tenant("b3", 5), Tenant("a", 5)), 8)
    rows = to_rows(scenario)
    assert [name for row in rows for name in names_of(row)] == ["b1", "b3", "a"]


def test_edited_rows_are_what_python_runs() -> None:
    explorer = explore()
    rows = [dict(row) for row in explorer.view.tenants]
    rows[2]["count"] = 3
    explorer.view.tenants = rows
    assert explorer.report().run.workload.tenants[-1] == "small2"


def test_policies_can_be_left_out() -> None:
    explorer = explore(policies=["fifo", "drr"])
    assert list(explorer.reports()) == ["fifo", "drr"]
    explorer.policies_shown["fifo"].value = False
    with pytest.raises(ValueError, match="policy must be one of drr; got 'fifo'"):
        explorer.report("fifo")


def costing(service_time) -> Scenario:
    return Scenario([Tenant("a", 5, service_time=service_time)], 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quantum_ms": 0.01}, "quantum_ms must be at least 0.1 and at most 1000"),
        ({"policies": ["lifo"]}, "policies must be one of fifo, quota, drr, drr_quota"),
        (
            {"scenario": costing(Lognormal())},
            "service_time must",
        ),
        ({"scenario": costing(Pareto())}, "service_time must"),
    ],
)
def test_what_is_not_allowed_is_named(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explore(**arguments)
    with pytest.raises(TypeError, match="workers must be a number"):
        explore(Scenario([Tenant("a", 5)]))
    with pytest.raises(TypeError, match="no setting 'quantum'"):
        explore(quantum=1)
    with pytest.raises(ValueError, match="values must be named quantum_ms"):
        explore().move(quantum=1)


@pytest.mark.parametrize(
    "start", [{}, {"cap": 123, "quantum_ms": 7}, {"cap": 1, "shared_cap": 1e5}]
)
def test_sliders_start_on_one_of_their_own_steps_and_reach_their_limits(start) -> None:
    explorer = explore(**start)
    for name, slider in explorer._sliders().items():
        if name in ("quantum_ms", "cap", "shared_cap"):
            steps = (np.log10(slider.value) - slider.min) / slider.step
            assert abs(steps - round(steps)) < 1e-6
            assert (10**slider.min, 10**slider.max) == pytest.approx(LIMITS[name], rel=1e-12)
            slider.value = LIMITS[name][1]
            assert slider.value == LIMITS[name][1]


def test_a_static_figure_and_a_sentence_stand_in_for_the_widget() -> None:
    explorer = explore(policies=["fifo", "drr"])
    figure = explorer.figure()
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes[:2]]
    assert titles == ["FIFO", "DRR"]
    assert "simulated again at every move" in explorer.sentence
    assert "Explorer" in explorer._repr_mimebundle_()["text/plain"]


def test_compact_mode_has_one_slider_and_says_what_happened() -> None:
    explorer = explore(policies=["fifo", "drr"], compact=True)
    (knobs,) = explorer.children[0].children
    assert [slider.description for slider in knobs.children] == ["Burst factor"]
    assert "FIFO: heavy gets 151 % of its fair share and waits up to 2.7 s." in explorer.sentence
    assert "20 small get at least 99 % of their fair share" in explorer.sentence
    labels = [ax.get_xlabel() for ax in explorer.figure().axes]
    assert "p99" not in " ".join(labels)
    full = explore()
    knobs, more = full.children[0].children
    first = [slider.description for slider in knobs.children]
    assert first == ["Burst factor", "Queue cap", "Quantum (ms)"]
    assert more.selected_index is None  # the others are folded away
    assert "2.7 s" not in full.sentence


def test_words_of_tenants_who_ask_for_nothing_or_are_not_served() -> None:
    scenario = Scenario([Tenant("a", 50), Tenant("idle", 0)], workers=1, horizon_s=10)
    said = in_words(explore(scenario).report("drr"))
    assert said["a"].startswith("gets 100 % of its fair share and waits up to ")
    assert said["idle"] == "asks for nothing"
    pair = Scenario([Tenant("a", 50), Tenant("b0", 0), Tenant("b1", 0)], workers=1, horizon_s=10)
    assert in_words(explore(pair).report("drr"))["2 b"] == "ask for nothing"


def test_negative_control_another_cap_is_seen() -> None:
    page, explorer = Page(), explore()
    n = page.draw(explorer, room=200_000)
    page.run(fifo(cap=1999))
    workload = explorer.scenario().workload(1)
    assert (page.column("outcome")[:n] != simulate(workload, fifo(cap=2000)).outcome).any()
