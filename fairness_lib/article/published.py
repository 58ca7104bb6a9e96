"""The article's published figures, as printed: what every reproduction is compared with.

Source: the article that the book follows, its results table (seed 1), the ranges over seeds
1 to 3, and the control in which the heavy tenant is alone. A figure keeps the text it was
printed as, because that text says to which digit it can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass

UNITS = {
    "demand_per_s": "tasks/s",
    "heavy_p99_wait_s": "s",
    "heavy_per_s": "tasks/s",
    "jain": "",
    "min_x": "",
    "p99_wait_ms": "ms",
    "utilisation": "",
}
"""Unit of each published metric; none for a ratio."""


@dataclass(frozen=True)
class Figure:
    """One number that the article prints.

    Attributes
    ----------
    scenario : str
        ``burst``, the scenario of 25 tenants, or ``solo``, its heavy tenant alone.
    seeds : str
        What of the seeds it shows: ``1``, or the ``lowest`` or ``highest`` of seeds 1 to 3.
    policy : str
        ``fifo``, ``quota``, ``drr`` or ``drr_quota``; ``any`` for the demand, which has none.
    metric : str
        A key of `UNITS`.
    printed : str
        The number as the article prints it.
    note : str
        Why ours is known to differ in the last digit, if it does.
    """

    scenario: str
    seeds: str
    policy: str
    metric: str
    printed: str
    note: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Scenario, seeds, policy and metric."""
        return self.scenario, self.seeds, self.policy, self.metric

    @property
    def value(self) -> float:
        """The number."""
        return float(self.printed)

    @property
    def digits(self) -> int:
        """Digits it was printed with after the decimal point."""
        return len(self.printed.partition(".")[2])

    def agrees(self, ours: float) -> bool:
        """Whether `ours`, rounded as this figure was printed, is the same number."""
        return f"{ours:.{self.digits}f}" == self.printed


_TABLE_COLUMNS = ("jain", "min_x", "p99_wait_ms", "heavy_per_s", "utilisation")
_TABLE = {
    "fifo": ("0.757", "0.264", "2601.6", "684.5", "0.990"),
    "quota": ("1.000", "0.972", "138.4", "453.7", "0.944"),
    "drr": ("1.000", "0.989", "19.5", "468.1", "0.953"),
    "drr_quota": ("1.000", "0.971", "18.6", "452.7", "0.944"),
}
_RANGES = (
    ("fifo", "jain", "0.736", "0.757"),
    ("fifo", "p99_wait_ms", "2602", "2669"),
    ("quota", "p99_wait_ms", "138", "286"),
    ("drr", "p99_wait_ms", "19", "22"),
    ("drr", "heavy_p99_wait_s", "0.52", "0.57"),
)
_SOLO = {"fifo": ("790.5", "0.704"), "quota": ("454.6", "0.522"), "drr": ("792.4", "0.667")}

KNOWN_DIFFERENCES = {
    ("burst", "drr_quota", "heavy_per_s"): (
        "one in the last digit: with the reconstructed traffic 9,053 of heavy's tasks finish in "
        "the 20 s window, 452.65 a second; the printed 452.7 takes one task more"
    ),
    ("solo", "quota", "utilisation"): (
        "one in the last digit: with the reconstructed traffic it is 0.52147; the printed 0.522 "
        "takes 0.5215, about one task of 10 ms more in 480 worker-seconds"
    ),
}
"""The two figures that differ by one in the last digit, and why, by (scenario, policy, metric)."""


def _figure(scenario: str, seeds: str, policy: str, metric: str, printed: str) -> Figure:
    known = KNOWN_DIFFERENCES.get((scenario, policy, metric), "")
    return Figure(scenario, seeds, policy, metric, printed, known)


FIGURES: tuple[Figure, ...] = (
    *(
        _figure("burst", "1", policy, metric, printed)
        for policy, row in _TABLE.items()
        for metric, printed in zip(_TABLE_COLUMNS, row, strict=True)
    ),
    *(
        _figure("burst", seeds, policy, metric, printed)
        for policy, metric, *ends in _RANGES
        for seeds, printed in zip(("lowest", "highest"), ends, strict=True)
    ),
    _figure("burst", "lowest", "drr", "min_x", "0.979"),
    _figure("solo", "1", "any", "demand_per_s", "1001"),
    *(
        _figure("solo", "1", policy, metric, printed)
        for policy, row in _SOLO.items()
        for metric, printed in zip(("heavy_per_s", "utilisation"), row, strict=True)
    ),
)
"""Every published figure, in the article's order."""
