"""Water filling to be touched: drag the capacity, what tenants ask for, and their weights.

The page computes the shares itself (``pour.js``); a test holds them against `max_min_fair`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anywidget
import matplotlib.pyplot as plt
import traitlets
from matplotlib.figure import Figure

from .. import _check
from ..measures.allocation import max_min_fair
from ..plots.diagrams import water_filling
from ..plots.style import by_group, group_of, group_style
from . import front
from .fallback import WithFigure

TENANTS = 3
STEP = 0.5
DEMANDS, WEIGHTS, CAPACITIES = (0.0, 12.0), (1.0, 3.0), (0.0, 24.0)
"""What the drawing holds: the tank is two wide, so that its height is a vessel's."""


class WaterView(anywidget.AnyWidget):
    """What the page draws: the vessels, and what they are set to."""

    _esm = front.module("dom.js", "pour.js", "water.js")
    _css = front.style("fl.css", "water.css")
    tenants: Any = traitlets.List().tag(sync=True)
    demands: Any = traitlets.List().tag(sync=True)
    weights: Any = traitlets.List().tag(sync=True)
    capacity = traitlets.Float().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    bounds = traitlets.Dict().tag(sync=True)


class Water(WithFigure):
    """Three vessels and the water for them."""

    sentence = (
        "On the built page, or in JupyterLab, you can drag the capacity, what each tenant asks for "
        "and its weight, or move them with the arrow keys."
    )

    def __init__(
        self, demands: dict[str, float], capacity: float, weights: dict[str, float], unit: str
    ) -> None:
        self.names = tuple(demands)
        groups = list(by_group(self.names))
        self.view = WaterView(
            tenants=[{"name": n, **group_style(group_of(n), groups)} for n in self.names],
            demands=list(demands.values()),
            weights=[weights[name] for name in self.names],
            capacity=capacity,
            unit=unit,
            bounds={"demand": DEMANDS, "weight": WEIGHTS, "capacity": CAPACITIES, "step": STEP},
        )
        super().__init__([self.view])
        self.add_class("fl-box")

    @property
    def demands(self) -> dict[str, float]:
        """What each tenant asks for now."""
        return dict(zip(self.names, self.view.demands, strict=True))

    @property
    def weights(self) -> dict[str, float]:
        """Each tenant's weight now."""
        return dict(zip(self.names, self.view.weights, strict=True))

    @property
    def shares(self) -> dict[str, float]:
        """Each tenant's fair share now."""
        return max_min_fair(self.demands, self.view.capacity, self.weights)

    def figure(self) -> Figure:
        """Draw the vessels as they stand."""
        figure, ax = plt.subplots(figsize=(5.8, 3.6))
        weights = self.weights if len(set(self.view.weights)) > 1 else None
        water_filling(ax, self.demands, self.view.capacity, weights, self.view.unit)
        return figure


def water(
    demands: Mapping[str, float],
    capacity: float,
    weights: Mapping[str, float] | None = None,
    unit: str = "tasks/s",
) -> Water:
    """Share a capacity among three tenants by water filling, and change it by hand.

    Parameters
    ----------
    demands : mapping of str to float
        What each of three tenants asks for, from 0 to 12.
    capacity : float
        What there is to share, from 0 to 24.
    weights : mapping of str to float, optional
        Entitlements from 1 to 3; 1 for all by default.
    unit : str
        Unit of demands and capacity.

    Raises
    ------
    ValueError, TypeError
        If a number is out of its range, or there are not three tenants.

    Examples
    --------
    >>> water({"small": 2, "mid": 4, "heavy": 10}, capacity=12).shares
    {'small': 2.0, 'mid': 4.0, 'heavy': 6.0}
    """
    asked = _numbers("demands", demands, DEMANDS)
    if len(asked) != TENANTS:
        raise ValueError(f"demands must be of {TENANTS} tenants; got {len(asked)}")
    entitled = _numbers("weights", weights or dict.fromkeys(asked, 1.0), WEIGHTS)
    max_min_fair(asked, capacity, entitled)  # the same tenants?
    return Water(asked, _number("capacity", capacity, CAPACITIES), entitled, unit)


def _numbers(
    field: str, given: Mapping[str, float], bounds: tuple[float, float]
) -> dict[str, float]:
    values = _check.by_name(field, given, "numbers")
    return {name: _number(f"{field}[{name!r}]", value, bounds) for name, value in values.items()}


def _number(field: str, value: Any, bounds: tuple[float, float]) -> float:
    return _check.number(field, value, least=bounds[0], most=bounds[1])
