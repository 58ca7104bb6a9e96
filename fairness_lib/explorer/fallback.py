"""What a reader sees of a widget without JavaScript, in print and on a code host."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.figure import Figure

from ..measures.report import FairnessReport
from ..plots.results import throughput, wait_p99


class WithFigure(widgets.VBox):  # type: ignore[misc]
    """A widget that is displayed together with a static figure and a sentence about it.

    The widget hides both as soon as it has drawn.
    """

    @property
    def sentence(self) -> str:
        """What the figure shows, and what the widget adds to it."""
        raise NotImplementedError

    def figure(self) -> Figure:
        """Draw what the widget shows at first."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """Describe the widget in words where it cannot be shown."""
        bundle = dict(super()._repr_mimebundle_(**kwargs) or {})
        bundle["text/plain"] = f"{type(self).__name__}: sliders, in JupyterLab or on the page"
        return bundle

    def _ipython_display_(self) -> None:
        """Display the figure, the sentence, and the widget."""
        show: Any = display
        figure = self.figure()
        show(figure)
        plt.close(figure)
        show({"text/html": f'<p class="fl-fallback">{escape(self.sentence)}</p>'}, raw=True)
        show(self._repr_mimebundle_(), raw=True)


def draw_reports(reports: Sequence[FairnessReport], plain: bool = False) -> Figure:
    """Draw each policy's throughput against the fair share, and all their waits.

    With `plain`, axes are named in words, and there is no limit of F2.
    """
    columns = min(2, len(reports))
    rows = -(-len(reports) // columns)
    figure = plt.figure(figsize=(5.8, 2.4 * rows + 3), layout="constrained")
    grid = figure.add_gridspec(rows + 1, columns, height_ratios=[1.0] * rows + [1.3])
    for place, report in enumerate(reports):
        row, column = divmod(place, columns)
        ax = figure.add_subplot(grid[row, column])
        throughput(ax, report)
        if column:
            ax.set_yticklabels([])
        done = "tasks done per second" if plain else "completed (tasks/s)"
        ax.set_xlabel(f"{done}; | fair share" if place == 0 else "", loc="left")
    waits = wait_p99(figure.add_subplot(grid[rows, :]), reports, limit=not plain)
    if plain:
        waits.set_xlabel("wait that 99 of 100 tasks of a tenant stay below (ms)")
    return figure
