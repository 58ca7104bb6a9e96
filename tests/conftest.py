"""Shared set-up of the tests."""

import os
from unittest.mock import patch

import pytest
from browsing import browser, origins  # noqa: F401  (fixtures)
from hypothesis import settings

from fairness_lib.engine import compiled

# A deadline on a shared machine fails by chance, not by fault; a printed blob reproduces.
settings.register_profile("book", deadline=None, print_blob=True)
# In CI the examples are the same every time: a red build is the change's doing, never chance's.
settings.register_profile("ci", settings.get_profile("book"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "book")


@pytest.fixture(autouse=True, scope="session")
def _what_is_not_asked_for_is_not_compiled():
    """Whatever ran before, ``simulate`` tests the readable tier unless a test asks otherwise."""
    with patch.object(compiled, "loaded", return_value=False):
        yield
