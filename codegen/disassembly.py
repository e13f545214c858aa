"""SPIR-V as text, by the program of spirv-tools where it is installed."""

from __future__ import annotations

import functools
import shutil
import subprocess

__all__ = ["disassemble"]

_PROGRAM = "spirv-dis"


@functools.cache
def _program() -> str | None:
    return shutil.which(_PROGRAM)


def disassemble(spirv: bytes) -> str:
    """The disassembly of a module, or one line that says why there is none."""
    program = _program()
    if program is None:
        return f"({_PROGRAM} is not installed: apt install spirv-tools; brew install spirv-tools)"
    try:
        done = subprocess.run(
            [program, "--no-color", "-"], input=spirv, capture_output=True, check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"({_PROGRAM}: {error})"
    if done.returncode != 0:
        return f"({_PROGRAM}: {done.stderr.decode('utf-8', 'replace').strip()})"
    return done.stdout.decode("utf-8", "replace")
