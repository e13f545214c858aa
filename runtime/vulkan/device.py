"""The Vulkan device: memory, uploads, and the execution of programs."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml import counting, locks
from vkml.errors import DeviceError
from vkml.limits import DeviceLimits
from vkml.program import Program

from ..device import Buffer, DeviceInfo
from .execution import Execution, alive, settle_buffer
from .functions import Functions
from .heaps import Heaps
from .instance import Instance
from .logical import create_device
from .memory import Allocation, VulkanBuffer, buffer_of, padded
from .physical import PhysicalDevice
from .pipelines import Pipelines
from .prepared import Prepared
from .profiling import step_nanoseconds
from .recorder import Recorder
from .recording import Commands, Recording
from .recordings import Recordings, settle
from .submission import Queue
from .transfers import Transfers

__all__ = ["VulkanDevice"]

_SPIN_SECONDS = 50e-6
_key = attrgetter("key")


class VulkanDevice:
    """An open Vulkan device (see `runtime.device.Device`); a context manager.

    `copies` refuses memory that the host reaches directly, so that uploads are staged and results
    copied on any driver. Raises DeviceError when the driver refuses the device.
    """

    def __init__(
        self, instance: Instance, physical: PhysicalDevice, info: DeviceInfo, copies: bool = False
    ) -> None:
        self.name = f"vulkan:{info.index}"
        self.info = info
        self.limits: DeviceLimits = physical.limits
        self.identity = physical.identity
        self.physical = physical
        self.profiling = False
        self._lock = locks.lock()
        self._device = create_device(instance, physical)
        self._vk = vk = Functions(self._device)
        software = physical.type == "software"
        self._queue = queue = Queue(
            vk, self._device, physical.queue_family, 0.0 if software else _SPIN_SECONDS
        )
        self._commands = Commands(vk, self._device, physical.queue_family)
        self._heaps = heaps = Heaps(vk, self._device, queue, physical, self.limits, copies)
        self._pipelines = Pipelines(vk, self._device, physical.cache_header, parallel=not software)
        self._transfers = Transfers(queue, self._commands, heaps.staging, heaps.reading)
        self._recorder = Recorder(vk, self._device, queue, self._commands, heaps)
        self._recordings = Recordings(
            queue,
            self._commands,
            self._pipelines,
            heaps,
            self._recorder,
            max(16, physical.alignment),
        )
        heaps.before_trim = self._recordings.retire
        self._results: list[int] = []
        self._attempts = 0
        self._live = 0
        self._closed = False
        counting.on_snapshot(self._report_live_bytes)

    def __repr__(self) -> str:
        return f"<{self.name} {self.info.name}>"

    def __enter__(self) -> VulkanDevice:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def allocate(self, nbytes: int, for_upload: bool = False) -> VulkanBuffer:
        """Memory for `nbytes` bytes, contents undefined.

        `for_upload` prefers memory that no submission still uses, so that the upload can be
        written in place. Raises OutOfMemoryError naming the sizes, or DeviceError.
        """
        self._usable()
        with self._lock:
            return VulkanBuffer(*self._heaps.take(padded(nbytes), for_upload), nbytes, self)

    def upload(self, buffer: Buffer, data: NDArray[Any], offset: int = 0) -> None:
        """Copy a C-contiguous array into a buffer, from byte `offset` on.

        Written in place where the host reaches the memory and no submission uses it; else staged
        and copied by the next submission.
        """
        self._usable()
        target = buffer_of(buffer, self)
        content = numpy.ascontiguousarray(data).reshape(-1).view(numpy.uint8)
        if offset < 0 or offset + content.size > target.nbytes:
            raise DeviceError(
                f"upload: {content.size} bytes at {offset} pass the buffer's {target.nbytes}"
            )
        if not content.size:
            return
        with self._lock:
            if target.unread is not None:
                settle_buffer(target)
            if self._in_place(target):
                memory: Any = target.block.bytes
                start = target.offset + offset
                memory[start : start + content.size] = content
            else:
                self._stage(target, content, offset)
        counting.add_many({"transfers": 1, "bytes_uploaded": content.size})

    def download(self, buffer: Buffer, offset: int, nbytes: int) -> NDArray[numpy.uint8]:
        """The bytes of a buffer after every execution that uses it; fresh and writable."""
        self._usable()
        source = buffer_of(buffer, self)
        if offset < 0 or nbytes < 0 or offset + nbytes > source.nbytes:
            raise DeviceError(
                f"download: bytes {offset} to {offset + nbytes} of a buffer of {source.nbytes}"
            )
        with self._lock:
            if self._transfers.pending:
                self._transfers.flush()
        self._queue.wait(source.used)  # outside the lock: other threads go on submitting
        with self._lock:
            data = self.fetch(source, offset, nbytes, source.used)
        counting.add_many({"transfers": 1, "bytes_downloaded": nbytes})
        return data

    def execute(
        self,
        program: Program,
        buffers: Sequence[Buffer | None],
        scalars: Sequence[Any],
        profile: bool = False,
    ) -> Execution:
        """Submit the whole program once; `buffers` holds one entry a slot (None: temporary).

        `profile` (or the attribute `profiling`) takes a timestamp at each step and keeps steps
        apart: see `Execution.step_nanoseconds`. Raises DeviceError, OutOfMemoryError or
        CompileError; nothing was executed then, and the program can be executed again.
        """
        queue = self._queue
        if queue.refusal is not None:
            raise DeviceError(queue.refusal)
        prepared = program.prepared
        if prepared is None or prepared.owner is not self._recordings:
            # Outside the lock: other threads go on while the driver compiles.
            prepared = program.prepared = Prepared(self._recordings, program)
        if len(buffers) != len(prepared.slots):
            raise DeviceError(
                f"the program has {len(prepared.slots)} slots, got {len(buffers)} buffers"
            )
        bound: tuple[VulkanBuffer, ...] = prepared.pick(buffers)
        with self._lock:
            arena = None
            if prepared.arena_bytes:
                arena = self._heaps.arena(prepared.arena_bytes)
                key = (arena.key, *map(_key, bound))
            else:
                key = tuple(map(_key, bound))
            recording = None
            if profile or self.profiling:
                return self._profile(prepared, bound, buffers, arena, scalars)
            recordings = prepared.recordings.get(key)
            if recordings is not None:
                recording = self._recordings.idle(recordings)
            if recording is None:
                recording = self._record(prepared, key, buffers, arena)
            return self._submit(prepared, recording, bound, arena, scalars)

    def last_executed(self) -> int:
        """A number that changes when a program was submitted, even where `execute` then raised."""
        return self._attempts if self._results == [0] else -1

    def synchronize(self) -> None:
        """Block until the device is idle; staged uploads are submitted first."""
        self._usable()
        with self._lock:
            self._transfers.flush()
        self._queue.wait(self._queue.submitted)

    def attach_pipeline_data(
        self, load: Callable[[str], bytes | None], save: Callable[[str, bytes], None]
    ) -> None:
        """Keep the driver's pipeline data by `identity` (first call only); `close` saves too."""
        identity = self.identity
        if not self._pipelines.attached:
            self._pipelines.attach(load(identity), lambda data: save(identity, data))

    def trim(self) -> int:
        """Give memory back to the driver that no tensor needs; returns the bytes given back."""
        self._usable()
        with self._lock:
            return self._heaps.trim()

    def memory(self) -> dict[str, int]:
        """Bytes of device memory: `live`, `reserved` in `blocks`, and the `peak` in use."""
        with self._lock:
            return self._heaps.facts()

    def close(self, seconds: float = 60.0) -> bool:
        """Wait for the device, at most so long, and destroy everything; whether it was idle."""
        queue = self._queue
        with self._lock:
            if self._closed:
                return True
            self._closed = True
            counting.forget_snapshot(self._report_live_bytes)
            counting.add("live_bytes", -self._live)
            lost = queue.refusal is not None
            if not lost and not queue.wait_slice(queue.submitted, int(seconds * 1e9)):
                queue.refusal = "the device was closed while it worked"
                return False
            queue.refusal = queue.refusal or "the device is closed"
            if not lost:
                self._pipelines.save(now=True)
            self._transfers.pending.clear()
            self._recordings.close()
            self._heaps.close()
            self._pipelines.close()
            self._commands.close()
            queue.close()
            self._vk.vkDestroyDevice(self._device, None)
            return True

    def refuse(self, reason: str) -> None:
        """Accept nothing any more: every later call raises DeviceError(reason)."""
        self._queue.refusal = reason

    @property
    def refusal(self) -> str | None:
        """Why the device accepts nothing any more, or None."""
        return self._queue.refusal

    # For executions -----------------------------------------------------------------------

    def fetch(
        self, buffer: VulkanBuffer, offset: int, nbytes: int, value: int
    ) -> NDArray[numpy.uint8]:
        """Bytes of a buffer once timeline `value` is over. Needs the lock."""
        if self._transfers.pending:
            self._transfers.flush()
            value = max(value, buffer.used)
        if self._heaps.kinds.direct:
            self._queue.wait(value)
            memory: Any = buffer.block.bytes
            start = buffer.offset + offset
            data: NDArray[numpy.uint8] = memory[start : start + nbytes].copy()
            return data
        return self._heaps.retrying(lambda: self._transfers.fetch(buffer, offset, nbytes), nbytes)

    def read_timestamps(self, recording: Recording, count: int) -> tuple[float, ...]:
        """Nanoseconds between the timestamps of a profiled recording that has ended."""
        physical = self.physical
        return step_nanoseconds(
            self._vk,
            self._device,
            recording.queries,
            count,
            physical.timestamp_bits,
            physical.timestamp_period,
        )

    # Inside, with the lock held -----------------------------------------------------------

    def _usable(self) -> None:
        if self._queue.refusal is not None:
            raise DeviceError(self._queue.refusal)

    def _in_place(self, buffer: VulkanBuffer) -> bool:
        if not self._heaps.kinds.mapped:
            return False
        queue = self._queue
        if buffer.used > queue.completed and buffer.used > queue.refresh():
            return False
        return not any(staged[1] is buffer for staged in self._transfers.pending)

    def _stage(self, buffer: VulkanBuffer, data: NDArray[numpy.uint8], offset: int) -> None:
        """Stage an upload by pieces: host memory that the device reads stays bounded."""
        transfers = self._transfers
        for at in range(0, data.size, transfers.chunk):
            piece = data[at : at + transfers.chunk]
            self._heaps.retrying(
                functools.partial(transfers.stage, buffer, piece, offset + at), piece.size
            )
            if transfers.pending_bytes > transfers.pending_limit:
                transfers.flush()

    def _record(
        self,
        prepared: Prepared,
        key: tuple[int, ...],
        buffers: Sequence[Any],
        arena: Allocation | None,
    ) -> Recording:
        memory = prepared.bind(buffers, arena, self)
        return self._heaps.retrying(lambda: self._recordings.record(prepared, key, memory), 0)

    def _submit(
        self,
        prepared: Prepared,
        recording: Recording,
        bound: tuple[VulkanBuffer, ...],
        arena: Allocation | None,
        scalars: Sequence[Any],
    ) -> Execution:
        """Write the scalars, submit, and note who uses what until when."""
        if recording.ticket is not None:
            settle(recording)
        for index in prepared.written:
            if bound[index].unread is not None:
                settle_buffer(bound[index])
        plan = recording.plan
        if plan is not None and plan.pack is not None:
            plan.pack(recording.memory, scalars)
        queue = self._queue
        value = queue.submitted + 1
        transfers = self._transfers
        uploads = transfers.record_pending(value) if transfers.pending else 0
        recording.value = value
        for buffer in bound:
            buffer.used = value
        if arena is not None:
            arena.used = value
        results = self._results = []
        self._attempts += 1
        if uploads or recording.batches is not None:
            batches = recording.batches or [[recording.commands[0]]]
            if uploads:
                batches = [[uploads, *batches[0]], *batches[1:]]
            try:
                queue.submit_batches(batches, results)
            finally:
                transfers.gone_with(results)
        else:
            queue.submit(recording.commands[0], results)
        counting.add_many(recording.counts)
        execution = Execution(self, queue, self._lock, value, prepared.ranges)
        if prepared.ranges:
            if prepared.copied:
                execution.watch_recording(recording)
                recording.ticket = weakref.ref(execution)
            else:
                sources = prepared.pick_sources(bound)
                execution.watch_buffers(sources)
                watcher = weakref.ref(execution)
                for buffer in sources:
                    others = buffer.unread
                    buffer.unread = [*alive(others), watcher] if others else [watcher]
        return execution

    def _profile(
        self,
        prepared: Prepared,
        bound: tuple[VulkanBuffer, ...],
        buffers: Sequence[Any],
        arena: Allocation | None,
        scalars: Sequence[Any],
    ) -> Execution:
        if not self.physical.timestamp_bits:
            raise DeviceError(f"{self.info.name} has no timestamps on its compute queue")
        memory = prepared.bind(buffers, arena, self)
        recording = self._heaps.retrying(lambda: self._recordings.record_once(prepared, memory), 0)
        try:
            execution = self._submit(prepared, recording, bound, arena, scalars)
        finally:
            self._recordings.drop(recording)
        execution.watch_recording(recording, len(prepared.steps))
        recording.ticket = weakref.ref(execution)
        return execution

    def _report_live_bytes(self) -> None:
        if self._queue.refusal is not None:
            return
        with self._lock:
            try:
                live = self._heaps.live_bytes()
            except DeviceError:  # found lost just now: whoever observes a value hears of it
                return
            counting.add("live_bytes", live - self._live)
            self._live = live
