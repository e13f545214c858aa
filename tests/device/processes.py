"""Scripts in processes of their own, for tests of fork, exit, signals and environments."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

__all__ = ["PREAMBLE", "ROOT", "doubled", "finished", "printed", "started"]

ROOT = Path(__file__).resolve().parents[2]
PREAMBLE = """
import atexit, gc, os, signal, sys, threading, time
import numpy
import vkml

def values(n=1000):
    return numpy.arange(n, dtype=numpy.float32)
"""


def started(
    script: str,
    *arguments: str,
    environment: Mapping[str, str | None] | None = None,
    folder: Path | None = None,
    options: tuple[str, ...] = ("-W", "ignore::UserWarning"),
    preamble: str = PREAMBLE,
) -> subprocess.Popen[str]:
    """A process that runs `preamble` and `script`.

    A variable that is None is taken out of its environment.
    """
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "VKML_DEVICE": "vulkan"}
    for name, value in (environment or {}).items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    return subprocess.Popen(
        [sys.executable, *options, "-c", preamble + textwrap.dedent(script), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder or ROOT,
        env=variables,
    )


def finished(
    process: subprocess.Popen[str], status: int = 0, timeout: float = 120
) -> tuple[str, str]:
    """Output and messages of a process that has to end with `status`."""
    try:
        output, messages = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        output, messages = process.communicate()
        raise AssertionError(f"still running after {timeout} s: {output}\n{messages}") from None
    assert process.returncode == status, f"status {process.returncode}: {output}\n{messages}"
    return output, messages


def printed(script: str, *arguments: str, **options: object) -> list[str]:
    """The lines that a script prints; it has to succeed and to be silent otherwise."""
    output, messages = finished(started(script, *arguments, **options))  # type: ignore[arg-type]
    assert messages == "", messages
    return output.splitlines()


def doubled(value: float) -> float:
    """In a worker process: 2 * value, computed by a kernel."""
    import vkml

    return float((vkml.tensor([value]) * 2).item())
