"""Measures of groups of tenants: sums and quantiles over all their tasks together."""

from __future__ import annotations

import numpy as np
import pytest
from cases import article_report, tasks

from fairness_lib import Outcome, article_workload, fifo, measure, simulate

GROUPS = {"others": ["mid*", "small*"], "heavy": "heavy", "one": ["small07", "mid?"]}


@pytest.mark.parametrize("policy", ["fifo", "drr"])
def test_a_group_is_measured_over_all_its_tasks_together(policy) -> None:
    report = article_report(policy, 1)
    table, run = report.by_group(GROUPS), report.run
    assert table.index.tolist() == list(GROUPS)
    assert table["tenants"].tolist() == [24, 1, 5]
    work = run.workload
    inside = (work.arrival_s >= 20) & (work.arrival_s < 40)
    others = inside & (work.tenant != work.tenants.index("heavy"))
    row = table.loc["others"]
    assert row["arrived"] == others.sum()
    assert row["rejected"] == (others & (run.outcome == Outcome.QUEUE_FULL)).sum()
    waits = np.sort(run.wait_s[others & run.served])
    assert row["wait_p99_s"] == waits[int(0.99 * (len(waits) - 1))]
    assert row["owed"] == report.tenants.drop("heavy")["owed"].sum()
    in_time = (run.wait_s[others & run.served] <= 0.05).sum()  # all of theirs are owed here
    assert row["kept"] == in_time / others.sum()


def test_a_group_of_all_is_the_report() -> None:
    report = article_report("quota", 1)
    row = report.by_group({"all": "*"}).loc["all"]
    assert (row["owed"], row["kept"]) == (report.owed, report.kept)
    assert row["behind_p99_s"] == report.behind_p99_s


def test_a_group_that_is_owed_nothing_keeps_nothing() -> None:
    work = tasks(("a", 0.0, 9.0), ("a", 1.0, 1.0), ("b", 1.0, 1.0), horizon_s=20.0)
    report = measure(simulate(work, fifo(), workers=1), (1.0, 20.0))
    kept = report.by_group({"a": "a", "b": "b"})["kept"]
    assert np.isnan(kept["a"])
    assert kept["b"] == 0


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"a": "nobody*"}, r"groups\['a'\] must match tenants; 'nobody\*' matches none"),
        ({"a": []}, r"groups\['a'\] must name at least one tenant"),
        ({"a": 5}, r"groups\['a'\] must be several names; got 5"),
        (["heavy"], r"groups must be a mapping"),
    ],
)
def test_what_is_not_allowed_is_named(groups, said) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        article_report("drr", 1).by_group(groups)


def test_labels_are_measured_as_groups_are() -> None:
    """With one label a tenant, and one group a tenant, both tables say the same."""
    work = article_workload(1)
    labelled = work.with_labels(work.tenant, work.tenants)
    report = measure(simulate(labelled, fifo()))
    by_group = report.by_group({name: name for name in work.tenants})
    by_label = report.by_label()
    assert by_label.index.name == "label"
    assert by_label.equals(by_group[by_label.columns].rename_axis("label"))
    assert by_label["arrived"].sum() == report.tenants["arrived"].sum()


def test_without_labels_there_is_no_report_by_label() -> None:
    with pytest.raises(ValueError, match="workload must have labels"):
        measure(simulate(article_workload(1), fifo())).by_label()
