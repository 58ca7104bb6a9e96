"""The report's figures as SVG: plain shapes with classes, coloured by the page's style."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, log10

from .words import html

WIDTH, LEFT, RIGHT = 680, 46, 12
Scale = Callable[[float], float]


def load_chart(
    offered: Sequence[float],
    heaviest: Sequence[float],
    workers: int,
    bin_s: float,
    episodes: Sequence[tuple[float, float]],
    label: str,
) -> str:
    """Draw the work that arrives, in workers' worth, over time; its heaviest tenant; the pool."""
    height, top, bottom = 190, 12, 26
    horizon_s = bin_s * len(offered)
    most = max(*offered, workers * 1.15)
    x = _scale(0, horizon_s, LEFT, WIDTH - RIGHT)
    y = _scale(0, most, height - bottom, top)
    parts = [
        f'<rect class="episode" x="{x(a):.1f}" y="{top}" width="{max(x(b) - x(a), 1):.1f}" '
        f'height="{height - bottom - top}"/>'
        for a, b in ((start, min(end, horizon_s)) for start, end in episodes)
        if a < b
    ]
    for values, kind in ((offered, "all"), (heaviest, "heaviest")):
        steps = [
            (x(i * bin_s + part * bin_s), y(v)) for i, v in enumerate(values) for part in (0, 1)
        ]
        outline = " ".join(f"L{px:.1f},{py:.1f}" for px, py in steps)
        base = height - bottom
        parts.append(
            f'<path class="{kind}" d="M{LEFT},{base} {outline} L{WIDTH - RIGHT},{base}Z"/>'
        )
    parts.append(
        f'<line class="pool" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(workers):.1f}" '
        f'y2="{y(workers):.1f}"/>'
    )
    parts.append(
        f'<text x="{WIDTH - RIGHT}" y="{y(workers) - 5:.1f}" text-anchor="end">'
        f"{workers:,} workers</text>"
    )
    parts += _time_axis(x, horizon_s, height, bottom)
    parts += _value_axis(y, _ticks(most))
    return _svg(height, label, parts)


def kept_chart(
    series: Sequence[tuple[str, Sequence[float | None]]], block_s: float, label: str
) -> str:
    """Draw each policy's kept of what is owed, block by block; labels stand at the right."""
    height, top, bottom, right = 200, 12, 26, 110
    horizon_s = block_s * max(len(values) for _, values in series)
    x = _scale(0, horizon_s, LEFT, WIDTH - right)
    y = _scale(0, 1, height - bottom, top)
    parts: list[str] = []
    ends: list[tuple[float, int, str]] = []
    for number, (name, values) in enumerate(series):
        line, last = "", None
        for i, value in enumerate(values):
            if value is None:
                continue
            start, end = x(i * block_s), x((i + 1) * block_s)
            follows = i and values[i - 1] is not None
            line += f"{'L' if follows else 'M'}{start:.1f},{y(value):.1f}L{end:.1f},{y(value):.1f}"
            last = value
        parts.append(f'<path class="line p{number % 8}" d="{line or "M0,0"}"/>')
        if last is not None:
            ends.append((y(last), number, name))
    at = -100.0
    for end_y, number, name in sorted(ends):
        at = max(end_y + 4, at + 14)
        parts.append(
            f'<text class="name p{number % 8}" x="{WIDTH - right + 6}" y="{at:.1f}">'
            f"{html(name)}</text>"
        )
    parts += _time_axis(x, horizon_s, height, bottom)
    parts += _value_axis(y, [0, 0.25, 0.5, 0.75, 1.0], "{:.0%}")
    return _svg(height, label, parts)


def share_chart(
    rows: Sequence[tuple[str, float, Sequence[float]]], policies: Sequence[str], label: str
) -> str:
    """Draw tenants' shares of the pool: what is fair as a bar, what each policy gave as a mark."""
    step, top, name_width = 24, 22, 175
    height = top + step * len(rows) + 30
    most = max(max(fair, *shares) for _, fair, shares in rows) or 1.0
    x = _scale(0, most, name_width, WIDTH - RIGHT - 20)
    parts = []
    for i, (name, fair, shares) in enumerate(rows):
        middle = top + step * i + step / 2
        parts.append(
            f'<text x="{name_width - 8}" y="{middle + 4:.1f}" text-anchor="end">{html(name)}</text>'
            f'<rect class="fair" x="{name_width}" y="{middle - 8:.1f}" height="16" '
            f'width="{max(x(fair) - name_width, 1):.1f}"/>'
        )
        parts += [
            f'<path class="mark p{number % 8}" d="{_mark(number, x(share), middle)}"/>'
            for number, share in enumerate(shares)
        ]
    place = float(name_width)
    for number, name in enumerate(policies):
        parts.append(
            f'<path class="mark p{number % 8}" d="{_mark(number, place + 6, 10)}"/>'
            f'<text x="{place + 16:.0f}" y="14">{html(name)}</text>'
        )
        place += 34 + 7.5 * len(name)
    base = top + step * len(rows)
    for tick in _ticks(most):
        parts.append(
            f'<text x="{x(tick):.1f}" y="{base + 16}" text-anchor="middle">{tick:.0%}</text>'
        )
    return _svg(height, label, parts)


def _mark(number: int, x: float, y: float) -> str:
    """Return a mark's outline: another shape for each policy, so that colour is not needed."""
    r = 5.0
    shapes = (
        f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0Z",
        f"M{x:.1f},{y - r - 1:.1f}l{r + 1},{r + 1}l{-r - 1},{r + 1}l{-r - 1},{-r - 1}Z",
        f"M{x - r:.1f},{y + r:.1f}h{2 * r}l{-r},{-2 * r}Z",
        f"M{x - r:.1f},{y - r:.1f}h{2 * r}v{2 * r}h{-2 * r}Z",
        f"M{x - r:.1f},{y - r:.1f}h{2 * r}l{-r},{2 * r}Z",
    )
    return shapes[number % len(shapes)]


def _scale(low: float, high: float, start: float, end: float) -> Scale:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _ticks(most: float, about: int = 4) -> list[float]:
    """Return round values from 0 to at most `most`."""
    raw = most / about
    size = 10.0 ** floor(log10(raw)) if raw > 0 else 1.0
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= raw)
    return [i * step for i in range(int(most / step + 1e-9) + 1)]


def _time_axis(x: Scale, horizon_s: float, height: int, bottom: int) -> list[str]:
    size, unit = next(
        (size, unit)
        for size, unit in ((86_400, "days"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"))
        if horizon_s >= 3 * size or unit == "ms"
    )
    ticks = _ticks(horizon_s / size, 6)
    return [
        f'<text x="{x(tick * size):.1f}" y="{height - bottom + 16}" text-anchor="middle">{tick:g}'
        f"{f' {unit}' if i == len(ticks) - 1 else ''}</text>"
        for i, tick in enumerate(ticks)
    ]


def _value_axis(y: Scale, ticks: Sequence[float], form: str = "{:,g}") -> list[str]:
    return [
        f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
        f'y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{form.format(tick)}</text>'
        for tick in ticks
    ]


def _svg(height: int, label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html(label)}">'
        f"{''.join(parts)}</svg>"
    )
