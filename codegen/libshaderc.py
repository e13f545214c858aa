"""libshaderc in this process, through ctypes: no process to start, no files to write."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from vkml.codegen.compiler import Optimise, cores
from vkml.errors import CompileError

__all__ = ["Library", "load"]

# Values of the enumerations in shaderc/shaderc.h and shaderc/env.h.
_COMPUTE_SHADER = 2
_TARGET_VULKAN = 0
_VULKAN_1_2 = 1 << 22 | 2 << 12
_SPIRV_1_5 = 0x010500
_LEVELS: dict[Optimise, int] = {"none": 0, "performance": 2}

_handle, _text, _size, _int = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
_FUNCTIONS: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("compiler_initialize", _handle, ()),
    ("compile_options_initialize", _handle, ()),
    ("compile_options_set_optimization_level", None, (_handle, _int)),
    ("compile_options_set_target_env", None, (_handle, _int, ctypes.c_uint32)),
    ("compile_options_set_target_spirv", None, (_handle, _int)),
    ("compile_into_spv", _handle, (_handle, _text, _size, _int, _text, _text, _handle)),
    ("result_get_compilation_status", _int, (_handle,)),
    ("result_get_length", _size, (_handle,)),
    ("result_get_bytes", _handle, (_handle,)),
    ("result_get_error_message", _text, (_handle,)),
    ("result_release", None, (_handle,)),
)


class Library:
    """A loaded libshaderc; its compiler object lives as long as the process.

    Raises CompileError where the file does not load or lacks a function.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._call: dict[str, Callable[..., Any]] = {}
        try:
            library = ctypes.CDLL(str(path))
            for name, result, arguments in _FUNCTIONS:
                function = library[f"shaderc_{name}"]
                function.restype, function.argtypes = result, arguments
                self._call[name] = function
        except (OSError, AttributeError) as error:
            reason = str(error)  # the loader's messages may name the file themselves
            raise CompileError(reason if str(path) in reason else f"{path}: {reason}") from None
        self._compiler = self._call["compiler_initialize"]()
        if not self._compiler:
            raise CompileError(f"{path}: shaderc_compiler_initialize failed")
        self._options: dict[Optimise, object] = {}
        self._lock = threading.Lock()

    def version(self) -> str:
        """The library tells no version of its own, so its bytes name it."""
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise CompileError(f"{self.path}: {error.strerror or error}") from None
        return f"libshaderc sha256:{hashlib.sha256(data).hexdigest()[:32]}"

    def compile(self, text: str, name: str, optimise: Optimise) -> bytes | str:
        """SPIR-V of one GLSL compute shader, or the compiler's messages; safe in any thread."""
        data = text.encode()
        result = self._call["compile_into_spv"](
            *(self._compiler, data, len(data), _COMPUTE_SHADER),
            *(name.encode(), b"main", self._options_for(optimise)),
        )
        if not result:
            return "error: the compiler ran out of memory"
        try:
            if self._call["result_get_compilation_status"](result) != 0:
                message = self._call["result_get_error_message"](result)
                return (message or b"error: failed without a message").decode("utf-8", "replace")
            address = self._call["result_get_bytes"](result)
            return ctypes.string_at(address, self._call["result_get_length"](result))
        finally:
            self._call["result_release"](result)

    def compile_all(
        self, texts: Sequence[str], optimise: Optimise, advance: Callable[[int], None]
    ) -> list[bytes | str]:
        """Compile on all cores (the calls release the GIL); `advance(1)` follows each."""

        def one(number: int) -> bytes | str:
            output = self.compile(texts[number], f"{number}.comp", optimise)
            advance(1)
            return output

        if len(texts) == 1:
            return [one(0)]
        pool = ThreadPoolExecutor(cores(), thread_name_prefix="vkml-shaderc")
        try:
            futures = [pool.submit(one, number) for number in range(len(texts))]
            _wait(futures)
            return [future.result() for future in futures]
        finally:
            # After Ctrl-C: a kernel under compilation cannot be stopped, those behind it can.
            pool.shutdown(cancel_futures=True)

    def _options_for(self, optimise: Optimise) -> object:
        with self._lock:
            if optimise not in self._options:
                options = self._call["compile_options_initialize"]()
                self._call["compile_options_set_optimization_level"](options, _LEVELS[optimise])
                self._call["compile_options_set_target_env"](options, _TARGET_VULKAN, _VULKAN_1_2)
                self._call["compile_options_set_target_spirv"](options, _SPIRV_1_5)
                self._options[optimise] = options
            return self._options[optimise]


@functools.cache
def load(path: Path) -> Library:
    """The library at `path`, loaded once a process; raises CompileError."""
    return Library(path)


def _wait(futures: Sequence[Future[bytes | str]]) -> None:
    """Wait in slices: on Windows a wait without end does not hear Ctrl-C."""
    pending = set(futures)
    while pending:
        _, pending = wait(pending, timeout=0.1)
