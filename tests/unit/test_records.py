"""Records: whatever is wrong with a file is a miss, and what cannot be written is said once."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import struct
import time
import warnings
from pathlib import Path

import pytest

from vkml.codegen import records as module
from vkml.codegen.records import Records
from vkml.errors import VkmlWarning

KEY = 'a key of several words, "quoted", and é'
PAYLOAD = bytes(range(256)) * 3


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(tmp_path / "v1")


@pytest.fixture
def entry(records: Records) -> Path:
    """The file of one stored record."""
    assert records.store("things", KEY, PAYLOAD, title="one thing")
    path = records.path("things", KEY)
    assert path is not None
    return path


def loaded(records: Records) -> bytes | None:
    record = records.load("things", KEY)
    return None if record is None else record.payload


def sealed(fields: bytes, payload: bytes) -> bytes:
    """A file whose checksum is right, whatever it says."""
    body = struct.pack("<IQ", len(fields), len(payload)) + fields + payload
    return b"vkmlrec1" + hashlib.sha256(body).digest() + body


def warning_of_failing_stores(records: Records) -> str:
    """The one warning that several stores give, none of which succeeds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept = [records.store("things", KEY, b"new") for _ in range(3)]
        kept.append(Records(records.folder).store("things", "another", b"new"))
    assert not any(kept)
    assert [warning.category for warning in caught] == [VkmlWarning]
    return str(caught[0].message)


def test_what_was_stored_comes_back(records, entry):
    record = records.load("things", KEY)
    assert record is not None
    assert (record.key, record.payload) == (KEY, PAYLOAD)
    assert record.fields["title"] == "one thing"
    assert abs(record.fields["created"] - time.time()) < 60
    assert [other.key for other in records.all("things")] == [KEY]


def test_other_names_miss(records, entry):
    assert records.load("things", KEY + " ") is None
    assert records.load("other things", KEY) is None
    assert list(records.all("other things")) == []


def test_empty_payload_and_key_are_records_too(records):
    assert records.store("things", "", b"")
    record = records.load("things", "")
    assert record is not None
    assert record.payload == b""


def test_a_later_store_wins(records, entry):
    assert records.store("things", KEY, b"new")
    assert loaded(records) == b"new"
    assert len(list(entry.parent.iterdir())) == 1, "temporaries are left behind"


def test_every_truncation_misses(records, entry):
    whole = entry.read_bytes()
    for length in range(len(whole)):
        entry.write_bytes(whole[:length])
        assert loaded(records) is None, f"{length} of {len(whole)} bytes were taken as a record"
    entry.write_bytes(whole)
    assert loaded(records) == PAYLOAD


def test_every_flipped_bit_misses(records, entry):
    whole = entry.read_bytes()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        entry.write_bytes(damaged)
        assert loaded(records) is None, f"a flipped bit in byte {position} was not noticed"


def test_bytes_behind_the_end_miss(records, entry):
    entry.write_bytes(entry.read_bytes() + b"\0")
    assert loaded(records) is None


def test_swapped_files_miss(records, entry):
    records.store("things", "another", b"another payload")
    other = records.path("things", "another")
    first, second = entry.read_bytes(), other.read_bytes()
    entry.write_bytes(second)
    other.write_bytes(first)
    assert loaded(records) is None
    assert records.load("things", "another") is None
    assert list(records.all("things")) == []


def test_another_key_under_the_same_name_misses(records, entry):
    fields = json.dumps({"kind": "things", "key": "another"}).encode()
    entry.write_bytes(sealed(fields, PAYLOAD))
    assert loaded(records) is None
    fields = json.dumps({"kind": "things", "key": KEY}).encode()
    entry.write_bytes(sealed(fields, PAYLOAD))
    assert loaded(records) == PAYLOAD, "the forged file is otherwise a right one"


def test_a_record_of_another_kind_misses(records, entry):
    records.store("other things", KEY, b"of the other kind")
    shutil.copy(records.path("other things", KEY), entry)
    assert loaded(records) is None
    assert list(records.all("things")) == []


@pytest.mark.parametrize(
    "fields",
    [b"", b"nonsense", b"[]", b"{}", b"\xff\xfe", b"[" * 200_000, b'{"kind": "things", "key": 3}'],
    ids=["empty", "no JSON", "list", "no key", "no UTF-8", "deep", "number as key"],
)
def test_foreign_fields_miss(records, entry, fields):
    entry.write_bytes(sealed(fields, PAYLOAD))
    assert loaded(records) is None
    assert list(records.all("things")) == []


def test_sizes_that_lie_miss(records, entry):
    for text_size, payload_size in [
        (1 << 31, 4),
        (2, 3),
        (2, 5),
        (3, 1 << 63),
        (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF),
    ]:
        body = struct.pack("<IQ", text_size, payload_size) + b"{}" + b"1234"
        entry.write_bytes(b"vkmlrec1" + hashlib.sha256(body).digest() + body)
        assert loaded(records) is None
    fields = json.dumps({"kind": "things", "key": KEY}).encode()
    body = struct.pack("<IQ", len(fields), 3) + fields + b"1234"
    entry.write_bytes(b"vkmlrec1" + hashlib.sha256(body).digest() + body)
    assert loaded(records) is None


def test_a_huge_file_is_not_read(records, entry):
    with open(entry, "wb") as file:
        file.truncate(1 << 40)  # sparse
    assert loaded(records) is None


def test_a_damaged_entry_is_rewritten(records, entry):
    entry.write_bytes(b"damaged")
    assert loaded(records) is None
    assert records.store("things", KEY, PAYLOAD)
    assert loaded(records) == PAYLOAD


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_is_foreign_and_its_target_is_never_written(records, entry, tmp_path):
    target = tmp_path / "target"
    shutil.move(entry, target)
    entry.symlink_to(target)
    before = target.read_bytes()
    assert loaded(records) is None
    assert records.store("things", KEY, b"new")
    assert loaded(records) == b"new"
    assert not entry.is_symlink()
    assert target.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_a_pipe_does_not_hang(records, entry):
    entry.unlink()
    os.mkfifo(entry)
    assert loaded(records) is None


def test_a_folder_in_the_place_of_an_entry(records, entry):
    entry.unlink()
    entry.mkdir()
    (entry / "file").touch()
    assert loaded(records) is None
    with pytest.warns(VkmlWarning, match="cannot replace"):
        assert not records.store("things", KEY, PAYLOAD)
    assert (entry / "file").exists()
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_an_unreadable_entry_misses_and_is_rewritten(records, entry, monkeypatch):
    """By an injected error: root reads whatever its modes say."""
    real = os.open

    def refuse(path, flags, *rest, **named):
        if os.fspath(path) == str(entry) and not flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(module.os, "open", refuse)
    assert loaded(records) is None
    assert records.store("things", KEY, b"new")
    monkeypatch.undo()
    assert loaded(records) == b"new"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("call", ["open", "write", "close"])
def test_a_write_that_fails_warns_once(records, entry, monkeypatch, code, call):
    real = module._create

    class Failing:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            if call == "write":
                raise OSError(code, os.strerror(code))

        def __exit__(self, *error):
            self.file.close()
            if error == (None, None, None):
                raise OSError(code, os.strerror(code))

    def create(path):
        if call == "open":
            raise OSError(code, os.strerror(code), str(path))
        return Failing(real(path))

    monkeypatch.setattr(module, "_create", create)
    message = warning_of_failing_stores(records)
    assert os.strerror(code) in message
    assert "VKML_CACHE_DIR" in message
    monkeypatch.undo()
    assert loaded(records) == PAYLOAD, "the old record must survive"
    assert [path.name for path in entry.parent.iterdir()] == [entry.name], "half a file is left"
    assert records.store("things", KEY, b"new"), "once there is space again, it is used again"


def test_a_file_that_another_process_holds_open_is_no_failure(records, entry, monkeypatch):
    """As on Windows, where such a file cannot be replaced."""

    def refuse(source, target):
        raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(module.os, "replace", refuse)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not records.store("things", KEY, b"new")
    assert loaded(records) == PAYLOAD
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


def test_an_interrupted_write_leaves_nothing(records, entry, monkeypatch):
    def interrupt(source, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(module.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        records.store("things", KEY, b"new")
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_file_in_the_place_of_a_folder(tmp_path, depth):
    blocked = [tmp_path / "cache", tmp_path / "cache/v1", tmp_path / "cache/v1/things"][depth]
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    records = Records(tmp_path / "cache/v1")
    assert records.load("things", KEY) is None
    assert list(records.all("things")) == []
    assert "cannot write" in warning_of_failing_stores(records)
    assert blocked.read_text() == "in the way"


def test_no_folder_at_all(monkeypatch):
    monkeypatch.setattr(module, "_warned", set())
    records = Records(None)
    assert records.load("things", KEY) is None
    assert list(records.all("things")) == []
    assert records.beside("things", KEY, ".comp") is None
    assert "no cache folder" in warning_of_failing_stores(records)


def test_a_cleared_folder_is_made_anew(records, entry):
    shutil.rmtree(records.folder)
    assert loaded(records) is None
    assert records.store("things", KEY, PAYLOAD)
    assert loaded(records) == PAYLOAD


@pytest.mark.skipif(os.name == "nt", reason="no mode bits on Windows")
def test_folders_and_files_are_private(tmp_path):
    before = os.umask(0)
    try:
        records = Records(tmp_path / "deep" / "cache" / "v1")
        records.store("things", KEY, PAYLOAD)
    finally:
        os.umask(before)
    path = records.path("things", KEY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_stale_temporaries_go_at_the_first_write(records, entry):
    now = time.time()
    ages = {".1-a.tmp": 7200, ".2-b.tmp": -7200, ".3-c.tmp": 60, ".4-d.tmp": -60}
    for name, age in ages.items():
        (entry.parent / name).write_bytes(b"half")
        os.utime(entry.parent / name, (now - age, now - age))
    (entry.parent / "foreign").write_bytes(b"not ours")
    os.utime(entry.parent / "foreign", (0, 0))
    later = Records(records.folder)
    assert later.load("things", KEY) is not None
    assert (entry.parent / ".1-a.tmp").exists(), "reading must not clean up"
    later.store("things", "another", b"")
    left = {path.name for path in entry.parent.iterdir() if path.suffix != ".rec"}
    assert left == {".3-c.tmp", ".4-d.tmp", "foreign"}


@pytest.mark.parametrize("clock", [0.0, -1e9, 4e9, 2**40])
def test_a_wrong_clock_does_no_harm(records, entry, monkeypatch, clock):
    monkeypatch.setattr(module.time, "time", lambda: clock)
    assert loaded(records) == PAYLOAD
    later = Records(records.folder)
    assert later.store("things", "another", b"x")
    record = later.load("things", "another")
    assert record is not None
    assert record.fields["created"] == int(clock)


def test_a_change_of_directory_moves_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    records = Records(Path("cache"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert records.store("things", KEY, PAYLOAD)
    assert (tmp_path / "cache" / "things").is_dir()
