"""The command line: ``fairness SUBCOMMAND``, or ``python -m fairness_lib SUBCOMMAND``.

Each subcommand lives in its own module, named in `COMMANDS`; see `commands._cli` for what
such a module offers. The library does the work; nothing is computed here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from . import __version__
from .commands._cli import Parser, UsageError, joined
from .policies.policy import POLICIES

COMMANDS = ("compare", "capacity", "generate", "report", "sweep", "live")
"""Modules of `commands` that register a subcommand, in the order that ``--help`` shows."""


def program() -> str:
    """Return the name that this was called by."""
    called = Path(sys.argv[0]).stem if sys.argv else ""
    return "fairness" if called == "fairness" else "python -m fairness_lib"


def build_parser() -> Parser:
    """Put together the parser of all subcommands."""
    parser = Parser(prog=program(), description="Multi-tenant fairness, computed.")
    parser.add_argument("--version", action="version", version=f"fairness_lib {__version__}")
    commands = parser.add_subparsers(metavar="SUBCOMMAND", required=True, parser_class=Parser)
    for module in COMMANDS:
        import_module(f"{__package__}.commands.{module}").register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code; 2 for what the user can mend."""
    words = joined(sys.argv[1:] if argv is None else argv, "--policies", POLICIES)
    arguments = build_parser().parse_args(words)
    try:
        return int(arguments.run(arguments))
    except UsageError as error:
        print(f"{program()}: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
