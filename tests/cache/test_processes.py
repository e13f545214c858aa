"""The kernel cache under real processes: many at once, killed ones, and folders that refuse."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from vkml.codegen.cache import KernelCache
from vkml.errors import VkmlWarning

ROOT = Path(__file__).resolve().parents[2]
KEYS = 12
DEFINITIONS = """
import sys
from pathlib import Path
from vkml.codegen.cache import KernelCache

def spirv(number, words):
    head = (0x07230203, 0x00010500, number, 10, 0)
    return b"".join(w.to_bytes(4, sys.byteorder) for w in head) + bytes(4 * words)

def store(cache, number, words=5000):
    source = f"#version 450  // {number}"
    cache.store(f"key {number}", spirv(number, words), source=source, title=f"kernel {number}")
"""
PROGRAM = DEFINITIONS + "folder, own = Path(sys.argv[1]), int(sys.argv[2])\n"
WORK = """
for step in range(40):
    number = (step * 7 + own) % 12
    cache = KernelCache(folder)  # a new one: nothing comes from memory
    found = cache.lookup(f"key {number}")
    assert found in (None, spirv(number, 5000)), f"wrong bytes for key {number}"
    store(cache, number)
"""
WRITE_FOR_EVER = """
cache = KernelCache(folder)
print("ready", flush=True)
while True:
    for number in range(12):
        store(cache, number, 200_000)
"""

scope: dict[str, object] = {}
exec(DEFINITIONS, scope)  # this process and those that it starts write the same kernels
spirv, store = scope["spirv"], scope["store"]


def start(folder: Path, own: int, program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-W", "error", "-c", PROGRAM + program, str(folder), str(own)],
        env={**os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def temporaries(folder: Path) -> list[Path]:
    return list(folder.rglob(".*.tmp"))


def test_eight_processes_at_once(tmp_path):
    processes = [start(tmp_path / "v1", own, WORK) for own in range(8)]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    cache = KernelCache(tmp_path / "v1")
    assert all(cache.lookup(f"key {number}") == spirv(number, 5000) for number in range(KEYS))
    assert len(list(cache.entries())) == KEYS
    assert temporaries(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")
def test_killed_in_the_middle(tmp_path):
    """A kill at any moment leaves the old entries or the new ones, and never half of one."""
    folder = tmp_path / "v1"
    for number in range(KEYS):
        store(KernelCache(folder), number, 200_000)
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    moments = random.Random(seed)
    for _ in range(20):
        process = start(folder, 0, WRITE_FOR_EVER)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(moments.uniform(0, 0.02))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        cache = KernelCache(folder)
        for number in range(KEYS):
            assert cache.lookup(f"key {number}") == spirv(number, 200_000), f"key {number} is lost"
        assert len(list(cache.entries())) == KEYS
    left = temporaries(folder)
    print(f"{len(left)} temporaries were left behind")
    for path in left:
        os.utime(path, (0, 0))
    store(KernelCache(folder), 0)
    assert temporaries(folder) == []
    assert KernelCache(folder).lookup("key 0") == spirv(0, 5000)


def failing_stores(folder: Path) -> str:
    """Store three kernels where none can be kept; return the one warning."""
    cache = KernelCache(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(3):
            assert cache.lookup(f"key {number}") is None
            store(cache, number)
    for number in range(3):
        assert cache.lookup(f"key {number}") == spirv(number, 5000), "works on from memory"
    assert [warning.category for warning in caught] == [VkmlWarning]
    return str(caught[0].message)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "vkml-test", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount program")
    if done.returncode != 0:
        pytest.skip(f"mounting is not allowed: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk(small_disk):
    ballast = small_disk / "ballast"
    free = os.statvfs(small_disk)
    ballast.write_bytes(bytes((free.f_bavail - 2) * free.f_bsize))  # leaves less than one kernel
    assert "No space left" in failing_stores(small_disk / "v1")
    assert [path for path in small_disk.rglob("*.rec")] == []
    assert temporaries(small_disk) == [], "half a file keeps the disk full"
    ballast.unlink()
    store(KernelCache(small_disk / "v1"), 0)
    assert KernelCache(small_disk / "v1").lookup("key 0") == spirv(0, 5000)


@pytest.mark.skipif(os.name == "nt", reason="no such limit on Windows")
def test_a_limit_on_file_size(tmp_path):
    """What a full disk is to a process without the right to mount one."""
    program = """
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
cache = KernelCache(folder)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for number in range(3):
        store(cache, number)
print(len(caught), [cache.lookup(f"key {n}") == spirv(n, 5000) for n in range(3)])
"""
    process = start(tmp_path / "v1", 0, program)
    output, errors = process.communicate(timeout=60)
    assert output == "1 [True, True, True]\n", errors
    assert temporaries(tmp_path) == []
    assert KernelCache(tmp_path / "v1").lookup("key 0") is None


@pytest.fixture
def read_only() -> Iterator[Path]:
    """A folder that everybody may read and this process may not write to."""
    if os.name == "nt":
        pytest.skip("no mode bits on Windows")
    folder = Path(tempfile.mkdtemp(prefix="vkml-read-only-"))
    store(KernelCache(folder / "v1"), 7)
    parts = [folder, *folder.rglob("*")]
    for path in parts:
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)  # root may write whatever the modes say
    yield folder / "v1"
    if root:
        os.seteuid(0)
    for path in parts:
        path.chmod(0o700)
    for path in reversed(parts):
        path.rmdir() if path.is_dir() else path.unlink()


def test_a_read_only_folder(read_only):
    assert KernelCache(read_only).lookup("key 7") == spirv(7, 5000), "reading still works"
    assert "Permission denied" in failing_stores(read_only)
    assert KernelCache(read_only).lookup("key 7") == spirv(7, 5000)
