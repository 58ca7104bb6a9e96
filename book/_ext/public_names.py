"""Write the reference of the library's public names into pages, room by room.

A page that holds ``<!-- public names of fairness_lib.policies -->`` gets, in that place, a table
of the names that ``fairness_lib.__all__`` takes from that room, and of the room's own
``__all__``; then a section for every module that defines one of them, with the protocols that it
defines. A module that is named so itself gets all that is public in it. Names appear by
themselves as soon as they are public. ``<!-- help of report -->`` becomes a subcommand's help.

In text and docstrings ``measure`` in the role ``py:obj``, docstrings' default, finds
``fairness_lib.measure``, wherever it is written.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import make_refnode

LIBRARY = "fairness_lib"
PLACE = re.compile(r"<!-- public names of ([\w.]+) -->")
BACK = re.compile(r'(<a class="viewcode-back" href="[^"#]*#)([^"]+)')
HELP = re.compile(r"<!-- help of (\w+) -->")


def homes(package: str) -> dict[str, str]:
    """Return the names of a package's ``__all__``, each with the module that defines it."""
    module = importlib.import_module(package)
    public, found = set(getattr(module, "__all__", ())), dict[str, str]()
    if not public:
        return {}
    assert module.__file__ is not None
    for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            source = f"{package}.{node.module}"
            deeper = homes(source)
            for alias in node.names:
                if alias.name in public:
                    found[alias.name] = deeper.get(alias.name, source)
    if missing := public - found.keys():
        raise ValueError(f"{package}: not imported from a module of it: {', '.join(missing)}")
    return found


def defined(module: str) -> Iterator[str]:
    """Yield the public classes and functions that a module defines."""
    for name, value in vars(importlib.import_module(module)).items():
        made = inspect.isclass(value) or inspect.isfunction(value)
        if made and value.__module__ == module and not name.startswith("_"):
            yield name


def names_of(room: str) -> dict[str, list[str]]:
    """Return the full names to document of a room, or of a module, by defining module."""
    library = homes(LIBRARY)
    own = homes(room)
    if not own and not hasattr(importlib.import_module(room), "__path__"):
        own = dict.fromkeys(defined(room), room)
    groups: dict[str, list[str]] = {}
    for name, home in library.items():
        if f"{home}.".startswith(f"{room}."):
            groups.setdefault(home, []).append(f"{LIBRARY}.{name}")
    for name, home in own.items():
        if name not in library:
            groups.setdefault(home, []).append(f"{room}.{name}")
    for home, names in groups.items():
        known = {name.rpartition(".")[2] for name in names}
        for name in defined(home):
            value = getattr(importlib.import_module(home), name)
            if getattr(value, "_is_protocol", False) and name not in known:
                names.append(f"{home}.{name}")
        order = ModuleAnalyzer.for_module(home)
        order.analyze()
        names.sort(key=lambda name: order.tagorder.get(name.rpartition(".")[2], 0))
    return groups


def value_of(name: str) -> Any:
    """Return what a full name stands for."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def about(home: str, name: str) -> str:
    """Return a name's docstring, or the text below a constant."""
    value, last = value_of(name), name.rpartition(".")[2]
    if callable(value):
        return inspect.getdoc(value) or ""
    analyzer = ModuleAnalyzer.for_module(home)
    analyzer.analyze()
    return "\n".join(analyzer.find_attr_docs().get(("", last), []))


def directive(home: str, name: str) -> str:
    """Return the autodoc directive of one name."""
    value = value_of(name)
    analyzer = ModuleAnalyzer.for_module(home)
    analyzer.analyze()
    analyzer.overloads.clear()  # one signature that says it all, not one for each type
    if inspect.isclass(value):
        others = [base.__name__ for base in value.__mro__ if LIBRARY not in base.__module__]
        inherited = f"   :inherited-members: {', '.join(others)}\n"
        return f".. autoclass:: {name}\n   :members:\n{inherited}\n"
    if callable(value):
        return f".. autofunction:: {name}\n\n"
    text = "".join(f"   {line}\n" for line in about(home, name).split("\n"))
    return f".. py:data:: {name}\n   :type: {type(value).__name__}\n\n{text}\n"


def reference(room: str) -> str:
    """Return the reference of a room, or of one module, as MyST text."""
    groups = names_of(room)
    table = ["{.names}", "| name | what it is |", "| --- | --- |"]
    sections = []
    for home, names in groups.items():
        for name in names:
            first = " ".join(about(home, name).split("\n\n")[0].split())
            first = re.sub(r"(?<!`)(`[^`]+`)(?!`)", r"{py:obj}\1", first).replace("|", r"\|")
            table.append(f"| {{py:obj}}`~{name}` | {first} |")
        heading = home.removeprefix(f"{LIBRARY}.")
        text = inspect.getdoc(importlib.import_module(home)) or ""
        body = "".join(directive(home, name) for name in names)
        label = heading.replace(".", "-").replace("_", "-")
        sections.append(
            f"(api-{label})=\n## `{heading}`\n\n````{{eval-rst}}\n{text}\n\n{body}````\n"
        )
    listed = "\n".join(table) + "\n\n" if len(table) > 4 else ""
    return listed + "\n".join(sections)


def help_of(command: str) -> str:
    """Return what ``python -m fairness_lib COMMAND --help`` prints."""
    main = importlib.import_module(f"{LIBRARY}.__main__").main
    printed = io.StringIO()
    with (
        patch.dict(os.environ, COLUMNS="76"),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        main([command, "--help"])
    return f"```text\n{printed.getvalue()}```\n"


def expand(text: str) -> str:
    """Replace the place holders of a text."""
    text = PLACE.sub(lambda match: reference(match[1]), text)
    return HELP.sub(lambda match: help_of(match[1]), text)


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the place holders of a page that is being read."""
    source[0] = expand(source[0])


def say_less(app: Sphinx, what: str, name: str, value: Any, *rest: Any) -> tuple[str, None] | None:
    """Leave out what says nothing: that Any is returned, and how a protocol is called."""
    types = app.env.temp_data.get("annotations", {}).get(name, {})
    if types.get("return", "").endswith("Any"):
        del types["return"]
    return ("", None) if getattr(value, "_is_protocol", False) else None


def documented(objects: dict[str, Any], target: str) -> str | None:
    """Return the documented name that ``measure``, ``Run.counts`` or a type's home stands for."""
    parts = target.split(".")
    member = len(parts) > 1 and parts[-2][:1].isupper()
    wanted = ".".join(parts[-2:] if member else parts[-1:])
    for name in objects:
        owner = name.removesuffix(f".{wanted}")
        if owner != name and owner not in objects:
            return name
    return None


def find(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, content: nodes.TextElement
) -> nodes.reference | None:
    """Resolve a name that Sphinx does not find where it is written."""
    if node.get("refdomain") != "py":
        return None
    objects = env.domains["py"].objects
    name = documented(objects, node["reftarget"])
    if name is None:
        return None
    page, anchor = objects[name].docname, objects[name].node_id
    return make_refnode(app.builder, node["refdoc"], page, anchor, content, name)


def lead_back(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Mend the links from code to reference where a module's names come from two packages."""
    if page.startswith("_modules/"):
        objects = app.env.domains["py"].objects

        def mended(link: re.Match[str]) -> str:
            name = documented(objects, link[2])
            return link[1] + (objects[name].node_id if name else link[2])

        context["body"] = BACK.sub(mended, context.get("body", ""))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the filling in, and the finding."""
    app.connect("source-read", fill_in)
    app.connect("autodoc-process-signature", say_less, priority=900)
    app.connect("missing-reference", find)
    app.connect("html-page-context", lead_back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
