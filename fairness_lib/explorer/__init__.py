"""Widgets for the pages: the explorer, the stepper, and water to pour.

They need the extra ``book`` (ipywidgets, anywidget, matplotlib), so that ``import fairness_lib``
leaves them out::

    from fairness_lib.explorer import explore, stepper, water
"""

from .stepper import Stepper, stepper
from .water import Water, water
from .widget import Explorer, explore

__all__ = ["Explorer", "Stepper", "Water", "explore", "stepper", "water"]
