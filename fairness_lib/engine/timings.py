"""The engines' timings beside other simulators, as ``python -m benchmarks`` last saved them.

They come with the package, so that a notebook can show them wherever it runs: CPU milliseconds
on the machine that the results name, not on the reader's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SAVED = Path(__file__).with_suffix(".json")


def timings() -> dict[str, Any]:
    """Return what was measured: machine, rows of timings, and what was promised of them.

    Examples
    --------
    >>> rows = timings()["side_by_side"]
    >>> sorted(rows[0])
    ['agrees_on', 'cpu_ms', 'engine', 'length', 'policy', 'tasks', 'tenants', 'times_compiled']
    """
    saved: dict[str, Any] = json.loads(SAVED.read_text(encoding="utf-8"))
    return saved
