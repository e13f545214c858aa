"""The Vulkan loader and the binding's type tables.

The `vulkan` package loads the library while it is imported, knows one name for it and raises a
bare OSError. Its type tables are a module of their own, so that module is imported alone: the
library is then ours to look for, and 10 ms of constants stay unread.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vkml.errors import DeviceError

__all__ = ["INSTALL_HINT", "ffi", "library", "version"]

INSTALL_HINT = (
    "Debian, Ubuntu: apt-get install libvulkan1 mesa-vulkan-drivers; "
    "Fedora: dnf install vulkan-loader mesa-vulkan-drivers; "
    "macOS: brew install molten-vk vulkan-loader; Windows: install the Vulkan SDK or a GPU driver"
)


@functools.cache
def ffi() -> Any:
    """The binding's cffi object: every Vulkan type, no library. Raises DeviceError."""
    name = "vulkan._vulkancache"
    if name in sys.modules:
        return sys.modules[name].ffi
    try:
        package = importlib.util.find_spec("vulkan")
    except (ImportError, ValueError):
        package = None
    if package is None:
        raise DeviceError("the Python package `vulkan` is missing: pip install vulkan")
    for folder in package.submodule_search_locations or ():
        path = Path(folder) / "_vulkancache.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            # Under its own name, so that a later `import vulkan` shares these types.
            sys.modules[name] = module
            return module.ffi
    try:  # a binding laid out otherwise: import it whole
        return importlib.import_module("vulkan").ffi
    except OSError as error:
        raise DeviceError(f"no Vulkan loader ({error}). {INSTALL_HINT}") from None


def candidates(
    platform: str = sys.platform, environment: dict[str, str] | None = None
) -> Iterator[str]:
    """Library names and paths to try, in order: the system's own search first."""
    variables = os.environ if environment is None else environment
    if platform == "win32":
        names, folder = ["vulkan-1.dll"], "Bin"
    elif platform == "darwin":
        names, folder = ["libvulkan.1.dylib", "libvulkan.dylib"], "lib"
    else:
        names, folder = ["libvulkan.so.1", "libvulkan.so"], "lib"
    yield from names
    kit = variables.get("VULKAN_SDK")
    places = [Path(kit) / folder] if kit else []
    if platform == "darwin":
        places += [Path("/opt/homebrew/lib"), Path("/usr/local/lib")]
    for place in places:
        for name in names:
            yield str(place / name)


@functools.cache
def library() -> Any:
    """The Vulkan loader as a cffi library. Raises DeviceError that names the remedy."""
    types = ffi()
    for name in candidates():
        try:
            return types.dlopen(name)
        except OSError:
            continue
    raise DeviceError(f"no Vulkan loader found. {INSTALL_HINT}")


def version() -> str:
    """The version of Vulkan that the loader offers, as "1.3.239". Raises DeviceError."""
    number = ffi().new("uint32_t *", 1 << 22)  # a loader of 1.0 lacks the function
    enumerate_version = getattr(library(), "vkEnumerateInstanceVersion", None)
    if enumerate_version is not None:
        enumerate_version(number)
    return f"{number[0] >> 22}.{number[0] >> 12 & 0x3FF}.{number[0] & 0xFFF}"
