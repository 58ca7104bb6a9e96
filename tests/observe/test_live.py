"""The live pool: the simulator's disciplines on a real clock, and the command that shows it."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from fairness_lib.policies.tasks import no_rejection

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
        (["--seconds", "0"], "--seconds must be finite and above 0"),
        (["--speed", "nan"], "--speed must be finite and above 0"),
        (["--window", "-1"], "--window must be finite and above 0"),
        (["--alert-ms", "0"], "--alert-ms must be finite and above 0"),
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


# --- what is plugged in may fail: nothing dies in silence -----------------------------------


class Told:
    """An observer that keeps what it is told, and raises at the calls that it is to fail at."""

    def __init__(self, failing=()):
        self.failing, self.calls = failing, []

    def __getattr__(self, event):
        if event not in ("arrived", "rejected", "started", "finished"):
            raise AttributeError(event)

        def note(task, tenant, *rest):
            self.calls.append((event, task, tenant))
            if len(self.calls) - 1 in self.failing:
                raise ConnectionError("no observatory")

        return note


async def serve_six(*observers):
    """Send six tasks and one that is turned away through two workers."""
    loop = asyncio.get_running_loop()
    async with LivePool(fifo(cap=6), ["a", "b"], 2, loop.time, observers=observers) as pool:
        results = [pool.submit("ab"[i % 2], lambda i=i: fine(i), 0.01) for i in range(6)]
        with pytest.raises(Rejected):
            pool.submit("a", lambda: fine(6), 0.01)
        given = await asyncio.wait_for(asyncio.gather(*results), 10)
        await asyncio.wait_for(pool.drained(), 10)
    return given, pool.failed_observations


@given(st.sets(st.integers(0, 19)))
def test_an_observer_may_fail_at_any_call_and_hurts_neither_the_pool_nor_the_others(failing):
    calm, faulty, after = Told(), Told(failing), Told()
    assert run_with_deadline(serve_six(calm)) == (list(range(6)), 0)
    assert run_with_deadline(serve_six(faulty, after)) == (list(range(6)), len(failing))
    assert len(calm.calls) == 20
    assert faulty.calls == calm.calls == after.calls


def test_a_failing_observer_is_logged(caplog):
    run_with_deadline(serve_six(Told({0})))
    (record,) = caplog.records
    assert record.exc_info[0] is ConnectionError
    assert "task 0 arrived" in record.getMessage()


class Faulty(Fifo):
    """A FIFO of which one method does as it is told at its n-th call."""

    def __init__(self, method, call, do):
        super().__init__(None)
        self.method, self.call, self.do = method, call, do

    def begin(self, tasks):
        super().begin(tasks)
        self.calls = 0

    def _turn(self, method, otherwise):
        if method == self.method:
            self.calls += 1
            if self.calls == self.call:
                return self.do()
        return otherwise()

    def put(self, task, now):
        return self._turn("put", lambda: super(Faulty, self).put(task, now))

    def take(self, now):
        return self._turn("take", lambda: super(Faulty, self).take(now))

    def finished(self, task, cost_s, now):
        return self._turn("finished", lambda: None)


def raising(error):
    def do():
        raise error

    return do


class Strange(BaseException):
    """No error by its class, and no end of the program either."""


FAILURES = [
    (ZeroDivisionError("by zero"), ZeroDivisionError, "by zero"),
    (StopIteration(3), RuntimeError, r"StopIteration\(3\)"),
    (Strange("odd"), Strange, "odd"),
]


async def break_a_pool(policy, workers, clock=None, kind=BaseException, said=""):
    """Let a pool fail; return what became of its eight tasks, and the pool."""
    results = []

    async def use(pool):
        async with pool:
            results.extend(pool.submit("a", lambda i=i: fine(i), 0.01) for i in range(8))
            await asyncio.wait_for(asyncio.wait(results), 10)  # none is pending for ever
            with pytest.raises(kind, match=said):
                await asyncio.wait_for(pool.drained(), 10)
            with pytest.raises(kind, match=said):
                pool.submit("a", lambda: fine(9), 0.01)

    pool = LivePool(policy, ["a"], workers, clock or asyncio.get_running_loop().time)
    with pytest.raises(kind, match=said):  # leaving raises it
        await use(pool)
    assert all(result.done() for result in results)
    return results, pool


@given(
    st.sampled_from(["take", "finished"]),
    st.integers(1, 8),
    st.integers(1, 3),
    st.sampled_from(FAILURES),
)
def test_a_discipline_that_raises_stops_the_pool_for_all_to_see(method, call, workers, failure):
    error, kind, said = failure
    policy = Policy("faulty", Faulty(method, call, raising(error)))
    results, pool = run_with_deadline(break_a_pool(policy, workers, kind=kind, said=said))
    assert pool.failure.__class__ is kind
    errors = [result.exception() for result in results]
    assert {*errors} <= {None, pool.failure}
    # who had been taken has got a result, the failing one's too
    served = [result.result() for result, e in zip(results, errors, strict=True) if e is None]
    assert served == list(range(len(served)))
    if method == "finished":
        assert len(served) >= call
    else:
        assert len(served) <= call - 1


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        (lambda: 7, None),  # the negative control: a task that waits
        (lambda: 0, "discipline gave task 0, which was not waiting"),
        (lambda: 99, "discipline gave task 99, which was not waiting"),
        (lambda: -1, "discipline gave task -1, which was not waiting"),
        (lambda: 1.0, r"discipline gave 1\.0, which is no task"),
        (lambda: "x", "discipline gave 'x', which is no task"),
        (lambda: [], r"discipline gave \[\], which is no task"),
    ],
)
def test_a_discipline_that_gives_what_does_not_wait_stops_the_pool(gives, said):
    policy = Policy("faulty", Faulty("take", 2, gives))
    if said is None:  # until the task is given once more, in its turn
        said = "discipline gave task 7, which was not waiting"
    run_with_deadline(break_a_pool(policy, 1, kind=ValueError, said=said))


def test_a_clock_that_raises_stops_the_pool():
    class Clock:
        calls = 0

        def __call__(self):
            self.calls += 1
            if self.calls == 12:
                raise OSError("no time")
            return float(self.calls)

    results, _ = run_with_deadline(break_a_pool(fifo(), 1, Clock(), OSError, "no time"))
    assert any(result.exception() is None for result in results)


def test_a_failure_is_logged_once_and_does_not_hide_what_the_block_raises(caplog):
    async def scenario():
        loop = asyncio.get_running_loop()
        policy = Policy("faulty", Faulty("take", 1, raising(ZeroDivisionError("by zero"))))
        async with LivePool(policy, ["a"], 2, loop.time) as pool:
            for _ in range(5):
                pool.submit("a", lambda: fine(1), 0.01)
            await asyncio.sleep(0.01)
            raise KeyError("own")

    with pytest.raises(KeyError, match="own"):
        run_with_deadline(scenario())
    gc.collect()  # nobody looked at five futures: no line for each of them
    (record,) = caplog.records
    assert record.exc_info[0] is ZeroDivisionError


@pytest.mark.parametrize("part", ["put", "admit"])
def test_a_policy_that_raises_for_one_task_turns_that_one_away_only(part):
    class Door:
        def begin(self, tasks):
            self.calls = 0

        def admit(self, task, now):
            self.calls += 1
            if part == "admit" and self.calls == 2:
                raise ZeroDivisionError("by zero")

    async def scenario():
        loop, seen = asyncio.get_running_loop(), Told()
        call = 2 if part == "put" else 99
        policy = Policy("odd", Faulty("put", call, raising(ZeroDivisionError("by zero"))), Door())
        async with LivePool(policy, ["a"], 1, loop.time, observers=[seen]) as pool:
            first = pool.submit("a", lambda: fine(1), 1.0)
            with pytest.raises(ZeroDivisionError):
                pool.submit("a", lambda: fine(2), 1.0)
            third = pool.submit("a", lambda: fine(3), 1.0)
            assert await asyncio.gather(first, third) == [1, 3]
        # what it was never told of cannot wait for ever in a monitor
        assert {task for _, task, _ in seen.calls} == {0, 2}

    run_with_deadline(scenario())


@pytest.mark.parametrize("part", ["put", "admit"])
@pytest.mark.parametrize(
    "wrong", [False, True, 0, 2, "quota", Outcome.SERVED, Outcome.WAITING, np.int8(2), np.zeros(2)]
)
def test_what_is_no_reason_is_refused_as_such_and_told_to_no_observer(part, wrong):
    class Door:
        def begin(self, tasks):
            pass

        def admit(self, task, now):
            return wrong if part == "admit" else None

    async def scenario():
        loop, seen = asyncio.get_running_loop(), Told()
        policy = Policy("odd", Faulty("put", 1 if part == "put" else 99, lambda: wrong), Door())
        async with LivePool(policy, ["a"], 1, loop.time, observers=[seen]) as pool:
            with pytest.raises(ValueError, match=re.escape(str(no_rejection(wrong, 0)))):
                pool.submit("a", lambda: fine(1), 1.0)
        assert seen.calls == []

    run_with_deadline(scenario())


def stop_iteration():
    raise StopIteration(4)


def strange():
    raise Strange("odd")


async def cancelled():
    inner = asyncio.ensure_future(asyncio.sleep(10))
    inner.cancel()
    await inner


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (broken, RuntimeError),
        (stop_iteration, RuntimeError),
        (lambda: 5, TypeError),
        (None, TypeError),
        (cancelled, asyncio.CancelledError),
    ],
)
def test_whatever_a_task_does_its_worker_goes_on(work, kind):
    async def scenario():
        loop, seen = asyncio.get_running_loop(), Told()
        async with LivePool(fifo(), ["a"], 1, loop.time, observers=[seen]) as pool:
            bad = pool.submit("a", work, 1.0)
            good = pool.submit("a", lambda: fine(2), 1.0)
            assert await asyncio.wait_for(good, 10) == 2
            with pytest.raises(kind):
                await bad
            await asyncio.wait_for(pool.drained(), 10)
        assert [event for event, task, _ in seen.calls if task == 0] == [
            "arrived",
            "started",
            "finished",
        ]

    run_with_deadline(scenario())


def test_work_that_raises_what_is_no_error_stops_the_pool():
    async def scenario():
        loop = asyncio.get_running_loop()
        async with LivePool(fifo(), ["a"], 1, loop.time) as pool:
            results = [pool.submit("a", strange, 1.0), pool.submit("a", lambda: fine(2), 1.0)]
            await asyncio.wait_for(asyncio.wait(results), 10)
            assert [type(result.exception()) for result in results] == [Strange, Strange]

    with pytest.raises(Strange):
        run_with_deadline(scenario())


def test_a_worker_that_somebody_else_cancels_stops_the_pool():
    async def scenario():
        loop = asyncio.get_running_loop()
        async with LivePool(fifo(), ["a"], 1, loop.time) as pool:

            async def suicide():
                asyncio.current_task().cancel()
                await asyncio.sleep(1)

            results = [pool.submit("a", suicide, 1.0), pool.submit("a", lambda: fine(2), 1.0)]
            await asyncio.wait_for(asyncio.wait(results), 10)
            assert results[0].cancelled()

    with pytest.raises(RuntimeError, match="a worker was cancelled"):
        run_with_deadline(scenario())


def test_a_pool_that_has_been_left_takes_no_tasks_and_waits_for_none():
    async def scenario():
        loop = asyncio.get_running_loop()
        pool = LivePool(fifo(), ["a"], 1, loop.time)
        async with pool:
            running = pool.submit("a", asyncio.Event().wait, 1.0)
            waiting = pool.submit("a", lambda: fine(1), 1.0)
            await asyncio.sleep(0.01)
        await asyncio.wait_for(pool.drained(), 10)
        with pytest.raises(RuntimeError, match="has been left"):
            pool.submit("a", lambda: fine(1), 1.0)
        with pytest.raises(RuntimeError, match="entered once"):
            async with pool:
                pass
        return running.cancelled(), waiting.cancelled()

    assert run_with_deadline(scenario()) == (True, True)


def test_a_pool_refuses_what_it_cannot_use_by_name():
    class Deaf:
        def arrived(self, *what):
            pass

    for options, said in (
        ({"clock": None}, "clock must be callable; got None"),
        ({"observers": 5}, "observers must be several observers; got 5"),
        ({"observers": [Deaf()]}, r"observers must have a method rejected\(\)"),
    ):
        with pytest.raises(TypeError, match=said):
            LivePool(**{"policy": fifo(), "tenants": ["a"], "workers": 1, "clock": float} | options)


def test_observers_hear_of_tenants_by_plain_names():
    async def scenario():
        loop, seen = asyncio.get_running_loop(), Told()
        async with LivePool(fifo(), ["a"], 1, loop.time, observers=[seen]) as pool:
            await pool.submit(np.str_("a"), lambda: fine(1), np.float64(1.0))
            for tenant in (["a"], None, b"a"):
                with pytest.raises(ValueError, match="tenant must be one of the pool's"):
                    pool.submit(tenant, lambda: fine(1), 1.0)
        assert {type(tenant) for _, _, tenant in seen.calls} == {str}

    run_with_deadline(scenario())


def test_a_live_run_whose_policy_fails_raises_and_one_whose_observer_fails_does_not():
    workload = Scenario([Tenant("a", 50)], workers=1, horizon_s=0.2).workload(1)
    run = run_with_deadline(run_live(workload, fifo(), 1, observers=[Told({*range(999)})]))
    assert run.counts()["served"] == len(workload)
    policy = Policy("faulty", Faulty("take", 2, raising(ZeroDivisionError("by zero"))))
    with pytest.raises(ZeroDivisionError, match="by zero"):
        run_with_deadline(run_live(workload, policy, 1))


def test_live_ends_when_nobody_reads_it_any_more():
    process = start("--seconds", "60", "--speed", "4")
    try:
        assert "metrics at" in process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
