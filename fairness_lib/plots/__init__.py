"""The book's figures: each function draws on the `ax` it is given, and returns it."""

from .alternatives import collision_odds, demand_met, kept_in_a_crowd, resource_use
from .decisions import offered_load, waits_by_tenant
from .diagrams import schedule, task_path, water_filling, worker_of
from .parameters import (
    fruitless_visits,
    parameter_plane,
    served_by_group,
    served_in_time,
    wait_by_cap,
    wait_by_quantum,
    wait_by_spare_rate,
)
from .results import throughput, wait_p99
from .style import (
    GROUP_COLORS,
    GROUP_MARKERS,
    POLICY_COLORS,
    POLICY_LABELS,
    by_group,
    group_of,
    group_style,
    label_line,
    policy_label,
    use_style,
)
from .traffic import arrivals, queue_length, waits_over_time

__all__ = [
    "GROUP_COLORS",
    "GROUP_MARKERS",
    "POLICY_COLORS",
    "POLICY_LABELS",
    "arrivals",
    "by_group",
    "collision_odds",
    "demand_met",
    "fruitless_visits",
    "group_of",
    "group_style",
    "kept_in_a_crowd",
    "label_line",
    "offered_load",
    "parameter_plane",
    "policy_label",
    "queue_length",
    "resource_use",
    "schedule",
    "served_by_group",
    "served_in_time",
    "task_path",
    "throughput",
    "use_style",
    "wait_by_cap",
    "wait_by_quantum",
    "wait_by_spare_rate",
    "wait_p99",
    "waits_by_tenant",
    "waits_over_time",
    "water_filling",
    "worker_of",
]
