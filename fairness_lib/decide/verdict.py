"""The verdict: choose a policy, it does not matter, buy capacity, or this trace cannot say.

Differences are in *kept of what is owed*, over contended tasks. Their margin is resampled over
blocks of time (percentile bootstrap, Efron 1979); blocks of one episode depend on each other, which
an interval cannot know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import nan

import numpy as np

from .outcome import Outcome, blocks_of
from .situation import Situation

CHOOSE, SAME, BUY, UNKNOWN = "choose", "does not matter", "buy capacity", "cannot say"
MATTERS = 0.01
"""The least part of what is owed, of tasks that wait, or of time with a queue, that matters."""
FEW_OWED, FEW_BLOCKS = 50, 4
"""With fewer owed tasks, or blocks that hold any, a trace is too short."""
EVERYONE = 0.95
"""The part of the tenants in contention beyond their share that is everyone."""
RESAMPLES = 2000


@dataclass(frozen=True)
class Margin:
    """By how much one policy keeps more than another, with a 95 % interval over blocks."""

    difference: float
    low: float
    high: float
    blocks: int
    better_in: int


@dataclass(frozen=True)
class Decision:
    """A verdict with its reasons.

    Attributes
    ----------
    kind : str
        "choose", "does not matter", "buy capacity" or "cannot say".
    policy : str or None
        Which policy, if one is to be chosen.
    because : tuple of str
        Why, a sentence each.
    margin : Margin or None
        Of the best policy over today's, if it was compared.
    depends : tuple of str
        Under which other pools and loads the verdict is another one.
    """

    kind: str
    policy: str | None
    because: tuple[str, ...]
    margin: Margin | None = None
    depends: tuple[str, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        said = {
            CHOOSE: f"Choose {self.policy}.",
            SAME: "It does not matter: no policy makes a difference here.",
            BUY: "Buy capacity: everyone is beyond their share.",
            UNKNOWN: "This trace cannot say.",
        }[self.kind]
        return f"{said} But it depends: see below." if self.depends else said


def margin_of(one: Outcome, other: Outcome) -> Margin:
    """Resample blocks to find how sure the difference in kept of what is owed is."""
    has = one.owed > 0
    owed, difference = one.owed[has], (one.kept - other.kept)[has]
    n = len(owed)
    if not n:
        return Margin(nan, nan, nan, 0, 0)
    drawn = np.random.default_rng(0).integers(0, n, (RESAMPLES, n))
    drawn_differences = difference[drawn].sum(axis=1) / owed[drawn].sum(axis=1)
    low, high = np.percentile(drawn_differences, [2.5, 97.5])
    better = int((difference > 0).sum())
    return Margin(float(difference.sum() / owed.sum()), float(low), float(high), n, better)


def decide(situation: Situation, outcomes: Sequence[Outcome], as_is: str) -> Decision:
    """Decide between policies in one situation; `as_is` names today's."""
    now = next(one for one in outcomes if one.policy == as_is)
    best = max(outcomes, key=lambda one: (one.kept_part, one is now))
    if (not_compared := without_comparing(situation)) is not None:
        if not_compared.kind == BUY and situation.owed.any():
            all_the_same = (
                f"Of {int(best.owed.sum()):,} starts that are owed all the same, {kept(best)}"
                f"{'' if best is now else f'; {kept(now)}'}."
            )
            return replace(not_compared, because=(*not_compared.because, all_the_same))
        return not_compared
    most = best.kept_part - MATTERS / 2
    best = next(one for one in [now, *outcomes] if one.kept_part >= most)  # the first of the equal
    if best is now:
        rivals = [one for one in outcomes if one is not now]
        closest = max(rivals, key=lambda one: one.kept_part) if rivals else now
        margin = margin_of(closest, now)
        if margin.high > MATTERS:
            return Decision(UNKNOWN, None, (unsure(closest, now, margin),), margin)
        if rivals and margin.high < 0 and margin.difference < -MATTERS:
            why = f"{kept(now)}; {kept(closest)}."
            return Decision(CHOOSE, now.policy, (why,), margin_of(now, closest))
        why = f"{kept(now)}, and no policy keeps more: {kept(closest)}."
        return Decision(SAME, None, (why,), margin)
    margin = margin_of(best, now)
    if margin.low > 0 and margin.difference > MATTERS:
        parts = (
            f"Of {int(best.owed.sum()):,} starts that are owed within the objective, "
            f"{kept(best)}; {kept(now)}."
        )
        sure = (
            f"The difference is {points(margin.difference)} points, 95 % interval "
            f"{points(margin.low)} to {points(margin.high)} over {margin.blocks} blocks of time, "
            f"in {margin.better_in} of which it is better."
        )
        turned_away = (
            f"It rejects {best.rejected:,} tasks, {best.rejected_work_s:,.0f} worker-seconds, "
            f"of which {best.rejected_within:,} from tenants within their share."
        )
        because = (parts, sure, turned_away) if best.rejected else (parts, sure)
        return Decision(CHOOSE, best.policy, because, margin)
    if margin.high < MATTERS:
        return Decision(SAME, None, (f"{kept(now)}; {kept(best)}.",), margin)
    return Decision(UNKNOWN, None, (unsure(best, now, margin),), margin)


def without_comparing(situation: Situation) -> Decision | None:
    """Return the verdict of a situation in which policies need not be compared, or cannot be."""
    if len(np.unique(situation.workload.tenant)) < 2:
        why = "There is one tenant only: all policies share its work with nobody."
        return Decision(UNKNOWN, None, (why,))
    waited, queue_time = situation.waited, situation.queue_time
    if max(waited, queue_time) < MATTERS:
        why = (
            f"Nothing is contended: {waited:.2%} of the tasks wait, and something waits for "
            f"{queue_time:.2%} of the time."
        )
        return Decision(SAME, None, (why,))
    present = situation.present
    beyond = int((situation.beyond & present).sum())
    if present.sum() and beyond >= EVERYONE * present.sum():
        why = (
            f"In contention {beyond:,} of {int(present.sum()):,} tenants are beyond their share; "
            "no order of service helps one without hurting another alike."
        )
        return Decision(BUY, None, (why,))
    owed, blocks = int(situation.owed.sum()), blocks_with_owed(situation)
    if owed < FEW_OWED or blocks < FEW_BLOCKS:
        why = (
            f"It is too short: {owed:,} contended tasks are owed a start, in {blocks} blocks of "
            f"time; fewer than {FEW_OWED}, or than {FEW_BLOCKS} blocks, say too little."
        )
        return Decision(UNKNOWN, None, (why,))
    return None


def blocks_with_owed(situation: Situation) -> int:
    """Return how many blocks of time hold owed tasks."""
    block, _, _ = blocks_of(situation)
    return len(np.unique(block[situation.owed]))


def kept(one: Outcome) -> str:
    """Say what a policy keeps."""
    return f"{one.policy} keeps {one.kept_part:.1%}"


def points(part: float) -> str:
    """Write a difference of parts in percentage points."""
    return f"{100 * part:+.1f}"


def unsure(one: Outcome, now: Outcome, margin: Margin) -> str:
    """Say that a difference is not known well enough."""
    return (
        f"{kept(one)} and {kept(now)} of what is owed, but the difference varies between blocks of "
        f"time: 95 % interval {points(margin.low)} to {points(margin.high)} points."
    )
