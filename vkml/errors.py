"""Every error and warning that vkml raises.

Each class derives from `VkmlError` and from the builtin that fits, so code written for NumPy
catches it too. A message is one line: what was called, which operand, what was expected, what
came, and the remedy. The user's own line follows it as `file.py:12: x = a + b`: the line that
recorded what failed, where a realize names it, else the line that called vkml, which is read from
the traceback when the error is shown. Until then it costs nothing.
"""

from __future__ import annotations

import builtins
import linecache
import os
import sys
import warnings
from collections.abc import Iterable
from types import FrameType, TracebackType

__all__ = [
    "ArgumentError",
    "CompileError",
    "DTypeError",
    "DeviceError",
    "ExpectationError",
    "IndexError",
    "OutOfMemoryError",
    "RangeError",
    "ShapeError",
    "UnsupportedError",
    "VkmlError",
    "VkmlWarning",
    "in_words",
    "quoted",
    "warn",
]

Place = tuple[str, int]
"""A file and a line number."""

_INSTALLED = ("site-packages", "dist-packages")


class VkmlError(Exception):
    """Root of every error that vkml raises; `str(error)` ends with the user's line.

    message  without the user's line
    places   files and lines that `at` named, or None
    """

    places: tuple[Place, ...] | None = None

    @property
    def message(self) -> str:
        """What was called, what was expected, what came, and the remedy."""
        return super().__str__()

    def at(self, places: Iterable[Place | None]) -> None:
        """Name the lines that the error is about, in place of the one that called vkml.

        Lines that are named already stay; naming none leaves the message alone.
        """
        if self.places is None:
            self.places = tuple(dict.fromkeys(place for place in places if place is not None))

    def __str__(self) -> str:
        places = self.places
        if places is None:
            caller = _caller(self.__traceback__)
            places = () if caller is None else (caller,)
        return "\n  ".join((self.message, *map(quoted, places)))


class ShapeError(VkmlError, ValueError):
    """Shapes, axes or extents do not fit together."""


class DTypeError(VkmlError, TypeError):
    """A dtype is not accepted here, or a value is not of a kind that an array can hold."""


class IndexError(VkmlError, builtins.IndexError):  # noqa: A001 - the field's name for it
    """An index is outside its axis, or there are more indices than axes."""


class RangeError(VkmlError, OverflowError):
    """A number is outside what a dtype holds or a function takes."""


class ArgumentError(VkmlError, ValueError):
    """An argument is none of the values that a function knows, or two exclude each other."""


class UnsupportedError(VkmlError, NotImplementedError):
    """The device or the operation cannot do this; the message names the remedy."""


class DeviceError(VkmlError, RuntimeError):
    """No usable device, a lost device, or operands that live on different devices."""


class OutOfMemoryError(VkmlError, MemoryError):
    """A device allocation failed; the process and earlier tensors stay usable."""


class CompileError(VkmlError, RuntimeError):
    """The GLSL compiler is missing or refused a generated kernel."""


class ExpectationError(VkmlError, AssertionError):
    """A count inside `vkml.expect(...)` was not the expected one."""


def in_words(nbytes: int) -> str:
    """A number of bytes for people, in bytes, KiB, MiB, GiB or TiB."""
    size = float(nbytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} TiB"


def quoted(place: Place) -> str:
    """A place with its text, as `file.py:12: x = a + b`; without the text where it is not known."""
    path, number = place
    text = linecache.getline(path, number).strip()
    return f"{short_path(path)}:{number}" + (f": {text}" if text else "")


def short_path(path: str) -> str:
    """`path` from the working directory on, where it lies below that."""
    try:
        here = os.path.join(os.getcwd(), "")
    except OSError:  # the working directory is gone
        return path
    return path.removeprefix(here)


def _caller(trace: TracebackType | None) -> Place | None:
    """The innermost line of a traceback that is the user's; None while vkml itself handles it."""
    found = None
    if trace is not None and _is_ours(trace.tb_frame):
        return None
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if not _is_ours(trace.tb_frame) and not _is_of_python(path):
            found = path, trace.tb_lineno
        trace = trace.tb_next
    return found


def _is_ours(frame: FrameType) -> bool:
    package = str(frame.f_globals.get("__package__"))
    return package == "vkml" or package.startswith("vkml.")


def _is_of_python(path: str) -> bool:
    """Whether a module belongs to Python itself: a decorator or context manager in between."""
    library = os.path.join(os.path.dirname(os.__file__), "")
    return path.startswith("<frozen ") or (
        path.startswith(library) and not path.startswith(_INSTALLED, len(library))
    )


class VkmlWarning(UserWarning):
    """Something works, but not as the user may think: a slow device, an unusable cache folder."""


def warn(message: str) -> None:
    """Warn with a VkmlWarning at the line that called vkml."""
    frame: FrameType | None = sys._getframe()
    level = 0
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
        level += 1
    warnings.warn(message, VkmlWarning, stacklevel=level + 1)
