"""When to wake somebody: an alert that neither flutters nor sleeps.

The under-share p99 wait is what a tenant within its share feels of the others, and its threshold
follows from a service objective. Two thresholds and two counts keep the alert from switching at
every wiggle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan

from .. import _check
from .window import WindowReport


@dataclass
class UnderShareAlert:
    """Fires on a high under-share p99 wait, and clears on a low one for some time.

    It goes by `WindowReport.under_share_p99_so_far_s`, so that a stuck queue fires it. A report
    without any task to judge by leaves it as it is.

    Parameters
    ----------
    fire_above_s : float
        Fire when the p99 wait exceeds this many seconds...
    fire_after : int
        ...in so many reports in a row.
    clear_below_s : float, optional
        Clear when it is below this many seconds; 80 % of `fire_above_s` by default...
    clear_after : int
        ...in so many reports in a row.

    Attributes
    ----------
    firing : bool
        Whether it fires now.
    changes : list of (float, bool)
        When it began to fire (True) or cleared (False), in seconds; the last hundred.

    Examples
    --------
    >>> alert = UnderShareAlert(fire_above_s=0.05, fire_after=2, clear_after=2)
    >>> waits = [0.02, 0.06, 0.06, 0.045, 0.06, 0.03, 0.03]
    >>> [alert.update(t, wait_s) for t, wait_s in enumerate(waits)]
    [False, False, True, True, True, True, False]
    """

    fire_above_s: float = 0.050
    fire_after: int = 2
    clear_below_s: float | None = None
    clear_after: int = 3
    firing: bool = field(default=False, init=False)
    changes: list[tuple[float, bool]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.fire_above_s = _check.number("fire_above_s", self.fire_above_s, above=0)
        if self.clear_below_s is None:
            self.clear_below_s = 0.8 * self.fire_above_s
        _check.number("clear_below_s", self.clear_below_s, above=0, most=self.fire_above_s)
        _check.whole("fire_after", self.fire_after)
        _check.whole("clear_after", self.clear_after)
        self._in_a_row = 0

    def observe(self, report: WindowReport) -> bool:
        """Take in a report; return whether the alert fires."""
        return self.update(report.window[1], report.under_share_p99_so_far_s)

    def update(self, now: float, p99_wait_s: float) -> bool:
        """Take in a p99 wait at a time, both in seconds; return whether the alert fires."""
        try:
            unknown = isnan(p99_wait_s)
        except TypeError:
            raise TypeError(f"p99_wait_s must be a number; got {p99_wait_s!r}") from None
        if unknown:
            return self.firing
        assert self.clear_below_s is not None
        if self.firing:
            towards, enough = p99_wait_s < self.clear_below_s, self.clear_after
        else:
            towards, enough = p99_wait_s > self.fire_above_s, self.fire_after
        self._in_a_row = self._in_a_row + 1 if towards else 0
        if self._in_a_row >= enough:
            self.firing, self._in_a_row = not self.firing, 0
            self.changes = [*self.changes, (now, self.firing)][-100:]
        return self.firing
