"""Wide tasks kept in one piece: held against the split ones, and said."""

from __future__ import annotations

import io

import numpy as np
import pytest

from fairness_lib import Trace, compare, fifo, read_trace, simulate
from fairness_lib.decide.whole import kept_whole
from fairness_lib.policies.policy import POLICIES


def jobs(widest: int, seed: int = 1) -> Trace:
    """Return a heavy user of wide jobs in bursts, and light ones of narrow jobs."""
    chance = np.random.default_rng(seed)
    rows = [
        f"big,{100 * b + i},{chance.integers(1, widest + 1)},4" for b in range(4) for i in range(60)
    ]
    rows += [f"small{i % 4},{i},1,0.5" for i in range(400)]
    return read_trace(io.BytesIO("\n".join(["user,submit,nodes,runtime", *rows]).encode()))


def test_where_no_task_is_wide_nothing_is_said() -> None:
    found = compare(jobs(1), workers=4, policies=["fifo", "drr"])
    assert list(kept_whole(found)) == []
    assert not any("whole" in line for line in found.to_dict()["alerts"])


def test_widths_kept_are_the_engine_s_own_run_and_drr_still_helps() -> None:
    trace = jobs(4)
    found = compare(trace, workers=8, policies=["fifo", "drr"])
    now, fair = kept_whole(found)
    light = trace.whole.tenant != trace.whole.tenants.index("big")
    wait_s = simulate(trace.whole, fifo(cap=None), 8).wait_s
    assert (now.policy, fair.policy) == ("fifo", "drr")
    assert now.whole_s == pytest.approx(wait_s[light].mean())
    assert fair.whole_s < now.whole_s
    said = [line for line in found.to_dict()["alerts"] if "whole" in line]
    assert "drr: " in said[0]
    assert len(said) == 1  # the verdict holds


def test_tasks_as_fast_again_keep_their_width() -> None:
    found = compare(jobs(4), workers=8, policies=["fifo", "drr"], load=2)
    now, _ = kept_whole(found)
    assert now.whole_s > next(iter(kept_whole(compare(jobs(4), workers=8)))).whole_s


def test_a_pool_that_is_too_small_is_said_and_every_policy_can_be_asked() -> None:
    small = compare(jobs(4), workers=3, policies=["fifo", "drr"])
    assert any("cannot be run" in line for line in small.to_dict()["alerts"])
    names = [name for name in POLICIES if "quota" not in name]
    found = compare(jobs(4), workers=8, policies=names)
    assert [one.policy for one in kept_whole(found)] == names
