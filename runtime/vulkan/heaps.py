"""The memory of a device: its pools, the arena of temporaries, and what happens when it is full."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from vkml.errors import OutOfMemoryError, in_words
from vkml.limits import DeviceLimits

from .blocks import Block, buffer_type_bits, choose_kinds
from .functions import Functions
from .memory import Allocation, Pool, padded
from .physical import MemoryType, PhysicalDevice
from .submission import Queue

__all__ = ["Heaps"]

BLOCK_BYTES = 1 << 26
SMALL_BLOCK_BYTES = 1 << 20
SHARED_ARENA_BYTES = 1 << 24
HOST_BYTES = 1 << 29
_Made = TypeVar("_Made")


class Heaps:
    """Every pool of one device. Used with the device's lock held.

    small, large   tensors: in shared blocks, and in blocks of their own
    parameters     what changes with each execution
    staging        uploads that cannot be written in place
    reading        results on their way to the host
    """

    def __init__(
        self,
        vk: Functions,
        device: int,
        queue: Queue,
        physical: PhysicalDevice,
        limits: DeviceLimits,
        copies: bool,
    ) -> None:
        self.queue = queue
        self.limits = limits
        self.name = physical.name
        self.kinds = choose_kinds(physical.memory, buffer_type_bits(vk, device), copies)
        self.blocks = 0
        self.most_blocks = physical.allocation_count
        self.before_trim: Callable[[], None] = lambda: None
        self._arena: Allocation | None = None

        def pool(kind: MemoryType, mapped: bool, size: int) -> Pool:
            return Pool(vk, device, kind, mapped, size, queue, self._count_block)

        kinds = self.kinds
        block_bytes = min(BLOCK_BYTES, physical.storage_range // 256 * 256)
        self.small = pool(kinds.storage, kinds.mapped, block_bytes)
        self.large = pool(kinds.storage, kinds.mapped, 0)
        self.parameters = pool(kinds.parameters, True, SMALL_BLOCK_BYTES)
        self.staging = pool(kinds.staging, True, SMALL_BLOCK_BYTES)
        self.reading = pool(kinds.reading, True, SMALL_BLOCK_BYTES)
        self.parameters.patience = self.staging.patience = HOST_BYTES
        self._pools = (self.small, self.large, self.parameters, self.staging, self.reading)

    def take(self, size: int, idle: bool = False) -> tuple[Block, int, int, int]:
        """Storage for `size` bytes: block, offset, size, last use. Raises OutOfMemoryError."""
        if size > self.limits.max_allocation:
            raise OutOfMemoryError(
                f"{in_words(size)} in one array: {self.name} allows "
                f"{in_words(self.limits.max_allocation)}; work in smaller pieces"
            )
        pool = self.small if size <= self.small.block_bytes // 2 else self.large
        return self.retrying(lambda: pool.take(size, idle), size)

    def arena(self, nbytes: int) -> Allocation:
        """Memory for temporaries: submissions run one after another, so they share it.

        A big arena is taken for one execution only, and its memory is free for the next.
        """
        arena = self._arena
        if nbytes <= SHARED_ARENA_BYTES:
            if arena is not None and arena.size >= nbytes:
                return arena
            nbytes = 1 << (nbytes - 1).bit_length()
        size = padded(nbytes)
        arena = Allocation(*self.take(size))
        if size <= SHARED_ARENA_BYTES:
            self._arena = arena
        return arena

    def retrying(self, action: Callable[[], _Made], nbytes: int) -> _Made:
        """Do `action`; when memory runs out give back all that is idle and try once more."""
        try:
            return action()
        except OutOfMemoryError as error:
            first = error.message
        self.trim()
        try:
            return action()
        except OutOfMemoryError:
            pass
        more = f"{in_words(nbytes)} more" if nbytes else "this"
        raise OutOfMemoryError(
            f"{self.name} has no memory for {more}: {in_words(self.live_bytes())} in live arrays, "
            f"{in_words(self.reserved())} reserved, {in_words(self.kinds.storage.heap_bytes)} in "
            f"all ({first}); drop arrays, or work in smaller pieces"
        )

    def trim(self) -> int:
        """Give every block back that holds nothing; returns the bytes given back."""
        self._arena = None
        self.before_trim()
        return sum(pool.trim(wait=self.queue.wait) for pool in self._pools)

    def live_bytes(self) -> int:
        """Bytes that live buffers take, padding included."""
        total = 0
        for pool in (self.small, self.large):
            pool.drain()
            total += pool.in_use
        return total - (self._arena.size if self._arena is not None else 0)

    def reserved(self) -> int:
        """Bytes of the blocks that hold tensors."""
        return self.small.reserved + self.large.reserved

    def facts(self) -> dict[str, int]:
        """Bytes reserved, in live buffers, and the most ever in use (temporaries too)."""
        return {
            "live": self.live_bytes(),
            "reserved": self.reserved(),
            "peak": self.small.peak + self.large.peak,
            "blocks": self.blocks,
        }

    def close(self) -> None:
        """Destroy every block; the device is idle."""
        self._arena = None
        for pool in self._pools:
            pool.close()

    def _count_block(self, change: int) -> None:
        if change > 0 and self.blocks >= self.most_blocks:
            raise OutOfMemoryError(
                f"the driver allows {self.most_blocks} memory allocations, and all are in use"
            )
        self.blocks += change
