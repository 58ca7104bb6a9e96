"""Tasks in motion: an excerpt of two runs of one workload, to be watched task by task.

All that the page draws (``motion.js``) is recorded here from the columns of `simulate`, in ticks
of a tenth of a millisecond since the excerpt's start. An event that fell into tick ``k`` has
happened from tick ``k + 1`` on; tick -1 is all that was before. The engine's workers are equal and
have no names: a starting task is given the worker that was freed last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import anywidget
import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import NDArray

from .. import _check
from ..article.scenario import article_scenario
from ..engine.simulate import Run, pool_of, simulate
from ..plots.style import by_group, group_of, group_style, policy_label
from ..policies.drr import DeficitRoundRobin
from ..policies.fifo import Fifo
from ..policies.policy import Policy, drr, fifo
from ..traffic.workload import Workload
from . import front
from .fallback import WithFigure
from .queues import blocks, draw_queues

TICK_S = 1e-4
MOST_TICKS, MOST_WAITING, MOST_WORKERS = 100_000, 2500, 12


@dataclass(frozen=True)
class Excerpt:
    """What happened to some tasks of a run, from one time to another.

    Attributes
    ----------
    run : Run
        The run.
    lines : int
        How many lines tasks stand in: one, or one for each tenant.
    task : array of int
        The excerpt's tasks: those that were there at its start under any policy, and those that
        came.
    arrival, start, finish : array of int
        Ticks at which each of them came, was taken and left; `never` if not in the excerpt.
    worker : array of int
        Who took it; -1 for nobody.
    rejected, gone : array of bool
        Turned away in the excerpt; served or turned away before it.
    never : int
        The tick after the last.
    """

    run: Run
    lines: int
    task: NDArray[np.int64]
    arrival: NDArray[np.int64]
    start: NDArray[np.int64]
    finish: NDArray[np.int64]
    worker: NDArray[np.int64]
    rejected: NDArray[np.bool_]
    gone: NDArray[np.bool_]
    never: int

    @property
    def tenant(self) -> NDArray[np.int64]:
        """Whose each task is."""
        return np.asarray(self.run.workload.tenant[self.task], dtype=np.int64)

    def waiting(self, tick: int) -> list[list[int]]:
        """Return the tasks in each line at a tick, by their place in `task`, head first."""
        here = (self.arrival < tick) & (self.start >= tick) & ~self.rejected & ~self.gone
        places = np.flatnonzero(here)
        if self.lines == 1:
            return [places.tolist()]
        tenant = self.tenant
        return [places[tenant[places] == line].tolist() for line in range(self.lines)]

    def longest(self) -> list[int]:
        """Return how many tasks stand in each line at most."""
        in_line = ~self.rejected & ~self.gone
        tenant = self.tenant if self.lines > 1 else np.zeros(len(self.task))
        lengths = []
        for line in range(self.lines):
            own = in_line & (tenant == line)
            came, begun = self.arrival[own], self.start[own]
            taken = np.searchsorted(begun, came, side="left")
            lengths.append(int((np.arange(1, len(came) + 1) - taken).max(initial=0)))
        return lengths

    def serving(self, tick: int) -> dict[int, int]:
        """Return the task that each busy worker serves at a tick, by its place in `task`."""
        here = np.flatnonzero((self.start < tick) & (self.finish >= tick))
        return {int(self.worker[place]): int(place) for place in here if not self.gone[place]}


def excerpts(runs: Sequence[Run], from_s: float, to_s: float) -> list[Excerpt]:
    """Cut the same time out of several runs of one workload."""
    workload = runs[0].workload
    never = _ticks(to_s, from_s)
    arrival = _ticks(workload.arrival_s, from_s)
    start = [np.where(run.served, _ticks(run.start_s, from_s), never) for run in runs]
    finish = [np.where(run.served, _ticks(run.finish_s, from_s), never) for run in runs]
    there = np.any([run.served & (end >= 0) for run, end in zip(runs, finish, strict=True)], axis=0)
    task = np.flatnonzero((arrival < never) & ((arrival >= 0) | there))
    came = arrival[task]
    found = []
    for run, starts, ends in zip(runs, start, finish, strict=True):
        begun, left = starts[task], ends[task]
        rejected = ~run.served[task] & (came >= 0)
        gone = (came < 0) & (~run.served[task] | (left < 0))
        begun, left = np.where(begun < never, begun, never), np.where(begun < never, left, never)
        worker = np.full(len(task), -1)
        taken = np.flatnonzero((begun < never) & ~rejected & ~gone)
        order = taken[np.argsort(run.start_s[task[taken]], kind="stable")]
        times = run.start_s[task[order]], run.finish_s[task[order]]
        worker[order] = _workers(*times, run.workers)
        lines = 1 if isinstance(run.policy.discipline, Fifo) else len(workload.tenants)
        begun, came = np.maximum(begun, -1), np.maximum(came, -1)
        found.append(
            Excerpt(run, lines, task, came, begun, left, worker, rejected, gone, int(never))
        )
    return found


def _ticks(time_s: Any, from_s: float) -> NDArray[np.int64]:
    ticks = np.floor((np.asarray(time_s) - from_s) / TICK_S)
    return np.nan_to_num(ticks, nan=-1).astype(np.int64)


def _workers(start_s: NDArray[np.float64], finish_s: NDArray[np.float64], pool: int) -> list[int]:
    """Give tasks, in order of their start, to workers: to the one that was freed last."""
    free_s = [-np.inf] * pool
    chosen = []
    for start, finish in zip(start_s.tolist(), finish_s.tolist(), strict=True):
        worker = max((w for w in range(pool) if free_s[w] <= start), key=free_s.__getitem__)
        free_s[worker] = finish
        chosen.append(worker)
    return chosen


def packed(excerpts: Sequence[Excerpt]) -> bytes:
    """Write excerpts of one workload as the page reads them: numbers of 7 bits a byte, low first.

    First how many tasks, and of each how long after the one before it came, and whose it is. Then
    for each policy: how many were gone before or turned away, each as its distance from the one
    before; how many were taken, and of each, in order, how long after the one before, from which
    line (if there are several; its next task it is), and ``length * workers + worker``.
    """
    first = excerpts[0]
    return bytes(_bytes([len(first.task), *_arrivals(first), *_fates(excerpts)]))


def _arrivals(excerpt: Excerpt) -> Iterator[int]:
    came = np.diff(excerpt.arrival, prepend=-1)
    for apart, tenant in zip(came.tolist(), excerpt.tenant.tolist(), strict=True):
        yield apart
        yield tenant


def _fates(excerpts: Sequence[Excerpt]) -> Iterator[int]:
    for excerpt in excerpts:
        out = np.flatnonzero(excerpt.gone | excerpt.rejected)
        yield len(out)
        yield from np.diff(out, prepend=0).tolist()
        taken = np.flatnonzero(excerpt.worker >= 0)
        order = taken[np.argsort(excerpt.start[taken], kind="stable")]
        yield len(order)
        before = -1
        tenant, workers = excerpt.tenant, excerpt.run.workers
        for place in order.tolist():
            start = int(excerpt.start[place])
            yield start - before
            if excerpt.lines > 1:
                yield int(tenant[place])
            yield (int(excerpt.finish[place]) - start) * workers + int(excerpt.worker[place])
            before = start


def _bytes(numbers: Iterable[int]) -> Iterator[int]:
    for number in numbers:
        while number > 127:
            yield number & 127 | 128
            number >>= 7
        yield number


def to_follow(excerpt: Excerpt, from_tick: int) -> list[int]:
    """Return tasks of the last group, one after another: each came when the last one was taken."""
    tenants = excerpt.run.workload.tenants
    small = np.isin(excerpt.tenant, list(by_group(tenants).values())[-1])
    found: list[int] = []
    while len(places := np.flatnonzero(small & (excerpt.arrival >= from_tick))):
        found.append(place := int(places[0]))
        ended = excerpt.arrival if excerpt.rejected[place] else excerpt.start
        from_tick = int(ended[place]) + 1
    return found


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
        self.still = int(_ticks(still_s, from_s))
        burst = int(_ticks(burst_s, from_s))
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
    from_s: float = 19.95,
    to_s: float = 21.75,
    burst_s: float = 20.0,
    still_s: float = 20.5,
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
        What part of the run to show, in seconds; at most ten.
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
    begin = _check.number("from_s", from_s, least=0.0)
    end = _check.number("to_s", to_s, above=begin, most=begin + MOST_TICKS * TICK_S)
    still = _check.number("still_s", still_s, least=begin, most=end)
    burst = _check.number("burst_s", burst_s, least=0.0, most=end)
    widget = Motion([simulate(shown, p, pool) for p in chosen], (begin, end), still, burst)
    longest = max(max(excerpt.longest()) for excerpt in widget.excerpts)
    if longest > MOST_WAITING:
        raise ValueError(
            f"lines must be of at most {MOST_WAITING} tasks to be drawn; got {longest}"
        )
    return widget
