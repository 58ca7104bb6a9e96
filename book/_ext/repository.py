"""Repository, issue and launch buttons from the git remote that this checkout has.

Without a remote, or with one that no reader could open (a local path, an unknown
host), the buttons are left out rather than wrong. Where there is one, the text's
``OWNER/REPOSITORY`` stands for it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

from sphinx.application import Sphinx
from sphinx.config import Config

HOSTS = ("github.com", "gitlab.com")
PLACEHOLDER = "OWNER/REPOSITORY"
REMOTE = re.compile(
    r"(?:https?://(?:[^@/]+@)?|ssh://(?:[^@/]+@)?|git://|[^@/:]+@)"
    r"(?P<host>[\w.-]+)(?::\d+)?[/:](?P<owner>[\w.-]+)/(?P<name>[\w.-]+?)(?:\.git)?/?"
)


class Repository(NamedTuple):
    """A repository on a public host."""

    host: str
    owner: str
    name: str

    @property
    def url(self) -> str:
        """The address of its front page."""
        return f"https://{self.host}/{self.owner}/{self.name}"


def parse_remote(remote: str) -> Repository | None:
    """Read a git remote; None unless it names a repository on a known public host."""
    match = REMOTE.fullmatch(remote.strip())
    if not match or match["host"].lower() not in HOSTS:
        return None
    return Repository(match["host"].lower(), match["owner"], match["name"])


def git(folder: str | Path, *words: str) -> str:
    """Return what a git command prints, or an empty string if it fails."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def theme_options(remote: str, branch: str) -> dict[str, Any]:
    """Return the theme options that turn the buttons on, or that name no repository."""
    repository = parse_remote(remote)
    if repository is None:
        return {"repository_url": ""}
    launch = {"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"}
    if repository.host == "github.com":
        launch["colab_url"] = "https://colab.research.google.com"
    return {
        "repository_url": repository.url,
        "repository_provider": repository.host.removesuffix(".com"),
        "repository_branch": branch,
        "path_to_docs": "",
        "use_repository_button": True,
        "use_issues_button": True,
        "launch_buttons": launch,
    }


def add_buttons(app: Sphinx, config: Config) -> None:
    """Fill in the theme's options before the theme reads them."""
    root = app.srcdir
    remote = git(root, "remote", "get-url", "origin")
    head = git(root, "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    options = theme_options(remote, head.removeprefix("origin/") or "main")
    config.html_theme_options = {**config.html_theme_options, **options}


def name_repository(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Put the repository's own name where the text has the placeholder."""
    repository = parse_remote(app.config.html_theme_options.get("repository_url", ""))
    if repository and PLACEHOLDER in context.get("body", ""):
        name = f"{repository.owner}/{repository.name}"
        context["body"] = context["body"].replace(PLACEHOLDER, name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the buttons and the name."""
    app.connect("config-inited", add_buttons, priority=100)
    app.connect("html-page-context", name_repository)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
