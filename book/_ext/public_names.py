"""Write the reference of a package's public names into a page, grouped by module.

A page that holds ``<!-- public names of fairness_lib -->`` gets, in that place, a section for
every module that defines a name of ``fairness_lib.__all__``, in the order in which the package
imports them. A new module appears by itself as soon as its names are public.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

PLACE = re.compile(r"<!-- public names of ([\w.]+) -->")


def by_module(package: str) -> dict[str, list[str]]:
    """Return the names of ``__all__`` by the module that each is imported from."""
    module = importlib.import_module(package)
    public, groups = set(module.__all__), dict[str, list[str]]()
    assert module.__file__ is not None
    for node in ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            names = [alias.name for alias in node.names if alias.name in public]
            groups.setdefault(node.module, []).extend(names)
    if missing := public - {name for names in groups.values() for name in names}:
        raise ValueError(f"{package}: not imported from a module of it: {', '.join(missing)}")
    return {name: sorted(names) for name, names in groups.items() if names}


def directive(package: str, module: str, name: str) -> str:
    """Return the autodoc directive of one name."""
    value = getattr(importlib.import_module(package), name)
    analyzer = ModuleAnalyzer.for_module(f"{package}.{module}")
    analyzer.analyze()
    analyzer.overloads.clear()  # one signature that says it all, not one for each type
    if inspect.isclass(value):
        return f".. autoclass:: {package}.{name}\n   :members:\n"
    if callable(value):
        return f".. autofunction:: {package}.{name}\n"
    about = analyzer.find_attr_docs().get(("", name), [])
    text = "".join(f"   {line}\n" for line in about)
    return f".. py:data:: {package}.{name}\n   :type: {type(value).__name__}\n\n{text}"


def reference(package: str) -> str:
    """Return the reference of a package as MyST text."""
    sections = []
    for module, names in by_module(package).items():
        about = inspect.getdoc(importlib.import_module(f"{package}.{module}")) or ""
        title, _, _ = about.split("\n\n")[0].partition("\n")
        label = f"{package}.{module}".replace(".", "-").replace("_", "-")
        heading = f"{package}.{module}".removeprefix("fairness_lib.")
        body = "\n".join(directive(package, module, name) for name in names)
        sections.append(
            f"(api-{label})=\n## `{heading}`\n\n{title}\n\n```{{eval-rst}}\n{body}```\n"
        )
    return "\n".join(sections)


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the place holders of a page that is being read."""
    source[0] = PLACE.sub(lambda match: reference(match[1]), source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the filling in."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
