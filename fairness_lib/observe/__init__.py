"""Fairness in production: the book's metrics online, in bounded memory."""

from .alert import UnderShareAlert
from .clients import Clients, attempts, watch_clients
from .look_back import kept_over_time, look_back
from .monitor import FairnessMonitor
from .names import OTHER, label_of
from .replay import count_by_period, watch
from .series import Period, TenantSeries
from .tenant_metrics import TenantMetrics
from .waits import BUCKETS_S, WaitHistogram
from .window import WindowReport

__all__ = [
    "BUCKETS_S",
    "OTHER",
    "Clients",
    "FairnessMonitor",
    "Period",
    "TenantMetrics",
    "TenantSeries",
    "UnderShareAlert",
    "WaitHistogram",
    "WindowReport",
    "attempts",
    "count_by_period",
    "kept_over_time",
    "label_of",
    "look_back",
    "watch",
    "watch_clients",
]
