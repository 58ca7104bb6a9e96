"""What pytest leaves out: of the library's doctests, and of what nbval compares."""

from importlib.util import find_spec

import pytest

# The only module that needs numba as soon as it is imported.
collect_ignore = [] if find_spec("numba") else ["fairness_lib/engine/native.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave SVG figures out of nbval's comparison, as it leaves PNG out by itself.

    Their text form, ``<Figure size ...>``, is compared, so none may be missing.
    """
    for notebook in {item.parent for item in items if hasattr(item.parent, "skip_compare")}:
        notebook.skip_compare += ("image/svg+xml",)
