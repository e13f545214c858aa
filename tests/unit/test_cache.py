"""The kernel cache, pipeline data and verdicts on top of records."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from vkml.codegen import cache as module
from vkml.codegen import records as records_module
from vkml.codegen.cache import (
    CacheEntry,
    KernelCache,
    PipelineData,
    Verdicts,
    content_digest,
    default_folder,
)
from vkml.errors import VkmlWarning

KEY = "map(add(f32[v],f32[v])) digest=12ab limits=… mode=exact"
SOURCE = "#version 450\nvoid main() {}\n"


def spirv(number: int = 0, words: int = 20) -> bytes:
    """Something that passes for a module; `number` tells two apart."""
    head = (0x07230203, 0x00010500, number, 10, 0)
    return b"".join(word.to_bytes(4, sys.byteorder) for word in (*head, *range(words)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "v1"


@pytest.fixture
def cache(folder: Path) -> KernelCache:
    """A cache that holds one kernel."""
    cache = KernelCache(folder)
    cache.store(KEY, spirv(), source=SOURCE, title="a + b", compiler="glslc 1")
    return cache


def files(folder: Path, kind: str, suffix: str = ".rec") -> list[Path]:
    return sorted(path for path in (folder / kind).iterdir() if path.suffix == suffix)


def test_a_new_process_finds_it(folder, cache):
    assert cache.lookup(KEY) == spirv()
    assert KernelCache(folder).lookup(KEY) == spirv()
    assert KernelCache(folder).lookup(KEY + "!") is None
    assert KernelCache(None).lookup(KEY) is None


def test_memory_comes_first(folder, cache):
    shutil.rmtree(folder)
    assert cache.lookup(KEY) == spirv()
    assert KernelCache(folder).lookup(KEY) is None


def test_a_lookup_fills_the_memory(folder, cache):
    second = KernelCache(folder)
    assert second.lookup(KEY) == spirv()
    shutil.rmtree(folder)
    assert second.lookup(KEY) == spirv()


def test_works_without_a_folder(monkeypatch):
    monkeypatch.setattr(records_module, "_warned", set())
    cache = KernelCache(None)
    with pytest.warns(VkmlWarning):
        cache.store(KEY, spirv(), source=SOURCE, title="a + b")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.store("another", spirv(1), source=SOURCE, title="a + b")
    assert cache.lookup(KEY) == spirv()
    assert cache.lookup("another") == spirv(1)


def test_two_keys_share_a_content(folder, cache):
    cache.store("another", spirv(), source=SOURCE, title="b + a", compiler="glslc 1")
    assert len(files(folder, "index")) == 2
    assert len(files(folder, "content")) == 1
    assert KernelCache(folder).lookup("another") == spirv()


def test_known_text_is_found_without_a_key(folder, cache):
    fresh = KernelCache(folder)
    assert fresh.lookup_source(SOURCE, "glslc 1") == spirv()
    assert fresh.lookup_source(SOURCE, "glslc 2") is None
    assert fresh.lookup_source(SOURCE + "\n", "glslc 1") is None


def test_the_parts_of_a_content_digest_do_not_run_together():
    assert content_digest("b", "a") != content_digest("ab", "")
    assert content_digest("b\nc", "a") != content_digest("c", "a\nb")
    assert len(content_digest("", "")) == 64


def test_entries_and_sources_are_listed(folder, cache):
    (entry,) = KernelCache(folder).entries()
    assert isinstance(entry, CacheEntry)
    assert (entry.index_key, entry.title) == (KEY, "a + b")
    assert entry.content == content_digest(SOURCE, "glslc 1")
    assert cache.source(entry.content) == SOURCE
    assert files(folder, "content", ".comp")[0].read_text() == SOURCE


@pytest.mark.parametrize("damage", [SOURCE + " ", "", "\xff"])
def test_a_source_that_was_not_compiled_is_not_shown(folder, cache, damage):
    (path,) = files(folder, "content", ".comp")
    path.write_bytes(damage.encode("latin-1"))
    assert cache.source(content_digest(SOURCE, "glslc 1")) is None
    assert KernelCache(folder).lookup(KEY) == spirv(), "the module is whole all the same"


@pytest.mark.parametrize("kind", ["index", "content"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1],
        lambda data: b"",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data + b"more",
        lambda data: b"something else altogether",
    ],
    ids=["half", "last byte lost", "empty", "bit flipped", "longer", "foreign"],
)
def test_damage_is_a_miss_and_is_repaired(folder, cache, kind, damage):
    (path,) = files(folder, kind)
    path.write_bytes(damage(path.read_bytes()))
    fresh = KernelCache(folder)
    assert fresh.lookup(KEY) is None
    fresh.store(KEY, spirv(), source=SOURCE, title="a + b", compiler="glslc 1")
    assert KernelCache(folder).lookup(KEY) == spirv()


@pytest.mark.parametrize("kind", ["index", "content"])
def test_a_missing_half_is_a_miss(folder, cache, kind):
    files(folder, kind)[0].unlink()
    assert KernelCache(folder).lookup(KEY) is None


@pytest.mark.parametrize("kind", ["index", "content"])
def test_swapped_contents_miss(folder, cache, kind):
    cache.store("another", spirv(1), source=SOURCE + "//", title="a * b", compiler="glslc 1")
    one, two = files(folder, kind)
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert KernelCache(folder).lookup(KEY) is None
    assert KernelCache(folder).lookup("another") is None


def test_what_is_no_module_is_refused(folder, cache):
    for bad in (b"", b"text", spirv()[:-1], b"\0" * 40, spirv()[:16]):
        with pytest.raises(ValueError, match=r"a \* b"):
            cache.store("another", bad, source=SOURCE, title="a * b")
    assert cache.lookup("another") is None


def test_a_record_that_holds_no_module_misses(folder, cache):
    cache.records.store("content", content_digest(SOURCE, "glslc 1"), b"text")
    assert KernelCache(folder).lookup(KEY) is None


def test_memory_is_bounded(folder, monkeypatch):
    monkeypatch.setattr(module, "_MEMORY_BYTES", 5 * len(spirv()))
    cache = KernelCache(folder)
    for number in range(20):
        cache.store(f"key {number}", spirv(number), source=f"{SOURCE}//{number}", title="t")
        cache.lookup("key 0")  # what is used stays
    assert set(cache._memory) == {"key 0", *(f"key {number}" for number in range(16, 20))}
    assert cache._memory_bytes == sum(map(len, cache._memory.values()))
    assert cache.lookup("key 7") == spirv(7), "what left the memory is on disk"
    cache.store("large", spirv(99, 1000), source=SOURCE, title="t")
    assert cache.lookup("large") == spirv(99, 1000)


def test_threads(folder):
    cache = KernelCache(folder)
    wrong: list[object] = []

    def work(seed: int) -> None:
        for step in range(60):
            number = (step * 7 + seed) % 10
            found = cache.lookup(f"key {number}")
            if found not in (None, spirv(number)):
                wrong.append(found)
            cache.store(f"key {number}", spirv(number), source=f"{SOURCE}//{number}", title="t")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert all(KernelCache(folder).lookup(f"key {n}") == spirv(n) for n in range(10))


def test_pipeline_data(folder):
    data = PipelineData(folder)
    assert data.load("uuid", "1.0") == b""
    data.save("uuid", "1.0", b"blob")
    assert PipelineData(folder).load("uuid", "1.0") == b"blob"
    assert data.load("uuid", "1.1") == b""
    assert data.load("uui", "d1.0") == b""
    assert data.load('uuid", "1.0', "") == b""
    (path,) = files(folder, "pipelines")
    path.write_bytes(path.read_bytes()[:-1])
    assert data.load("uuid", "1.0") == b""
    data.save("uuid", "1.0", b"blob")
    assert data.load("uuid", "1.0") == b"blob"


def test_pipeline_data_is_written_when_it_changed(folder):
    data = PipelineData(folder)
    data.save("uuid", "1.0", b"blob")
    (path,) = files(folder, "pipelines")
    os.utime(path, (0, 0))
    data.save("uuid", "1.0", b"blob")
    assert path.stat().st_mtime == 0
    data.save("uuid", "1.0", b"blob 2")
    assert path.stat().st_mtime > 0


def test_pipeline_data_of_another_device_is_not_taken(folder):
    data = PipelineData(folder)
    data.save("uuid", "1.0", b"blob")
    data.save("uuid", "2.0", b"other")
    one, two = files(folder, "pipelines")
    one.write_bytes(two.read_bytes())
    assert sorted([data.load("uuid", "1.0"), data.load("uuid", "2.0")])[0] == b""


def test_verdicts(folder):
    verdicts = Verdicts(folder)
    assert verdicts.load("uuid", "1.0") is None
    table = {"exact_division": True, "subnormals": "keep", "fused": False}
    verdicts.save("uuid", "1.0", table)
    assert Verdicts(folder).load("uuid", "1.0") == table
    assert verdicts.load("uuid", "1.1") is None
    (path,) = files(folder, "verdicts")
    path.write_bytes(path.read_bytes().replace(b"true", b"null"))
    assert verdicts.load("uuid", "1.0") is None, "an edited table must not be believed"


@pytest.mark.parametrize("payload", [b"", b"{", b"[1]", b"\xff", b"[" * 200_000])
def test_verdicts_that_are_no_table_miss(folder, payload):
    verdicts = Verdicts(folder)
    verdicts.save("uuid", "1.0", {"a": 1})
    (record,) = verdicts.records.all("verdicts")
    verdicts.records.store("verdicts", record.key, payload)
    assert verdicts.load("uuid", "1.0") is None


def test_the_folder_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("VKML_CACHE_DIR", str(tmp_path / "here"))
    assert default_folder() == tmp_path / "here" / "v1"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VKML_CACHE_DIR", "relative")
    assert default_folder() == tmp_path / "relative" / "v1"


@pytest.mark.skipif(sys.platform != "linux", reason="the variables of the XDG specification")
def test_the_folder_comes_from_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv("VKML_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_folder() == tmp_path / "xdg" / "vkml" / "v1"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert default_folder() == tmp_path / "home" / ".cache" / "vkml" / "v1"


@pytest.mark.skipif(os.name == "nt", reason="the home directory comes from elsewhere on Windows")
@pytest.mark.parametrize("variable", [None, "~/cache", "~nobody-of-this-name/cache"])
def test_no_home_directory(monkeypatch, tmp_path, variable):
    """As of a user without HOME and without a line in the password file."""
    monkeypatch.delenv("VKML_CACHE_DIR")
    if variable is not None:
        monkeypatch.setenv("VKML_CACHE_DIR", variable)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    assert default_folder() is None
    assert list(tmp_path.iterdir()) == []


def test_a_system_folder_that_is_relative_is_none(monkeypatch):
    """What some versions of platformdirs answer without a home directory."""
    monkeypatch.delenv("VKML_CACHE_DIR")
    monkeypatch.setattr(module.config, "cache_folder", lambda: Path("~/.cache/vkml"))
    assert default_folder() is None


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove a working directory")
def test_a_removed_working_directory(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setenv("VKML_CACHE_DIR", "relative")
    assert default_folder() is None


def test_a_warm_start_imports_little(folder, cache):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from vkml.codegen.cache import KernelCache\n"
        "assert KernelCache(Path(sys.argv[1])).lookup(sys.argv[2])\n"
        "heavy = {'jinja2', 'platformdirs', 'vkml.codegen.shaderc', 'vkml.codegen.libshaderc'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(folder), KEY],
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
