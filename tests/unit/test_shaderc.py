"""GLSL to SPIR-V: batches, failures that stay alone, crashes, Ctrl-C, the line on a terminal."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vkml import counting
from vkml.codegen import shaderc as module
from vkml.codegen.compiler import Compiler, candidates, forget_compiler, require_compiler
from vkml.codegen.libshaderc import Library
from vkml.codegen.shaderc import Source, compile_kernels, try_out
from vkml.errors import CompileError

ROOT = Path(__file__).resolve().parents[2]
REAL = shutil.which("glslc")
shell = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
terminal = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")


def text(number: int, expression: str = "x * x") -> str:
    """A kernel whose workgroup size tells which one it is."""
    return f"""#version 450
layout(local_size_x = {number + 1}) in;
layout(std430, binding = 0) buffer Values {{ float values[]; }};
void main() {{
  precise float x = values[gl_GlobalInvocationID.x];
  precise float x1 = {expression};
  values[gl_GlobalInvocationID.x] = x1;
}}
"""


def kernel(number: int, expression: str = "x * x") -> Source:
    return Source(f"map_{number}", text(number, expression))


def number_of(spirv: bytes | CompileError) -> int:
    """The number of the kernel, from the execution mode LocalSize of its module."""
    assert isinstance(spirv, bytes), spirv
    words = struct.unpack(f"={len(spirv) // 4}I", spirv)
    assert words[:2] == (0x07230203, 0x00010500)
    at = 5
    while at < len(words):
        if words[at] & 0xFFFF == 16 and words[at + 2] == 17:
            return words[at + 3] - 1
        at += words[at] >> 16
    raise AssertionError("no LocalSize")


def library_path() -> Path | None:
    """A libshaderc that loads here; SHADERC_LIBRARY names one in an unusual place."""
    named = os.environ.get("SHADERC_LIBRARY")
    if named is not None:
        return Path(named)
    for kind, path in candidates():
        if kind == "libshaderc":
            try:
                Library(path)
            except CompileError:
                continue
            return path
    return None


@pytest.fixture(params=["glslc", "libshaderc"])
def compiler(request) -> Compiler:
    path = Path(REAL or "glslc is missing: make setup")
    if request.param == "libshaderc":
        library = library_path()
        if library is None:
            pytest.skip("no libshaderc that loads into a process")
        path = library
    return Compiler(request.param, path, try_out(request.param, path))


@pytest.fixture
def before() -> Iterator[dict[str, int]]:
    return counting.snapshot()


def compiles(before: dict[str, int]) -> int:
    return counting.snapshot()["shaderc_compiles"] - before["shaderc_compiles"]


@pytest.mark.parametrize("count", [0, 1, 2, 41])
def test_every_kernel_in_its_place(compiler, before, count):
    results = compile_kernels([kernel(number) for number in range(count)], compiler=compiler)
    assert [number_of(result) for result in results] == list(range(count))
    assert compiles(before) == count


def test_the_compiler_is_found_when_none_is_given(before):
    assert number_of(compile_kernels([kernel(3)])[0]) == 3
    assert require_compiler().version


@pytest.mark.skipif(shutil.which("spirv-val") is None, reason="no spirv-val")
@pytest.mark.parametrize("optimise", ["none", "performance"])
def test_the_output_is_valid(compiler, tmp_path, optimise):
    (spirv,) = compile_kernels([kernel(7)], compiler=compiler, optimise=optimise)
    assert isinstance(spirv, bytes)
    (tmp_path / "kernel.spv").write_bytes(spirv)
    command = ["spirv-val", "--target-env", "vulkan1.2", str(tmp_path / "kernel.spv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_switch_for_optimising_arrives(compiler):
    (plain,) = compile_kernels([kernel(7)], compiler=compiler)
    (short,) = compile_kernels([kernel(7)], compiler=compiler, optimise="performance")
    assert isinstance(plain, bytes)
    assert isinstance(short, bytes)
    assert len(short) < len(plain)


def test_a_failing_kernel_takes_nothing_with_it(compiler, before):
    asked = []

    def where() -> str:
        asked.append(True)
        return "train.py:12: y = (x * w).exp()"

    sources = [kernel(number) for number in range(10)]
    sources[4] = Source("map_bad", text(4, "x * wrong"), where)
    sources[5] = Source("map_good", text(5), lambda: pytest.fail("asked though nothing failed"))
    results = compile_kernels(sources, compiler=compiler)
    error = results.pop(4)
    assert [number_of(result) for result in results] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert compiles(before) == 10
    assert isinstance(error, CompileError)
    first, *rest = str(error).splitlines()
    assert first.startswith("kernel map_bad: generated line 6: 'wrong' : undeclared identifier")
    assert rest == [
        "       5 |   precise float x = values[gl_GlobalInvocationID.x];",
        "  >    6 |   precise float x1 = x * wrong;",
        "       7 |   values[gl_GlobalInvocationID.x] = x1;",
        "  computes train.py:12: y = (x * w).exp()",
    ]
    assert asked == [True]


def test_several_errors_of_a_kernel(compiler):
    broken = text(0).replace("x1 = x * x", "x1 = one").replace("] = x1", "] = two")
    (error,) = compile_kernels([Source("map_bad", broken)], compiler=compiler)
    assert "generated line 6: 'one'" in str(error)
    assert "line 7: 'two' : undeclared identifier" in str(error)


def test_the_first_and_the_last_line(compiler):
    first = Source("first", "#version 450\n" + "}\n" + "void main() {}\n")
    last = Source("last", text(0).rstrip() + "\n}")
    errors = compile_kernels([first, last], compiler=compiler)
    assert "  >    2 | }" in str(errors[0])
    assert str(errors[1]).splitlines()[-1] == "  >    9 | }"


@pytest.mark.parametrize("names", [("same", "same"), ("../../etc", "a b;c"), ("", "%s\n")])
def test_names_are_only_shown(compiler, names):
    sources = [Source(name, text(number)) for number, name in enumerate(names)]
    assert [number_of(r) for r in compile_kernels(sources, compiler=compiler)] == [0, 1]


def test_comments_may_hold_anything(compiler):
    source = Source("k", text(5).replace("void", "// größer ≥ 'quoted' \\ %s\r\nvoid"))
    assert number_of(compile_kernels([source], compiler=compiler)[0]) == 5


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compile_kernels([kernel(0), kernel(1, "wrong")])
    assert list(tmp_path.iterdir()) == []


# Stand-ins for glslc: what a shell script makes of it, then or instead of the real one.


def stand_in(tmp_path: Path, body: str) -> Compiler:
    path = tmp_path / "glslc"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return Compiler("glslc", path, "stand-in")


@shell
def test_several_kernels_a_process(tmp_path, monkeypatch):
    compiler = stand_in(tmp_path, f'echo "$@" >> {tmp_path}/log; exec {REAL} "$@"')
    monkeypatch.setattr(module, "cores", lambda: 3)
    results = compile_kernels([kernel(number) for number in range(50)], compiler=compiler)
    assert [number_of(result) for result in results] == list(range(50))
    calls = (tmp_path / "log").read_text().splitlines()
    assert sorted(call.count(".comp") for call in calls) == [16, 17, 17]
    monkeypatch.setattr(module, "_MOST_KERNELS_A_PROCESS", 10)
    (tmp_path / "log").unlink()
    results = compile_kernels([kernel(number) for number in range(50)], compiler=compiler)
    assert [number_of(result) for result in results] == list(range(50))
    assert len((tmp_path / "log").read_text().splitlines()) == 5


@shell
def test_long_kernels_are_spread(monkeypatch):
    monkeypatch.setattr(module, "cores", lambda: 2)
    texts = ["x" * (100_000 if number < 8 else 100) for number in range(16)]
    chunks = module._chunks(texts)
    assert [sum(number < 8 for number in chunk) for chunk in chunks] == [4, 4]
    assert sorted(number for chunk in chunks for number in chunk) == list(range(16))


@shell
def test_a_crash_takes_nothing_with_it(tmp_path, before):
    """The compiler dies at one kernel, in the middle of writing another's module."""
    compiler = stand_in(
        tmp_path,
        f"""
for last; do :; done
if grep -q CRASH *.comp && [ $# -gt 5 ]; then printf '\\003\\002\\043\\007' > $last.spv; kill -9 $$
elif grep -q CRASH $last; then kill -11 $$
fi
exec {REAL} "$@"
""",
    )
    sources = [kernel(number) for number in range(6)]
    sources[2] = kernel(2, "x /* CRASH */")
    results = compile_kernels(sources, compiler=compiler)
    error = results.pop(2)
    assert [number_of(result) for result in results] == [0, 1, 3, 4, 5]
    assert isinstance(error, CompileError)
    assert "kernel map_2: glslc ended with status -11: no message" in str(error)
    assert compiles(before) == 6


@shell
@pytest.mark.parametrize("cut", [3, 4, 100, 100_000])
def test_output_cut_short_is_no_module(tmp_path, cut):
    compiler = stand_in(
        tmp_path, f'{REAL} "$@" || exit 1; for f in *.spv; do truncate -s -{cut} $f; done'
    )
    (error,) = compile_kernels([kernel(0)], compiler=compiler)
    assert isinstance(error, CompileError)


@shell
def test_no_output_and_no_message(tmp_path):
    errors = compile_kernels([kernel(0), kernel(1)], compiler=stand_in(tmp_path, "exit 0"))
    assert all("neither SPIR-V nor a message" in str(error) for error in errors)


@shell
def test_a_message_about_no_kernel_in_particular(tmp_path):
    compiler = stand_in(tmp_path, "echo 'glslc: error: the moon is full' >&2; exit 1")
    errors = compile_kernels([kernel(0), kernel(1)], compiler=compiler)
    assert all("the moon is full" in str(error) for error in errors)


def test_a_warning_is_no_error(compiler):
    source = text(2).replace("#version 450", "#version 450\n#extension GL_no_such : warn")
    assert number_of(compile_kernels([Source("k", source)], compiler=compiler)[0]) == 2


@shell
def test_a_compiler_that_went_away(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("vkml.codegen.compiler._library_folders", lambda roots: [])
    forget_compiler()
    gone = stand_in(tmp_path, f'exec {REAL} "$@"').path
    assert require_compiler().path == gone
    gone.unlink()
    with pytest.raises(CompileError, match="cannot start"):
        compile_kernels([kernel(0)])
    assert number_of(compile_kernels([kernel(0)])[0]) == 0, "the other one is found"
    forget_compiler()


def test_no_room_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    compiler = Compiler("glslc", Path(REAL or ""), "")
    with pytest.raises(CompileError, match="TMPDIR"):
        compile_kernels([kernel(0)], compiler=compiler)


PROGRAM = """
import sys, time
from pathlib import Path
from vkml.codegen.compiler import Compiler
from vkml.codegen.shaderc import Source, compile_kernels
text = "#version 450\\nlayout(local_size_x = 1) in;\\nvoid main() {}\\n"
compiler = Compiler("glslc", Path(sys.argv[1]), "")
results = compile_kernels([Source("k", text) for _ in range(12)], compiler=compiler)
print(sum(isinstance(result, bytes) for result in results))
"""


def start(compiler: Compiler, folder: Path, **streams: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", PROGRAM, str(compiler.path)]
    environment = {**os.environ, "TMPDIR": str(folder)}
    return subprocess.Popen(command, env=environment, text=True, **streams)


@shell
def test_an_interrupt_ends_the_compilers(tmp_path):
    """SIGINT to Python alone, as another process sends it: the children do not hear it."""
    compiler = stand_in(tmp_path, f"echo $$ >> {tmp_path}/started; exec sleep 60")
    (tmp_path / "temporary").mkdir()
    process = start(compiler, tmp_path / "temporary", stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    for number in (tmp_path / "started").read_text().split():
        with pytest.raises(ProcessLookupError):
            os.kill(int(number), 0)
    assert list((tmp_path / "temporary").iterdir()) == []


@terminal
def test_a_long_compilation_shows_one_line_on_a_terminal(tmp_path):
    compiler = stand_in(tmp_path, f'sleep 1.6; exec {REAL} "$@"')
    ours, theirs = os.openpty()
    process = start(compiler, tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    output, _ = process.communicate(timeout=60)
    shown = os.read(ours, 1 << 16)
    os.close(ours)
    assert output == "12\n"
    assert b"\n" not in shown
    parts = shown.split(b"\r")
    assert parts[1].startswith(b"vkml: compiling kernels: 0 of 12, 1 s")
    assert parts[-2].strip() == b"", "the line is wiped"
    assert len(parts[-2]) == max(len(part) for part in parts)


@terminal
def test_a_short_compilation_shows_nothing(tmp_path):
    ours, theirs = os.openpty()
    compiler = stand_in(tmp_path, f'exec {REAL} "$@"')
    process = start(compiler, tmp_path, stdout=subprocess.PIPE, stderr=theirs)
    process.communicate(timeout=60)
    os.write(theirs, b"end")
    assert os.read(ours, 1 << 16) == b"end"
    os.close(theirs)
    os.close(ours)


@shell
def test_no_terminal_no_line(tmp_path):
    compiler = stand_in(tmp_path, f'sleep 1.6; exec {REAL} "$@"')
    process = start(compiler, tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.communicate(timeout=60) == ("12\n", "")


def test_without_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert number_of(compile_kernels([kernel(1)])[0]) == 1


def test_both_ways_give_the_same_module():
    """Where both come from one build, as they do in a package or kit."""
    library = library_path()
    if library is None:
        pytest.skip("no libshaderc that loads into a process")
    one = Compiler("glslc", Path(REAL or ""), "")
    two = Compiler("libshaderc", library, "")
    sources = [kernel(3), kernel(4, "sqrt(x) + 1.5")]
    for optimise in ("none", "performance"):
        first = compile_kernels(sources, compiler=one, optimise=optimise)
        second = compile_kernels(sources, compiler=two, optimise=optimise)
        assert [number_of(r) for r in first] == [number_of(r) for r in second]
        if [r[8:12] for r in first] == [r[8:12] for r in second]:  # the generator's version
            assert first == second
