"""Widgets that run the library inside a page: the explorer and the stepper.

They need the extra ``book`` (ipywidgets, anywidget, matplotlib), so that ``import fairness_lib``
leaves them out::

    from fairness_lib.explorer import explore, stepper
"""

from .stepper import Stepper, stepper
from .widget import Explorer, explore

__all__ = ["Explorer", "Stepper", "explore", "stepper"]
