"""What a monitor says about one window."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WindowReport:
    """The fairness of one window, as it was known when the report was made.

    Attributes
    ----------
    window : tuple of float
        Start (included) and end (excluded) in seconds.
    tenants : tuple of str
        The tenants with demand in the window; the arrays go by them.
    attempts_per_s, admitted_per_s : array of float
        All that arrived, retries and rejected ones included; and what was not rejected.
    demand_per_s : array of float
        Demand as estimated: attempts less retries of requests that are counted already. Blind to
        what clients hold back, and to requests they gave up before sending them.
    fair_share_per_s, completed_per_s, x : array of float
        Weighted max-min share of the demand, completions, and their ratio.
    capacity_per_s : float
        Workers over the mean cost of what finished, in tasks/s. If nothing did, the mean cost of
        the last window in which something did is used; NaN if there was none, and demand is
        then taken for the share.
    jain, min_x : float
        Jain index and minimum of `x`; NaN without demand.
    min_x_tenant : str
        Whose minimum it is.
    under_share_p99_wait_s : float
        99th percentile wait, in seconds, of the tasks that arrived in the window and have started,
        from tenants whose demand is within their share: what `measure` calls by that name.
        Too good while tasks still wait, and NaN if none has started.
    under_share_p99_so_far_s : float
        The same with all tasks still waiting, older ones too, each at its wait so far. The
        number to page on: it rises when a queue is stuck.
    under_share_p99_at_most_s : float
        The most that `under_share_p99_wait_s` can become when the window's tasks have started:
        the same with those still waiting at infinity. Infinite if more than 1 % of them wait.
    waiting, waiting_under_share : int
        Tasks of the window that wait, and those of them from tenants within their share.
    overdue : int
        Tasks that wait and arrived before the window.
    oldest_wait_s : float
        The longest wait so far, in seconds, of a task that waits; 0 if none does.
    """

    window: tuple[float, float]
    tenants: tuple[str, ...]
    attempts_per_s: Floats
    admitted_per_s: Floats
    demand_per_s: Floats
    fair_share_per_s: Floats
    completed_per_s: Floats
    x: Floats
    capacity_per_s: float
    jain: float
    min_x: float
    min_x_tenant: str
    under_share_p99_wait_s: float
    under_share_p99_so_far_s: float
    under_share_p99_at_most_s: float
    waiting: int
    waiting_under_share: int
    overdue: int
    oldest_wait_s: float

    @property
    def settled(self) -> bool:
        """Whether no task of the window still waits, so that its numbers are final."""
        return self.waiting == 0

    @property
    def note(self) -> str:
        """What the tasks still waiting mean for the wait quantile; empty if there are none.

        Examples
        --------
        >>> from fairness_lib import FairnessMonitor
        >>> stuck = FairnessMonitor(capacity_workers=1, window_s=10)
        >>> stuck.arrived("task 1", "a", now=2)
        >>> stuck.advance(now=10)[0].note
        '1 task of the window still waits, the longest for 8 s so far: its p99 wait is not known
        yet; 8 s counts the waits so far.'
        """
        if not self.waiting and not self.overdue:
            return ""
        text = (
            f"{self.waiting} task{'s' * (self.waiting != 1)} of the window still "
            f"wait{'s' * (self.waiting == 1)}"
        )
        if self.overdue:
            text += f" and {self.overdue} from before it"
        text += f", the longest for {self.oldest_wait_s:.3g} s so far: "
        so_far, most = self.under_share_p99_so_far_s, self.under_share_p99_at_most_s
        if isnan(so_far):
            return text + "none of them is from a tenant within its share."
        if not self.waiting_under_share:
            return text + "none of the window's is from a tenant within its share."
        if most == float("inf"):
            return text + f"its p99 wait is not known yet; {so_far:.3g} s counts the waits so far."
        return text + f"its p99 wait will be at most {most:.3g} s."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per tenant with demand; rates in tasks per second."""
        import pandas as pd

        columns = {
            "attempts_per_s": self.attempts_per_s,
            "admitted_per_s": self.admitted_per_s,
            "demand_per_s": self.demand_per_s,
            "fair_share_per_s": self.fair_share_per_s,
            "completed_per_s": self.completed_per_s,
            "x": self.x,
            "under_share": self.demand_per_s <= self.fair_share_per_s,
        }
        return pd.DataFrame(columns, index=pd.Index(self.tenants, name="tenant"))

    def __repr__(self) -> str:
        """Return the scalars on a line."""
        start, end = self.window
        return (
            f"WindowReport({start:g} to {end:g} s: jain {self.jain:.3f}, min_x {self.min_x:.3f} "
            f"({self.min_x_tenant}), under-share p99 wait so far "
            f"{1e3 * self.under_share_p99_so_far_s:.1f} ms, {self.waiting} waiting)"
        )
