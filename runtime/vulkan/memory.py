"""Suballocation: pieces of blocks, freed by their death, reused in the order of submissions.

Every submission starts with a full barrier, so work submitted later may reuse a freed range at
once. The host may not: a range remembers the timeline value of its last use, and the host writes
only what is past it. Finalisers run anywhere, even inside these functions, so they only append to
a queue that the next allocation drains.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from vkml.errors import DeviceError

from .blocks import LOCATION_BITS, Block
from .functions import Functions
from .physical import MemoryType

if TYPE_CHECKING:
    import weakref

__all__ = ["GRANULARITY", "Allocation", "Pool", "VulkanBuffer", "buffer_of", "padded"]

GRANULARITY = 256
_OFFSET = (1 << LOCATION_BITS) - 1
_LOOK = 64  # free ranges that an allocation for the host looks at


class Timeline(Protocol):
    """What memory needs of the queue: the last value known to be over."""

    completed: int

    def refresh(self) -> int:
        """Ask the device, and return `completed`."""


def padded(nbytes: int) -> int:
    """`nbytes` rounded up to what an allocation takes."""
    return max(GRANULARITY, -(-nbytes // GRANULARITY) * GRANULARITY)


class Allocation:
    """A piece of a block. `key` is its location, `used` the timeline value of its last use."""

    __slots__ = ("block", "key", "offset", "size", "used")

    def __init__(self, block: Block, offset: int, size: int, used: int) -> None:
        self.block = block
        self.offset = offset
        self.size = size
        self.used = used
        self.key = block.number << LOCATION_BITS | offset

    def __del__(self) -> None:
        try:
            self.block.freed.append((self.key, self.size, self.used))
        except AttributeError:  # interrupted before it was whole
            pass


class VulkanBuffer(Allocation):
    """A tensor's memory. `unread` is the execution that still may read its bytes from here."""

    __slots__ = ("nbytes", "owner", "unread")

    def __init__(
        self, block: Block, offset: int, size: int, used: int, nbytes: int, owner: Any
    ) -> None:
        super().__init__(block, offset, size, used)
        self.nbytes = nbytes
        self.owner = owner
        self.unread: list[weakref.ref[Any]] | None = None


def buffer_of(buffer: Any, owner: Any) -> VulkanBuffer:
    """`buffer`, if it is of the device `owner`. Raises DeviceError, for a lost device its own."""
    if isinstance(buffer, VulkanBuffer):
        if buffer.owner is owner:
            return buffer
        if buffer.owner.refusal is not None:
            raise DeviceError(buffer.owner.refusal)
    raise DeviceError(f"a buffer of another device was given to {owner.name}")


class Pool:
    """Blocks of one memory type and the free ranges in them.

    `block_bytes` is the size of a block; a request above it gets a block of its own size. Not
    locked: the device's lock is held around every call.

    Ctrl-C may be raised between any two steps. `_starts` is what holds then, and `_torn` tells the
    next call to make the rest from it. A range that is cut or joined enters `_starts` before its
    parts leave it, so that ranges may overlap for a moment; one that is given out has left it.
    """

    def __init__(
        self,
        vk: Functions,
        device: int,
        kind: MemoryType,
        mapped: bool,
        block_bytes: int,
        timeline: Timeline,
        count_block: Callable[[int], None],
    ) -> None:
        self.vk = vk
        self.device = device
        self.kind = kind
        self.mapped = mapped
        self.block_bytes = block_bytes
        self.timeline = timeline
        self.count_block = count_block
        self.blocks: dict[int, Block] = {}
        self.freed: deque[tuple[int, int, int]] = deque()
        self.patience = 0  # bytes reserved up to which the host gets new memory before it waits
        self.reserved = 0
        self.in_use = 0
        self.peak = 0
        self._sizes: list[tuple[int, int, int]] = []  # (size, location, used), sorted
        self._starts: dict[int, tuple[int, int]] = {}  # location -> (size, used)
        self._ends: dict[int, int] = {}  # end location -> location
        self._torn = False

    def take(self, size: int, idle: bool = False) -> tuple[Block, int, int, int]:
        """A free range of `size` bytes (a multiple of 256): block, offset, size and last use.

        Best fit, lowest address first, so that a loop gets the same addresses again. `idle`
        prefers a range that the device is done with. Raises OutOfMemoryError.
        """
        if self.freed:
            if not idle:  # what a loop freed last fits what it needs next
                newest = self.freed.pop()
                location, free, used = newest
                if free == size:
                    return self.blocks[location >> LOCATION_BITS], location & _OFFSET, size, used
                self.freed.append(newest)
            self.drain()
        if self._torn:
            self._mend()
        self._torn = True
        found = self._find(size, idle)
        if found is None or (idle and self._rather_grow(found)):
            self.consolidate()
            found = self._find(size, idle)
            if found is None or (idle and self._rather_grow(found)):
                self._grow(size)
                found = self._find(size, idle)
                assert found is not None
        free, location, used = found
        if free > size:
            self._starts[location + size] = (free - size, used)
        self._remove(location)
        if free > size:
            self._insert(location + size, free - size, used)
        self.in_use += size
        if self.in_use > self.peak:
            self.peak = self.in_use
        self._torn = False
        return self.blocks[location >> LOCATION_BITS], location & _OFFSET, size, used

    def allocation(self, nbytes: int, idle: bool = False) -> Allocation:
        """A plain allocation of at least `nbytes` bytes."""
        return Allocation(*self.take(padded(nbytes), idle))

    def drain(self) -> None:
        """Take back what finalisers have freed."""
        freed = self.freed
        known = False
        if self._torn:
            self._mend()
        self._torn = True
        while freed:
            location, size, used = freed.popleft()
            if not known and used > self.timeline.completed:
                self.timeline.refresh()
                known = True
            self.in_use -= size
            self._release(location, size, used)
        self._torn = False

    def _mend(self) -> None:
        """After an interrupt: everything from `_starts`; what is in no list counts as in use."""
        self.consolidate()
        self.in_use = self.reserved - sum(size for size, _ in self._starts.values())
        self._torn = False

    def consolidate(self) -> None:
        """Join every pair of free neighbours, whatever their last use."""
        joined: list[tuple[int, int, int]] = []
        for location in sorted(self._starts):
            size, used = self._starts[location]
            if joined and joined[-1][0] + joined[-1][1] >= location:
                start, before, last = joined[-1]
                joined[-1] = (start, max(before, location - start + size), max(last, used))
            else:
                joined.append((location, size, used))
        self._starts = {location: (size, used) for location, size, used in joined}
        self._ends = {location + size: location for location, size, _ in joined}
        self._sizes = sorted((size, location, used) for location, size, used in joined)

    def trim(self, surplus: int | None = None, wait: Callable[[int], None] | None = None) -> int:
        """Destroy empty blocks, smallest first, until `surplus` bytes went (None: all of them).

        A block that the device may still use stays, unless `wait` can wait for its last use.
        Returns the bytes given back.
        """
        self.drain()
        self._torn = True
        self.consolidate()
        gone = 0
        for block in sorted(self.blocks.values(), key=lambda item: item.size):
            if surplus is not None and gone >= surplus:
                break
            location = block.number << LOCATION_BITS
            size, used = self._starts.get(location, (0, 0))
            if size != block.size:
                continue
            if used > self.timeline.completed:
                if wait is None:
                    continue
                wait(used)
            self._remove(location)
            del self.blocks[block.number]
            block.destroy(self.vk, self.device)
            self.count_block(-1)
            self.reserved -= block.size
            gone += block.size
        self._torn = False
        return gone

    def close(self) -> None:
        """Destroy every block; the device is idle."""
        for block in self.blocks.values():
            block.destroy(self.vk, self.device)
            self.count_block(-1)
        self.blocks.clear()
        self._starts.clear()
        self._ends.clear()
        self._sizes.clear()

    def _find(self, size: int, idle: bool) -> tuple[int, int, int] | None:
        index = bisect_left(self._sizes, (size,))
        if index == len(self._sizes):
            return None
        if idle:
            done = self.timeline.refresh()
            for found in self._sizes[index : index + _LOOK]:
                if found[2] <= done:
                    return found
        return self._sizes[index]

    def _rather_grow(self, found: tuple[int, int, int]) -> bool:
        """Whether to add a block because the host would have to wait for the range it got."""
        return self.reserved < self.patience and found[2] > self.timeline.completed

    def _insert(self, location: int, size: int, used: int) -> None:
        self._starts[location] = (size, used)
        self._ends[location + size] = location
        insort(self._sizes, (size, location, used))

    def _remove(self, location: int) -> tuple[int, int]:
        size, used = self._starts.pop(location)
        del self._ends[location + size]
        del self._sizes[bisect_left(self._sizes, (size, location))]
        return size, used

    def _release(self, location: int, size: int, used: int) -> None:
        """Add a free range, joined with neighbours that are as idle, or as busy, as it is."""
        done = self.timeline.completed
        idle = used <= done
        parts: list[tuple[int, int]] = []  # location and size of what is joined
        behind = location + size
        after = self._starts.get(behind)
        if after is not None and (after[1] <= done) == idle:
            parts.append((behind, after[0]))
            size += after[0]
            used = max(used, after[1])
        start = self._ends.get(location)
        if start is not None:
            before = self._starts[start]
            if (before[1] <= done) == idle:
                parts.append((start, before[0]))
                location = start
                size += before[0]
                used = max(used, before[1])
        self._starts[location] = (size, used)
        for part, nbytes in parts:
            if part != location:
                del self._starts[part]
            del self._ends[part + nbytes]
            del self._sizes[bisect_left(self._sizes, (nbytes, part))]
        self._insert(location, size, used)

    def _grow(self, size: int) -> None:
        """Add a block; first give back empty ones that would push memory past the peak in use."""
        block_bytes = max(size, self.block_bytes)
        peak = max(self.peak, self.in_use + size)
        surplus = self.reserved + block_bytes - peak - self.block_bytes
        if surplus > 0:
            self.trim(surplus)
        self.count_block(1)
        try:
            block = Block(self.vk, self.device, block_bytes, self.kind, self.mapped, self.freed)
        except BaseException:
            self.count_block(-1)
            raise
        self.blocks[block.number] = block
        self.reserved += block_bytes
        self._insert(block.number << LOCATION_BITS, block_bytes, 0)
