"""Every error and warning that vkml raises.

Each class derives from `VkmlError` and from the builtin that fits, so code written for NumPy
catches it too. A message is one line: what was called, which operand, what was expected, what
came, and the remedy; the user's own line follows it where it is known.
"""

from __future__ import annotations

__all__ = [
    "CompileError",
    "DTypeError",
    "DeviceError",
    "ExpectationError",
    "IndexError",
    "OutOfMemoryError",
    "ShapeError",
    "UnsupportedError",
    "VkmlError",
    "VkmlWarning",
]

import builtins


class VkmlError(Exception):
    """Root of every error that vkml raises."""


class ShapeError(VkmlError, ValueError):
    """Shapes, axes or extents do not fit together."""


class DTypeError(VkmlError, TypeError):
    """A dtype is not accepted here, or a value is not of a kind that an array can hold."""


class IndexError(VkmlError, builtins.IndexError):  # noqa: A001 - the field's name for it
    """An index is outside its axis, or there are more indices than axes."""


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


class VkmlWarning(UserWarning):
    """Something works, but not as the user may think: a slow device, an unusable cache folder."""
