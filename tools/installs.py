"""Install the book as its readers do, in empty environments, and execute its notebooks there.

    python tools/installs.py [--jobs 2] [requirements] [wheel]      (default: both)

``requirements`` is what Binder does, and a reader without make: a copy of this checkout, with
``requirements.txt`` and nothing else. ``wheel`` is what Colab does: notebooks alone in a folder,
with the wheel's extra ``book`` and the kernel that Colab has. The chapters assert their own
figures, so a notebook that runs to its end has what it needs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
NOT_COPIED = (".*", "_build", "node_modules", "vendor", "__pycache__", "*.egg-info")
TIMEOUT_S = 300

# Kernels that start side by side may be given the same ports; files in a folder of its own, no two.
EXECUTE = f"""
import os, sys, tempfile
import nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
client = nbclient.NotebookClient(notebook, timeout={TIMEOUT_S}, kernel_name="python3")
with tempfile.TemporaryDirectory() as sockets:
    if os.name != "nt":
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", os.path.join(sockets, "kernel")
    client.execute()
"""

# What would let an environment see more than was installed into it.
OUTSIDE = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "JUPYTER_PATH")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in OUTSIDE} | {
    "PYTHONNOUSERSITE": "1"
}


class Environment:
    """A virtual environment of its own, with nothing in it yet."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, env=ENVIRONMENT)
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")

    def python(self, *words: str | Path, cwd: Path) -> str:
        """Run its Python; return what it printed, or raise with what it said."""
        done = subprocess.run(
            [self.bin / "python", *words],
            cwd=cwd,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stdout[-2000:] + done.stderr[-4000:])
        return done.stdout

    def pip(self, *words: str | Path, cwd: Path) -> None:
        """Run its pip, quietly."""
        self.python("-m", "pip", "--disable-pip-version-check", "--quiet", *words, cwd=cwd)

    def execute(self, notebook: Path) -> str | None:
        """Execute a notebook where it lies; return why it failed, if it did."""
        try:
            self.python("-c", EXECUTE, notebook.name, cwd=notebook.parent)
        except RuntimeError as failure:
            return str(failure)
        return None


def from_requirements(folder: Path) -> tuple[Environment, list[Path]]:
    """Copy the checkout, install its ``requirements.txt``; return the copy's notebooks."""
    checkout = folder / "checkout"
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(*NOT_COPIED))
    environment = Environment(folder / "environment")
    environment.pip("install", "--requirement", "requirements.txt", cwd=checkout)
    return environment, sorted((checkout / "book").glob("*.ipynb"))


def from_wheel(folder: Path) -> tuple[Environment, list[Path]]:
    """Install the wheel with its extra ``book``; return notebooks that lie alone in a folder."""
    environment = Environment(folder / "environment")
    environment.pip("wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    environment.pip("install", "ipykernel", f"fairness_lib[book] @ {wheel.as_uri()}", cwd=folder)
    alone = folder / "alone"
    alone.mkdir()
    copies = [shutil.copy(path, alone) for path in sorted((ROOT / "book").glob("*.ipynb"))]
    return environment, [Path(copy) for copy in copies]


INSTALLS: dict[str, Callable[[Path], tuple[Environment, list[Path]]]] = {
    "requirements": from_requirements,
    "wheel": from_wheel,
}


def try_install(name: str, jobs: int) -> int:
    """Install in one way and execute every notebook; return how many failed."""
    with tempfile.TemporaryDirectory(prefix="installs-") as temporary:
        begun = perf_counter()
        environment, notebooks = INSTALLS[name](Path(temporary).resolve())
        where = "import fairness_lib; print(fairness_lib.__file__)"
        library = Path(environment.python("-c", where, cwd=notebooks[0].parent).strip())
        if not library.is_relative_to(Path(temporary).resolve()):
            raise RuntimeError(f"{name}: the library is not the installed one but {library}")
        print(f"{name}: installed in {perf_counter() - begun:.0f} s", flush=True)
        begun, failed = perf_counter(), 0
        with ThreadPoolExecutor(jobs) as pool:
            for path, failure in zip(
                notebooks, pool.map(environment.execute, notebooks), strict=True
            ):
                failed += failure is not None
                print(f"{name}: {path.name} {failure or 'done'}", flush=True)
        print(f"{name}: {len(notebooks)} notebooks in {perf_counter() - begun:.0f} s", flush=True)
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("ways", nargs="*", metavar="WAY", help="requirements, wheel; default both")
    parser.add_argument(
        "--jobs",
        type=int,
        default=2,
        help="notebooks executed side by side, in all environments together",
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.ways) - INSTALLS.keys():
        parser.error(f"no such way: {', '.join(sorted(unknown))}; there are {', '.join(INSTALLS)}")
    ways = options.ways or list(INSTALLS)
    each = partial(try_install, jobs=max(1, options.jobs // len(ways)))
    with ThreadPoolExecutor(len(ways)) as pool:  # one installs while the other executes
        failed = sum(pool.map(each, ways))
    print(f"{failed} notebooks failed" if failed else "every notebook ran, in every environment")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
