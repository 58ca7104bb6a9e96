"""From a trace to a decision: which policy, which pool, by what margin, or that it cannot say."""

from .capacity import Capacity, capacity
from .compare import Comparison, compare
from .verdict import Decision

__all__ = ["Capacity", "Comparison", "Decision", "capacity", "compare"]
