"""The commands of `vkml X` = `python -m vkml X`.

A command is a row here and a module of its name with two functions: `add_arguments(parser)`, and
`run(options)`, which returns the exit status (0 done, 1 failed, 2 damaged input). The module is
imported when its command is named. What a command raises as VkmlError is printed as one line, with
status 1.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

__all__ = ["COMMANDS", "Command"]


class Command(NamedTuple):
    """A command: its name, what it does, and an example of its use."""

    name: str
    summary: str
    example: str


COMMANDS = tuple(
    command
    for command in (
        Command(
            "info", "show devices, compiler, cache and environment; run nothing", "info --json"
        ),
        Command(
            "demo",
            "develop a photograph with generated kernels, and tell what it took",
            "demo --image photo.jpg --out darkroom",
        ),
    )
    if find_spec(f"vkml.cli.{command.name}") is not None
)
