"""The command line: `vkml X` = `python -m vkml X`, one module of vkml.cli a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__
from .cli import COMMANDS
from .errors import VkmlError

__all__ = ["main"]

FAILED, USAGE, INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (without the program's name) ask for.

    Returns 0 for all done, 1 for a failure, 2 for usage and damaged input, 130 for Ctrl-C. As in
    every argparse program, --help and bad usage raise SystemExit with such a status.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            return _run(given)
        finally:
            sys.stdout.flush()  # here, where a reader that went away can still be answered
    except BrokenPipeError:  # it has read enough, as `head` does: nothing failed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except VkmlError as error:
        print(f"vkml: {error.message}", file=sys.stderr)
        return FAILED


def _run(given: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="vkml",
        description="NumPy-shaped lazy arrays for any GPU with a Vulkan driver.",
        epilog="example:\n  vkml info",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"vkml {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", dest="command")
    named = next((word for word in given if not word.startswith("-")), None)
    for command in COMMANDS:
        part = commands.add_parser(
            command.name,
            help=command.summary,
            description=f"{command.summary[0].upper()}{command.summary[1:]}.",
            epilog=f"example:\n  vkml {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if command.name == named:  # no other command's module is imported
            module = import_module(f"vkml.cli.{command.name}")
            module.add_arguments(part)
            part.set_defaults(run=module.run)
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help(sys.stderr)
        return USAGE
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
