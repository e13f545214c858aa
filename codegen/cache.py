"""The kernel cache on disk, and what a device taught us: pipeline data and verdicts.

Two levels: an index entry maps a kernel's key to the digest of its GLSL source and compiler, and
the content under that digest is the SPIR-V. A known key renders no text; an unknown key whose
text comes out the same compiles nothing. docs/cache.md describes the folder.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vkml import config, locks
from vkml.codegen.records import Records

__all__ = ["CacheEntry", "KernelCache", "PipelineData", "Verdicts", "default_folder"]

_LAYOUT = "v1"  # a change of the files' form takes a new name, and leaves the old ones alone
_MEMORY_BYTES = 64 << 20
_SPIRV_MAGIC = (0x07230203).to_bytes(4, sys.byteorder)


def default_folder() -> Path | None:
    """The folder of this layout's files, from VKML_CACHE_DIR or the system; None without either."""
    try:
        chosen = config.cache_folder()
        if chosen is None:
            return None
        if config.text("VKML_CACHE_DIR") is None and not chosen.is_absolute():
            return None  # no home directory: never litter the working directory instead
        return chosen.absolute() / _LAYOUT
    except (OSError, RuntimeError):  # a relative folder without a working directory, an unknown ~
        return None


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One kernel as `entries` lists it; `created` is in seconds of the writer's clock."""

    index_key: str
    content: str
    title: str
    created: int


class KernelCache:
    """Compiled kernels by key: in memory first, then in `folder` (None: in memory only).

    Safe for threads and processes. No method raises for a damaged, foreign, unreadable or
    unwritable file: it is a miss, and at most one warning.
    """

    def __init__(self, folder: Path | None) -> None:
        self.records = Records(folder)
        self._memory: OrderedDict[str, bytes] = OrderedDict()
        self._memory_bytes = 0
        self._lock = locks.lock()

    def lookup(self, index_key: str) -> bytes | None:
        """The SPIR-V stored under `index_key`, or None."""
        with self._lock:
            spirv = self._memory.get(index_key)
            if spirv is not None:
                self._memory.move_to_end(index_key)
                return spirv
        index = self.records.load("index", index_key)
        spirv = None if index is None else self._content(index.payload.decode("ascii", "replace"))
        if spirv is not None:
            self._remember(index_key, spirv)
        return spirv

    def lookup_source(self, source: str, compiler: str = "") -> bytes | None:
        """The SPIR-V that `compiler` once made of exactly this GLSL text, or None."""
        return self._content(content_digest(source, compiler))

    def store(
        self, index_key: str, spirv: bytes, *, source: str, title: str, compiler: str = ""
    ) -> None:
        """Keep `spirv` under `index_key`, with its GLSL source for whoever looks at the cache.

        `compiler` is the identity that made it; `title` is one line for people. Raises ValueError
        for bytes that are no SPIR-V module, which a driver might not survive.
        """
        if not _is_spirv(spirv):
            raise ValueError(f"kernel cache: {title}: {len(spirv)} bytes that are no SPIR-V module")
        self._remember(index_key, spirv)
        content = content_digest(source, compiler)
        # The source first and the index last: what an entry points to is there when it appears.
        self.records.write("content", content, ".comp", source.encode())
        if self.records.store("content", content, spirv, compiler=compiler, title=title):
            self.records.store("index", index_key, content.encode(), title=title)

    def entries(self) -> Iterator[CacheEntry]:
        """Every kernel on disk, in no order."""
        for record in self.records.all("index"):
            title, created = record.fields.get("title"), record.fields.get("created")
            content = record.payload.decode("ascii", "replace")
            if isinstance(title, str) and isinstance(created, int):
                yield CacheEntry(record.key, content, title, created)

    def source(self, content: str) -> str | None:
        """The GLSL text of `content` (a CacheEntry's); None when it is not the one compiled."""
        record = self.records.load("content", content)
        data = self.records.beside("content", content, ".comp")
        if record is None or data is None:
            return None
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return None
        compiler = record.fields.get("compiler")
        return text if content_digest(text, str(compiler)) == content else None

    def _content(self, content: str) -> bytes | None:
        record = self.records.load("content", content)
        return record.payload if record is not None and _is_spirv(record.payload) else None

    def _remember(self, index_key: str, spirv: bytes) -> None:
        with self._lock:
            replaced = self._memory.pop(index_key, b"")
            self._memory[index_key] = spirv
            self._memory_bytes += len(spirv) - len(replaced)
            while self._memory_bytes > _MEMORY_BYTES and len(self._memory) > 1:
                self._memory_bytes -= len(self._memory.popitem(last=False)[1])


class PipelineData:
    """The driver's own pipeline cache, one blob a device and driver version."""

    def __init__(self, folder: Path | None) -> None:
        self.records = Records(folder)

    def load(self, device_uuid: str, driver: str) -> bytes:
        """The bytes last saved for exactly this device and driver; empty when there are none."""
        record = self.records.load("pipelines", _device_key(device_uuid, driver))
        return b"" if record is None else record.payload

    def save(self, device_uuid: str, driver: str, data: bytes) -> None:
        """Keep `data`; writes nothing when it is what is there already."""
        key = _device_key(device_uuid, driver)
        if self.load(device_uuid, driver) != data:
            self.records.store("pipelines", key, data, device=device_uuid, driver=driver)


class Verdicts:
    """What the probe kernels found out, one table a device and driver version."""

    def __init__(self, folder: Path | None) -> None:
        self.records = Records(folder)

    def load(self, device_uuid: str, driver: str) -> dict[str, Any] | None:
        """The verdicts by name, or None when this device and driver were not probed yet."""
        record = self.records.load("verdicts", _device_key(device_uuid, driver))
        try:
            table = None if record is None else json.loads(record.payload)
        except (ValueError, RecursionError):
            return None
        return table if isinstance(table, dict) else None

    def save(self, device_uuid: str, driver: str, verdicts: Mapping[str, Any]) -> None:
        """Keep `verdicts`: names to JSON values."""
        payload = json.dumps(dict(verdicts), sort_keys=True).encode()
        key = _device_key(device_uuid, driver)
        self.records.store("verdicts", key, payload, device=device_uuid, driver=driver)


def content_digest(source: str, compiler: str) -> str:
    """The name of a content: sha256 of the compiler's identity and the GLSL text."""
    return hashlib.sha256(f"{len(compiler)}\n{compiler}\n{source}".encode()).hexdigest()


def _is_spirv(data: bytes) -> bool:
    return len(data) >= 20 and len(data) % 4 == 0 and data.startswith(_SPIRV_MAGIC)


def _device_key(device_uuid: str, driver: str) -> str:
    return json.dumps([device_uuid, driver])
