"""GLSL compute shaders to SPIR-V 1.5 for Vulkan 1.2: the only module that runs the compiler.

Imported when something has to be compiled, never before. A batch uses every core: libshaderc in
threads, or several glslc processes with many kernels each. A kernel that fails takes nothing else
with it: its place in the result holds the error.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from vkml import counting
from vkml.codegen import libshaderc
from vkml.codegen.compiler import (
    OPTIMISE_FLAGS,
    TARGET_FLAGS,
    Compiler,
    Kind,
    Optimise,
    compiler_identity,
    cores,
    find_compiler,
    forget_compiler,
    require_compiler,
)
from vkml.codegen.progress import Progress
from vkml.errors import CompileError

__all__ = ["Source", "compile_kernels", "compiler_identity", "find_compiler", "try_out"]

_log = logging.getLogger("vkml")

# glslc spends 75 ms of a core on its start and 1 to 5 on a kernel: fewer than this are not worth
# another process.
_KERNELS_A_PROCESS = 8
_MOST_KERNELS_A_PROCESS = 64  # so that progress shows, and Windows' command lines hold them
_MESSAGE = re.compile(r"^(?:.*[/\\])?(\d+)\.comp:(?:(\d+):)? ?(.*)$")
_HEAD = b"".join(word.to_bytes(4, sys.byteorder) for word in (0x07230203, 0x00010500))
_FUNCTION_END = (0x00010038).to_bytes(4, sys.byteorder)
_TRIAL = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n"


@dataclass(frozen=True, slots=True)
class Source:
    """One kernel to compile.

    `where` gives the user's line that the kernel computes, asked only when the kernel fails; it
    is shown beside the text and never part of it.
    """

    name: str
    text: str
    where: Callable[[], str] | None = None


def compile_kernels(
    sources: Sequence[Source],
    *,
    optimise: Optimise = "none",
    compiler: Compiler | None = None,
) -> list[bytes | CompileError]:
    """The SPIR-V of each source, in order; a CompileError in the place of one that failed.

    Raises CompileError only when no compiler can be used at all. Compiling for longer than a
    second shows one line on a terminal. Ctrl-C ends the compiler's processes.
    """
    if not sources:
        return []
    if compiler is None:
        compiler = require_compiler()
    texts = [source.text for source in sources]
    with Progress("compiling kernels", len(texts)) as progress:
        outputs = _outputs(compiler, texts, optimise, progress.advance)
    counting.add("shaderc_compiles", len(sources))
    return [
        output if isinstance(output, bytes) else _error(source, output, compiler)
        for source, output in zip(sources, outputs, strict=True)
    ]


def try_out(kind: Kind, path: Path) -> str:
    """The version of a compiler that compiles a kernel for our target; else CompileError."""
    if kind == "libshaderc":
        library = libshaderc.load(path)
        output = library.compile(_TRIAL, "0.comp", "none")
        version = library.version()
    else:
        version = _glslc_version(path)
        output = _run_glslc(path, [_TRIAL], "none", lambda _: None)[0]
    if isinstance(output, str) or not _is_module(output):
        raise CompileError(f"{path}: cannot compile for Vulkan 1.2: {str(output)[:200].strip()}")
    return version


def _outputs(
    compiler: Compiler, texts: Sequence[str], optimise: Optimise, advance: Callable[[int], None]
) -> list[bytes | str]:
    """SPIR-V or the compiler's messages for each text."""
    if compiler.kind == "libshaderc":
        outputs = libshaderc.load(compiler.path).compile_all(texts, optimise, advance)
    else:
        outputs = _run_glslc(compiler.path, texts, optimise, advance)
    return [
        output
        if isinstance(output, str) or _is_module(output)
        else "error: the output is no whole SPIR-V 1.5 module"
        for output in outputs
    ]


def _run_glslc(
    program: Path, texts: Sequence[str], optimise: Optimise, advance: Callable[[int], None]
) -> list[bytes | str]:
    """Compile `texts` with as many glslc processes as there are cores."""
    flags = (OPTIMISE_FLAGS[optimise], *TARGET_FLAGS)
    try:
        with _temporary_folder() as folder:
            for number, text in enumerate(texts):
                (folder / f"{number}.comp").write_text(text, encoding="utf-8", newline="\n")
            messages: dict[int, str] = {}
            _run_processes(program, flags, folder, _chunks(texts), messages, advance)
            # A crash, or a message without a kernel's name, may hide what others would have
            # given: those compile once more, each alone, so that each gets what is its own.
            silent = [
                [number]
                for number in range(len(texts))
                if number not in messages and not _file(folder, number).exists()
            ]
            if len(texts) > 1 and silent:
                _run_processes(program, flags, folder, silent, messages, lambda _: None)
            return [_output(folder, number, messages) for number in range(len(texts))]
    except OSError as error:
        raise CompileError(
            f"glslc: cannot use the folder for temporary files: {error}; free some space in it, or "
            "set TMPDIR to another one"
        ) from error


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder that goes away with the block, and with nothing else.

    A TemporaryDirectory has a finaliser too: a process forked meanwhile by another thread would
    inherit it, and remove the folder under the compiler when it ends.
    """
    folder = Path(tempfile.mkdtemp(prefix="vkml-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _file(folder: Path, number: int) -> Path:
    return folder / f"{number}.comp.spv"  # the name that glslc chooses


def _output(folder: Path, number: int, messages: dict[int, str]) -> bytes | str:
    file = _file(folder, number)
    if file.exists():
        if number in messages:
            _log.debug("glslc: %s", messages[number])  # warnings
        return file.read_bytes()
    return messages.get(number) or "error: glslc wrote neither SPIR-V nor a message"


def _is_module(data: bytes) -> bool:
    """SPIR-V 1.5 up to the end of its last function: a full disk may cut a file short."""
    return len(data) % 4 == 0 and data.startswith(_HEAD) and data.endswith(_FUNCTION_END)


def _chunks(texts: Sequence[str]) -> list[list[int]]:
    """Numbers of `texts` in groups of like length of text, one group a process."""
    count = min(cores(), -(-len(texts) // _KERNELS_A_PROCESS))
    count = max(count, -(-len(texts) // _MOST_KERNELS_A_PROCESS))
    chunks: list[list[int]] = [[] for _ in range(count)]
    # Dealt out by length, forth and back, so that no process gets the long ones alone.
    for place, number in enumerate(sorted(range(len(texts)), key=lambda n: -len(texts[n]))):
        turn, seat = divmod(place, count)
        chunks[seat if turn % 2 == 0 else count - 1 - seat].append(number)
    return chunks


def _run_processes(
    program: Path,
    flags: Sequence[str],
    folder: Path,
    chunks: Sequence[Sequence[int]],
    messages: dict[int, str],
    advance: Callable[[int], None],
) -> None:
    """One process a chunk, at most one a core at a time; adds what they said to `messages`."""
    waiting = list(chunks)
    running: list[tuple[subprocess.Popen[bytes], Sequence[int], Path]] = []
    try:
        while waiting or running:
            while waiting and len(running) < cores():
                chunk = waiting.pop(0)
                log = folder / f"{chunk[0]}.log"
                command = [str(program), "-c", *flags, *(f"{number}.comp" for number in chunk)]
                with open(log, "wb") as file:
                    running.append((_start(command, folder, file), chunk, log))
            process, chunk, log = running[0]
            status = process.wait()  # no polling: the others run meanwhile
            running.pop(0)
            advance(len(chunk))
            if status not in (0, 1):  # it died: what it wrote last may be half a file
                for number in chunk:
                    _file(folder, number).unlink(missing_ok=True)
            _read_messages(log.read_text("utf-8", "replace"), status, chunk, messages)
    finally:
        for process, _, _ in running:
            process.kill()
        for process, _, _ in running:
            process.wait()


def _start(command: Sequence[str], folder: Path, log: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    except OSError as error:
        forget_compiler()  # the next call finds the one that was installed instead
        raise CompileError(f"glslc: cannot start {command[0]}: {error.strerror}") from error


def _read_messages(text: str, status: int, chunk: Sequence[int], messages: dict[int, str]) -> None:
    """Sort glslc's lines by the kernel they are about."""
    for line in text.splitlines():
        match = _MESSAGE.match(line)
        if match is not None and int(match[1]) in chunk:
            number = int(match[1])
            messages[number] = messages.get(number, "") + line + "\n"
    if len(chunk) == 1 and status != 0 and chunk[0] not in messages:
        reason = text.strip() or "no message"
        messages[chunk[0]] = f"error: glslc ended with status {status}: {reason}\n"


def _error(source: Source, messages: str, compiler: Compiler) -> CompileError:
    """The first error with the generated lines around it, the others a line each."""
    errors: list[tuple[int, str]] = []
    for line in messages.splitlines():
        match = _MESSAGE.match(line)
        position, text = (match[2], match[3]) if match else (None, line)
        if text.startswith("error: ") or match is None:
            errors.append((int(position or 0), text.removeprefix("error: ")))
    at, text = errors[0] if errors else (0, messages.strip())
    place = f"generated line {at}: " if at else ""
    report = [
        f"kernel {source.name}: {place}{text} ({compiler.kind}); the generated GLSL "
        "is wrong, which is a fault of vkml: please report it with these lines"
    ]
    lines = source.text.splitlines()
    for number in range(max(at - 1, 1), min(at + 1, len(lines)) + 1 if at else 0):
        report.append(f"  {'>' if number == at else ' '}{number:5d} | {lines[number - 1]}")
    report += [f"  line {number}: {text}" for number, text in errors[1:6]]
    if source.where is not None:
        report.append(f"  computes {source.where()}")
    error = CompileError("\n".join(report))
    error.at(())  # the user's lines stand in the report
    return error


def _glslc_version(program: Path) -> str:
    try:
        answer = subprocess.run(
            [str(program), "--version"], capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
    except OSError as error:
        raise CompileError(f"{program}: {error.strerror or error}") from None
    lines = answer.stdout.decode("utf-8", "replace").splitlines()
    versions = [" ".join(line.split()) for line in itertools.takewhile(str.strip, lines)]
    if answer.returncode != 0 or not versions:
        raise CompileError(f"{program}: --version ended with status {answer.returncode}")
    return "glslc " + ", ".join(versions)
