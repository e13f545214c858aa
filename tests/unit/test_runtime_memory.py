"""Suballocation on a driver made of numbers: no overlap, no leak, reuse by last use."""

from __future__ import annotations

import itertools
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vkml.errors import OutOfMemoryError
from vkml.runtime.vulkan import constants as c
from vkml.runtime.vulkan.blocks import choose_kinds
from vkml.runtime.vulkan.loader import ffi
from vkml.runtime.vulkan.memory import Allocation, Pool, padded
from vkml.runtime.vulkan.physical import MemoryType

TYPE = MemoryType(0, 7, 0, 1 << 34)


class Driver:
    """Hands out numbers for handles; `refuse` makes so many of the next allocations fail."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)
        self.alive: set[int] = set()
        self.refuse = 0

    def _new(self, place: int) -> int:
        number = next(self.numbers)
        ffi().cast("uint64_t *", place)[0] = number
        self.alive.add(number)
        return c.VK_SUCCESS

    def vkCreateBuffer(self, device: int, info: int, allocator: Any, place: int) -> int:
        self.size = ffi().cast("VkBufferCreateInfo *", info).size
        return self._new(place)

    def vkGetBufferMemoryRequirements(self, device: int, buffer: int, place: int) -> None:
        needs = ffi().cast("VkMemoryRequirements *", place)
        needs.size, needs.alignment, needs.memoryTypeBits = self.size, 256, 1

    def vkAllocateMemory(self, device: int, info: int, allocator: Any, place: int) -> int:
        if self.refuse:
            self.refuse -= 1
            return c.VK_ERROR_OUT_OF_DEVICE_MEMORY
        return self._new(place)

    def vkBindBufferMemory(self, *arguments: Any) -> int:
        return c.VK_SUCCESS

    def vkDestroyBuffer(self, device: int, buffer: int, allocator: Any) -> None:
        self.alive.remove(buffer)

    vkFreeMemory = vkDestroyBuffer


class Clock:
    """A timeline: `now` is where the device is, `completed` what the host knows."""

    def __init__(self) -> None:
        self.now = 0
        self.completed = 0

    def refresh(self) -> int:
        self.completed = self.now
        return self.completed


class Fixture:
    def __init__(self, block_bytes: int = 4096, limit: int = 1000) -> None:
        self.driver: Any = Driver()
        self.clock = Clock()
        self.blocks = 0
        self.limit = limit
        self.pool = Pool(self.driver, 1, TYPE, False, block_bytes, self.clock, self.count)

    def count(self, change: int) -> None:
        if change > 0 and self.blocks >= self.limit:
            raise OutOfMemoryError("too many")
        self.blocks += change


def test_padding() -> None:
    assert [padded(n) for n in (0, 1, 256, 257, 1 << 33)] == [256, 256, 256, 512, 1 << 33]


@given(
    st.lists(
        st.tuples(st.integers(0, 6000), st.integers(0, 40), st.booleans(), st.booleans()),
        max_size=120,
    )
)
def test_live_ranges_never_overlap_and_all_comes_back(
    actions: list[tuple[int, int, bool, bool]],
) -> None:
    made = Fixture()
    live: list[Allocation] = []
    for step, (size, victim, free, idle) in enumerate(actions):
        if free and live:
            piece = live.pop(victim % len(live))
            piece.used = step
            del piece
        else:
            live.append(made.pool.allocation(size, idle))
        if victim % 3 == 0:
            made.clock.now = max(made.clock.now, step - 5)
        spans = sorted((item.key, item.key + item.size) for item in live)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
        assert all(item.offset % 256 == 0 for item in live)
        assert all(item.offset + item.size <= item.block.size for item in live)
        made.pool.drain()
        assert made.pool.in_use == sum(item.size for item in live)
        free_bytes = sum(entry[0] for entry in made.pool._sizes)
        assert free_bytes + made.pool.in_use == made.pool.reserved
        assert made.pool._sizes == sorted(made.pool._sizes)
    live.clear()
    made.clock.now = 10**6
    made.clock.refresh()
    made.pool.trim()
    assert made.pool.reserved == made.pool.in_use == made.blocks == 0
    assert not made.driver.alive


def test_a_loop_gets_the_same_places_again() -> None:
    made = Fixture(1 << 20)
    keys = set()
    current = made.pool.allocation(5000)
    for step in range(100):
        following = made.pool.allocation(5000)
        current.used = following.used = step
        current = following
        keys.add(current.key)
    assert len(keys) <= 2
    assert made.blocks == 1


def test_the_host_prefers_what_the_device_is_done_with() -> None:
    made = Fixture(1 << 20)
    first, second = made.pool.allocation(1000), made.pool.allocation(1000)
    wall = made.pool.allocation(1000)
    busy, done = first.key, second.key
    first.used, second.used = 9, 3
    made.clock.now = 5
    del first, second
    made.pool.drain()
    ordered = made.pool.allocation(1000)
    assert ordered.key == busy  # the device may have it: it works in order
    del ordered
    assert made.pool.allocation(1000, idle=True).key == done
    del wall


def test_patience_grows_instead_of_waiting() -> None:
    made = Fixture(1024)
    made.pool.patience = 2048
    piece = made.pool.allocation(1024)
    piece.used = 7
    del piece
    assert made.pool.allocation(1024, idle=True).used == 0
    held = made.pool.allocation(1024, idle=True), made.pool.allocation(1024, idle=True)
    assert made.blocks == 2
    del held


def test_neighbours_of_different_last_use_join_when_room_is_needed() -> None:
    made = Fixture(1024)
    pieces = [made.pool.allocation(256) for _ in range(4)]
    for number, piece in enumerate(pieces):
        piece.used = number
    made.clock.now = made.clock.completed = 1
    del piece
    pieces.clear()
    whole = made.pool.allocation(1024)
    assert whole.used == 3
    assert made.blocks == 1


def test_a_failed_allocation_leaves_everything_usable() -> None:
    made = Fixture(1024)
    held = made.pool.allocation(1024)
    made.driver.refuse = 1
    alive = set(made.driver.alive)
    with pytest.raises(OutOfMemoryError, match="vkAllocateMemory: VK_ERROR_OUT_OF_DEVICE_MEMORY"):
        made.pool.allocation(1024)
    assert made.driver.alive == alive
    assert made.blocks == 1
    assert made.pool.allocation(1024).key != held.key
    made.limit = made.blocks
    with pytest.raises(OutOfMemoryError, match="too many"):
        made.pool.allocation(2048)


def test_empty_blocks_make_room_before_memory_passes_its_peak() -> None:
    made = Fixture(0)  # every request has a block of its own
    for size in (1000, 2000, 3000, 4000, 5000, 6000):
        piece = made.pool.allocation(256 * size)
        del piece
        assert made.pool.reserved <= made.pool.peak
    assert made.blocks == 1


def test_trim_leaves_what_the_device_still_uses_unless_it_may_wait() -> None:
    made = Fixture(1024)
    piece = made.pool.allocation(10)
    piece.used = 4
    del piece
    assert made.pool.trim() == 0
    waited = []
    assert made.pool.trim(wait=waited.append) == 1024
    assert waited == [4]


def test_memory_kinds_of_usual_machines() -> None:
    gib = 1 << 30
    local, visible, cached = 1, 2 | 4, 8
    gpu = (
        MemoryType(0, 0, 1, 64 * gib),
        MemoryType(1, local, 0, 24 * gib),
        MemoryType(2, visible, 1, 64 * gib),
        MemoryType(3, visible | cached, 1, 64 * gib),
    )
    resizable = (*gpu, MemoryType(4, local | visible, 0, 24 * gib))
    window = (*gpu, MemoryType(4, local | visible, 2, gib // 4))
    shared = (MemoryType(0, local | visible | cached, 0, 2 * gib),)

    def indices(types: tuple[MemoryType, ...], copies: bool = False) -> tuple[Any, ...]:
        kinds = choose_kinds(types, (1 << len(types)) - 1, copies)
        return (
            kinds.storage.index,
            kinds.parameters.index,
            kinds.staging.index,
            kinds.reading.index,
            kinds.mapped,
            kinds.direct,
        )

    assert indices(gpu) == (1, 2, 2, 3, False, False)
    assert indices(resizable) == (4, 4, 2, 3, True, False)
    assert indices(resizable, copies=True)[4:] == (False, False)
    assert indices(window) == (1, 4, 2, 3, False, False)
    assert indices(shared) == (0, 0, 0, 0, True, True)
    assert indices(shared, copies=True) == (0, 0, 0, 0, False, False)


def test_finalisers_only_queue() -> None:
    """A finaliser may run inside any of the pool's functions, so it must not change the lists."""
    made = Fixture()
    piece = made.pool.allocation(100)
    before = list(made.pool._sizes)
    del piece
    assert made.pool._sizes == before
    assert len(made.pool.freed) == 1
    assert numpy.array_equal(made.pool.freed[0][1:], (256, 0))
