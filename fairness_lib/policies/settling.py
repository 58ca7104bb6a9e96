"""Deficit round robin that settles at the finish: who understates its costs pays later."""

from __future__ import annotations

from dataclasses import dataclass

from .drr import DeficitRoundRobin


@dataclass
class SettlingDeficitRoundRobin(DeficitRoundRobin):
    """`DeficitRoundRobin` that puts each charge right when the true cost is known.

    A tenant is charged the estimate when its task starts, and what that was short of when it is
    done, so that its deficit may be a debt. A debt is kept when its queue empties; what it has
    left over is forfeited as before. With exact estimates nothing changes.

    Parameters
    ----------
    quantum_s, cap, weights
        As in `DeficitRoundRobin`.
    """

    def finished(self, task: int, cost_s: float, now: float) -> None:
        """Charge what the estimate was short of."""
        flow = self.flows[self._tenant[task]]
        flow.left_s -= cost_s - self._estimate_s[task]
        if not flow.queue:
            flow.left_s = min(flow.left_s, 0.0)
