"""Times, parts and strangers' names as a reader sees them, in every format.

Names come from a log and may hold anything: control characters, quotation marks of a page, a
spreadsheet's formula, or ten thousand letters. Each format has its own way to make them harmless.
"""

from __future__ import annotations

from html import escape
from math import isfinite

LONGEST = 28
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""What a spreadsheet takes a cell for a formula or a command by, if it begins so."""


def span(seconds: float | None) -> str:
    """Write a duration in the unit that fits it.

    Examples
    --------
    >>> span(0.0195), span(2.6), span(95.0), span(8000.0), span(300_000.0), span(None)
    ('19.5 ms', '2.6 s', '95 s', '2.22 h', '3.47 days', '–')
    >>> span(0.0), span(0.00001), span(600.0)
    ('0 s', '0.01 ms', '10 min')
    """
    if seconds is None or not isfinite(seconds):
        return "–"
    if seconds == 0:
        return "0 s"
    for size, unit, from_s in (
        (86_400.0, "days", 172_800.0),
        (3600.0, "h", 5400.0),
        (60.0, "min", 120.0),
        (1.0, "s", 1.0),
    ):
        if abs(seconds) >= from_s:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e3 * seconds:.3g} ms"


def part(fraction: float | None, digits: int = 1) -> str:
    """Write a fraction in percent; what is not quite all is never written as all.

    Examples
    --------
    >>> part(0.642), part(0.99996), part(1.0), part(0.0), part(None)
    ('64.2 %', '99.9 %', '100 %', '0 %', '–')
    """
    if fraction is None or not isfinite(fraction):
        return "–"
    if fraction in (0.0, 1.0):
        return f"{100 * fraction:.0f} %"
    most = 100 - 10.0**-digits
    return (
        f"{min(100 * fraction, most):.{digits}f} %" if fraction < 1 else f"{100 * fraction:.0f} %"
    )


def visible(text: str) -> str:
    r"""Return text in which every character shows: others are written as escapes.

    Examples
    --------
    >>> print(visible("a\x1b[31mb\u202ec"))
    a\x1b[31mb\u202ec
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def short(text: str, longest: int = LONGEST) -> str:
    """Return visible text, shortened in the middle.

    Examples
    --------
    >>> short("7b2c43a2bc30f6bb438074df88b603d2cb982d3e"), short("shop")
    ('7b2c43a2bc30f6…b603d2cb982d3e', 'shop')
    """
    shown = visible(text[: 10 * longest] + text[-longest:] if len(text) > 11 * longest else text)
    if len(shown) <= longest + 1:
        return shown
    return f"{shown[: longest // 2]}…{shown[-(longest // 2) :]}"


def html(text: str) -> str:
    """Return visible text for a page, attributes included."""
    return escape(visible(text))


def markdown(text: str) -> str:
    r"""Return visible text for a cell of a Markdown table.

    Examples
    --------
    >>> print(markdown("a|b <i> [x](y) `c`"))
    a\|b &lt;i&gt; \[x\](y) \`c\`
    """
    shown = escape(visible(text), quote=False)
    return "".join(f"\\{c}" if c in r"\`*_[]|#!~" else c for c in shown)


def cell(text: str) -> str:
    """Return text for a cell of CSV that no spreadsheet takes for a formula.

    Examples
    --------
    >>> cell("=1+1"), cell("shop"), cell(" =x")
    ("'=1+1", 'shop', "' =x")
    """
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


def clock(seconds: float, began: str | None) -> str:
    """Write a moment: the calendar's if the trace has one, else the time since its first task.

    Examples
    --------
    >>> clock(90.0, None), clock(90.0, "2026-01-31T12:00:00Z")
    ('1:30 min', '2026-01-31 12:01:30')
    >>> clock(4000.0, None), clock(12.345, None), clock(400_000.0, None)
    ('1:06:40 h', '12.3 s', '4 d 15:06:40 h')
    """
    if began is not None:
        import numpy as np

        moment = np.datetime64(began.rstrip("Z"), "s") + np.timedelta64(int(seconds), "s")
        return str(moment).replace("T", " ")
    if seconds < 60:
        return f"{seconds:.3g} s"
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    days, rest = divmod(whole, 86_400)
    said = f"{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02} h"
    return f"{days} d {said}" if days else said
