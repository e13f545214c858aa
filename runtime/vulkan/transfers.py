"""Bytes between host and device memory: staged uploads, and fetches outside a program."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml import counting

from . import constants as c
from .memory import Allocation, Pool, VulkanBuffer
from .recording import COMPUTE, HOST, TRANSFER, WRITES, Commands
from .submission import Queue

__all__ = ["Transfers"]


class Transfers:
    """Copies through host memory. Used with the device's lock held.

    An upload that cannot be written in place waits in `pending` and rides with the next
    submission; it makes one of its own only past `pending_limit` bytes.
    """

    def __init__(self, queue: Queue, commands: Commands, staging: Pool, reading: Pool) -> None:
        self.queue = queue
        self.commands = commands
        self.staging = staging
        self.reading = reading
        self.pending: list[tuple[Allocation, VulkanBuffer, int, int]] = []
        self.pending_bytes = 0
        self.pending_limit = 1 << 28
        self.chunk = 1 << 26
        self._used: deque[tuple[int, int]] = deque()  # (timeline value, command buffer)

    def stage(self, buffer: VulkanBuffer, data: NDArray[numpy.uint8], offset: int) -> None:
        """Copy `data` to staging memory, and from there to `buffer` in the next submission."""
        piece = self.staging.allocation(data.size, idle=True)
        self.queue.wait(piece.used)
        content: Any = piece.block.bytes
        content[piece.offset : piece.offset + data.size] = data
        self.pending.append((piece, buffer, offset, data.size))
        self.pending_bytes += data.size

    def record_pending(self, value: int) -> int:
        """A command buffer with all staged uploads, to be submitted as timeline `value`."""

        def record(command: int) -> None:
            touched = set()
            written = c.VK_ACCESS_TRANSFER_WRITE_BIT
            for piece, buffer, offset, nbytes in self.pending:
                if buffer.key in touched:  # a second write of the same bytes keeps its order
                    self.commands.barrier(command, TRANSFER, written, TRANSFER, written)
                touched.add(buffer.key)
                source = (piece.block.buffer, piece.offset)
                target = (buffer.block.buffer, buffer.offset + offset)
                self.commands.copy(command, source, target, nbytes)

        command = self._recorded(record, value)
        for piece, buffer, _, _ in self.pending:
            piece.used = buffer.used = value
        return command

    def gone_with(self, results: list[int]) -> None:
        """Forget the staged uploads if the submission with these `results` took them along.

        Asked in a `finally`: an interrupt may come right after the call, and copying them again
        later would undo what programs have written since.
        """
        if results == [0]:
            self.pending.clear()
            self.pending_bytes = 0

    def flush(self) -> bool:
        """Submit the staged uploads alone; whether there were any."""
        if not self.pending:
            return False
        command = self.record_pending(self.queue.submitted + 1)
        results: list[int] = []
        try:
            self.queue.submit(command, results)
        finally:
            self.gone_with(results)
        counting.add("submissions")
        return True

    def fetch(self, buffer: VulkanBuffer, offset: int, nbytes: int) -> NDArray[numpy.uint8]:
        """Copy bytes of `buffer` to the host through submissions of their own.

        Large ones go by pieces: the device copies one while the host takes the one before.
        """
        result = numpy.empty(nbytes, numpy.uint8)
        flying: deque[tuple[int, Allocation, int, int]] = deque()
        for at in range(0, nbytes, self.chunk):
            size = min(self.chunk, nbytes - at)
            flying.append(self._copy_out(buffer, offset + at, at, size))
            if len(flying) > 1:
                self._copy_in(result, *flying.popleft())
        while flying:
            self._copy_in(result, *flying.popleft())
        return result

    def _copy_out(
        self, buffer: VulkanBuffer, offset: int, at: int, size: int
    ) -> tuple[int, Allocation, int, int]:
        """Submit the copy of one piece to host memory."""
        piece = self.reading.allocation(size)

        def record(command: int) -> None:
            source = (buffer.block.buffer, buffer.offset + offset)
            self.commands.copy(command, source, (piece.block.buffer, piece.offset), size)
            self.commands.barrier(
                command, COMPUTE | TRANSFER, WRITES, HOST, c.VK_ACCESS_HOST_READ_BIT
            )

        value = self.queue.submitted + 1
        command = self._recorded(record, value)
        piece.used = value
        buffer.used = value
        self.queue.submit(command)
        counting.add("submissions")
        return value, piece, at, size

    def _copy_in(
        self, result: NDArray[numpy.uint8], value: int, piece: Allocation, at: int, size: int
    ) -> None:
        self.queue.wait(value)
        content: Any = piece.block.bytes
        result[at : at + size] = content[piece.offset : piece.offset + size]

    def _recorded(self, record: Callable[[int], None], value: int) -> int:
        """A command buffer that `record` has filled, busy until timeline `value` is over."""
        used = self._used
        if used and (used[0][0] <= self.queue.completed or used[0][0] <= self.queue.refresh()):
            command = used.popleft()[1]
        else:
            command = self.commands.allocate()
        try:
            self.commands.begin(command)
            record(command)
            self.commands.end(command)
        except BaseException:
            self.commands.free([command])
            raise
        used.append((value, command))
        return command
