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

from .columns import (
    FRUITLESS,
    OUTCOMES,
    QUEUE_FULL,
    QUOTA,
    RING_LAST,
    RING_SIZE,
    SERVED,
    WAITING,
    Column,
    Rules,
    State,
    Tasks,
)
from .measures import (
    CAPACITY,
    FINISHED,
    JAIN,
    MIN_X,
    MIN_X_TENANT,
    QUANTILES,
    SCALARS,
    UNDER_SHARE_P99,
    UTILISATION,
    Report,
    Scratch,
    Window,
    idle_while_queued,
    measure,
)
from .pool import simulate
from .streams import ARRIVALS, COSTS
from .traffic import BIMODAL, DETERMINISTIC, EXPONENTIAL, Draws, Sources, generate

__all__ = [
    "ARRIVALS",
    "BIMODAL",
    "CAPACITY",
    "COSTS",
    "DETERMINISTIC",
    "EXPONENTIAL",
    "FINISHED",
    "FRUITLESS",
    "JAIN",
    "MIN_X",
    "MIN_X_TENANT",
    "OUTCOMES",
    "QUANTILES",
    "QUEUE_FULL",
    "QUOTA",
    "RING_LAST",
    "RING_SIZE",
    "SCALARS",
    "SERVED",
    "UNDER_SHARE_P99",
    "UTILISATION",
    "WAITING",
    "Column",
    "Draws",
    "Report",
    "Rules",
    "Scratch",
    "Sources",
    "State",
    "Tasks",
    "Window",
    "generate",
    "idle_while_queued",
    "measure",
    "simulate",
]
