"""The digest of everything that decides the text of kernels; light enough for every start."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["code_digest", "inputs"]

WRITERS = (
    "expression.py", "glsl.py", "kernel.py", "render.py", "sections.py", "wide.py",
)  # fmt: skip
"""The modules of code generation that turn a region into text."""


def inputs() -> Iterator[tuple[str, Traversable]]:
    """Templates, function library, operation rows, dtypes and text writers: name and file."""
    package = files("vkml")
    yield "dtypes.py", package / "dtypes.py"
    for name in WRITERS:
        yield f"codegen/{name}", package / "codegen" / name
    yield from _below("ops", package / "ops", ".py")
    yield from _below("templates", files("vkml.templates"), (".j2", ".glsl"))


def _below(
    name: str, folder: Traversable, ends: str | tuple[str, ...]
) -> Iterator[tuple[str, Traversable]]:
    """The files of a folder and its subfolders, in order of their names."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _below(f"{name}/{entry.name}", entry, ends)
        elif entry.name.endswith(ends):
            yield f"{name}/{entry.name}", entry


@cache
def code_digest() -> str:
    """Hexadecimal SHA-256 over the names and contents of `inputs()`, computed once a process."""
    digest = hashlib.sha256()
    for name, entry in inputs():
        content = entry.read_bytes()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
