"""What pytest leaves out of the doctests it looks for in the library."""

from importlib.util import find_spec

# The only module that needs numba as soon as it is imported.
collect_ignore = [] if find_spec("numba") else ["fairness_lib/engine/native.py"]
