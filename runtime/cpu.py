"""The `cpu` device: NumPy byte arrays, and host kernels run in order. The reference."""

from __future__ import annotations

import itertools
import platform
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml import config, counting, dtypes, locks
from vkml.errors import DeviceError, OutOfMemoryError, in_words
from vkml.limits import DeviceLimits, narrowed
from vkml.program import Dispatch, HostKernel, Merged, Program

from .device import Buffer, DeviceInfo

__all__ = ["CpuDevice", "cpu_info"]

_ALIGNMENT = 256
_LARGEST = 1 << 46  # memory itself is the limit
_numbers = itertools.count(1)
_Bytes = NDArray[numpy.uint8]


def cpu_info(index: int, is_default: bool = False) -> DeviceInfo:
    """The facts of the `cpu` device, as entry `index` of the list of devices."""
    whole = DeviceLimits(max_storage_range=_LARGEST, max_allocation=_LARGEST)
    limits = narrowed(whole, config.text("VKML_LIMITS"))
    missing = set()
    if not limits.int64:
        missing |= {"int64", "uint64"}
    if not limits.float64:
        missing.add("float64")
    return DeviceInfo(
        index=index,
        name="cpu",
        type="cpu",
        driver="numpy",
        driver_version=numpy.__version__,
        uuid=f"cpu-{platform.machine() or 'unknown'}",
        dtypes=tuple(item.name for item in dtypes.ALL if item.name not in missing),
        limits=limits,
        is_default=is_default,
    )


class CpuBuffer:
    """Memory of the `cpu` device; `bytes` is as long as the padded allocation."""

    __slots__ = ("bytes", "freed", "key", "nbytes")

    def __init__(self, nbytes: int, memory: _Bytes, freed: deque[int]) -> None:
        self.freed = freed
        self.bytes = memory
        self.nbytes = nbytes
        self.key = -next(_numbers)  # Vulkan's are positive

    def __del__(self) -> None:
        try:
            self.freed.append(self.bytes.size)
        except AttributeError:  # interrupted before it was whole
            pass


class CpuExecution:
    """An execution of the `cpu` device, which has always ended; its results were taken."""

    __slots__ = ("_results",)

    def __init__(self, results: list[_Bytes]) -> None:
        self._results = results

    def wait(self) -> None:
        """Nothing to wait for."""

    def read(self, index: int) -> _Bytes:
        """The bytes of `program.reads[index]`, fresh and writable."""
        data = self._results[index].copy()
        counting.add_many({"transfers": 1, "bytes_downloaded": data.size})
        return data


class CpuDevice:
    """The reference device (see `runtime.device.Device`): every step is NumPy, one at a time."""

    def __init__(self, info: DeviceInfo) -> None:
        self.name = "cpu"
        self.info = info
        self.limits = info.limits
        self.identity = f"{info.uuid}-{info.driver_version}"
        self.refusal: str | None = None
        self._lock = locks.lock()
        self._freed: deque[int] = deque()
        self._allocated = 0
        self._executed = 0
        self._reported = 0
        counting.on_snapshot(self._report_live_bytes)

    def __repr__(self) -> str:
        return "<cpu>"

    def allocate(self, nbytes: int, for_upload: bool = False) -> CpuBuffer:
        """Memory for `nbytes` bytes, contents undefined. Raises OutOfMemoryError."""
        if nbytes > self.limits.max_allocation:
            raise OutOfMemoryError(
                f"{in_words(nbytes)} in one array: cpu allows "
                f"{in_words(self.limits.max_allocation)}; work in smaller pieces"
            )
        buffer = CpuBuffer(nbytes, aligned_bytes(nbytes), self._freed)
        with self._lock:
            self._allocated += buffer.bytes.size
        return buffer

    def upload(self, buffer: Buffer, data: NDArray[Any], offset: int = 0) -> None:
        """Copy a C-contiguous array into a buffer, from byte `offset` on."""
        target = _own(buffer)
        content = numpy.ascontiguousarray(data).reshape(-1).view(numpy.uint8)
        if offset < 0 or offset + content.size > target.nbytes:
            raise DeviceError(
                f"upload: {content.size} bytes at {offset} pass the buffer's {target.nbytes}"
            )
        if not content.size:
            return
        with self._lock:
            target.bytes[offset : offset + content.size] = content
        counting.add_many({"transfers": 1, "bytes_uploaded": content.size})

    def download(self, buffer: Buffer, offset: int, nbytes: int) -> _Bytes:
        """The bytes of a buffer; fresh and writable."""
        source = _own(buffer)
        if offset < 0 or nbytes < 0 or offset + nbytes > source.nbytes:
            raise DeviceError(
                f"download: bytes {offset} to {offset + nbytes} of a buffer of {source.nbytes}"
            )
        with self._lock:
            data = source.bytes[offset : offset + nbytes].copy()
        counting.add_many({"transfers": 1, "bytes_downloaded": nbytes})
        return data

    def execute(
        self, program: Program, buffers: Sequence[Buffer | None], scalars: Sequence[Any]
    ) -> CpuExecution:
        """Run every step in order; `buffers` holds one entry a slot (None: temporary)."""
        if len(buffers) != len(program.slots):
            raise DeviceError(
                f"the program has {len(program.slots)} slots, {len(buffers)} buffers were given"
            )
        arena = aligned_bytes(program.arena_bytes) if program.arena_bytes else None
        memory: list[_Bytes] = []
        for index, (slot, buffer) in enumerate(zip(program.slots, buffers, strict=True)):
            if slot.role != "temporary":
                piece = _own(buffer).bytes
            elif arena is None or slot.offset + slot.nbytes > arena.size:
                raise DeviceError(f"internal: temporary {index} lies outside the arena")
            else:
                piece = arena[slot.offset :]
            if piece.size < slot.nbytes:
                raise DeviceError(f"slot {index} needs {slot.nbytes} bytes, got {piece.size}")
            memory.append(piece)
        with self._lock:
            before = [(memory[slot], memory[slot].copy()) for slot in _overwritten(program)]
            try:
                for step in program.steps:
                    _run_step(step, memory, scalars)
                results = [
                    memory[item.slot][item.start : item.stop].copy() for item in program.reads
                ]
                self._executed += 1
            except BaseException:  # all of a program or nothing: it may be executed again
                for piece, content in before:
                    piece[:] = content
                raise
        counting.add_many(
            {
                "kernels": program.kernels,
                "submissions": 1,
                "dispatches": len(program.steps),
                "bytes_moved": program.bytes_moved,
                "bytes_unfused": program.bytes_unfused,
            }
        )
        return CpuExecution(results)

    def last_executed(self) -> int:
        """A number that changes when a program was executed, even where `execute` then raised."""
        return self._executed

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def _report_live_bytes(self) -> None:
        with self._lock:
            while self._freed:
                self._allocated -= self._freed.popleft()
            counting.add("live_bytes", self._allocated - self._reported)
            self._reported = self._allocated


def _overwritten(program: Program) -> set[int]:
    """Slots whose contents exist already and are written by a step."""
    written: set[int] = set()
    for step in program.steps:
        for part in step.segments if isinstance(step, Merged) else (step,):
            written.update(item.slot for item in part.bindings if item.writes)
    return {slot for slot in written if program.slots[slot].role == "input"}


def _run_step(step: Dispatch | Merged, memory: Sequence[_Bytes], scalars: Sequence[Any]) -> None:
    kernel = step.kernel
    if not isinstance(step, Dispatch) or not isinstance(kernel, HostKernel):
        raise DeviceError(
            f"kernel {kernel.name} is no kernel of the cpu device; "
            "the program was planned for another device"
        )
    windows = [memory[item.slot][item.offset : item.offset + item.size] for item in step.bindings]
    try:
        kernel.run(windows, scalars)
    except MemoryError as error:
        text = f"kernel {kernel.name} ({kernel.title}): {error}"
        raise OutOfMemoryError(text) from error


def aligned_bytes(nbytes: int) -> _Bytes:
    """Uninitialised bytes that start at a multiple of 256 and are padded to the next."""
    size = max(_ALIGNMENT, -(-nbytes // _ALIGNMENT) * _ALIGNMENT)
    try:
        whole = numpy.empty(size + _ALIGNMENT, numpy.uint8)
    except (MemoryError, ValueError) as error:
        raise OutOfMemoryError(
            f"cpu has no memory for {in_words(nbytes)}: {error}; free some, or work in pieces"
        ) from None
    start = -whole.ctypes.data % _ALIGNMENT
    return whole[start : start + size]


def _own(buffer: Any) -> CpuBuffer:
    if not isinstance(buffer, CpuBuffer):
        raise DeviceError("a buffer of another device was given to cpu")
    return buffer
