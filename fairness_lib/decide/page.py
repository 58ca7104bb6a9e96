"""The report: one HTML file that asks nobody for anything, and needs no script to be read.

Names from the log stand in it as text and never as markup, shortened in the middle, with the whole
name as a title. At most `MOST_ROWS` tenants have a row; all are in a CSV file within the page.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import text
from .charts import kept_chart, load_chart, share_chart
from .words import html, part, short, span

MOST_ROWS, MOST_SHARES = 20, 10
Record = dict[str, Any]
STYLE = Path(__file__).with_name("page.css")


def page(record: Record) -> str:
    """Return a comparison's report as HTML.

    Parameters
    ----------
    record : dict
        From `Comparison.to_dict`.
    """
    verdict, trace = record["verdict"], record["trace"]
    source = html(short(trace["source"].replace("\\", "/").rpartition("/")[2], 60))
    sections = [
        _section("What is in the trace", _trace(record)),
        _section("When is there contention?", _contention(record)),
        _section("What each policy keeps", _policies(record)),
        _section("Who gets what, who waits", _tenants(record)),
        _section("Is that sure?", _sure(record)),
        _section("What to set", _items(text.setting_lines(record))),
        _section("What a replay cannot say", _items(record["limits"])),
    ]
    because = "".join(f"<p>{html(why)}</p>" for why in verdict["because"])
    depends = ""
    if verdict["depends"]:
        depends = f"<p>It depends:</p>{_items(verdict['depends'])}"
    kind = verdict["kind"].replace(" ", "-")
    command = record.get("command")
    made = f"<p>Made by <code>{html(command)}</code></p>" if command else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
        '<meta name="color-scheme" content="light dark">'
        f"<title>Fairness of {source}</title>"
        f"<style>{STYLE.read_text('utf-8')}</style></head><body><main>"
        f"<h1>Fairness of {source}</h1>"
        f'<div class="verdict {kind}"><p class="sentence">{html(verdict["sentence"])}</p>'
        f"{because}{depends}</div>{''.join(sections)}"
        f"<footer>{made}<p>fairness_lib {html(record['fairness_lib'])}</p></footer>"
        "</main></body></html>\n"
    )


def _section(title: str, content: str) -> str:
    return f"<section><h2>{html(title)}</h2>{content}</section>"


def _items(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html(line)}</li>' for line in lines)}</ul>"


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table; cells are text, or pairs of (shown, whole)."""
    head = "".join(f'<th scope="col">{html(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{_cell(row[0])}</th>'
        f"{''.join(f'<td>{_cell(one)}</td>' for one in row[1:])}</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html(caption)}"><table>'
        f"<caption>{html(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
        "</table></div>"
    )


def _cell(value: str | tuple[str, str]) -> str:
    if isinstance(value, tuple):
        shown, whole = value
        return f'<span title="{html(whole[:1000])}">{html(shown)}</span>'
    return html(value)


def _figure(chart: str, caption: str) -> str:
    return f"<figure>{chart}<figcaption>{html(caption)}</figcaption></figure>"


def _trace(record: Record) -> str:
    trace, pool = record["trace"], record["pool"]
    heaviest = short(trace["heaviest"][0]["tenant"])
    peak = max(trace["offered_workers"])
    label = (
        f"Work that arrives, in workers' worth, by {span(trace['bin_s'])}: up to {peak:.3g}, on "
        f"{pool['workers']} workers. Darker: {heaviest}. Shaded: the episodes with most waiting."
    )
    chart = load_chart(
        trace["offered_workers"],
        trace["offered_by_heaviest"],
        pool["workers"],
        trace["bin_s"],
        [(one["start_s"], one["end_s"]) for one in record["contention"]["worst_episodes"]],
        label,
    )
    rows: list[Sequence[Any]] = [
        ((short(one["tenant"]), one["tenant"]), f"{one['tasks']:,}", span(one["work_s"]),
         part(one["part_of_work"]))
        for one in trace["heaviest"]
    ]  # fmt: skip
    table = _table("The heaviest tenants", ["tenant", "tasks", "work", "of all work"], rows)
    recognised = _items(trace["recognised"])
    told = f"<details open><summary>What was recognised</summary>{recognised}</details>"
    alerts = record["alerts"]
    notes = f"<h3>What to know about it</h3>{_items(alerts)}" if alerts else ""
    return _items(text.facts(record)) + _figure(chart, label) + told + notes + table


def _contention(record: Record) -> str:
    contention = record["contention"]
    if not contention["worst_episodes"]:
        return "<p>Nothing waits: no policy makes a difference on this pool.</p>"
    parts = [
        _table("Episodes that hold most of the waiting", *text.episode_rows(record)),
    ]
    if record["worst_minutes"]:
        name = record["settings"]["as_is"]
        parts.append(_table(f"The worst minutes under {name}", *text.minute_rows(record)))
    return "".join(parts)


def _policies(record: Record) -> str:
    policies = record["policies"]
    table = _table(
        f"Waits of tasks that arrive in contention; better or worse than under "
        f"{record['settings']['as_is']}",
        *text.policy_rows(record),
    )
    known = [one for one in policies if any(v is not None for v in one["kept_by_block"])]
    if not known:
        return table
    said = ", ".join(f"{one['policy']} {part(one['kept'])}" for one in known)
    label = f"Kept of what is owed, over time. Over all of it: {said}."
    series = [(one["policy"], one["kept_by_block"]) for one in known]
    return _figure(kept_chart(series, record["settings"]["block_s"], label), label) + table


def _tenants(record: Record) -> str:
    tenants, names = record["tenants"], [one["policy"] for one in record["policies"]]
    heads = ["tenant", "share", "tasks", "work", *(f"{name}: mean wait" for name in names)]
    rows: list[Sequence[Any]] = [
        ((short(one["tenant"]), one["tenant"]), one["group"], f"{one['tasks']:,}",
         span(one["work_s"]), *(span(one["mean_wait_s"][name]) for name in names))
        for one in tenants[:MOST_ROWS]
    ]  # fmt: skip
    rest = tenants[MOST_ROWS:]
    if rest:
        tasks, work_s = (sum(one[key] for one in rest) for key in ("tasks", "work_s"))
        rows.append((f"{len(rest):,} others", "", f"{tasks:,}", span(work_s), *("" for _ in names)))
    table = _table("Mean wait in contention, by tenant, most work first", heads, rows)
    csv = b64encode(text.tenants_csv(record).encode()).decode()
    href = f"data:text/csv;base64,{csv}"
    link = f'<p><a download="tenants.csv" href="{href}">All tenants as CSV</a></p>'
    if not any(one["fair_share"] for one in tenants):
        return table + link
    shown = sorted(tenants, key=lambda one: -one["fair_share"])[:MOST_SHARES]
    label = (
        "Shares of the pool in worker-seconds, in the longest episode: what is fair (bar), and "
        f"what each policy gave (marks). {len(shown)} of {len(tenants):,} tenants."
    )
    chart = share_chart(
        [
            (short(one["tenant"], 14), one["fair_share"], [one["share"][name] for name in names])
            for one in shown
        ],
        names,
        label,
    )
    return _figure(chart, label) + table + link


def _sure(record: Record) -> str:
    verdict, parts = record["verdict"], []
    margin = verdict["margin"]
    if margin is not None and margin["blocks"]:
        parts.append(
            "<p>In kept of what is owed, the difference to "
            f"{html(record['settings']['as_is'])} is {100 * margin['difference']:+.1f} points, "
            f"95 % interval {100 * margin['low']:+.1f} to "
            f"{100 * margin['high']:+.1f} over {margin['blocks']} blocks of "
            f"{span(record['settings']['block_s'])}, drawn again 2,000 times.</p>"
        )
    if record["pool"]["row"]:
        parts.append(_table("The verdict by pool", *text.elsewhere_rows(record, "row")))
    if record["elsewhere"]:
        parts.append(_table("On other pools and loads", *text.elsewhere_rows(record)))
    return "".join(parts) or "<p>Nothing was compared on other pools and loads.</p>"
