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

from . import drr, events, fifo, holding, optional, pool, queues
from .columns import (
    ABANDONED,
    OUTCOMES,
    QUEUE_FULL,
    QUOTA,
    SERVED,
    WAITING,
    Buckets,
    Column,
    Pool,
    Steps,
    Tasks,
)
from .events import (
    CAME,
    NO_ROOM,
    TALLY,
    WASTED,
    WOKEN_IN_VAIN,
    WOKEN_TOO_EARLY,
    Clients,
    Course,
    Crew,
    Outputs,
    simulate_events,
)
from .fair import CUTS, Fair, Fluid, share_fairly
from .holding import Hold
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
from .optional import OPTIONAL
from .pool import simulate
from .queues import Queues
from .streams import ARRIVALS, COSTS
from .traffic import BIMODAL, DETERMINISTIC, EXPONENTIAL, Draws, Sources, generate

__all__ = [
    "ABANDONED",
    "ARRIVALS",
    "BEHIND",
    "BEHIND_P50",
    "BEHIND_P99",
    "BIMODAL",
    "CAME",
    "CAPACITY",
    "COSTS",
    "CUTS",
    "DETERMINISTIC",
    "EXPONENTIAL",
    "JAIN",
    "MIN_X",
    "MIN_X_TENANT",
    "NO_ROOM",
    "OPTIONAL",
    "OUTCOMES",
    "QUANTILES",
    "QUEUE_FULL",
    "QUOTA",
    "SCALARS",
    "SERVED",
    "TALLY",
    "UNDER_SHARE_P99",
    "UTILISATION",
    "UTILISATION_WITH_DRAIN",
    "WAITING",
    "WASTED",
    "WINDOW_UTILISATION",
    "WOKEN_IN_VAIN",
    "WOKEN_TOO_EARLY",
    "WORST_BEHIND_P99",
    "WORST_BEHIND_TENANT",
    "Buckets",
    "Clients",
    "Column",
    "Course",
    "Crew",
    "Draws",
    "Fair",
    "Fluid",
    "Hold",
    "Outputs",
    "Pool",
    "Queues",
    "Report",
    "Scratch",
    "Sources",
    "Steps",
    "Tasks",
    "Window",
    "drr",
    "events",
    "fifo",
    "generate",
    "holding",
    "idle_while_queued",
    "measure",
    "optional",
    "pool",
    "queues",
    "share_fairly",
    "simulate",
    "simulate_events",
]
