"""Widgets for the pages: the explorer, your own policy, tasks in motion, the stepper, and water.

They need the extra ``book`` (ipywidgets, anywidget, matplotlib), so that ``import fairness_lib``
leaves them out::

    from fairness_lib.explorer import explore, motion, stepper, water, your_policy
"""

from .motion import Motion, motion
from .stepper import Stepper, stepper
from .water import Water, water
from .widget import Explorer, explore
from .yours import YourPolicy, your_policy

__all__ = [
    "Explorer",
    "Motion",
    "Stepper",
    "Water",
    "YourPolicy",
    "explore",
    "motion",
    "stepper",
    "water",
    "your_policy",
]
