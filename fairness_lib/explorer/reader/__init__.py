"""Classes that a reader starts from or ends with, and the loop that runs them in a page.

All of it is plain enough for MicroPython: no dataclasses, no enum, no typing. A class's file is
what the page shows; `simulate` runs it as it stands.
"""
