"""A comparison's record as text: a table for a terminal, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from .. import _check
from .words import cell, clock, markdown, part, short, span, visible

FORMATS = ("table", "markdown", "csv", "json")
Record = dict[str, Any]
Rows = list[list[str]]


def render(record: Record, style: str = "table") -> str:
    """Write a comparison's record as ``table``, ``markdown``, ``csv`` or ``json``.

    CSV has one row a tenant; JSON is the whole record.
    """
    _check.choice("style", style, FORMATS)
    if style == "json":
        return json.dumps(record, indent=1, allow_nan=False) + "\n"
    if style == "csv":
        return tenants_csv(record)
    return _document(record, _markdown if style == "markdown" else _plain)


def policy_rows(record: Record) -> tuple[list[str], Rows]:
    """Return the table of policies: heads, and a row each."""
    heads = ["policy", "kept of owed", "within share: mean wait", "p99", "beyond: mean wait", "p99"]
    several = any(policy["rejected"] for policy in record["policies"])
    rows = []
    for policy in record["policies"]:
        within, beyond, change = policy["within"], policy["beyond"], policy["against_as_is"]
        rows.append(
            [
                policy["policy"],
                part(policy["kept"]),
                *(span(group[q]) for group in (within, beyond) for q in ("mean_s", "p99_s")),
                f"{change['better']['tenants']:,} / {change['worse']['tenants']:,}",
            ]
        )
        if several:
            rows[-1].append(f"{policy['rejected']:,} ({span(policy['rejected_work_s'])})")
    heads.append("tenants better / worse")
    return [*heads, "rejected (work)"] if several else heads, rows


def episode_rows(record: Record) -> tuple[list[str], Rows]:
    """Return the table of the worst episodes."""
    began = record["trace"]["began"]
    return ["from", "for", "tasks", "of all waiting", "most work"], [
        [
            clock(episode["start_s"], began),
            span(episode["end_s"] - episode["start_s"]),
            f"{episode['tasks']:,}",
            part(episode["part_of_waiting"], 0),
            ", ".join(map(short, episode["heaviest"])),
        ]
        for episode in record["contention"]["worst_episodes"]
    ]


def minute_rows(record: Record) -> tuple[list[str], Rows]:
    """Return the table of the worst minutes under today's policy."""
    began = record["trace"]["began"]
    return ["from", "owed", "missed", "most work"], [
        [
            clock(minute["start_s"], began),
            f"{minute['owed']:,}",
            f"{minute['missed']:,}",
            ", ".join(map(short, minute["heaviest"])),
        ]
        for minute in record["worst_minutes"]
    ]


def elsewhere_rows(record: Record, key: str = "elsewhere") -> tuple[list[str], Rows]:
    """Return the table of verdicts on other pools and loads, or by pool (`key` "row")."""
    found = record["elsewhere"] if key == "elsewhere" else record["pool"]["row"]
    names = [policy["policy"] for policy in record["policies"]]
    return ["with", "verdict", *(f"{name} keeps" for name in names)], [
        [
            one["what"],
            f"{one['kind']} {one['policy'] or ''}".strip(),
            *(part(one["kept"][name]) for name in names),
        ]
        for one in found
    ]


def facts(record: Record) -> list[str]:
    """Say in a few lines what is in the trace and how much is contended."""
    trace, pool, contention = record["trace"], record["pool"], record["contention"]
    settings, heaviest = record["settings"], trace["heaviest"][0]
    load = f", {settings['load']:g} times as fast" if settings["load"] != 1 else ""
    costs = [span(trace[f"cost_{which}_s"]) for which in ("p50", "mean", "p99")]
    tenants = f"{trace['tenants']:,} tenants in {span(trace['horizon_s'])}"
    return [
        f"{trace['tasks']:,} tasks of {tenants}{load}.",
        (
            f"{pool['workers']:,} workers ({pool['from']}); on average {pool['mean_busy']:.3g} are "
            "needed."
        ),
        f"A task costs {costs[0]} (median), {costs[1]} (mean), {costs[2]} (p99).",
        (
            f"Heaviest is {short(heaviest['tenant'])}, with {part(heaviest['part_of_work'], 0)} of "
            "the work."
        ),
        (
            f"In one queue {part(contention['tasks_that_wait'])} of the tasks wait. Something "
            f"waits for {part(contention['time_with_a_queue'])} of the time, in "
            f"{contention['episodes']:,} episode{'' if contention['episodes'] == 1 else 's'}."
        ),
        (
            f"In contention {contention['within']:,} tenants are within their share, and "
            f"{len(contention['beyond']):,} beyond it."
        ),
        f"A start is owed within {span(settings['objective_s'])}, if fair sharing can do that.",
    ]


def setting_lines(record: Record) -> list[str]:
    """Say what to set, and by which rule."""
    settings = record["settings"]
    quantum = span(settings["quantum_s"])
    cap = "no cap" if settings["cap"] is None else f"a cap of {settings['cap']:,} tasks"
    lines = [
        (
            f"All policies had {cap}, and where they need one a quantum of {quantum}. At least the "
            "mean cost is the rule for a quantum; more saves turns, and lets others wait for it."
        ),
        "A quota follows from a contract. It cannot be read off a log.",
    ]
    if settings["deadline_s"] is None:
        lines.append("A cap follows from a deadline (--deadline) and the rate one can count on.")
        return lines
    most, deadline = settings["cap_for_deadline"], span(settings["deadline_s"])
    among = f"an equal share among the {settings['active']:,} tenants of the worst episode"
    if most:
        lines.append(
            f"A cap of {most:,} tasks a tenant keeps a deadline of {deadline}, by {among}."
        )
    else:
        lines.append(f"No cap keeps a deadline of {deadline}, by {among}.")
    return lines


def tenants_csv(record: Record) -> str:
    """Return a row a tenant; no cell is taken for a formula by a spreadsheet."""
    names = [policy["policy"] for policy in record["policies"]]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ["tenant", "tasks", "work_s", "contended_tasks", "group", "fair_share"]
    writer.writerow(
        heads + [f"share_{name}" for name in names] + [f"mean_wait_s_{name}" for name in names]
    )
    for row in record["tenants"]:
        numbers = [row["share"][name] for name in names]
        numbers += [row["mean_wait_s"][name] for name in names]
        plain = [cell(row["tenant"]), *(row[head] for head in heads[1:]), *numbers]
        writer.writerow(["" if value is None else value for value in plain])
    return out.getvalue()


Table = Callable[[Sequence[str], Rows], str]


def _document(record: Record, table: Table) -> str:
    heading = "## {}" if table is _markdown else "{}"
    say = markdown if table is _markdown else visible
    verdict = record["verdict"]
    parts = [verdict["sentence"], *verdict["because"], *verdict["depends"]]

    def titled(title: str, content: str) -> None:
        parts.extend(["", heading.format(title), "", content])

    titled(
        "What was recognised", "\n".join(f"- {say(line)}" for line in record["trace"]["recognised"])
    )
    titled("What is in it", "\n".join(f"- {say(line)}" for line in facts(record)))
    if record["pool"]["row"]:
        titled("By pool", table(*elsewhere_rows(record, "row")))
    titled("Policies", table(*policy_rows(record)))
    if record["worst_minutes"]:
        name = record["settings"]["as_is"]
        titled(f"The worst minutes under {name}", table(*minute_rows(record)))
    if record["contention"]["worst_episodes"]:
        titled("Episodes that hold most of the waiting", table(*episode_rows(record)))
    if record["elsewhere"]:
        titled("On other pools and loads", table(*elsewhere_rows(record)))
    titled("What to set", "\n".join(f"- {line}" for line in setting_lines(record)))
    notes = [*record["alerts"], *record["limits"]]
    titled("What to know", "\n".join(f"- {say(note)}" for note in notes))
    return "\n".join(parts) + "\n"


def _plain(heads: Sequence[str], rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in [list(heads), *rows]
    ]
    return "\n".join(lines)


def _markdown(heads: Sequence[str], rows: Rows) -> str:
    lines = [list(heads), ["---"] * len(heads), *([markdown(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
