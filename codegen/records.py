"""Checksummed records on disk: one file a record, written whole or not at all.

Kernels, pipeline data and device verdicts are kept through this one store, so they share its
rules: whatever is wrong with a file makes it a miss, never an error; a folder that cannot be
written to is reported once and then worked without. docs/cache.md describes the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path
from typing import Any

from vkml import locks
from vkml.errors import warn

__all__ = ["Record", "Records"]

_MAGIC = b"vkmlrec1"
_HEAD = struct.Struct("<8s32s")  # magic; sha256 of every byte behind it
_SIZES = struct.Struct("<IQ")  # bytes of the fields (JSON); bytes of the payload
_HEXADECIMAL = frozenset("0123456789abcdef")
_LARGEST = 1 << 28  # a larger file is none of ours: it is not even read
_STALE_SECONDS = 3600.0
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # an entry is a plain file: a link is foreign
    | getattr(os, "O_NONBLOCK", 0)  # and a pipe under an entry's name must not hang us
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_CREATE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_warned: set[Path | None] = set()
_warned_lock = locks.lock()


@dataclass(frozen=True, slots=True)
class Record:
    """One verified record: its key, what was said about it when stored, and its bytes."""

    key: str
    fields: dict[str, Any]
    payload: bytes


def file_name(key: str) -> str:
    """The sha256 of `key` as 64 hexadecimal digits; a key that is such digits names itself."""
    if len(key) == 64 and _HEXADECIMAL.issuperset(key):
        return key
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


class Records:
    """Records of several kinds in `folder`, one sub-folder a kind; None keeps nothing.

    Any number of threads and processes may read and write at once: a reader sees a whole record
    or none, and of two writers the later one wins.
    """

    def __init__(self, folder: Path | None) -> None:
        # Absolute at once: a later change of directory must not move the cache.
        self.folder = None if folder is None else folder.absolute()
        self._swept: set[str] = set()

    def path(self, kind: str, key: str, suffix: str = ".rec") -> Path | None:
        """The file that holds, or would hold, the record `key` of `kind`."""
        return None if self.folder is None else self.folder / kind / (file_name(key) + suffix)

    def load(self, kind: str, key: str) -> Record | None:
        """The record stored under exactly `key`, or None for a miss of whatever reason."""
        path = self.path(kind, key)
        record = None if path is None else _read_record(path, kind)
        return record if record is not None and record.key == key else None

    def store(self, kind: str, key: str, payload: bytes, **fields: Any) -> bool:
        """Write a record in one step; `fields` must be JSON. False when it could not be kept."""
        described = {**fields, "kind": kind, "key": key, "created": int(time.time())}
        text = json.dumps(described, sort_keys=True).encode()
        body = _SIZES.pack(len(text), len(payload)) + text + payload
        return self.write(kind, key, ".rec", _HEAD.pack(_MAGIC, _checksum(body)) + body)

    def all(self, kind: str) -> Iterator[Record]:
        """Every readable record of `kind` that lies under its own name, in no order."""
        if self.folder is None:
            return
        with contextlib.suppress(OSError), os.scandir(self.folder / kind) as files:
            for file in files:
                record = _read_record(Path(file.path), kind) if file.name[-4:] == ".rec" else None
                if record is not None and file.name == file_name(record.key) + ".rec":
                    yield record

    def beside(self, kind: str, key: str, suffix: str) -> bytes | None:
        """The bytes of the plain file that `write` put beside a record: not verified."""
        path = self.path(kind, key, suffix)
        return None if path is None else _read_file(path)

    def write(self, kind: str, key: str, suffix: str, data: bytes) -> bool:
        """Write `data` to the file of `key` in one step: a reader sees the old bytes or the new."""
        path = self.path(kind, key, suffix)
        if path is None:
            self._warn("the system names no cache folder")
            return False
        temporary = path.parent / f".{os.getpid()}-{secrets.token_hex(8)}.tmp"
        try:
            self._sweep(kind)
            with _create(temporary) as file:
                file.write(data)
        except OSError as error:
            _remove(temporary)
            self._warn(f"cannot write {path.parent}: {error.strerror or error}")
            return False
        except BaseException:  # an interrupt
            _remove(temporary)
            raise
        try:
            os.replace(temporary, path)
        except PermissionError:  # Windows, while another process reads the old file: its bytes do
            return False
        except FileNotFoundError:  # the folder was cleared meanwhile: the next write makes it anew
            return False
        except OSError as error:
            self._warn(f"cannot replace {path}: {error.strerror or error}")
            return False
        finally:
            _remove(temporary)
        return True

    def _sweep(self, kind: str) -> None:
        """Once a kind: remove temporaries that a killed process left behind."""
        if self.folder is None or kind in self._swept:
            return
        self._swept.add(kind)
        now = time.time()
        with contextlib.suppress(OSError), os.scandir(self.folder / kind) as files:
            for file in files:
                if file.name.startswith(".") and file.name.endswith(".tmp"):
                    # A clock set back leaves files of the future: those are as stale. Removing
                    # one that is still being written costs its writer that one record.
                    with contextlib.suppress(OSError):
                        age = now - file.stat(follow_symlinks=False).st_mtime
                        if abs(age) > _STALE_SECONDS:
                            os.unlink(file.path)

    def _warn(self, reason: str) -> None:
        """Say once a process and folder that nothing can be kept."""
        with _warned_lock:
            if self.folder in _warned:
                return
            _warned.add(self.folder)
        warn(
            f"kernel cache: {reason}; kernels are kept for this process only. Free some space, or "
            "set VKML_CACHE_DIR to a folder that can be written to"
        )


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()


def _read_file(path: Path) -> bytes | None:
    """The bytes of a plain file of sane size, or None."""
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, _READ)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return None
            return file.read(_LARGEST)
    except OSError:
        return None


def _read_record(path: Path, kind: str) -> Record | None:
    """Parse and verify one file; None when any byte of it is not as it was written."""
    data = _read_file(path)
    if data is None or len(data) < _HEAD.size + _SIZES.size:
        return None
    magic, checksum = _HEAD.unpack_from(data)
    body = data[_HEAD.size :]
    if magic != _MAGIC or checksum != _checksum(body):
        return None
    text_size, payload_size = _SIZES.unpack_from(body)
    start = _SIZES.size + text_size
    if len(body) != start + payload_size:
        return None
    try:
        fields = json.loads(body[_SIZES.size : start])
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or fields.get("kind") != kind:
        return None
    key = fields.get("key")
    return Record(key, fields, body[start:]) if isinstance(key, str) else None


def _create(path: Path) -> BufferedWriter:
    """Open a new file for writing, making the folders above it when they are missing."""

    def opener(name: str, _: int) -> int:
        return os.open(name, _CREATE, 0o600)

    try:
        return open(path, "wb", opener=opener)
    except FileNotFoundError:
        root = path.parent.parent
        root.parent.mkdir(parents=True, exist_ok=True)
        root.mkdir(mode=0o700, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return open(path, "wb", opener=opener)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
