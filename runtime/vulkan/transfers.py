"""Bytes between host and device memory: staged uploads, and fetches outside a program."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml import counting

from . import constants as c
from .memory import Allocation, Pool, VulkanBuffer
from .recording import COMPUTE, HOST, TRANSFER, WRITES, Commands
from .submission import Queue

__all__ = ["Transfers"]

_CHUNK = 1 << 26


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
        command = self._command()
        try:
            commands = self.commands
            commands.begin(command)
            touched = set()
            written = c.VK_ACCESS_TRANSFER_WRITE_BIT
            for piece, buffer, offset, nbytes in self.pending:
                if buffer.key in touched:  # a second write of the same bytes keeps its order
                    commands.barrier(command, TRANSFER, written, TRANSFER, written)
                touched.add(buffer.key)
                source = (piece.block.buffer, piece.offset)
                target = (buffer.block.buffer, buffer.offset + offset)
                commands.copy(command, source, target, nbytes)
            commands.end(command)
        except BaseException:
            self._used.appendleft((0, command))
            raise
        for piece, buffer, _, _ in self.pending:
            piece.used = buffer.used = value
        self._used.append((value, command))
        return command

    def submitted(self) -> None:
        """The staged uploads are on their way."""
        self.pending.clear()
        self.pending_bytes = 0

    def flush(self) -> bool:
        """Submit the staged uploads alone; whether there were any."""
        if not self.pending:
            return False
        self.queue.submit(self.record_pending(self.queue.submitted + 1))
        counting.add("submissions")
        self.submitted()
        return True

    def fetch(self, buffer: VulkanBuffer, offset: int, nbytes: int) -> NDArray[numpy.uint8]:
        """Copy bytes of `buffer` to the host through submissions of their own."""
        result = numpy.empty(nbytes, numpy.uint8)
        at = 0
        while at < nbytes:
            size = min(_CHUNK, nbytes - at)
            piece = self.reading.allocation(size)
            command = self._command()
            value = self.queue.submitted + 1
            self._used.append((value, command))
            commands = self.commands
            commands.begin(command)
            source = (buffer.block.buffer, buffer.offset + offset + at)
            commands.copy(command, source, (piece.block.buffer, piece.offset), size)
            commands.barrier(command, COMPUTE | TRANSFER, WRITES, HOST, c.VK_ACCESS_HOST_READ_BIT)
            commands.end(command)
            piece.used = value
            buffer.used = max(buffer.used, value)
            self.queue.submit(command)
            counting.add("submissions")
            self.queue.wait(value)
            content: Any = piece.block.bytes
            result[at : at + size] = content[piece.offset : piece.offset + size]
            at += size
        return result

    def _command(self) -> int:
        """A command buffer that the device is done with."""
        if self._used and self._used[0][0] <= self.queue.completed:
            return self._used.popleft()[1]
        if self._used and self._used[0][0] <= self.queue.refresh():
            return self._used.popleft()[1]
        return self.commands.allocate()
