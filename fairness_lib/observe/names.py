"""Tenants' names as they come in, and as labels that every reader of metrics can read."""

from __future__ import annotations

import re

OTHER = "__other__"
"""The label of all tenants that have none of their own."""

_UNENCODABLE = re.compile(r"[\ud800-\udfff]|\\ud[89a-f][0-9a-f]{2}")  # or taken for one escaped


def plain_name(tenant: object) -> str:
    """Return a tenant's name, such as a ``numpy.str_``, as a plain string.

    Raises
    ------
    TypeError
        If it is no string.
    """
    if tenant.__class__ is str:
        return tenant
    if not isinstance(tenant, str):
        raise TypeError(f"tenant must be a string; got {tenant!r}")
    return str.__str__(tenant)  # a subclass may say something else by its own


def label_of(tenant: str) -> str:
    r"""Return a tenant's label, which is its name unless that cannot be one.

    A tenant that is called ``__other__``, with any number of underscores before it, gets one
    underscore more. A lone surrogate, which UTF-8 cannot say, is written as ``\udc80``; in a name
    that has one, or has what looks like one written so, backslashes are doubled. So no two tenants
    share a label, and none has the label of all the others.

    Examples
    --------
    >>> label_of("small07"), label_of("__other__"), label_of("___other__")
    ('small07', '___other__', '____other__')
    >>> print(label_of("caf\udce9"), label_of(r"caf\udce9"), label_of(r"C:\temp"))
    caf\udce9 caf\\udce9 C:\temp
    """
    if _UNENCODABLE.search(tenant):
        return tenant.replace("\\", r"\\").encode("utf-8", "backslashreplace").decode()
    return "_" + tenant if re.fullmatch(r"_*__other__", tenant) else tenant
