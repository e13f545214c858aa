"""Vulkan structures, results and handles: small helpers over the binding's types."""

from __future__ import annotations

import functools
import re
import weakref
from typing import Any

from vkml.errors import DeviceError, OutOfMemoryError

from . import constants as c
from .loader import ffi

__all__ = ["DeviceLost", "address", "array", "check", "handle", "make", "out", "result_name"]

_kept: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]*|\d")
_OUT_OF_MEMORY = {
    c.VK_ERROR_OUT_OF_HOST_MEMORY,
    c.VK_ERROR_OUT_OF_DEVICE_MEMORY,
    c.VK_ERROR_OUT_OF_POOL_MEMORY,
    c.VK_ERROR_FRAGMENTED_POOL,
    c.VK_ERROR_TOO_MANY_OBJECTS,
    c.VK_ERROR_MEMORY_MAP_FAILED,
}


class DeviceLost(DeviceError):
    """The device stopped answering; nothing it holds can be read any more."""


@functools.cache
def _structure_types() -> dict[str, int]:
    return dict(ffi().typeof("VkStructureType").relements)


@functools.cache
def structure_type(name: str) -> int | None:
    """The sType of the structure called `name`, or None for a structure without one."""
    if not any(field == "sType" for field, _ in ffi().typeof(name).fields):
        return None
    stem = name.removeprefix("Vk")
    suffix = ""
    for vendor in ("KHR", "EXT"):
        if stem.endswith(vendor):
            stem, suffix = stem.removesuffix(vendor), f"_{vendor}"
    words = "_".join(_WORD.findall(stem)).upper() + suffix
    return _structure_types()[f"VK_STRUCTURE_TYPE_{words}"]


def make(name: str, **fields: Any) -> Any:
    """A new structure `name`; what its pointers point at lives as long as it does."""
    types = ffi()
    value = types.new(f"{name} *")
    kind = structure_type(name)
    if kind is not None:
        value.sType = kind
    kept = []
    for field, content in fields.items():
        if isinstance(content, (str, bytes)):
            content = types.new("char[]", content.encode() if isinstance(content, str) else content)
        setattr(value, field, content)
        if isinstance(content, types.CData):
            kept.append(content)
    if kept:
        _kept[value] = kept
    return value


def array(name: str, contents: int | list[Any]) -> Any:
    """An array of `name`: of a length, or of given values (strings, or structures by `make`)."""
    types = ffi()
    if isinstance(contents, int):
        return types.new(f"{name}[]", contents)
    if name == "char *":
        contents = [types.new("char[]", text.encode()) for text in contents]
        value = types.new("char *[]", contents)
    elif contents and isinstance(contents[0], types.CData) and name.startswith("Vk"):
        value = types.new(f"{name}[]", [item[0] for item in contents])
    else:
        return types.new(f"{name}[]", contents)
    _kept[value] = contents
    return value


def address(value: Any) -> int:
    """Where `value` (a pointer or array of the binding) points, as a number."""
    return int(ffi().cast("uintptr_t", value))


def out() -> Any:
    """A place for one 64-bit handle or number that a call returns; read it with [0]."""
    return ffi().new("uint64_t[1]")


def handle(name: str, value: int) -> Any:
    """The handle `value` as the binding's type `name`."""
    return ffi().cast(name, value)


def result_name(result: int) -> str:
    """The name of a VkResult."""
    name = ffi().typeof("VkResult").elements.get(result)
    return str(name) if name else f"VkResult {result}"


def check(result: int, call: str) -> None:
    """Raise the error that `result` of `call` stands for; VK_SUCCESS passes.

    Raises OutOfMemoryError, DeviceLost or DeviceError, naming the call and the result.
    """
    if result == c.VK_SUCCESS:
        return
    text = f"{call}: {result_name(result)}"
    if result in _OUT_OF_MEMORY:
        raise OutOfMemoryError(text)
    if result == c.VK_ERROR_DEVICE_LOST:
        raise DeviceLost(
            f"{text}: the device was lost (driver reset, or a kernel that ran too long); "
            "values computed on it are gone, make them anew"
        )
    raise DeviceError(text)
