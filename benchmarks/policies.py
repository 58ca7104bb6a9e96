"""``python -m benchmarks.policies``: what a task costs under every policy, few tenants or many.

Each policy runs by turns with DRR on the same traffic, both compiled. A run of one task for the
same tenants is taken off, so that what is left is the tasks' own: drawing hands, laying out
columns and emptying them is paid once a run.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from time import process_time

import pandas as pd

from fairness_lib import Policy, Workload, drr, simulate
from fairness_lib.engine import compiled
from fairness_lib.engine.timings import SAVED
from fairness_lib.runs.field import policies

from .cases import WORKERS, scenario

FEW, MANY = 25, 10_009
TURNS = 9


def run_s(work: Workload, policy: Policy) -> float:
    """CPU seconds of one compiled run."""
    begun = process_time()
    simulate(work, policy, WORKERS, engine="compiled")
    return process_time() - begun


def side_by_side(work: Workload, policy: Policy) -> tuple[float, float]:
    """CPU seconds of the tasks under this policy and under DRR, the least of several turns each."""
    one = Workload(work.tenants, [0.0], [0], [0.01], work.horizon_s)
    timed = [partial(run_s, *what) for what in ((work, policy), (work, drr()), (one, policy),
                                                (one, drr()))]  # fmt: skip
    for first in timed:
        first()  # compiled now, not when it is timed
    turns = [[each() for each in timed] for _ in range(TURNS)]
    mine, theirs, mine_empty, theirs_empty = map(min, zip(*turns, strict=True))
    return mine - mine_empty, theirs - theirs_empty


def picks() -> list[dict[str, object]]:
    """Measure every policy that the compiled tier has."""
    few, many = scenario(FEW), scenario(MANY)
    works = {len(s.tenants): compiled.generate(s, 1) for s in (few, many)}
    named = {name: (policy, policies(many)[name]) for name, policy in policies(few).items()}
    rows: list[dict[str, object]] = []
    for name, (with_few, with_many) in named.items():
        if compiled.obstacle(with_few, works[FEW]):
            continue
        spent, of_drr = side_by_side(works[FEW], with_few)
        crowded, crowded_drr = side_by_side(works[MANY], with_many)
        rows.append(
            {
                "policy": name,
                "us_a_task": 1e6 * spent / len(works[FEW]),
                "times_drr": spent / of_drr,
                "us_a_task_many": 1e6 * crowded / len(works[MANY]),
                "times_drr_many": crowded / crowded_drr,
                "times_few": crowded / len(works[MANY]) / (spent / len(works[FEW])),
            }
        )
    return rows


def main() -> int:
    rows = pd.DataFrame(picks())
    print(rows.to_string(float_format="{:.3g}".format, index=False))
    saved = json.loads(SAVED.read_text(encoding="utf-8"))
    saved["policies"] = rows.to_dict("records")
    SAVED.write_text(json.dumps(saved, indent=1, default=float) + "\n", encoding="utf-8")
    return 0 if rows.times_drr.max() <= 3 and rows.times_few.max() <= 1.5 else 1


if __name__ == "__main__":
    sys.exit(main())
