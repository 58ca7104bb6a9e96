"""What a page calls: the kernel's steps, with every column as an argument of its own.

``tools/build_wasm.py`` compiles these functions, and with them the kernel, to
``kernel.wasm``. An argument's annotation is its type, there and in the page: `Int`, `Real` and
`Word` are numbers, the others columns. A column that two functions name is the same memory.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeAlias

import numpy as np

from ..engine import kernel as plain

kernel: Any = plain  # as `compiled.build` makes it, with an event loop for each discipline

# int32, float64, uint64; then columns of int64, float64, uint64, int8
Int: TypeAlias = Any
Real: TypeAlias = Any
Word: TypeAlias = Any
Ints: TypeAlias = Any
Reals: TypeAlias = Any
Words: TypeAlias = Any
Bytes: TypeAlias = Any


def generate(
    seed: Word,
    tenants: Int,
    room: Int,
    key: Words,
    first_piece: Ints,
    cost_kind: Ints,
    mean_cost_s: Reals,
    long_cost_s: Reals,
    long_share: Reals,
    piece_from_s: Reals,
    piece_to_s: Reals,
    piece_rate_per_s: Reals,
    arrival_words: Words,
    cost_words: Words,
    unit: Reals,
    mass: Reals,
    piece: Ints,
    next_s: Reals,
    heap: Ints,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
) -> Int:
    """Draw the tasks; return how many, or -1 if there is no room for them."""
    sources = kernel.Sources(
        key,
        first_piece,
        cost_kind,
        mean_cost_s,
        long_cost_s,
        long_share,
        piece_from_s,
        piece_to_s,
        piece_rate_per_s,
    )
    draws = kernel.Draws(arrival_words, cost_words, unit, mass, piece, next_s, heap)
    return kernel.generate(seed, tenants, sources, draws, room, arrival_s, tenant, cost_s)


def merge(
    steady: Int,
    bursting: Int,
    steady_arrival_s: Reals,
    steady_tenant: Ints,
    steady_cost_s: Reals,
    bursting_arrival_s: Reals,
    bursting_tenant: Ints,
    bursting_cost_s: Reals,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
) -> Int:
    """Put tasks of tenants without and with bursts into one order; return how many they are."""
    some = kernel.Tasks(steady_arrival_s, steady_tenant, steady_cost_s, steady_cost_s)
    others = kernel.Tasks(bursting_arrival_s, bursting_tenant, bursting_cost_s, bursting_cost_s)
    whole = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    return kernel.merge(steady, bursting, some, others, whole)


def simulate_fifo(
    tasks: Int,
    tenants: Int,
    workers: Int,
    cap: Int,
    limited: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    quota_per_s: Reals,
    quota_burst: Reals,
    full_s: Reals,
    taken: Reals,
    head: Ints,
    tail: Ints,
    length: Ints,
    behind: Ints,
    finish_s: Reals,
    pool: Ints,
    start_s: Reals,
    outcome: Bytes,
) -> Int:
    """Run the tasks first in, first out; return 0."""
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    buckets = kernel.Buckets(quota_per_s, quota_burst, full_s, taken)
    rules = kernel.fifo.Rules(cap)
    state = kernel.fifo.State(kernel.Queues(head, tail, length, behind))
    crew = kernel.Pool(finish_s, pool)
    return kernel.simulate_fifo(
        tasks, tenants, workers, limited, columns, buckets, rules, state, crew, start_s, outcome
    )


def simulate_drr(
    tasks: Int,
    tenants: Int,
    workers: Int,
    cap: Int,
    limited: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    estimate_s: Reals,
    quantum_s: Reals,
    quota_per_s: Reals,
    quota_burst: Reals,
    full_s: Reals,
    taken: Reals,
    head: Ints,
    tail: Ints,
    length: Ints,
    behind: Ints,
    left_s: Reals,
    visits: Ints,
    after: Ints,
    ring: Ints,
    finish_s: Reals,
    pool: Ints,
    start_s: Reals,
    outcome: Bytes,
) -> Int:
    """Run the tasks by deficit round robin; return the visits that served nobody."""
    columns = kernel.Tasks(arrival_s, tenant, cost_s, estimate_s)
    buckets = kernel.Buckets(quota_per_s, quota_burst, full_s, taken)
    rules = kernel.drr.Rules(cap, quantum_s)
    queues = kernel.Queues(head, tail, length, behind)
    state = kernel.drr.State(queues, left_s, visits, after, ring)
    crew = kernel.Pool(finish_s, pool)
    return kernel.simulate_drr(
        tasks, tenants, workers, limited, columns, buckets, rules, state, crew, start_s, outcome
    )


def simulate_round_robin(
    tasks: Int,
    tenants: Int,
    workers: Int,
    cap: Int,
    limited: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    weight: Reals,
    quota_per_s: Reals,
    quota_burst: Reals,
    full_s: Reals,
    taken: Reals,
    head: Ints,
    tail: Ints,
    length: Ints,
    behind: Ints,
    turn_head: Ints,
    turn_tail: Ints,
    turn_length: Ints,
    turn_behind: Ints,
    finish_s: Reals,
    pool: Ints,
    start_s: Reals,
    outcome: Bytes,
) -> Int:
    """Run the tasks round robin, by count; return 0."""
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    buckets = kernel.Buckets(quota_per_s, quota_burst, full_s, taken)
    rules = kernel.round_robin.Rules(cap, weight)  # shares are for clients that come again
    queues = kernel.Queues(head, tail, length, behind)
    turns = kernel.Queues(turn_head, turn_tail, turn_length, turn_behind)
    state = kernel.round_robin.State(queues, turns)
    crew = kernel.Pool(finish_s, pool)
    return kernel.simulate_round_robin(
        tasks, tenants, workers, limited, columns, buckets, rules, state, crew, start_s, outcome
    )


def simulate_sfq(
    tasks: Int,
    tenants: Int,
    workers: Int,
    cap: Int,
    limited: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    estimate_s: Reals,
    weight: Reals,
    quota_per_s: Reals,
    quota_burst: Reals,
    full_s: Reals,
    taken: Reals,
    head: Ints,
    tail: Ints,
    length: Ints,
    behind: Ints,
    rank: Reals,
    heap: Ints,
    heads: Ints,
    end_s: Reals,
    clock_s: Reals,
    finish_s: Reals,
    pool: Ints,
    start_s: Reals,
    outcome: Bytes,
) -> Int:
    """Run the tasks by start-time fair queueing; return 0."""
    columns = kernel.Tasks(arrival_s, tenant, cost_s, estimate_s)
    buckets = kernel.Buckets(quota_per_s, quota_burst, full_s, taken)
    rules = kernel.sfq.Rules(cap, weight, weight)  # shares are for clients that come again
    queues = kernel.Queues(head, tail, length, behind)
    state = kernel.sfq.State(kernel.sfq.Heads(queues, rank, heap, heads), end_s, clock_s)
    crew = kernel.Pool(finish_s, pool)
    return kernel.simulate_sfq(
        tasks, tenants, workers, limited, columns, buckets, rules, state, crew, start_s, outcome
    )


def simulate_in_flight(
    tasks: Int,
    tenants: Int,
    workers: Int,
    cap: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    size_from_s: Reals,
    size: Ints,
    limit: Ints,
    in_flight: Ints,
    head: Ints,
    tail: Ints,
    length: Ints,
    behind: Ints,
    inside: Ints,
    inside_head: Ints,
    inside_tail: Ints,
    inside_length: Ints,
    inside_behind: Ints,
    turn_head: Ints,
    turn_tail: Ints,
    turn_length: Ints,
    turn_behind: Ints,
    is_ready: Ints,
    finish_s: Reals,
    served_as: Ints,
    serving: Ints,
    begun_s: Reals,
    pool: Ints,
    place: Ints,
    service: Ints,
    answer_s: Reals,
    attempts: Ints,
    came: Ints,
    idle_s: Reals,
    tally: Ints,
    start_s: Reals,
    outcome: Bytes,
) -> Int:
    """Run the tasks first in, first out, where each tenant may have so many in flight; return 0."""
    no, none = tenant, cost_s  # columns of what no client does here
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    clients = kernel.Clients(
        0, 0, 0, 0, 0.0, np.uint64(0), none, no, none, none, none, none, no, no, no, none, no
    )
    steps = kernel.Steps(size_from_s, size)
    buckets = kernel.Buckets(none, none, none, none)
    held = kernel.Queues(head, tail, length, behind)
    queues = kernel.Queues(inside_head, inside_tail, inside_length, inside_behind)
    ready = kernel.Queues(turn_head, turn_tail, turn_length, turn_behind)
    rules, state = kernel.fifo.Rules(tasks), kernel.fifo.State(queues)
    hold = kernel.Hold(1, cap, limit, in_flight, held, inside, ready, is_ready)
    crew = kernel.Crew(finish_s, served_as, serving, begun_s, pool)
    course = kernel.Course(place, answer_s, service, answer_s, no, answer_s, no)
    out = kernel.Outputs(
        start_s, answer_s, outcome, attempts, came, answer_s, no, none, none, idle_s, tally
    )
    return kernel.simulate_events_fifo(
        tasks, tenants, workers, 1, 0, 0, columns, no, clients, steps, buckets, rules, state, hold,
        crew, course, out,
    )  # fmt: skip


def share_fairly(
    tasks: Int,
    tenants: Int,
    workers: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    weight: Reals,
    fair_start_s: Reals,
    virtual_s: Reals,
    cut_s: Reals,
    cut_virtual_s: Reals,
    working: Ints,
    latest: Ints,
    follower: Ints,
    ends: Reals,
    sharers: Ints,
    weights: Reals,
) -> Int:
    """Say when fair sharing would have started each task; return 0."""
    fair = kernel.Fair(fair_start_s, virtual_s, cut_s, cut_virtual_s)
    fluid = kernel.Fluid(working, latest, follower, ends, sharers, weights)
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    steps = kernel.Steps(cut_s, sharers)  # the pool does not change, so that nobody looks
    return kernel.share_fairly(tasks, tenants, workers, 0, columns, weight, steps, fair, fluid)


def measure(
    tasks: Int,
    tenants: Int,
    workers: Int,
    horizon_s: Real,
    from_s: Real,
    to_s: Real,
    objective_s: Real,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    weight: Reals,
    start_s: Reals,
    outcome: Bytes,
    fair_start_s: Reals,
    virtual_s: Reals,
    cut_s: Reals,
    cut_virtual_s: Reals,
    arrived: Ints,
    outcomes: Ints,
    demand: Reals,
    completed: Reals,
    fair_share_per_s: Reals,
    x: Reals,
    wait_s: Reals,
    owed: Ints,
    kept: Ints,
    missed: Ints,
    behind_s: Reals,
    fair_work_s: Reals,
    got_work_s: Reals,
    scalars: Reals,
    waits: Reals,
    late_s: Reals,
    first_wait: Ints,
    order: Ints,
    asked: Reals,
    sharing: Reals,
) -> Int:
    """Measure the run; return 0, or 1 if nothing arrived in the window, 2 if nothing finished."""
    pool_s = workers * horizon_s
    window = kernel.Window(workers, pool_s, horizon_s, from_s, to_s, objective_s, 0, 0)
    fair = kernel.Fair(fair_start_s, virtual_s, cut_s, cut_virtual_s)
    report = kernel.Report(
        arrived,
        outcomes,
        demand,
        completed,
        fair_share_per_s,
        x,
        wait_s,
        owed,
        kept,
        missed,
        behind_s,
        fair_work_s,
        got_work_s,
        scalars,
    )
    scratch = kernel.Scratch(waits, late_s, first_wait, order, asked, sharing)
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    return kernel.measure(
        tasks, tenants, columns, weight, start_s, start_s, outcome, window, fair, report, scratch
    )


def state_costs(
    tasks: Int,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    stated: Reals,
    estimate_s: Reals,
) -> Int:
    """Say what tenants state that their tasks cost; return 0."""
    columns = kernel.Tasks(arrival_s, tenant, cost_s, estimate_s)
    return kernel.state_costs(tasks, columns, stated, estimate_s)


def timeline(
    tasks: Int,
    groups: Int,
    steps: Int,
    step_s: Real,
    q: Real,
    arrival_s: Reals,
    tenant: Ints,
    cost_s: Reals,
    group: Ints,
    start_s: Reals,
    outcome: Bytes,
    step_wait_s: Reals,
    step_waiting: Ints,
    waits: Reals,
    first_of_group: Ints,
) -> Int:
    """Say how long each group waited, step by step, and how many of it; return 0."""
    found = kernel.Timeline(step_wait_s, step_waiting, waits, first_of_group)
    columns = kernel.Tasks(arrival_s, tenant, cost_s, cost_s)
    return kernel.timeline(tasks, groups, steps, step_s, q, columns, group, start_s, outcome, found)


FUNCTIONS = (
    generate,
    merge,
    state_costs,
    simulate_fifo,
    simulate_drr,
    simulate_round_robin,
    simulate_sfq,
    simulate_in_flight,
    share_fairly,
    measure,
    timeline,
)

# Items of each column: so many for each unit of a dimension, and so many more.
SIZES: dict[str, tuple[int, str, int]] = {
    **dict.fromkeys(("key", "cost_kind", "mean_cost_s", "long_cost_s"), (1, "tenants", 0)),
    **dict.fromkeys(("long_share", "weight", "quantum_s", "quota_per_s"), (1, "tenants", 0)),
    **dict.fromkeys(("quota_burst", "unit", "mass", "piece", "next_s"), (1, "tenants", 0)),
    **dict.fromkeys(("heap", "head", "tail", "length", "left_s"), (1, "tenants", 0)),
    **dict.fromkeys(("visits", "after", "full_s", "taken"), (1, "tenants", 0)),
    **dict.fromkeys(("working", "latest", "ends", "sharers"), (1, "tenants", 0)),
    **dict.fromkeys(("arrived", "demand", "completed", "fair_share_per_s"), (1, "tenants", 0)),
    **dict.fromkeys(("x", "owed", "kept", "fair_work_s", "got_work_s"), (1, "tenants", 0)),
    **dict.fromkeys(("order", "asked", "sharing", "stated", "group"), (1, "tenants", 0)),
    **dict.fromkeys(("turn_behind", "end_s"), (1, "tenants", 0)),
    **dict.fromkeys(("turn_head", "turn_tail", "turn_length"), (0, "tenants", 1)),
    **dict.fromkeys(("heads", "clock_s"), (0, "tenants", 1)),
    **dict.fromkeys(("in_flight", "limit", "is_ready"), (1, "tenants", 0)),
    **dict.fromkeys(("served_as", "serving", "begun_s"), (1, "workers", 0)),
    **dict.fromkeys(("place", "service", "answer_s", "attempts", "came"), (1, "tasks", 0)),
    **dict.fromkeys(("inside", "inside_behind"), (1, "tasks", 0)),
    **dict.fromkeys(("inside_head", "inside_tail", "inside_length"), (0, "tenants", 1)),
    **dict.fromkeys(("size_from_s", "size", "idle_s"), (0, "tenants", 1)),
    "tally": (0, "tenants", plain.TALLY),
    **dict.fromkeys(("step_wait_s", "step_waiting"), (1, "cells", 0)),
    "first_of_group": (1, "groups", 1),
    "weights": (2, "tenants", 0),
    **dict.fromkeys(("arrival_words", "cost_words"), (4, "tenants", 0)),
    **dict.fromkeys(("first_piece", "first_wait"), (1, "tenants", 1)),
    "outcomes": (plain.OUTCOMES, "tenants", 0),
    "wait_s": (plain.QUANTILES, "tenants", 0),
    "behind_s": (plain.BEHIND, "tenants", 0),
    **dict.fromkeys(("piece_from_s", "piece_to_s", "piece_rate_per_s"), (1, "pieces", 0)),
    **dict.fromkeys(("arrival_s", "tenant", "cost_s", "behind", "follower"), (1, "tasks", 0)),
    **dict.fromkeys(("steady_arrival_s", "steady_tenant", "steady_cost_s"), (1, "tasks", 0)),
    **dict.fromkeys(("bursting_arrival_s", "bursting_tenant"), (1, "tasks", 0)),
    **dict.fromkeys(("bursting_cost_s",), (1, "tasks", 0)),
    **dict.fromkeys(("start_s", "outcome", "fair_start_s", "virtual_s"), (1, "tasks", 0)),
    **dict.fromkeys(("waits", "late_s", "estimate_s", "rank"), (1, "tasks", 0)),
    **dict.fromkeys(("finish_s", "pool"), (1, "workers", 0)),
    "ring": (0, "tenants", plain.drr.RING),
    **dict.fromkeys(("cut_s", "cut_virtual_s"), (0, "tenants", plain.CUTS)),
    "missed": (0, "tenants", plain.OUTCOMES),
    "scalars": (0, "tenants", plain.SCALARS),
}


def arguments() -> dict[str, list[list[str]]]:
    """Return the name and type of each argument of each function.

    >>> arguments()["generate"][:4]
    [['seed', 'Word'], ['tenants', 'Int'], ['room', 'Int'], ['key', 'Words']]
    """
    return {
        function.__name__: [
            [name, str(parameter.annotation)]
            for name, parameter in inspect.signature(function).parameters.items()
        ]
        for function in FUNCTIONS
    }


def description() -> dict[str, Any]:
    """Return all that a page needs to call the functions."""
    return {"arguments": arguments(), "sizes": SIZES}
