"""A scenario as a TOML file: tenants, rates and bursts, written down once for every command.

::

    workers = 8              # optional, as window_s
    horizon_s = 60
    window_s = [20, 40]

    [[tenant]]               # one or more
    name = "small{n}"        # {n} is a number where there are several
    count = 20               # 1 by default
    rate_per_s = 5
    weight = 1               # optional, as what follows
    bursts = [{ from_s = 20, to_s = 40, factor = 5 }]
    service_time = { kind = "exponential", mean_s = 0.010 }

Kinds of service time are exponential, deterministic, bimodal, lognormal and pareto, with the
parameters of the classes of these names.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from .. import _check
from .scenario import Burst, Scenario, Tenant
from .service_times import Bimodal, Deterministic, Exponential, Lognormal, Pareto, ServiceTime

KINDS: dict[str, type] = {
    kind.__name__.lower(): kind for kind in (Exponential, Deterministic, Bimodal, Lognormal, Pareto)
}
MOST_BYTES, MOST_TENANTS = 10**7, 100_000
EXAMPLES = ("article", "service")
"""Names of the scenarios that come with the package."""
_TENANT = ("name", "rate_per_s", "count", "weight", "bursts", "service_time")
_SCENARIO = ("tenant", "workers", "horizon_s", "window_s")


def read_scenario(path: str | os.PathLike[str]) -> Scenario:
    """Read a scenario from a TOML file, or one that comes with the package by its name.

    Parameters
    ----------
    path : path
        The file, or the name of an example: "article" or "service".

    Raises
    ------
    ValueError
        If it cannot be read; the message names the field, the value and what is allowed.

    Examples
    --------
    >>> from fairness_lib import article_scenario
    >>> read_scenario("article") == article_scenario()
    True
    """
    return scenario_of(text_of(path))


def text_of(path: str | os.PathLike[str]) -> str:
    """Return the text of a scenario's file, or of an example by its name."""
    if os.fspath(path) in EXAMPLES:
        return (files(__package__) / "examples" / f"{os.fspath(path)}.toml").read_text("utf-8")
    where = Path(path)
    try:
        with where.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        known = f"; examples are {', '.join(EXAMPLES)}"
        raise ValueError(f"the scenario {str(where)[:200]} cannot be read: {why}{known}") from None
    if len(data) > MOST_BYTES:
        raise ValueError(f"the scenario must be at most {MOST_BYTES // 10**6} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the scenario must be UTF-8 text") from None


def scenario_of(text: str) -> Scenario:
    """Return the scenario that a TOML text describes; errors as for `read_scenario`."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the scenario is no TOML: {error}") from None
    except RecursionError:
        raise ValueError("the scenario is nested too deeply") from None
    try:
        _known("the scenario", given, _SCENARIO, needs=("tenant",))
        tables = given.pop("tenant")
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise TypeError("tenant must be tables, each begun by [[tenant]]")
        tenants = [one for number, table in enumerate(tables, 1) for one in _tenants(number, table)]
        if len(tenants) > MOST_TENANTS:
            raise ValueError(
                f"there must be at most {MOST_TENANTS:,} tenants; got {len(tenants):,}"
            )
        return Scenario(tuple(tenants), **given)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _tenants(number: int, table: dict[str, Any]) -> list[Tenant]:
    where = f"tenant {number}"
    _known(where, table, _TENANT, needs=("name", "rate_per_s"))
    table = dict(table)
    name = _check.name(f"{where}: name", table.pop("name"))
    several = "count" in table
    count = _check.whole(f"{where}: count", table.pop("count", 1))
    if count > MOST_TENANTS:
        raise ValueError(f"{where}: count must be at most {MOST_TENANTS:,}; got {count:,}")
    if several and count > 1 and "{n}" not in name:
        raise ValueError(f"{where}: name must have {{n}} in it, for a number; got {name!r}")
    where = f"tenant {number} ({name!r})"
    bursts = table.pop("bursts", [])
    if not isinstance(bursts, list):
        raise TypeError(f"{where}: bursts must be a list of tables; got {bursts!r}")
    try:
        table["bursts"] = tuple(
            Burst(**_known(f"burst {i}", burst, _names(Burst), needs=_names(Burst)))
            for i, burst in enumerate(bursts, 1)
        )
        if "service_time" in table:
            table["service_time"] = _service_time(table["service_time"])
        digits = len(str(count - 1))
        names = [name.replace("{n}", f"{i:0{digits}}") if several else name for i in range(count)]
        return [Tenant(one, **table) for one in names]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from None


def _service_time(given: Any) -> ServiceTime:
    if not isinstance(given, dict):
        raise TypeError(f"service_time must be a table with a kind; got {given!r}")
    given = dict(given)
    kind = KINDS[_check.choice("service_time.kind", given.pop("kind", None), KINDS)]
    _known("service_time", given, _names(kind))
    made: ServiceTime = kind(**given)
    return made


def _names(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def _known(
    where: str, table: Any, allowed: tuple[str, ...], needs: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    """Return a table whose keys are all allowed and has those it needs."""
    if not isinstance(table, dict):
        raise TypeError(f"{where} must be a table; got {table!r}")
    for key in table:
        if key not in allowed:
            raise ValueError(f"{where} has no field {key!r}; it may have {', '.join(allowed)}")
    for key in needs:
        if key not in table:
            raise ValueError(f"{where} must have a field {key!r}; it has {', '.join(table)}")
    return table
