"""Keep every page free of scripts that it does not need or that ask another site.

Jupyter Book loads sphinx-thebe, which no page here uses and which points at a
content delivery network, and MathJax where there is no formula; inline scripts are repeated on
pages with widgets.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

FORMULA = 'class="math '
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />'


def is_thebe(script: Any) -> bool:
    """Tell whether a script tag belongs to sphinx-thebe."""
    body = getattr(script, "attributes", {}).get("body") or ""
    name = str(getattr(script, "filename", "") or "")
    return "THEBE_JS_URL" in body or "sphinx-thebe" in name


def is_mathjax(script: Any) -> bool:
    """Tell whether a script tag is there for formulas."""
    body = getattr(script, "attributes", {}).get("body") or ""
    name = str(getattr(script, "filename", "") or "")
    return "window.MathJax" in body or name.endswith("math.js")


def is_state(script: Any) -> bool:
    """Tell whether a script tag holds the state of a page's widgets."""
    kind = str(getattr(script, "attributes", {}).get("type") or "")
    return kind == "application/vnd.jupyter.widget-state+json"


def clean_page(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Drop from one page what it does not need: scripts, and what others have said already."""
    kept, seen = [], set()
    formulas = FORMULA in (context.get("body") or "")
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body")
        unused = is_thebe(script) or (is_mathjax(script) and not formulas)
        if unused or (body and body in seen):
            continue
        seen.add(body)
        if is_state(script):
            # As heavy as the rest of the page: a reader need not wait for it.
            context["body"] += f'<script type="{script.attributes["type"]}">{body}</script>'
        else:
            kept.append(script)
    context["script_files"] = kept
    context["css_files"] = [css for css in context.get("css_files", []) if not is_thebe(css)]
    context["metatags"] = context.get("metatags", "").replace(VIEWPORT, "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the clean-up after everyone else has added their files."""
    app.connect("html-page-context", clean_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
