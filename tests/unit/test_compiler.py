"""Finding the GLSL compiler, remembering it, and what is said when there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vkml.codegen import compiler as module
from vkml.codegen.compiler import (
    Compiler,
    compiler_identity,
    find_compiler,
    forget_compiler,
    require_compiler,
)
from vkml.codegen.records import Records
from vkml.errors import CompileError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")

REAL, REMOVE = shutil.which("glslc"), shutil.which("rm")


@pytest.fixture(autouse=True)
def bare_system(monkeypatch, tmp_path):
    """A system with no compiler but the ones that a test puts into `bin` and `sdk`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "sdk" / "bin").mkdir(parents=True)
    (tmp_path / "sdk" / "lib").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("VULKAN_SDK", str(tmp_path / "sdk"))
    monkeypatch.setattr(module, "_PREFIXES", ())
    monkeypatch.setattr(module, "_library_folders", lambda roots: [root / "lib" for root in roots])
    forget_compiler()
    yield
    forget_compiler()


def stand_in(path: Path, version: str = "v1", body: str = f'exec {REAL} "$@"') -> Path:
    """A glslc that tells `version`, writes a line a start to `path`.log, and works by `body`."""
    path.write_text(
        f'#!/bin/sh\necho "$@" >> {path}.log\n'
        f'if [ "$1" = --version ]; then echo "shaderc {version}"; echo; echo more; exit 0; fi\n'
        f"{body}\n"
    )
    path.chmod(0o755)
    return path


def starts(path: Path) -> int:
    log = Path(f"{path}.log")
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_the_tests_have_a_compiler():
    assert REAL is not None, "`make setup` installs glslc"


def test_found_on_the_path(tmp_path):
    path = stand_in(tmp_path / "bin" / "glslc", "2099.1")
    stand_in(tmp_path / "sdk" / "bin" / "glslc", "of the kit")
    assert find_compiler() == Compiler("glslc", path, "glslc shaderc 2099.1")
    assert require_compiler() == find_compiler()


def test_found_in_the_kit(tmp_path):
    path = stand_in(tmp_path / "sdk" / "bin" / "glslc")
    assert find_compiler() == Compiler("glslc", path, "glslc shaderc v1")


def test_found_in_a_prefix(tmp_path, monkeypatch):
    (tmp_path / "homebrew" / "bin").mkdir(parents=True)
    path = stand_in(tmp_path / "homebrew" / "bin" / "glslc")
    monkeypatch.setattr(module, "_PREFIXES", (tmp_path / "homebrew",))
    found = find_compiler()
    assert found is not None
    assert found.path == path


@pytest.mark.parametrize(
    "body",
    ["exit 1", "kill -9 $$", "exit 0", "echo 'error: invalid value vulkan1.2' >&2; exit 1"],
    ids=["fails", "dies", "writes nothing", "too old"],
)
def test_one_that_does_not_work_is_passed_over(tmp_path, body):
    stand_in(tmp_path / "bin" / "glslc", body=body)
    path = stand_in(tmp_path / "sdk" / "bin" / "glslc")
    found = find_compiler()
    assert found is not None
    assert found.path == path


def test_a_file_that_is_no_program(tmp_path):
    (tmp_path / "bin" / "glslc").write_bytes(b"\0\1\2")
    (tmp_path / "bin" / "glslc").chmod(0o755)
    assert find_compiler() is None


def test_one_that_goes_away_while_it_is_tried(tmp_path):
    path = stand_in(tmp_path / "bin" / "glslc")
    path.write_text(path.read_text().replace("exit 0", f"{REMOVE} {path}; exit 0"))
    assert find_compiler() is None
    assert not path.exists()


def test_a_relative_path_is_made_absolute(tmp_path, monkeypatch):
    stand_in(tmp_path / "bin" / "glslc")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    found = find_compiler()
    assert found is not None
    assert found.path == tmp_path / "bin" / "glslc"


def test_none_says_what_to_type(tmp_path):
    assert find_compiler() is None
    assert compiler_identity() == "no compiler -O0 --target-env=vulkan1.2 --target-spv=spv1.5"
    stand_in(tmp_path / "bin" / "glslc", body="echo 'too old' >&2; exit 1")
    (tmp_path / "sdk" / "lib" / module._UNIX_NAMES[0]).write_text("no library")
    if sys.platform == "darwin":
        (tmp_path / "sdk" / "lib" / module._LIBRARY_NAMES["darwin"][0]).write_text("no library")
    with pytest.raises(CompileError) as caught:
        require_compiler()
    message = str(caught.value)
    first, *rest = message.splitlines()
    assert "no GLSL compiler" in first
    for line in ("apt install glslc", "dnf install glslc", "brew install shaderc", "Vulkan SDK"):
        assert sum(line in one for one in rest) == 1
    assert "too old" in message
    assert "libshaderc_shared" in message


def test_one_installed_later_is_found(tmp_path):
    with pytest.raises(CompileError):
        require_compiler()
    stand_in(tmp_path / "bin" / "glslc")
    assert require_compiler().kind == "glslc"


def test_what_is_known_is_not_started_again(tmp_path):
    records = Records(tmp_path / "cache")
    path = stand_in(tmp_path / "bin" / "glslc")
    first = find_compiler(records)
    assert starts(path) == 2, "its version, and a trial"
    forget_compiler()
    assert find_compiler(Records(tmp_path / "cache")) == first
    assert starts(path) == 2


def test_a_changed_file_is_looked_at_again(tmp_path):
    records = Records(tmp_path / "cache")
    path = stand_in(tmp_path / "bin" / "glslc", "v1")
    before = compiler_identity(records=records)
    stand_in(path, "v2, rebuilt")
    forget_compiler()
    assert compiler_identity(records=records) != before
    assert "v2, rebuilt" in compiler_identity(records=records)


def test_a_damaged_record_is_looked_at_again(tmp_path):
    records = Records(tmp_path / "cache")
    path = stand_in(tmp_path / "bin" / "glslc")
    identity = compiler_identity(records=records)
    for file in (tmp_path / "cache" / "compilers").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    forget_compiler()
    assert compiler_identity(records=records) == identity
    assert starts(path) == 4


def test_a_library_that_does_not_load_is_tried_once(tmp_path, monkeypatch):
    records = Records(tmp_path / "cache")
    for name in module._LIBRARY_NAMES.get(sys.platform, module._UNIX_NAMES)[:1]:
        (tmp_path / "sdk" / "lib" / name).write_text("no library")
    stand_in(tmp_path / "bin" / "glslc")
    found = find_compiler(records)
    assert found is not None
    assert found.kind == "glslc"

    from vkml.codegen import shaderc

    monkeypatch.setattr(shaderc, "try_out", lambda kind, path: pytest.fail(f"tried {path} again"))
    forget_compiler()
    assert find_compiler(records) == found


def test_the_identity_outlives_the_compiler(tmp_path):
    records = Records(tmp_path / "cache")
    path = stand_in(tmp_path / "bin" / "glslc", "2099.1")
    identity = compiler_identity(records=records)
    assert identity.startswith("glslc shaderc 2099.1 -O0")
    path.unlink()
    forget_compiler()
    assert find_compiler(records) is None
    assert compiler_identity(records=records) == identity


def test_the_identity_names_the_flags(tmp_path):
    stand_in(tmp_path / "bin" / "glslc")
    assert compiler_identity("none") != compiler_identity("performance")
    assert compiler_identity("performance").split()[-3:] == [
        "-O",
        "--target-env=vulkan1.2",
        "--target-spv=spv1.5",
    ]


def test_a_known_compiler_needs_no_import_of_shaderc(tmp_path):
    records = Records(tmp_path / "cache")
    stand_in(tmp_path / "bin" / "glslc")
    identity = compiler_identity(records=records)
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from vkml.codegen import compiler, records\n"
        "compiler._PREFIXES = ()\n"
        "compiler._library_folders = lambda roots: []\n"
        "print(compiler.compiler_identity(records=records.Records(Path(sys.argv[1]))))\n"
        "print(*sorted({'vkml.codegen.shaderc', 'vkml.codegen.libshaderc'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, str(tmp_path / "cache")],
        env={**os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [identity, ""], done.stderr
