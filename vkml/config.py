"""The only reader of environment variables; `vkml info` prints this table."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["VARIABLES", "Variable", "cache_folder", "flag", "text"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable: its name, what it does, and what its absence means."""

    name: str
    meaning: str
    default: str


VARIABLES = (
    Variable("VKML_DEVICE", "device: vulkan:N, cpu, a UUID or part of a name", "best device"),
    Variable("VKML_EAGER", "1 realizes after every operation", "0"),
    Variable("VKML_CACHE_DIR", "folder of the kernel cache", "the user's cache folder"),
    Variable("VKML_DEBUG", "1 why compiled, 2 kernel table, 3 GLSL, 4 SPIR-V", "0"),
    Variable("VKML_DUMP_DIR", "folder that receives each generated .comp and .spv", "none"),
    Variable("VKML_VALIDATION", "1 loads the Khronos layer, 2 adds synchronisation checks", "0"),
    Variable("VKML_COVERAGE", "file that receives the recorded coverage as JSON at exit", "none"),
    Variable("VKML_FAST_MATH", "1 trades exact numerics for driver built-ins", "0"),
    Variable("VKML_LIMITS", "narrows device limits: max_storage_buffers=4,...", "none"),
)
_KNOWN = frozenset(variable.name for variable in VARIABLES)


def text(name: str) -> str | None:
    """The value of variable `name`, or None when it is unset or empty."""
    if name not in _KNOWN:
        raise KeyError(f"{name} is no vkml variable")
    return os.environ.get(name) or None


def flag(name: str) -> int:
    """The value of variable `name` as a whole number; unset is 0, any other word is 1."""
    value = text(name)
    if value is None:
        return 0
    try:
        return int(value)
    except ValueError:
        return 0 if value.lower() in {"false", "no", "off"} else 1


def cache_folder() -> Path | None:
    """The folder of the kernel cache, or None where the system names no place for one."""
    from pathlib import Path  # here and below: `import vkml` must not pay for them

    chosen = text("VKML_CACHE_DIR")
    if chosen is not None:
        return Path(chosen).expanduser()
    import platformdirs

    try:
        return platformdirs.user_cache_path("vkml", appauthor=False)
    except (OSError, RuntimeError):
        return None
