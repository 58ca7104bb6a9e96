"""What happened to each group of tenants, in the words of the page (`words.js` says the same)."""

from __future__ import annotations

from math import floor

from ..measures.report import FairnessReport
from ..plots.style import by_group


def in_words(report: FairnessReport) -> dict[str, str]:
    """Say of each group what its worst-off tenant got, and what its longest p99 wait is.

    >>> from fairness_lib import article_scenario, drr, measure, simulate
    >>> workload = article_scenario().workload(seed=1)
    >>> in_words(measure(simulate(workload, drr())))["20 small"]
    'get at least 99 % of their fair share and wait up to 25 ms'
    """
    tenants, said = report.tenants, {}
    for group, members in by_group(list(tenants.index)).items():
        rows = tenants.iloc[members]
        several = len(members) > 1
        asking = rows[rows["arrived"] > 0]
        if asking.empty:
            words = "ask for nothing" if several else "asks for nothing"
        else:
            least = f"{floor(100 * asking['x'].min() + 0.5)} %"
            words = f"get at least {least} of their" if several else f"gets {least} of its"
            words += " fair share"
            if (wait_s := rows["wait_p99_s"].max()) == wait_s:
                words += f" and {'wait' if several else 'waits'} up to {plain_time(wait_s)}"
        said[f"{len(members)} {group}" if several else group] = words
    return said


def plain_time(seconds: float) -> str:
    """Write a time with two digits, as the page does.

    >>> plain_time(2.652), plain_time(0.0249), plain_time(0.5)
    ('2.7 s', '25 ms', '500 ms')
    """
    ms = 1e3 * seconds
    return f"{float(f'{ms / 1e3:.2g}'):g} s" if ms >= 1000 else f"{float(f'{ms:.2g}'):g} ms"
