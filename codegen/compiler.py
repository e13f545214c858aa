"""Which GLSL compiler there is, and its identity, without starting it where it is known.

The identity is part of every kernel key, so a warm start asks for it too. It is found by looking
at files only; `vkml.codegen.shaderc` is imported (and the compiler tried out once) only for a
compiler that the cache folder has not seen before.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vkml import locks
from vkml.codegen.records import Records
from vkml.errors import CompileError

__all__ = ["Compiler", "Kind", "Optimise", "compiler_identity", "find_compiler", "require_compiler"]

Kind = Literal["libshaderc", "glslc"]
Optimise = Literal["none", "performance"]

TARGET_FLAGS = ("--target-env=vulkan1.2", "--target-spv=spv1.5")
OPTIMISE_FLAGS: dict[Optimise, str] = {"none": "-O0", "performance": "-O"}

_PREFIXES = (Path("/opt/homebrew"), Path("/usr/local"))  # Homebrew, and what was built here
_LIBRARY_NAMES = {
    "darwin": ("libshaderc_shared.1.dylib", "libshaderc_shared.dylib"),
    "win32": ("shaderc_shared.dll",),
}
_UNIX_NAMES = ("libshaderc_shared.so.1", "libshaderc_shared.so", "libshaderc.so.1")

INSTALL = {
    "Debian, Ubuntu 24.04+": "apt install glslc",
    "Fedora": "dnf install glslc",
    "macOS": "brew install shaderc",
    "Windows, others": "the Vulkan SDK (https://vulkan.lunarg.com), with VULKAN_SDK set",
}


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler that was seen to work: libshaderc in this process, or the program glslc."""

    kind: Kind
    path: Path
    version: str


_found: Compiler | None = None
_lock = locks.lock()  # a compiler on trial may turn out to be gone, and is then forgotten


def find_compiler(records: Records | None = None) -> Compiler | None:
    """The compiler to use, or None: libshaderc where it loads, else glslc; kept for the process.

    glslc is looked for on PATH, in $VULKAN_SDK/bin and in Homebrew's folders. What is found out
    about a file is remembered in `records` until the file changes.
    """
    global _found
    with _lock:
        if _found is None:
            _found, _ = _search(records or Records(None))
        return _found


def require_compiler(records: Records | None = None) -> Compiler:
    """As `find_compiler`, but raises CompileError with the lines to type when there is none."""
    found = find_compiler(records)
    if found is not None:
        return found
    _, refused = _search(Records(None))
    tried = "".join(f"\n  not usable: {reason}" for reason in refused)
    lines = "".join(f"\n  {system}: {line}" for system, line in INSTALL.items())
    raise CompileError(
        f"no GLSL compiler found, and this kernel is not in the cache; install one:{lines}{tried}"
    )


def forget_compiler() -> None:
    """Look again at the next call: the compiler was removed or replaced."""
    global _found
    with _lock:
        _found = None


def compiler_identity(optimise: Optimise = "none", records: Records | None = None) -> str:
    """Version and flags of the compiler, the part of a kernel's key that it decides.

    Without a compiler it is the one that `records` saw last, so a filled cache goes on working
    after the compiler is gone; "no compiler" when there never was one.
    """
    found = find_compiler(records)
    version = found.version if found is not None else _last_version(records or Records(None))
    return " ".join((version, OPTIMISE_FLAGS[optimise], *TARGET_FLAGS))


def cores() -> int:
    """How many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def _search(records: Records) -> tuple[Compiler | None, list[str]]:
    """The first candidate that works, and why those before it do not."""
    refused: list[str] = []
    for kind, path in candidates():
        stamp = _stamp(kind, path)
        known = records.load("compilers", stamp)
        if known is not None and known.fields.get("works") is True:
            return Compiler(kind, path, known.payload.decode("utf-8", "replace")), refused
        if known is not None and kind == "libshaderc":
            refused.append(known.payload.decode("utf-8", "replace"))
            continue
        from vkml.codegen import shaderc

        try:
            version = shaderc.try_out(kind, path)
        except CompileError as error:
            refused.append(str(error))
            if kind == "libshaderc" and records.folder is not None:
                records.store("compilers", stamp, str(error).encode(), works=False)
            continue
        if records.folder is not None:
            records.store("compilers", stamp, version.encode(), works=True)
            records.store("compilers", "last", version.encode(), works=True)
        return Compiler(kind, path, version), refused
    return None, refused


def candidates() -> Iterator[tuple[Kind, Path]]:
    """Existing files that may be the compiler, best first."""
    sdk = _vulkan_sdk()
    roots = [*([sdk] if sdk else []), *(_PREFIXES if sys.platform != "win32" else ())]
    for folder in _library_folders(roots):
        for name in _LIBRARY_NAMES.get(sys.platform, _UNIX_NAMES):
            if (folder / name).is_file():
                yield "libshaderc", folder / name
    places = [None, *(str(root / "bin") for root in roots)]
    seen = set()
    for place in places:
        program = shutil.which("glslc", path=place)
        if program is not None and program not in seen:
            seen.add(program)
            yield "glslc", Path(program).absolute()


def _library_folders(roots: Sequence[Path]) -> list[Path]:
    folders = [root / ("Bin" if sys.platform == "win32" else "lib") for root in roots]
    if sys.platform.startswith("linux"):
        multiarch = sysconfig.get_config_var("MULTIARCH") or ""
        folders += [Path("/usr/lib", multiarch), Path("/usr/lib64"), Path("/usr/lib")]
    return folders


def _vulkan_sdk() -> Path | None:
    folder = os.environ.get("VULKAN_SDK")
    return Path(folder) if folder else None


def _stamp(kind: str, path: Path) -> str:
    """What changes when the compiler behind `path` does: the file, and the loader's own table."""
    file = os.path.realpath(path)
    parts: list[str | int] = [kind, file]
    for watched in (file, "/etc/ld.so.cache"):  # rewritten when any library is installed
        try:
            status = os.stat(watched)
            parts += [status.st_size, status.st_mtime_ns]
        except OSError:
            parts.append("none")
    return json.dumps(parts)


def _last_version(records: Records) -> str:
    last = records.load("compilers", "last")
    return "no compiler" if last is None else last.payload.decode("utf-8", "replace")
