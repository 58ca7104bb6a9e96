"""What the subcommands share: one-line errors, common options, files written whole or not at all.

A subcommand is a module with ``register(commands)``, which adds its parser and sets ``run``, a
function of the parsed arguments that returns the exit code. It reports what the user can mend
by raising `UsageError`: one line on stderr, exit code 2.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn


class UsageError(Exception):
    """Something the user can mend; its text is the one line that is shown."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one clear line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and leave with exit code 2."""
        line = " ".join(message.split())
        self.exit(2, f"{self.prog}: error: {line} (see {self.prog} --help)\n")


def joined(argv: Sequence[str], option: str, names: Iterable[str]) -> list[str]:
    """Return the arguments with commas between known names that follow an option with spaces.

    Examples
    --------
    >>> joined(["--policies", "fifo", "drr", "log.csv"], "--policies", ["fifo", "drr"])
    ['--policies', 'fifo,drr', 'log.csv']
    """
    known = set(names)
    result: list[str] = []
    within = False
    for word in argv:
        parts = [part for part in word.split(",") if part]
        within = within and bool(parts) and known.issuperset(parts)
        if within and result[-1] != option:
            result[-1] += "," + ",".join(parts)
        elif within:
            result.append(",".join(parts))
        else:
            result.append(word)
        within = within or word == option
    return result


def seed_list(text: str) -> tuple[int, ...]:
    """Read ``1,2,3``: distinct whole numbers of at least 0."""
    seeds: list[int] = []
    for part in text.split(","):
        if not (part.strip().isascii() and part.strip().isdigit()):
            raise argparse.ArgumentTypeError(
                f"seeds must be whole numbers of at least 0 with commas between; got {text!r}"
            )
        seed = int(part)
        if seed in seeds:
            raise argparse.ArgumentTypeError(f"seeds must be distinct; got {text!r}")
        seeds.append(seed)
    return tuple(seeds)


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add ``--out FILE``."""
    parser.add_argument(
        "--out", metavar="FILE", type=Path, help="write to FILE, whole or not at all"
    )


def check_out(out: Path | None) -> None:
    """Refuse a file that cannot be written before any work is done for it."""
    if out is None:
        return
    if out.is_dir():
        raise UsageError(f"--out must be a file; {out} is a directory")
    folder = out.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"--out must be in a directory that exists; there is no {folder}")
    if not os.access(out if _special(out) else folder, os.W_OK):
        raise UsageError(f"--out must be in a directory that can be written to; {folder} is not")


def emit(text: str, out: Path | None) -> None:
    """Print `text`, or write it to `out`: all of it, or nothing and `out` as it was before."""
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        if _special(out):
            out.write_text(text, encoding="utf-8")
        else:
            _replace(out.resolve(), text)
    except OSError as error:
        raise UsageError(f"--out {out} cannot be written: {error.strerror}") from error


def _special(path: Path) -> bool:
    """Tell a terminal, a pipe or /dev/null, which are written to, from a file to be replaced."""
    return path.exists() and not path.is_file()


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
