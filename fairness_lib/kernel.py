"""The model again, as plain functions over flat arrays: for numba, and for the pages.

The readable modules say what the model is; this one says the same in the subset of Python that
numba compiles, natively (`compiled`) and to WebAssembly. Start, finish and outcome of every task
are bitwise those of `simulate`, workloads those of `Scenario.workload`, metrics those of
`measure`: same operations on float64, in the same order. It also runs as it stands, slowly; then
numpy warns of the overflow that 64-bit words are meant to have (``np.errstate(over="ignore")``).

The caller provides all memory and checks all input. Records hold columns that go by one index
each: tenant, task, worker or piece of rate. Columns are arrays, or pointers in a page. Integers
are int64 and words uint64, never mixed: numba would make a float of their sum.
"""

from __future__ import annotations

from math import ceil, inf, nan
from typing import Any, NamedTuple

import numpy as np

from .streams import LG1, LG2, LG3, LG4, LG5, LG6, LG7, LN2_HIGH, LN2_LOW, SQRT_HALF

Column = Any  # float64 unless said otherwise
SERVED, WAITING, QUEUE_FULL, QUOTA, OUTCOMES = 0, 1, 2, 3, 4  # as in tasks.Outcome


# --- heaps ----------------------------------------------------------------------------------
# heap[:size] holds items in heap order by (key[item], item).


def sift_down(heap: Column, size: int, at: int, key: Column) -> None:
    """Move the item at position `at` down to where it belongs."""
    item = heap[at]
    mine = key[item]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        least = heap[child]
        if child + 1 < size:
            other = heap[child + 1]
            if key[other] < key[least] or (key[other] == key[least] and other < least):
                child, least = child + 1, other
        if mine < key[least] or (mine == key[least] and item < least):
            break
        heap[at] = least
        at = child
    heap[at] = item


def sift_up(heap: Column, at: int, key: Column) -> None:
    """Move the item at position `at` up to where it belongs."""
    item = heap[at]
    mine = key[item]
    while at > 0:
        parent = (at - 1) // 2
        above = heap[parent]
        if key[above] < mine or (key[above] == mine and above < item):
            break
        heap[at] = above
        at = parent
    heap[at] = item


# --- random streams: SFC64, four words a stream ---------------------------------------------

ONE, ARRIVALS, COSTS = np.uint64(1), np.uint64(0), np.uint64(1)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
GAMMA, MIX1, MIX2 = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


def splitmix64(word: Any) -> Any:
    """Scramble one 64-bit word."""
    word = word + GAMMA
    word = (word ^ (word >> 30)) * MIX1
    word = (word ^ (word >> 27)) * MIX2
    return word ^ (word >> 31)


def next_word(words: Column, stream: int) -> Any:
    """Draw 64 bits."""
    at = 4 * stream
    a, b, c, counter = words[at], words[at + 1], words[at + 2], words[at + 3]
    total = a + b + counter
    words[at] = b ^ (b >> 11)
    words[at + 1] = c + (c << 3)
    words[at + 2] = ((c << 24) | (c >> 40)) + total
    words[at + 3] = counter + ONE
    return total


def open_stream(words: Column, stream: int, key: Any, seed: Any, purpose: Any) -> None:
    """Put a stream at its start, as `streams.stream_state` does."""
    word = splitmix64(key + splitmix64(seed + seed + purpose))
    at = 4 * stream
    words[at], words[at + 1] = word, splitmix64(word)
    words[at + 2], words[at + 3] = splitmix64(word ^ ALL_BITS), ONE
    for _ in range(12):
        next_word(words, stream)


def uniform(words: Column, stream: int) -> float:
    """Draw a variate in [0, 1)."""
    return float(next_word(words, stream) >> 11) * 2.0**-53


def exponential(words: Column, stream: int) -> float:
    """Draw a variate of mean 1."""
    m, k = 1.0 - uniform(words, stream), 0.0
    while m < SQRT_HALF:
        m *= 2.0
        k -= 1.0
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = w * (LG2 + w * (LG4 + w * LG6)) + z * (LG1 + w * (LG3 + w * (LG5 + w * LG7)))
    half = 0.5 * f * f
    return -(k * LN2_HIGH - ((half - (s * (half + r) + k * LN2_LOW)) - f))


# --- traffic --------------------------------------------------------------------------------

EXPONENTIAL, DETERMINISTIC, BIMODAL = 0, 1, 2


class Sources(NamedTuple):
    """What each tenant sends; its rate is constant over pieces ``first[t]`` to ``first[t+1]``."""

    key: Column  # uint64, streams.tenant_key
    first: Column  # int64, one more than tenants
    kind: Column  # int64, of its costs
    cost_s: Column  # the mean, or the short cost
    long_s: Column
    long_share: Column
    from_s: Column  # these three by piece
    to_s: Column
    rate_per_s: Column


class Draws(NamedTuple):
    """Where each tenant's traffic has got to."""

    arrivals: Column  # uint64, four words a tenant
    costs: Column  # the same
    unit: Column  # its last arrival on the unit-rate axis
    mass: Column  # where its piece begins on that axis
    piece: Column  # int64
    next_s: Column  # its next arrival
    heap: Column  # int64, tenants by their next arrival


def next_arrival(tenant: int, sources: Sources, draws: Draws) -> float:
    """Draw a tenant's next arrival in seconds; inf when there is none."""
    piece, mass = draws.piece[tenant], draws.mass[tenant]
    end = mass + sources.rate_per_s[piece] * (sources.to_s[piece] - sources.from_s[piece])
    unit = draws.unit[tenant] + exponential(draws.arrivals, tenant)
    while unit >= end:
        piece, mass = piece + 1, end
        if piece == sources.first[tenant + 1]:
            return inf
        end = mass + sources.rate_per_s[piece] * (sources.to_s[piece] - sources.from_s[piece])
    draws.piece[tenant], draws.mass[tenant], draws.unit[tenant] = piece, mass, unit
    time = sources.from_s[piece] + (unit - mass) / sources.rate_per_s[piece]
    return float(min(time, sources.to_s[piece]))


def next_cost(tenant: int, sources: Sources, draws: Draws) -> float:
    """Draw the cost of a tenant's next task in worker-seconds."""
    kind, cost_s = sources.kind[tenant], sources.cost_s[tenant]
    if kind == EXPONENTIAL:
        return float(exponential(draws.costs, tenant) * cost_s)
    if kind == BIMODAL and uniform(draws.costs, tenant) < sources.long_share[tenant]:
        return float(sources.long_s[tenant])
    return float(cost_s)


def generate(
    seed: Any,
    tenants: int,
    sources: Sources,
    draws: Draws,
    room: int,
    arrival_s: Column,
    tenant: Column,
    cost_s: Column,
) -> int:
    """Draw a scenario's tasks in order of arrival; return how many, or -1 if `room` is too small.

    `seed` is a uint64. Ties go by tenant.
    """
    size = 0
    for t in range(tenants):
        open_stream(draws.arrivals, t, sources.key[t], seed, ARRIVALS)
        open_stream(draws.costs, t, sources.key[t], seed, COSTS)
        draws.piece[t], draws.mass[t], draws.unit[t] = sources.first[t], 0.0, 0.0
        draws.next_s[t] = next_arrival(t, sources, draws)
        if draws.next_s[t] < inf:
            draws.heap[size] = t
            size += 1
    for at in range(size // 2 - 1, -1, -1):
        sift_down(draws.heap, size, at, draws.next_s)
    n = 0
    while size > 0:
        if n == room:
            return -1
        t = draws.heap[0]
        arrival_s[n], tenant[n] = draws.next_s[t], t
        cost_s[n] = next_cost(t, sources, draws)
        n += 1
        draws.next_s[t] = next_arrival(t, sources, draws)
        if draws.next_s[t] == inf:
            size -= 1
            draws.heap[0] = draws.heap[size]
        if size > 0:
            sift_down(draws.heap, size, 0, draws.next_s)
    return n


# --- simulation -----------------------------------------------------------------------------


class Tasks(NamedTuple):
    """The tasks in order of arrival."""

    arrival_s: Column
    tenant: Column  # int64
    cost_s: Column
    estimate_s: Column


class Rules(NamedTuple):
    """A policy and its pool."""

    workers: int
    cap: int  # most tasks that wait in one queue
    by_tenant: int  # 1: a queue a tenant, deficit round robin; 0: one queue, first in first out
    limited: int  # 1: a token bucket a tenant
    quantum_s: Column  # these three by tenant
    rate_per_s: Column
    burst: Column


class State(NamedTuple):
    """Queues as linked lists, the ring of backlogged tenants, buckets, and the pool."""

    head: Column  # int64, by queue: its first task
    tail: Column  # int64, by queue: its last task
    length: Column  # int64, by queue
    behind: Column  # int64, by task: the next one in its queue
    left_s: Column  # by tenant, as in disciplines.Flow
    visits: Column  # int64, by tenant
    after: Column  # int64, by tenant: the next one in the ring
    ring: Column  # int64: RING_LAST, RING_SIZE, FRUITLESS
    tokens: Column  # by tenant
    updated_s: Column  # by tenant
    finish_s: Column  # by worker
    pool: Column  # int64: busy workers by their finish, then the idle ones


RING_LAST, RING_SIZE, FRUITLESS = 0, 1, 2


def admit(tenant: int, now: float, rules: Rules, state: State) -> bool:
    """Take a token from a tenant's bucket; False if there is none."""
    filled = state.tokens[tenant] + (now - state.updated_s[tenant]) * rules.rate_per_s[tenant]
    tokens = min(rules.burst[tenant], filled)
    state.updated_s[tenant] = now
    if tokens < 1.0:
        state.tokens[tenant] = tokens
        return False
    state.tokens[tenant] = tokens - 1.0
    return True


def put(task: int, queue: int, rules: Rules, state: State) -> bool:
    """Append a task to a queue; False if that is full."""
    length = state.length[queue]
    if length == 0:
        state.head[queue] = task
        if rules.by_tenant == 1:
            join_ring(queue, state)
    elif length >= rules.cap:
        return False
    else:
        state.behind[state.tail[queue]] = task
    state.tail[queue] = task
    state.length[queue] = length + 1
    return True


def pop(queue: int, state: State) -> int:
    """Remove and return the first task of a queue."""
    task = state.head[queue]
    state.head[queue] = state.behind[task]
    state.length[queue] -= 1
    return int(task)


def join_ring(tenant: int, state: State) -> None:
    """Let a tenant's turn come after all others'; its first, if it is alone, begins at once."""
    if state.ring[RING_SIZE] == 0:
        state.after[tenant] = tenant
        state.visits[tenant] += 1
    else:
        last = state.ring[RING_LAST]
        state.after[tenant] = state.after[last]
        state.after[last] = tenant
    state.ring[RING_LAST] = tenant
    state.ring[RING_SIZE] += 1


def skip_rounds(tasks: Tasks, rules: Rules, state: State) -> None:
    """Go at once through the rounds in which no deficit would reach its head's cost."""
    size, rounds, t = state.ring[RING_SIZE], -1, state.ring[RING_LAST]
    for _ in range(size):
        t = state.after[t]
        left_s, quantum_s = state.left_s[t], rules.quantum_s[t]
        cost_s = tasks.estimate_s[state.head[t]]
        visits = ceil((cost_s - left_s) / quantum_s)
        while left_s + visits * quantum_s < cost_s:  # mend the rounding of the division
            visits += 1
        while left_s + (visits - 1) * quantum_s >= cost_s:
            visits -= 1
        more = visits - state.visits[t]
        if rounds < 0 or more < rounds:
            rounds = more
    for _ in range(size):
        t = state.after[t]
        state.visits[t] += rounds - 1
    state.ring[FRUITLESS] += (rounds - 1) * size


def take_in_turn(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the head of the first tenant, in turn, whose deficit covers its cost; -1 if none."""
    in_vain = 0
    if state.ring[RING_SIZE] > 0 and state.visits[state.after[state.ring[RING_LAST]]] == 0:
        in_vain = -1  # this turn has served already
    while state.ring[RING_SIZE] > 0:
        last = state.ring[RING_LAST]
        t = state.after[last]
        cost_s = tasks.estimate_s[state.head[t]]
        deficit_s = state.left_s[t] + state.visits[t] * rules.quantum_s[t]
        if cost_s <= deficit_s:
            state.ring[FRUITLESS] += max(in_vain, 0)
            task = pop(t, state)
            state.left_s[t], state.visits[t] = deficit_s - cost_s, 0
            if state.length[t] == 0:
                state.left_s[t] = 0.0
                state.after[last] = state.after[t]
                state.ring[RING_SIZE] -= 1
                if state.ring[RING_SIZE] > 0:
                    state.visits[state.after[last]] += 1
            return task
        state.ring[RING_LAST] = t
        in_vain += 1
        if in_vain == state.ring[RING_SIZE]:
            skip_rounds(tasks, rules, state)
        state.visits[state.after[t]] += 1
    return -1


def take(tasks: Tasks, rules: Rules, state: State) -> int:
    """Take the next task to be served; -1 if none is queued."""
    if rules.by_tenant == 1:
        return take_in_turn(tasks, rules, state)
    return pop(0, state) if state.length[0] > 0 else -1


def simulate(
    n: int,
    tenants: int,
    tasks: Tasks,
    rules: Rules,
    state: State,
    start_s: Column,
    outcome: Column,
) -> int:
    """Run `n` tasks; fill `start_s` (NaN if not served) and `outcome` (int8).

    Returns the fruitless visits of the round-robin scan. These disciplines never leave a worker
    idle while a task is queued, so each event lets one task start at most; and which of two
    workers that finish at one instant comes first makes no difference to them.
    """
    for t in range(tenants):
        state.length[t], state.left_s[t], state.visits[t] = 0, 0.0, 0
        state.tokens[t], state.updated_s[t] = rules.burst[t], 0.0
    for worker in range(rules.workers):
        state.pool[worker] = worker
    state.ring[RING_SIZE], state.ring[FRUITLESS] = 0, 0
    finish_s, pool, busy = state.finish_s, state.pool, 0
    for arriving in range(n + 1):
        now = tasks.arrival_s[arriving] if arriving < n else inf
        while busy > 0 and finish_s[pool[0]] <= now:
            worker = pool[0]
            task = take(tasks, rules, state)
            if task >= 0:
                outcome[task], start_s[task] = SERVED, finish_s[worker]
                finish_s[worker] += tasks.cost_s[task]
            else:
                busy -= 1
                pool[0], pool[busy] = pool[busy], worker
            if busy > 0:
                sift_down(pool, busy, 0, finish_s)
        if arriving == n:
            break
        start_s[arriving], outcome[arriving] = nan, WAITING
        tenant = tasks.tenant[arriving]
        if rules.limited == 1 and not admit(tenant, now, rules, state):
            outcome[arriving] = QUOTA
        elif not put(arriving, tenant if rules.by_tenant == 1 else 0, rules, state):
            outcome[arriving] = QUEUE_FULL
        elif busy < rules.workers:
            task = take(tasks, rules, state)
            outcome[task], start_s[task] = SERVED, now
            finish_s[pool[busy]] = now + tasks.cost_s[task]
            sift_up(pool, busy, finish_s)
            busy += 1
    return int(state.ring[FRUITLESS])


# --- metrics --------------------------------------------------------------------------------


class Window(NamedTuple):
    """What is measured, and when."""

    workers: int
    horizon_s: float
    from_s: float
    to_s: float
    by_arrival: int  # 1: x counts what arrived in the window, 0: what finished in it


class Report(NamedTuple):
    """What `measure` finds out; the scalars are indexed by the names below."""

    arrived: Column  # int64, by tenant, in the window, as all of these
    completed: Column  # int64, by tenant
    outcomes: Column  # int64, OUTCOMES a tenant: of those that arrived
    fair_share_per_s: Column  # by tenant
    x: Column  # by tenant, NaN without demand
    wait_s: Column  # QUANTILES a tenant: p50, p90, p99; NaN if none was served
    scalars: Column


class Scratch(NamedTuple):
    """Memory for `measure`."""

    wait_s: Column  # by task
    first: Column  # int64, one more than tenants: where each one's waits begin
    order: Column  # int64, by tenant
    asked: Column  # by tenant
    sharing: Column  # by tenant


QUANTILES = 3
CAPACITY, JAIN, MIN_X, MIN_X_TENANT, UNDER_SHARE_P99, UTILISATION, FINISHED, SCALARS = range(8)


def select(values: Column, low: int, high: int, q: float) -> float:
    """Return quantile `q` of ``values[low:high]``, as `metrics.quantile`; NaN if empty.

    Reorders the values (Hoare's quickselect).
    """
    if low == high:
        return nan
    k, high = low + int(q * (high - low - 1)), high - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return float(values[k])


def share_out(
    tenants: int,
    capacity: float,
    weight: Column,
    length_s: float,
    report: Report,
    scratch: Scratch,
) -> None:
    """Weighted max-min fair shares of the demands, as `allocation.max_min_fair`."""
    shares, asked, order = report.fair_share_per_s, scratch.asked, scratch.order
    for t in range(tenants):
        shares[t] = report.arrived[t] / length_s
        asked[t] = shares[t] / weight[t]
        order[t] = t
    for at in range(tenants // 2 - 1, -1, -1):
        sift_down(order, tenants, at, asked)
    for size in range(tenants - 1, 0, -1):  # heap sort: the largest comes first
        order[0], order[size] = order[size], order[0]
        sift_down(order, size, 0, asked)
    total = 0.0
    for at in range(tenants):
        total += weight[order[at]]
        scratch.sharing[at] = total
    before = 0.0
    for at in range(tenants - 1, -1, -1):
        t = order[at]
        level = (capacity - before) / scratch.sharing[at]
        if asked[t] > level:
            for rest in range(at + 1):
                shares[order[rest]] = max(level, 0.0) * weight[order[rest]]
            break
        before += shares[t]


def measure(
    n: int,
    tenants: int,
    tasks: Tasks,
    weight: Column,
    start_s: Column,
    outcome: Column,
    window: Window,
    report: Report,
    scratch: Scratch,
) -> int:
    """Fill `report`; return 1 if nothing arrived in the window, 2 if nothing finished, else 0."""
    length_s = window.to_s - window.from_s
    first, waits, scalars = scratch.first, scratch.wait_s, report.scalars
    for t in range(tenants):
        report.arrived[t], report.completed[t], first[t] = 0, 0, 0
        for reason in range(OUTCOMES):
            report.outcomes[OUTCOMES * t + reason] = 0
    first[tenants] = 0
    arrivals, finished, finished_cost_s, served_cost_s = 0, 0, 0.0, 0.0
    for task in range(n):
        t = tasks.tenant[task]
        served = outcome[task] == SERVED
        inside = window.from_s <= tasks.arrival_s[task] < window.to_s
        if inside:
            arrivals += 1
            report.arrived[t] += 1
            report.outcomes[OUTCOMES * t + outcome[task]] += 1
        if served:
            cost_s = tasks.cost_s[task]
            served_cost_s += cost_s
            if inside:
                first[t + 1] += 1
                report.completed[t] += window.by_arrival
            if window.from_s <= start_s[task] + cost_s < window.to_s:
                finished += 1
                finished_cost_s += cost_s
                report.completed[t] += 1 - window.by_arrival
    if arrivals == 0 or finished == 0:
        return 1 if arrivals == 0 else 2

    mean_cost_s = finished_cost_s / finished
    capacity = window.workers / mean_cost_s if mean_cost_s > 0.0 else inf
    share_out(tenants, capacity, weight, length_s, report, scratch)
    least, worst, top, asking = inf, 0, 0.0, 0
    for t in range(tenants):
        report.x[t] = nan
        if report.arrived[t] > 0:
            x = report.completed[t] / length_s / report.fair_share_per_s[t]
            report.x[t] = x
            asking += 1
            top = max(top, x)
            if x < least:
                least, worst = x, t
    total, squares = 0.0, 0.0
    for t in range(tenants):
        if report.arrived[t] > 0 and top > 0.0:
            x = report.x[t] / top
            total += x
            squares += x * x

    for t in range(tenants):  # waits by tenant: where they begin, then the waits
        first[t + 1] += first[t]
        scratch.order[t] = first[t]
    for task in range(n):
        if outcome[task] == SERVED and window.from_s <= tasks.arrival_s[task] < window.to_s:
            t = tasks.tenant[task]
            waits[scratch.order[t]] = start_s[task] - tasks.arrival_s[task]
            scratch.order[t] += 1
    for t in range(tenants):
        report.wait_s[QUANTILES * t] = select(waits, first[t], first[t + 1], 0.50)
        report.wait_s[QUANTILES * t + 1] = select(waits, first[t], first[t + 1], 0.90)
        report.wait_s[QUANTILES * t + 2] = select(waits, first[t], first[t + 1], 0.99)
    kept = 0
    for t in range(tenants):  # then of all within their share, moved to the front
        if report.arrived[t] / length_s <= report.fair_share_per_s[t]:
            for at in range(first[t], first[t + 1]):
                waits[kept] = waits[at]
                kept += 1

    scalars[CAPACITY], scalars[MIN_X], scalars[MIN_X_TENANT] = capacity, least, float(worst)
    scalars[JAIN] = total * total / (asking * squares) if top > 0.0 else 1.0
    scalars[UNDER_SHARE_P99] = select(waits, 0, kept, 0.99)
    scalars[UTILISATION] = served_cost_s / (window.workers * window.horizon_s)
    scalars[FINISHED] = float(finished)
    return 0


def idle_while_queued(
    queued: int,
    served: int,
    workers: int,
    entered_s: Column,
    start_s: Column,
    finish_s: Column,
) -> float:
    """Worker-seconds idle while something was queued, from three columns, each in order.

    `entered_s` holds the `queued` times at which tasks joined a queue, the others the `served`
    times at which tasks started and finished.
    """
    idle_s, now, i, j, k = 0.0, 0.0, 0, 0, 0
    while i < queued or j < served or k < served:
        then = inf
        if i < queued:
            then = min(then, entered_s[i])
        if j < served:
            then = min(then, start_s[j])
        if k < served:
            then = min(then, finish_s[k])
        if i > j:
            idle_s += (then - now) * (workers - (j - k))
        now = then
        while i < queued and entered_s[i] == now:
            i += 1
        while j < served and start_s[j] == now:
            j += 1
        while k < served and finish_s[k] == now:
            k += 1
    return idle_s
