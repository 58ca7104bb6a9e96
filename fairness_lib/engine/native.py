"""How numba compiles the kernel for this machine; imported when something is to be compiled.

The kernel's entry points get pointers in place of arrays, as they do in a page. An index into an
array may be negative in Python, and numba checks each one for it, which costs a DRR run a third
of its time.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

import numba.core.types
from numba import njit
from numba.extending import intrinsic

from . import kernel

types: Any = numba.core.types  # numba's own annotations do not know half of it

OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""No exception for a division by zero, and no reference counting."""


def _pointed(kind: Any) -> Any:
    """Return the numba type with pointers for arrays, in tuples and records too."""
    if isinstance(kind, types.Array):
        return types.CPointer(kind.dtype)
    if isinstance(kind, types.BaseTuple):
        record = getattr(kind, "instance_class", None)
        return types.BaseTuple.from_types([_pointed(member) for member in kind.types], record)
    return kind


@intrinsic
def pointers(context: Any, given: Any) -> Any:
    """Replace arrays by pointers to their items."""

    def convert(target: Any, builder: Any, kind: Any, value: Any) -> Any:
        if isinstance(kind, types.Array):
            return target.make_array(kind)(target, builder, value).data
        if isinstance(kind, types.BaseTuple):
            members = [
                convert(target, builder, member, builder.extract_value(value, i))
                for i, member in enumerate(kind.types)
            ]
            return target.make_tuple(builder, _pointed(kind), members)
        return value

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return convert(target, builder, given, arguments[0])

    return _pointed(given)(given), generate


def _entry(*arguments: Any) -> Any:
    return FUNCTION(*as_pointers(arguments))


# Stand-ins, so that `_entry` reads as what it becomes.
FUNCTION: Any = None
as_pointers: Any = pointers


def entry(function: Any, name: str) -> Any:
    """Compile a function of arrays that calls this one with pointers, or find it in the cache.

    numba's cache is valid as long as the file of the code is unchanged; the kernel has several, so
    their content is part of the name. Where no folder can be written there is no cache.
    """
    known_as = f"{name}_{_content()}"
    code = _entry.__code__.replace(
        co_filename=kernel.__file__, co_name=known_as, co_qualname=known_as
    )
    plain = FunctionType(code, {"FUNCTION": function, "as_pointers": pointers}, known_as)
    plain.__module__ = kernel.__name__
    try:
        return njit(cache=True, **OPTIONS)(plain)
    except RuntimeError:  # no locator available
        return njit(**OPTIONS)(plain)


@cache
def _content() -> str:
    """Return a digest of the kernel's files, and of how they are compiled."""
    files = [Path(__file__), *sorted(Path(kernel.__path__[0]).glob("*.py"))]
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def function(plain: FunctionType) -> Any:
    """Compile a function that others call.

    What the loop of every event is made of goes into it whole: a call passes each field of each
    record as an argument, and that would take half of the time.
    """
    parts = (kernel.events, kernel.holding, kernel.optional)
    inline = plain.__code__.co_filename in {part.__file__ for part in parts}
    return njit(forceinline=inline, **OPTIONS)(plain)
