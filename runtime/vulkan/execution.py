"""One execution in flight, and its results."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from vkml import counting
from vkml.errors import DeviceError

from .memory import VulkanBuffer, padded
from .recording import Recording
from .submission import Queue

if TYPE_CHECKING:
    from .device import VulkanDevice

__all__ = ["Execution", "alive", "settle_buffer"]


class Execution:
    """A submitted program. Its results stay readable whatever is submitted later.

    They lie in the recording's host memory, or still in the tensors themselves; whoever is about
    to reuse either calls `keep` first.
    """

    __slots__ = (
        "__weakref__",
        "_buffers",
        "_device",
        "_kept",
        "_lock",
        "_queue",
        "_recording",
        "_steps",
        "reads",
        "value",
    )

    def __init__(
        self,
        device: VulkanDevice,
        queue: Queue,
        lock: threading.RLock,
        value: int,
        reads: list[tuple[int, int, int]],
    ) -> None:
        self._device = device
        self._queue = queue
        self._lock = lock
        self.value = value
        self.reads = reads
        self._recording: Recording | None = None
        self._buffers: Sequence[VulkanBuffer] | None = None
        self._kept: list[NDArray[numpy.uint8]] | None = None
        self._steps = 0

    def wait(self) -> None:
        """Block until the execution has ended. Raises DeviceError when the device is lost."""
        self._queue.wait(self.value)

    def read(self, index: int) -> NDArray[numpy.uint8]:
        """The bytes of `program.reads[index]`, fresh and writable; waits first."""
        self._queue.wait(self.value)
        with self._lock:
            if self._kept is not None:
                data = self._kept[index].copy()
            else:
                data = self._take(index)
        counting.add_many({"transfers": 1, "bytes_downloaded": data.size})
        return data

    def keep(self) -> None:
        """Take all results now, because their memory is about to be reused; waits first."""
        with self._lock:
            if self._kept is None:
                self._queue.wait(self.value)
                self._kept = [self._take(index) for index in range(len(self.reads))]
                self._buffers = None
                if not self._steps:
                    self._recording = None

    def step_nanoseconds(self) -> tuple[float, ...]:
        """GPU time of each step of an execution with `profile=True`, in nanoseconds."""
        if not self._steps or self._recording is None:
            raise DeviceError("this execution was not profiled; pass profile=True to execute")
        self._queue.wait(self.value)
        return self._device.read_timestamps(self._recording, self._steps + 1)

    def watch_recording(self, recording: Recording, steps: int = 0) -> None:
        """Results (and, with `steps`, timestamps) belong to `recording`."""
        self._recording = recording
        self._steps = steps

    def watch_buffers(self, buffers: Sequence[VulkanBuffer]) -> None:
        """Results lie in `buffers`, one for each read."""
        self._buffers = buffers

    def _take(self, index: int) -> NDArray[numpy.uint8]:
        _, start, nbytes = self.reads[index]
        if self._buffers is not None:
            return self._device.fetch(self._buffers[index], start, nbytes, self.value)
        recording = self._recording
        if recording is None or recording.reading is None:
            raise DeviceError("internal: results of an execution are gone")
        reading = recording.reading
        start = reading.offset + sum(padded(item[2]) for item in self.reads[:index])
        content: Any = reading.block.bytes
        taken: NDArray[numpy.uint8] = content[start : start + nbytes].copy()
        return taken


def settle_buffer(buffer: VulkanBuffer) -> None:
    """Let executions whose results still lie in `buffer` take them before it is overwritten."""
    watchers = buffer.unread or []
    buffer.unread = None
    for watcher in watchers:
        execution = watcher()
        if execution is not None:
            execution.keep()


def alive(watchers: list[weakref.ref[Execution]] | None) -> list[weakref.ref[Execution]]:
    """The watchers whose execution somebody still holds."""
    return [watcher for watcher in watchers or () if watcher() is not None]
