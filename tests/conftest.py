"""Shared set-up of the tests."""

from hypothesis import settings

# A deadline on a shared machine fails by chance, not by fault; a printed blob reproduces.
settings.register_profile("book", deadline=None, print_blob=True)
settings.load_profile("book")
