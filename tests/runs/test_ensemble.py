"""Many runs give one table: whatever the executor, the order, the tier or the interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest

from fairness_lib import (
    Burst,
    Policy,
    Scenario,
    Tenant,
    Workload,
    article_scenario,
    article_workload,
    drr,
    fifo,
    measure,
    replicate,
    simulate,
    sweep,
)
from fairness_lib.policies.fifo import Fifo
from fairness_lib.runs.runs_file import RunsFile

HERE = Path(__file__).parent
WINDOW = {"window": (1.0, 3.0)}


def scenario(burst_factor: float = 5.0) -> Scenario:
    heavy = Tenant("heavy", 100.0, bursts=(Burst(1.0, 3.0, burst_factor),))
    return Scenario((heavy, Tenant("a", 20.0), Tenant("b", 10.0)), workers=2, horizon_s=4.0)


def traffic(seed: int, burst_factor: float = 5.0) -> Workload:
    return scenario(burst_factor).workload(seed)


class Broken(Fifo):
    """Fails on the traffic of seeds with many tasks, as a reader's own discipline may."""

    def begin(self, tasks):
        super().begin(tasks)
        if len(tasks.tenant) % 2:
            raise ZeroDivisionError("own discipline")


POLICIES = {"fifo": fifo, "drr": drr}
GRID = {"burst_factor": [2.0, 5.0], "quantum_s": [0.001, 0.1], "cap": [5, 100]}


def small(**how) -> pd.DataFrame:
    return sweep(scenario, POLICIES, GRID, seeds=range(3), **WINDOW, **how)


@pytest.fixture(scope="module")
def serial() -> pd.DataFrame:
    return small()


# --- what is in the table -------------------------------------------------------------


def test_each_run_is_in_the_table_once(serial) -> None:
    assert not serial.duplicated(["policy", *GRID, "seed"]).any()
    assert serial["policy"].value_counts().to_dict() == {"drr": 2 * 2 * 2 * 3, "fifo": 2 * 2 * 3}
    assert serial.loc[serial["policy"] == "fifo", "quantum_s"].isna().all()


@pytest.mark.parametrize("engine", ["readable", "auto"])
def test_a_row_says_what_measure_says(engine) -> None:
    row = small(engine=engine).query(
        "policy == 'drr' and burst_factor == 5 and quantum_s == 0.1 and cap == 5 and seed == 2"
    )
    run = simulate(scenario().workload(2), drr(quantum_s=0.1, cap=5), 2, engine="readable")
    for name, value in measure(run, (1.0, 3.0)).scalars().items():
        assert row[name].item() == value
    assert row["served"].item() == run.counts()["served"]
    assert row["rejected_queue_full"].item() == run.counts()["queue_full"]


def test_tiers_give_the_same_table(serial) -> None:
    pd.testing.assert_frame_equal(small(engine="readable"), serial, check_exact=True)


def test_one_row_a_tenant_on_request() -> None:
    table = replicate(scenario(), [drr()], seeds=[1, 2], by="tenant", **WINDOW)
    report = measure(simulate(scenario().workload(2), drr(), 2, engine="readable"), (1.0, 3.0))
    mine = table[table["seed"] == 2].set_index("tenant")
    for name in ("demand_per_s", "fair_share_per_s", "x", "arrived", "wait_p99_s", "under_share"):
        pd.testing.assert_series_equal(mine[name], report.tenants[name])
    assert len(table) == 2 * 3


def test_all_policies_meet_the_same_traffic() -> None:
    table = replicate(scenario(), POLICIES, seeds=range(4), by="tenant", **WINDOW)
    demand = table.pivot(index=["seed", "tenant"], columns="policy", values="demand_per_s")
    assert (demand["fifo"] == demand["drr"]).all()
    assert demand["fifo"].unstack().nunique().min() > 1  # and every seed is another


def test_a_callable_may_make_the_traffic(serial) -> None:
    table = sweep(traffic, POLICIES, GRID, seeds=range(3), workers=2, **WINDOW)
    pd.testing.assert_frame_equal(table, serial, check_exact=True)


def test_the_articles_own_traffic_can_be_replicated() -> None:
    table = replicate(article_workload, {"drr": drr}, seeds=[1])
    expected = measure(simulate(article_workload(1), drr()))
    assert table["jain"].item() == expected.jain


def test_workers_can_be_swept() -> None:
    table = sweep(scenario(), {"fifo": fifo()}, {"workers": [1, 2]}, seeds=[1], **WINDOW)
    assert table["served"].is_monotonic_increasing
    assert table["workers"].tolist() == [1, 2]


# --- executors --------------------------------------------------------------------------


class Backwards(Executor):
    """Makes runs when they are asked for, the last one first."""

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        waiting.append((future, fn, args))
        if len(waiting) == 6:
            for other, work, given in reversed(waiting):
                other.set_result(work(*given))
            waiting.clear()
        return future


waiting: list = []


def test_the_order_of_completion_does_not_matter(serial) -> None:
    pd.testing.assert_frame_equal(small(executor=Backwards()), serial, check_exact=True)


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


def test_processes_give_the_same_table(serial, processes) -> None:
    pd.testing.assert_frame_equal(small(executor=processes), serial, check_exact=True)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same_table_though_a_worker_is_killed(serial, cluster) -> None:
    executor = cluster.get_executor(pure=False)
    pd.testing.assert_frame_equal(small(executor=executor), serial, check_exact=True)

    pids = list(cluster.run(os.getpid).values())
    killed = []

    class Killing(Executor):
        def submit(self, fn, /, *args, **kwargs):
            future = executor.submit(fn, *args, **kwargs)
            if not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
            return future

    pd.testing.assert_frame_equal(small(executor=Killing()), serial, check_exact=True)
    assert killed


# --- kept on disk -----------------------------------------------------------------------


def test_a_finished_sweep_is_read_and_not_made_again(serial, tmp_path) -> None:
    out = tmp_path / "runs.parquet"
    pd.testing.assert_frame_equal(small(out=out), serial, check_exact=True)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.parquet"]
    with patch("fairness_lib.runs.ensemble._work", side_effect=AssertionError):
        pd.testing.assert_frame_equal(small(out=out), serial, check_exact=True)


def test_more_seeds_and_other_grids_add_to_the_file(serial, tmp_path) -> None:
    out = tmp_path / "runs.parquet"
    for seeds, grid in (([1], {}), ([0, 1], {"cap": [5]}), ([2], {"burst_factor": [2.0]})):
        sweep(scenario, POLICIES, grid, seeds, out=out, **WINDOW)
    pd.testing.assert_frame_equal(small(out=out), serial, check_exact=True)
    assert len(pd.read_parquet(out)) == 2 + 4 + 2 + len(serial)


def test_another_scenario_is_not_taken_from_the_file(tmp_path) -> None:
    out = tmp_path / "runs.parquet"
    one = replicate(scenario(2.0), {"drr": drr}, [1], out=out, **WINDOW)
    other = replicate(scenario(5.0), {"drr": drr}, [1], out=out, **WINDOW)
    third = replicate(scenario(5.0), {"drr": drr(quantum_s=1.0)}, [1], out=out, **WINDOW)
    assert one["served"].item() != other["served"].item()
    assert other["fruitless_visits"].item() != third["fruitless_visits"].item()


def test_a_journal_with_half_a_line_is_mended(tmp_path) -> None:
    out = tmp_path / "runs.parquet"
    (tmp_path / "runs.parquet.journal").write_text(
        json.dumps(["a", [{"x": 1.5}]]) + "\n" + '["b", [{"x": 2.', encoding="utf-8"
    )
    with RunsFile(out) as file:
        assert file.rows == {"a": [{"x": 1.5}]}
        file.add("c", [{"x": 0.1}])
    assert pd.read_parquet(out)["x"].tolist() == [1.5, 0.1]


def test_a_file_of_something_else_is_left_alone(tmp_path) -> None:
    out = tmp_path / "mine.parquet"
    pd.DataFrame({"x": [1]}).to_parquet(out)
    before = out.read_bytes()
    with pytest.raises(ValueError, match="holds others"):
        small(out=out)
    assert out.read_bytes() == before


SCRIPT = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
sys.path.insert(0, {here!r})
from test_ensemble import POLICIES, slow
from fairness_lib import replicate

if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as executor:
        replicate(slow, POLICIES, range(40), workers=2, window=(1.0, 3.0),
                  out={out!r}, executor=executor, engine="readable")
"""


def slow(seed: int) -> Workload:
    time.sleep(float(os.environ.get("SLOW_S", "0")))
    return traffic(seed)


def start(out: Path) -> subprocess.Popen:
    script = out.with_suffix(".py")
    script.write_text(SCRIPT.format(here=str(HERE), out=str(out)), encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script)],
        env=os.environ | {"SLOW_S": "0.1"},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def await_runs(out: Path, n: int) -> None:
    journal = out.with_name(out.name + ".journal")
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") >= n:
            return
        time.sleep(0.05)
    raise AssertionError("the sweep does not get going")


def left_behind(session: int) -> list[int]:
    """Processes of a session that are alive."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(entry.parent.name))
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


@needs_proc
@pytest.mark.parametrize("how", ["kill -9", "Ctrl-C"])
def test_an_interrupted_sweep_goes_on_where_it_stopped(tmp_path, how) -> None:
    out = tmp_path / "runs.parquet"
    process = start(out)
    await_runs(out, 6)
    if how == "kill -9":
        for pid in left_behind(process.pid):
            os.kill(pid, signal.SIGKILL)
    else:
        os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=20) != 0
    for _ in range(100):  # what was killed may take a moment to be gone
        if not left_behind(process.pid):
            break
        time.sleep(0.05)
    assert left_behind(process.pid) == []

    with RunsFile(out) as file:
        kept = len(file.rows)
    assert 6 <= kept < 80
    rest = replicate(slow, POLICIES, range(40), workers=2, out=out, **WINDOW)
    whole = replicate(slow, POLICIES, range(40), workers=2, **WINDOW)
    pd.testing.assert_frame_equal(rest, whole, check_exact=True)
    assert len(pd.read_parquet(out)) == len(whole) == 80


def test_a_killed_process_of_a_pool_loses_nothing_that_was_done(serial, tmp_path) -> None:
    out = tmp_path / "runs.parquet"
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(Exception, match="terminated abruptly"),
    ):
        sweep(suicidal, POLICIES, GRID, range(3), workers=2, out=out, executor=executor, **WINDOW)
    done = len(pd.read_parquet(out))
    assert 0 < done < len(serial)


def suicidal(seed: int, burst_factor: float) -> Workload:
    if seed == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return traffic(seed, burst_factor)


# --- what is refused, and what fails ------------------------------------------------------


@pytest.mark.parametrize("where", ["here", "in processes"])
def test_a_failing_run_names_its_parameters_and_the_others_are_kept(
    where, request, tmp_path
) -> None:
    executor = request.getfixturevalue("processes") if where == "in processes" else None
    odd = next(s for s in range(99) if len(scenario().workload(s)) % 2)
    policies = {"fifo": fifo, "mine": Policy("mine", Broken())}
    out = tmp_path / "runs.parquet"
    with pytest.raises(RuntimeError, match=f"policy='mine', seed={odd}: ZeroDivisionError: own"):
        replicate(scenario(), policies, [odd], out=out, executor=executor, **WINDOW)
    assert pd.read_parquet(out)["policy"].tolist() == ["fifo"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": {"quantum": [0.1]}}, "'quantum', which neither"),
        ({"grid": {"cap": []}}, r"grid\['cap'\] must hold"),
        ({"grid": {"jain": [1]}}, "grid may not name 'jain'"),
        ({"seeds": []}, "seeds must hold"),
        ({"seeds": [1, 1]}, "seeds must be distinct"),
        ({"seeds": [-1]}, "seeds must be a whole number"),
        ({"policies": {}}, "policies must hold"),
        ({"policies": [fifo(), fifo()]}, "policies must be distinct"),
        ({"by": "seed"}, "by must be one of"),
        ({"engine": "fast"}, "engine must be one of"),
        ({"unit": "luck"}, "unit must be one of"),
        ({"workers": 0}, "workers must be"),
        ({"grid": {"workers": [1]}, "workers": 2}, "workers must be given once"),
        ({"out": "no/such/folder/runs.parquet"}, "out must be in a directory"),
    ],
)
def test_what_is_not_allowed_is_named(change, message) -> None:
    given = {"traffic": scenario, "policies": POLICIES, "grid": {}, "seeds": [1], **WINDOW}
    with pytest.raises(ValueError, match=message):
        sweep(**given | change)


def test_wrong_kinds_are_named() -> None:
    with pytest.raises(TypeError, match="traffic must give a Scenario"):
        replicate(lambda: 3, POLICIES, [1])
    with pytest.raises(TypeError, match=r"policies\['a'\] must give a Policy"):
        replicate(scenario, {"a": lambda: 3}, [1])
    with pytest.raises(TypeError, match="policies must be by name"):
        replicate(scenario, [fifo], [1])
    with pytest.raises(RuntimeError, match="traffic must give a Workload"):
        replicate(lambda seed: 3, POLICIES, [1])


def test_no_progress_bar_where_nobody_looks(capsys) -> None:
    small()
    assert capsys.readouterr().err == ""
    replicate(scenario(), [fifo()], [1], progress=True, **WINDOW)
    assert "1/1" in capsys.readouterr().err


def test_article_scenario_takes_its_burst_from_the_grid() -> None:
    grid = {"burst_factor": [1.0, 5.0]}
    table = sweep(article_scenario, {"drr": drr}, grid, [1])
    assert table["rejected_queue_full"].is_monotonic_increasing
