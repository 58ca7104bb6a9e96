"""Traces: a log of tasks becomes a workload, and says what it took for what."""

from .cost import CostExpression
from .reading import read_trace
from .source import TraceError
from .trace import Trace

__all__ = ["CostExpression", "Trace", "TraceError", "read_trace"]
