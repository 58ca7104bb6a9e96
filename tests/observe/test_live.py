"""The live pool: the simulator's disciplines on a real clock, and the command that shows it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

from fairness_lib import (
    FairnessMonitor,
    Fifo,
    Outcome,
    Policy,
    Scenario,
    Tenant,
    TenantMetrics,
    article_scenario,
    drr,
    fifo,
    measure,
    quota,
    simulate,
)
from fairness_lib.__main__ import main
from fairness_lib.commands.live import Watch, live_scenario
from fairness_lib.observe.live import LivePool, Rejected, ScaledTime, run_live

MARGIN = 0.05
"""How far a tenant group's share of completions may be from the simulated one."""

GROUPS = {"heavy": slice(0, 1), "mid": slice(1, 5), "small": slice(5, 25)}


def burst(horizon_s: float) -> Scenario:
    """The article's tenants with the burst on all the time."""
    heavy, *others = article_scenario().tenants
    return Scenario([Tenant("heavy", 5 * heavy.rate_per_s), *others], 8, horizon_s)


def shares(run, window: tuple[float, float]) -> dict[str, float]:
    completed = measure(run, window).tenants["completed_per_s"].to_numpy()
    return {name: completed[part].sum() / completed.sum() for name, part in GROUPS.items()}


def run_with_deadline(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, timeout=60))


def test_live_shares_agree_with_simulated_ones():
    """Within 5 percentage points; FIFO's are 25 and more away, so the test can tell."""
    workload, window = burst(1.5).workload(1), (0.5, 1.5)
    simulated = shares(simulate(workload, drr(), 8), window)
    watched = Watch(TenantMetrics(), FairnessMonitor(8, 1.0, 0.5))
    run = run_with_deadline(run_live(workload, drr(), speed=0.6, observers=[watched]))
    live = shares(run, window)
    for group, share in simulated.items():
        assert live[group] == pytest.approx(share, abs=MARGIN)
    other = shares(simulate(workload, fifo(), 8), window)
    assert abs(other["heavy"] - simulated["heavy"]) > 4 * MARGIN
    # and what was watched while it ran is what the run says
    period = watched.metrics.close()
    assert period.total.arrived == len(workload)
    assert period.total.rejected["queue_full"] == run.counts()["queue_full"]
    assert period.total.started == run.counts()["served"]
    assert period.total.depth == 0
    assert watched.monitor.unmatched == 0


def test_live_run_loses_no_task_and_keeps_the_queues_bounded():
    workload = burst(0.6).workload(2)
    run = run_with_deadline(run_live(workload, drr(cap=20), speed=1.0))
    counts = run.counts()
    assert sum(counts.values()) == len(workload)
    assert counts["waiting"] == 0
    assert counts["queue_full"] > 0
    heavy = run.workload.tenant == 0
    assert (run.outcome[~heavy] == Outcome.SERVED).all()
    served = run.served
    # never more than eight at work: starts ahead of finishes
    moments = np.concatenate([run.start_s[served], run.finish_s[served]])
    change = np.repeat([1, -1], served.sum())
    order = np.lexsort((change, moments))
    assert np.cumsum(change[order]).max() <= 8


def test_live_quota_rejects_for_its_own_reason():
    workload = Scenario([Tenant("heavy", 2000)], 8, 0.3).workload(1)
    counts = run_with_deadline(run_live(workload, quota())).counts()
    assert counts["quota"] > 0
    assert counts["queue_full"] == 0


async def fine(result: object) -> object:
    await asyncio.sleep(0)
    return result


async def broken() -> None:
    raise RuntimeError("broken")


def test_pool_gives_results_and_exceptions_back_and_goes_on():
    async def scenario():
        loop = asyncio.get_running_loop()
        async with LivePool(drr(), ["a", "b"], 2, loop.time, weights={"b": 2.0}) as pool:
            bad = pool.submit("a", broken, 0.01)
            good = [pool.submit("b", lambda i=i: fine(i), 0.01) for i in range(5)]
            with pytest.raises(RuntimeError, match="broken"):
                await bad
            results = await asyncio.gather(*good)
            await pool.drained()
            return results

    assert run_with_deadline(scenario()) == list(range(5))


def test_pool_stops_a_policy_that_rejects_for_no_known_reason():
    class Odd(Fifo):
        def put(self, task, now):
            return True

    async def scenario():
        loop = asyncio.get_running_loop()
        async with LivePool(Policy("odd", Odd(None)), ["a"], 1, loop.time) as pool:
            with pytest.raises(ValueError, match="policy gave True for task 0; it must be None or"):
                pool.submit("a", lambda: fine(1), 1.0)

    run_with_deadline(scenario())


def test_pool_rejects_with_a_reason_and_cancels_what_it_cannot_finish():
    async def scenario():
        loop = asyncio.get_running_loop()
        async with LivePool(fifo(cap=1), ["a"], 1, loop.time) as pool:
            running = pool.submit("a", asyncio.Event().wait, 1.0)
            await asyncio.sleep(0.01)
            waiting = pool.submit("a", lambda: fine(1), 1.0)
            with pytest.raises(Rejected, match="queue_full") as caught:
                pool.submit("a", lambda: fine(2), 1.0)
            with pytest.raises(ValueError, match="tenant"):
                pool.submit("b", lambda: fine(3), 1.0)
            with pytest.raises(ValueError, match="estimate_s"):
                pool.submit("a", lambda: fine(3), -1.0)
        assert caught.value.reason is Outcome.QUEUE_FULL
        return running.cancelled(), waiting.cancelled()

    assert run_with_deadline(scenario()) == (True, True)


class Recording:
    """A FIFO that notes how it is called, in a list that its copies share."""

    def __init__(self):
        self.calls = []

    def begin(self, tasks):
        self.tasks, self.queue = tasks, []

    def put(self, task, now):
        self.calls.append(("put", task, self.tasks.tenant[task], self.tasks.estimate_s[task]))
        self.queue.append(task)

    def take(self, now):
        return self.queue.pop(0) if self.queue else None

    def finished(self, task, cost_s, now):
        self.calls.append(("finished", task, cost_s > 0))


def test_a_discipline_sees_the_same_calls_as_in_the_simulator():
    workload = Scenario([Tenant("a", 30), Tenant("b", 30)], workers=1, horizon_s=0.5).workload(1)
    simulated, live = Recording(), Recording()
    simulate(workload, Policy("recording", simulated), 1)
    run_with_deadline(run_live(workload, Policy("recording", live), 1, speed=2))
    for kind in ("put", "finished"):
        one, two = ([call for call in d.calls if call[0] == kind] for d in (simulated, live))
        assert one == two


def test_sleeping_too_long_is_made_up_for():
    async def scenario():
        time = ScaledTime(speed=2.0)
        for _ in range(40):
            await time.work(0.01)
        return time()

    assert run_with_deadline(scenario()) == pytest.approx(0.4, abs=0.1)


def test_live_scenario_is_the_articles_at_sixty_seconds():
    assert live_scenario(60) == article_scenario()
    assert live_scenario(6).tenants[0].bursts[0].from_s == 2.0


def start(*options: str) -> subprocess.Popen[str]:
    def obey_ctrl_c() -> None:  # a shell may have started us with SIGINT ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return subprocess.Popen(
        [sys.executable, "-m", "fairness_lib", "live", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=obey_ctrl_c,
    )


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_live_serves_metrics_on_localhost_only_and_ends_cleanly(how):
    process = start("--seconds", "60", "--speed", "4", "--window", "1")
    try:
        head = process.stdout.readline()
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/metrics", head).group(1))
        for _ in range(2):
            assert "Jain" in process.stdout.readline()
        url = f"http://127.0.0.1:{port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as response:
            text = response.read().decode()
        assert 'fairness_tenant_arrivals_total{tenant="heavy"}' in text
        assert "fairness_jain_index" in text
        series = set(re.findall(r'arrivals_total{tenant="([^"]+)"}', text))
        assert len(series) <= 11
        with socket.socket() as other:  # it listens on 127.0.0.1, not on all addresses
            other.settimeout(2)
            assert other.connect_ex(("127.0.0.2", port)) != 0
        process.send_signal(how)
        rest, errors = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0
    assert errors == ""
    assert "stopped early" in rest


def test_live_runs_to_its_end(capsys):
    arguments = ["--policy", "fifo", "--seconds", "3", "--speed", "3", "--port", "0"]
    assert main(["live", *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("fifo, 3 s at speed 3")
    assert [line.split()[0] for line in lines[1:]] == ["1.0", "2.0", "3.0"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--seconds", "0"], "--seconds must be above 0"),
        (["--speed", "nan"], "--speed must be above 0"),
        (["--window", "-1"], "--window must be above 0"),
        (["--alert-ms", "0"], "--alert-ms must be above 0"),
        (["--port", "-1"], "--port"),
        (["--port", "70000"], "cannot listen on 127.0.0.1:70000"),
        (["--top-k", "-3"], "top_k"),
    ],
)
def test_live_says_what_the_user_can_mend(options, said, capsys):
    assert main(["live", *options]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.err.count("\n") == 1


def test_live_says_when_the_port_is_taken(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["live", "--port", str(taken.getsockname()[1])]) == 2
    assert "in use" in capsys.readouterr().err
