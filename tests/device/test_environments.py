"""Machines without a loader, driver or compiler, folders that refuse, and hostile names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.device.processes import PREAMBLE, finished, printed, started

USE = """
tensor = vkml.tensor([1.0, 2.0])
print(tensor.device, (tensor * 2 + 1).tolist())
"""
ATTEMPT = """
for attempt in (lambda: vkml.zeros(2, device="vulkan"), lambda: vkml.device("vulkan:0")):
    try: attempt()
    except vkml.DeviceError as error: print(error.message)
"""
CHECK_NO_BINDING = "assert not sys.modules.get('vulkan'), 'it loads the library at import'\n"


def on_cpu(before: str, **environment: str | None) -> str:
    """A machine without Vulkan: one warning, `cpu` computes, asking for Vulkan names the remedy."""
    process = started(
        before + USE + ATTEMPT + CHECK_NO_BINDING,
        environment={"VKML_DEVICE": None, **environment},
        options=("-W", "always::UserWarning"),
    )
    output, messages = finished(process)
    lines = output.splitlines()
    assert lines[0] == "cpu [3.0, 5.0]"
    assert [line[:16] for line in lines[1:]] == ["device 'vulkan':", "device 'vulkan:0"]
    assert all(line.endswith("vkml.cpu works on every machine") for line in lines[1:])
    assert messages.count("VkmlWarning") == 1
    assert "OSError" not in messages
    assert messages.startswith("<string>:"), "the warning is about the user's line"
    return messages


def test_no_loader() -> None:
    before = """
import vkml.runtime.vulkan.loader
vkml.runtime.vulkan.loader.candidates = lambda *_: ["/nonexistent/libvulkan.so.1"]
"""
    messages = on_cpu(before)
    assert "no Vulkan loader found. Debian, Ubuntu: apt-get install libvulkan1" in messages


def test_no_binding() -> None:
    messages = on_cpu("sys.modules['vulkan'] = None\n").replace("\n", " ")
    assert "the Python package `vulkan` is missing: pip install vulkan" in messages


@pytest.mark.parametrize("variable", ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"])
@pytest.mark.parametrize("manifest", ["missing", "no library", "damaged"])
def test_no_driver(variable: str, manifest: str, tmp_path: Path) -> None:
    file = tmp_path / "icd.json"
    if manifest == "no library":
        file.write_text(
            '{"file_format_version": "1.0.0", "ICD": {"library_path": "/nonexistent.so",'
            ' "api_version": "1.3.0"}}'
        )
    elif manifest == "damaged":
        file.write_text("nonsense")
    environment: dict[str, str | None] = {"VK_ICD_FILENAMES": None, "VK_DRIVER_FILES": None}
    messages = on_cpu("", **{**environment, variable: str(file)})
    assert "no Vulkan driver found. Debian, Ubuntu: apt-get" in messages or (
        manifest == "damaged" and "a driver manifest may be damaged; look at VK_DRIVER" in messages
    )


def test_a_device_that_the_environment_names_and_that_is_not_there() -> None:
    for name in ("nonsense", "vulkan:7"):
        process = started(USE, environment={"VKML_DEVICE": name})
        _, messages = finished(process, 1)
        assert f"vkml.errors.DeviceError: device {name!r}: " in messages
        assert "there are vulkan:0 (" in messages


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("VKML_LIMITS", "nonsense=4", "VKML_LIMITS: no limit 'nonsense'; there are "),
        ("VKML_LIMITS", "tile=abc", "VKML_LIMITS: tile='abc' is no whole number"),
        ("VKML_LIMITS", "max_groups=99999999999", "is more than the device's"),
        ("VKML_LIMITS", "max_storage_buffers=1", "max_storage_buffers is at least 4"),
    ],
)
def test_environment_values_that_mean_nothing(name: str, value: str, message: str) -> None:
    _, messages = finished(started(USE, environment={name: value}), 1)
    assert "vkml.errors.VkmlError: " in messages
    assert message in messages


SQUARE_ROOT = """
made = vkml.sqrt(vkml.tensor([4.0, 9.0]) + 0.0)
try: print(made.tolist())
except vkml.CompileError as error: print(error)
print(vkml.counters()["shaderc_compiles"])
"""


def test_no_compiler(tmp_path: Path) -> None:
    """A warm cache goes on working; what is new says what to install."""
    cache = {"VKML_CACHE_DIR": str(tmp_path / "cache")}
    bare = {**cache, "PATH": str(tmp_path), "VULKAN_SDK": None}
    usable = "import vkml.codegen.compiler\nvkml.codegen.compiler._library_folders = lambda _: []\n"
    if shutil.which("glslc", path=os.pathsep.join(["/usr/local/bin", "/opt/homebrew/bin"])):
        pytest.skip("a compiler lies in a folder that is always searched")
    assert printed(SQUARE_ROOT, environment=cache)[0] == "[2.0, 3.0]"
    assert printed(usable + SQUARE_ROOT, environment=bare) == ["[2.0, 3.0]", "0"]
    told = printed(usable + SQUARE_ROOT.replace("sqrt", "exp"), environment=bare)
    assert told[0] == "no GLSL compiler found, and this kernel is not in the cache; install one:"
    assert "  Debian, Ubuntu 24.04+: apt install glslc" in told
    assert "  Fedora: dnf install glslc" in told
    assert "  macOS: brew install shaderc" in told
    assert any("VULKAN_SDK" in line for line in told)
    assert any(line.startswith("  <string>:") for line in told), "the user's line"
    empty = {**bare, "VKML_CACHE_DIR": str(tmp_path / "empty")}
    assert "no GLSL compiler found" in printed(usable + SQUARE_ROOT, environment=empty)[0]


def uncached(folder: str | None, times: int = 1, **environment: str | None) -> str:
    """Kernels without a usable cache: right values, at most one warning, which is returned."""
    code = SQUARE_ROOT + "print((vkml.tensor([1.0]) - 3).tolist())"
    process = started(
        code,
        environment={"VKML_CACHE_DIR": folder, **environment},
        options=("-W", "always::UserWarning"),
    )
    output, messages = finished(process)
    assert output.splitlines()[0] == "[2.0, 3.0]"
    assert output.splitlines()[2] == "[-2.0]"
    assert messages.count("VkmlWarning") == times, messages
    return messages


def test_a_file_where_the_cache_folder_should_be(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    for folder in (file, file / "below"):
        assert "kernel cache: cannot write" in uncached(str(folder))
    assert file.read_text() == "mine"


def test_a_cache_folder_of_nobody() -> None:
    assert "kernel cache: the system names no cache folder" in uncached("~no-such-user-here/x")


def test_no_home(tmp_path: Path) -> None:
    """Nothing is written to where the process happens to be."""
    code = "import pathlib; pathlib.Path.home = None\n" + SQUARE_ROOT
    for home in (None, ""):
        environment = {"VKML_CACHE_DIR": None, "XDG_CACHE_HOME": str(tmp_path / "x"), "HOME": home}
        process = started(code, environment=environment, folder=tmp_path)
        assert finished(process)[0].startswith("[2.0, 3.0]\n")
        assert {path.name for path in tmp_path.iterdir()} <= {"x"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
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


@pytest.fixture
def full_disk(disk: Path) -> Path:
    """A file system without room."""
    (disk / "ballast").write_bytes(bytes(60 << 10))
    return disk


def test_a_read_only_cache_folder(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert "Read-only file system" in uncached(str(disk / "cache"))


def test_a_full_disk(full_disk: Path) -> None:
    assert "No space left" in uncached(str(full_disk / "cache"))
    assert not list(full_disk.rglob("*.tmp"))


def test_no_room_for_temporary_files_names_the_remedy(full_disk: Path, tmp_path: Path) -> None:
    """The compiler's folder: an error, and the same tensor is computed when there is room."""
    code = (
        "import tempfile; tempfile.tempdir = sys.argv[1]\n"
        + SQUARE_ROOT
        + "tempfile.tempdir = sys.argv[2]; print(made.tolist())"
    )
    environment = {"VKML_CACHE_DIR": str(tmp_path / "cache")}
    fill = "open(sys.argv[1] + '/more', 'wb').write(bytes(4096))\n"
    printed("(vkml.tensor([1.0]) + 1).numpy()", environment=environment)  # probes
    told = printed(fill + code, str(full_disk), str(tmp_path), environment=environment)
    assert "set TMPDIR to another one" in told[0] or "No space left" in told[0], told
    assert told[-1] == "[2.0, 3.0]"


DAMAGES = {
    "truncated": lambda files: [file.write_bytes(file.read_bytes()[:-7]) for file in files],
    "emptied": lambda files: [file.write_bytes(b"") for file in files],
    "flipped": lambda files: [
        file.write_bytes(bytes(byte ^ (n % 97 == 96) for n, byte in enumerate(file.read_bytes())))
        for file in files
    ],
    "swapped": lambda files: [
        file.write_bytes(content)
        for file, content in zip(
            files, [other.read_bytes() for other in (*files[1:], files[0])], strict=True
        )
    ],
    "noise": lambda files: [file.write_bytes(os.urandom(3000)) for file in files],
    "folders": lambda files: [(file.unlink(), file.mkdir()) for file in files],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_compiled_anew(damage: str, tmp_path: Path) -> None:
    """Every file of it at once: kernels, index, verdicts, the driver's data, the compiler's."""
    environment = {"VKML_CACHE_DIR": str(tmp_path)}
    first = printed(SQUARE_ROOT, environment=environment)
    assert first[0] == "[2.0, 3.0]"
    assert int(first[1]) > 0
    assert printed(SQUARE_ROOT, environment=environment) == ["[2.0, 3.0]", "0"]
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert {path.parent.name for path in files} >= {"index", "content", "verdicts", "pipelines"}
    DAMAGES[damage](files)
    output, _ = finished(started(SQUARE_ROOT, environment=environment))
    assert output.splitlines() == first
    if damage != "folders":
        assert printed(SQUARE_ROOT, environment=environment) == ["[2.0, 3.0]", "0"]


HOSTILE = (
    "a'b\"c $(touch PWNED1) `touch PWNED2`; touch PWNED3 & | > < \\ \n#error PWNED\n*/ \x01 \xe9 "
    "%s %n {{7*7}} {% x %} ${HOME}"
).replace("/", "_")


@pytest.mark.skipif(sys.platform == "win32", reason="such names do not exist on Windows")
def test_hostile_names_reach_neither_kernels_nor_a_shell(tmp_path: Path) -> None:
    """Working folder, program, cache, dumps and temporary files under names made to break out."""
    place = tmp_path / HOSTILE
    place.mkdir()
    program = place / 'us"er\'\n\\${{x}}.py'
    program.write_text(
        PREAMBLE
        + "made = vkml.sqrt(vkml.tensor([4.0, 9.0]) * 1.0)  # PWNED */ \\\n"
        + "print(made.tolist())\nstr(vkml.explain(vkml.exp(made)))\n"
        + "try: made + vkml.zeros(3)\nexcept vkml.ShapeError as error: str(error)\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "VKML_CACHE_DIR": str(place / "cache"),
        "VKML_DUMP_DIR": str(place / "dump"),
        "VKML_DEBUG": "4",
        "TMPDIR": str(place),
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program)],
        cwd=place, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.0, 3.0]\n"
    kernels = sorted((place / "dump").glob("*.comp")) + sorted((place / "cache").rglob("*.comp"))
    assert len(kernels) > 2
    for kernel in kernels:
        text = kernel.read_text()
        assert "PWNED" not in text
        assert text.isascii()
    names = {path.name for path in place.iterdir()} | {path.name for path in tmp_path.iterdir()}
    assert not any("PWNED" in name for name in names - {HOSTILE})
    assert not list(Path.cwd().glob("PWNED*"))
    command = ["glslc", "--target-env=vulkan1.2", str(kernels[0]), "-o", str(tmp_path / "x.spv")]
    subprocess.run(command, check=True)
