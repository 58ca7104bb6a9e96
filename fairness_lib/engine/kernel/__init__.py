"""The model again, as plain functions over flat arrays: for numba, and for the pages.

The readable modules say what the model is; this package says the same in the subset of Python
that numba compiles, natively (`compiled`) and to WebAssembly. Start, finish and outcome of every
task are bitwise those of `simulate`, workloads those of `Scenario.workload`, metrics those of
`measure`: same operations on float64, in the same order. It also runs as it stands, slowly; then
numpy warns of the overflow that 64-bit words are meant to have (``np.errstate(over="ignore")``).

The caller provides all memory and checks all input. Records hold columns that go by one index
each: tenant, task, worker or piece of rate. Columns are arrays, or pointers in a page. Integers
are int64 and words uint64, never mixed: numba would make a float of their sum.
"""

from . import drr, fifo
from .columns import (
    OUTCOMES,
    QUEUE_FULL,
    QUOTA,
    SERVED,
    WAITING,
    Buckets,
    Column,
    Pool,
    Tasks,
)
from .fair import CUTS, Fair, Fluid, share_fairly
from .measures import (
    BEHIND,
    BEHIND_P50,
    BEHIND_P99,
    CAPACITY,
    JAIN,
    MIN_X,
    MIN_X_TENANT,
    QUANTILES,
    SCALARS,
    UNDER_SHARE_P99,
    UTILISATION,
    UTILISATION_WITH_DRAIN,
    WINDOW_UTILISATION,
    WORST_BEHIND_P99,
    WORST_BEHIND_TENANT,
    Report,
    Scratch,
    Window,
    idle_while_queued,
    measure,
)
from .pool import simulate
from .queues import Queues
from .streams import ARRIVALS, COSTS
from .timeline import Timeline, state_costs, timeline
from .traffic import BIMODAL, DETERMINISTIC, EXPONENTIAL, Draws, Sources, generate

__all__ = [
    "ARRIVALS",
    "BEHIND",
    "BEHIND_P50",
    "BEHIND_P99",
    "BIMODAL",
    "CAPACITY",
    "COSTS",
    "CUTS",
    "DETERMINISTIC",
    "EXPONENTIAL",
    "JAIN",
    "MIN_X",
    "MIN_X_TENANT",
    "OUTCOMES",
    "QUANTILES",
    "QUEUE_FULL",
    "QUOTA",
    "SCALARS",
    "SERVED",
    "UNDER_SHARE_P99",
    "UTILISATION",
    "UTILISATION_WITH_DRAIN",
    "WAITING",
    "WINDOW_UTILISATION",
    "WORST_BEHIND_P99",
    "WORST_BEHIND_TENANT",
    "Buckets",
    "Column",
    "Draws",
    "Fair",
    "Fluid",
    "Pool",
    "Queues",
    "Report",
    "Scratch",
    "Sources",
    "Tasks",
    "Timeline",
    "Window",
    "drr",
    "fifo",
    "generate",
    "idle_while_queued",
    "measure",
    "share_fairly",
    "simulate",
    "state_costs",
    "timeline",
]
