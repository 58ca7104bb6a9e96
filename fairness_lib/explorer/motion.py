"""Tasks in motion: an excerpt of two runs of one workload, to be watched task by task.

All that the page draws (``motion.js``) is recorded from the columns of `simulate` (``excerpt.py``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets
from matplotlib.figure import Figure

from .. import _check
from ..article.scenario import article_scenario
from ..engine.simulate import Run, pool_of, simulate
from ..plots.style import by_group, group_of, group_style, policy_label
from ..policies.drr import DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.policy import Policy, drr, fifo
from ..traffic.workload import Workload
from . import front
from .excerpt import TICK_S, Excerpt, excerpts, packed, ticks_at, to_follow
from .fallback import WithFigure
from .queues import blocks, draw_queues

MOST_TICKS, MOST_WAITING, MOST_WORKERS = 100_000, 2500, 12
ARTICLE_TIMES = {"from_s": 19.95, "to_s": 21.75, "burst_s": 20.0, "still_s": 20.5}
"""The beginning of the article's burst."""


class MotionView(anywidget.AnyWidget):
    """What the page draws: the record, and how groups and policies look."""

    _esm = front.module("dom.js", "player.js", "motion.js")
    _css = front.style("fl.css", "player.css", "motion.css")
    groups: Any = traitlets.List().tag(sync=True)
    tenants: Any = traitlets.List().tag(sync=True)
    policies: Any = traitlets.List().tag(sync=True)
    workers = traitlets.Int().tag(sync=True)
    from_s = traitlets.Float().tag(sync=True)
    last_ms = traitlets.Float().tag(sync=True)
    still_ms = traitlets.Float().tag(sync=True)
    marks: Any = traitlets.List().tag(sync=True)
    followed: Any = traitlets.List().tag(sync=True)
    record = traitlets.Bytes().tag(sync=True)


class Motion(WithFigure):
    """Two policies side by side, and the same tasks coming to both.

    Attributes
    ----------
    runs : tuple of Run
        The runs that are shown.
    excerpts : list of Excerpt
        What of them is shown.
    """

    def __init__(
        self, runs: Sequence[Run], window: tuple[float, float], still_s: float, burst_s: float
    ) -> None:
        from_s, to_s = window
        self.runs = tuple(runs)
        self.excerpts = excerpts(runs, from_s, to_s)
        self.still = int(ticks_at(still_s, from_s))
        burst = int(ticks_at(burst_s, from_s))
        self.followed = to_follow(self.excerpts[0], burst)
        tenants = runs[0].workload.tenants
        groups = by_group(tenants)
        self.view = MotionView(
            groups=[
                {"name": _group(name, members), **group_style(name, list(groups))}
                for name, members in groups.items()
            ],
            tenants=[
                {"name": name, "group": list(groups).index(group_of(name))} for name in tenants
            ],
            policies=[
                {
                    "label": policy_label(excerpt.run.policy.name),
                    "title": f"{policy_label(excerpt.run.policy.name)}: "
                    + ("tenants take turns" if excerpt.lines > 1 else "first in, first out"),
                    "longest": excerpt.longest(),
                    "blocks": list(blocks(excerpt)),
                }
                for excerpt in self.excerpts
            ],
            workers=runs[0].workers,
            from_s=from_s,
            last_ms=_ms(self.excerpts[0].never),
            still_ms=_ms(self.still),
            marks=sorted(_marks(self.excerpts, burst), key=lambda mark: mark["ms"]),
            followed=self.followed,
            record=packed(self.excerpts),
        )
        super().__init__([self.view])
        self.add_class("fl-box")

    @property
    def sentence(self) -> str:
        """What the static figure shows, and what the widget adds to it."""
        said = [f"How things stand at second {self.view.from_s + self.still * TICK_S:.3f}."]
        if (ringed := self.ringed()) is not None:
            tenant = self.runs[0].workload.tenants[self.excerpts[0].tenant[ringed]]
            ago = _ms(self.still - self.excerpts[0].arrival[ringed])
            said.append(f"The ringed task of {tenant} came {ago:.0f} ms ago.")
            for excerpt in self.excerpts:
                label = policy_label(excerpt.run.policy.name)
                said.append(f"{label}: {_what_of(excerpt, ringed, self.still)}.")
        return " ".join([*said, "On the built page, or in JupyterLab, the tasks move."])

    def ringed(self) -> int | None:
        """Return the task that is followed at the still, by its place in the excerpts."""
        come = [p for p in self.followed if self.excerpts[0].arrival[p] < self.still]
        return come[-1] if come else None

    def figure(self) -> Figure:
        """Draw how things stand at the still."""
        return draw_queues(self.excerpts, self.still, self.ringed())


def _group(name: str, members: Sequence[int]) -> str:
    return f"{len(members)} {name}" if len(members) > 1 else name


def _what_of(excerpt: Excerpt, place: int, tick: int) -> str:
    if excerpt.rejected[place]:
        return "it was turned away"
    if excerpt.start[place] >= tick:
        line = next(line for line in excerpt.waiting(tick) if place in line)
        return f"{line.index(place)} tasks still stand before it"
    return f"a worker took it after {_ms(excerpt.start[place] - excerpt.arrival[place]):.0f} ms"


def _marks(excerpts: Sequence[Excerpt], burst: int) -> Iterator[dict[str, Any]]:
    """Yield the moments that one may want to go to: the burst, and each first rejection."""
    if burst >= 0:
        yield {"ms": _ms(burst), "text": "the burst"}
    for excerpt in excerpts:
        for place in np.flatnonzero(excerpt.rejected)[:1]:
            tenant = excerpt.run.workload.tenants[excerpt.tenant[place]]
            whose = "line" if excerpt.lines == 1 else f"{tenant}’s line"
            label = policy_label(excerpt.run.policy.name)
            yield {"ms": _ms(excerpt.arrival[place] + 1), "text": f"{label}: {whose} full"}


def _ms(ticks: Any) -> float:
    return float(ticks) / 10


def motion(
    workload: Workload | None = None,
    policies: Sequence[Policy] | None = None,
    *,
    from_s: float | None = None,
    to_s: float | None = None,
    burst_s: float | None = None,
    still_s: float | None = None,
    workers: int | None = None,
) -> Motion:
    """Watch the tasks of a workload under FIFO and under DRR, side by side and slowed down.

    Parameters
    ----------
    workload : Workload, optional
        The article's scenario by default.
    policies : sequence of Policy, optional
        What to compare, FIFO or DRR each; ``fifo()`` and ``drr()`` by default.
    from_s, to_s : float
        What part of the run to show, in seconds; at most ten. These and the next two have defaults
        for the article's scenario, and must be given for any other workload.
    burst_s : float
        When the burst begins: the first small task after it is followed.
    still_s : float
        The moment that is shown where nothing moves.
    workers : int, optional
        Size of the pool; the workload's own by default.

    Raises
    ------
    ValueError, TypeError
        If an argument is not allowed, or there is more than the drawing can hold.

    Examples
    --------
    >>> shown = motion()
    >>> [run.policy.name for run in shown.runs], len(shown.view.record) < 25_000
    (['fifo', 'drr'], True)
    """
    shown = workload or article_scenario().workload(seed=1)
    chosen = tuple(policies or (fifo(), drr()))
    for policy in chosen:
        if type(policy.discipline) not in (Fifo, DeficitRoundRobin):
            raise TypeError(
                f"policies must be FIFO or deficit round robin; got {policy.discipline!r}"
            )
    pool = pool_of(shown, workers)
    if not isinstance(pool, int):
        raise ValueError(f"workers must be one number to be drawn; got {pool!r}")
    if pool > MOST_WORKERS:
        raise ValueError(f"workers must be at most {MOST_WORKERS} to be drawn; got {pool}")
    times = {"from_s": from_s, "to_s": to_s, "burst_s": burst_s, "still_s": still_s}
    for name, value in times.items():
        if value is None and workload is not None:
            raise ValueError(f"{name} must be given with a workload; got None")
    times = {name: ARTICLE_TIMES[name] if t is None else t for name, t in times.items()}
    begin = _check.number("from_s", times["from_s"], least=0.0)
    end = _check.number("to_s", times["to_s"], above=begin, most=begin + MOST_TICKS * TICK_S)
    still = _check.number("still_s", times["still_s"], least=begin, most=end)
    burst = _check.number("burst_s", times["burst_s"], least=0.0, most=end)
    widget = Motion([simulate(shown, p, pool) for p in chosen], (begin, end), still, burst)
    longest = max(max(excerpt.longest()) for excerpt in widget.excerpts)
    if longest > MOST_WAITING:
        raise ValueError(
            f"lines must be of at most {MOST_WAITING} tasks to be drawn; got {longest}"
        )
    return widget
