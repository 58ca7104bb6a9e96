"""Widgets for the pages: the explorer, tasks in motion, the stepper, and water to pour.

They need the extra ``book`` (ipywidgets, anywidget, matplotlib), so that ``import fairness_lib``
leaves them out::

    from fairness_lib.explorer import explore, motion, stepper, water
"""

from .motion import Motion, motion
from .stepper import Stepper, stepper
from .water import Water, water
from .widget import Explorer, explore

__all__ = ["Explorer", "Motion", "Stepper", "Water", "explore", "motion", "stepper", "water"]
