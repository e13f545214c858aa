"""Memory blocks: one VkDeviceMemory with one VkBuffer over all of it, and which kinds exist."""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml.errors import DeviceError, OutOfMemoryError

from . import constants as c
from .functions import Functions
from .loader import ffi
from .physical import LOCATION_BITS, MemoryType
from .structures import address, check, make, out

__all__ = ["LOCATION_BITS", "Block", "MemoryKinds", "choose_kinds"]

_numbers = itertools.count(1)  # above an offset's bits they make a location of the process
USAGE = (
    c.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
    | c.VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
    | c.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
    | c.VK_BUFFER_USAGE_TRANSFER_DST_BIT
)
LOCAL = c.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
VISIBLE = c.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | c.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
CACHED = c.VK_MEMORY_PROPERTY_HOST_CACHED_BIT


@dataclass(frozen=True, slots=True)
class MemoryKinds:
    """The memory type of each use of memory.

    `storage` holds tensors; `mapped` says whether the host writes it directly, `direct` whether
    the host also reads it directly (it is host-cached). `parameters` holds what changes with each
    execution, `staging` uploads that cannot be written in place, `reading` results on their way
    to the host.
    """

    storage: MemoryType
    parameters: MemoryType
    staging: MemoryType
    reading: MemoryType
    mapped: bool
    direct: bool


def choose_kinds(types: tuple[MemoryType, ...], bits: int, copies: bool) -> MemoryKinds:
    """Pick memory types among those that `bits` allows for a buffer.

    Device memory that the host can write is taken for everything where its heap covers (nearly)
    all device memory; `copies` refuses it, so that tests walk the staging paths anywhere.
    """
    usable = [kind for kind in types if bits >> kind.index & 1]

    def best(*wanted: tuple[int, int]) -> MemoryType | None:
        """The first that has all of `required` and none of `excluded`, biggest heap first."""
        for required, excluded in wanted:
            found = [k for k in usable if k.flags & required == required and not k.flags & excluded]
            if found:
                return max(found, key=lambda kind: (kind.heap_bytes, -kind.index))
        return None

    local = best((LOCAL, VISIBLE), (LOCAL, 0), (0, 0))
    staging = best((VISIBLE, LOCAL | CACHED), (VISIBLE, LOCAL), (VISIBLE, 0))
    reading = best((VISIBLE | CACHED, LOCAL), (VISIBLE | CACHED, 0), (VISIBLE, 0))
    parameters = best((LOCAL | VISIBLE, CACHED), (LOCAL | VISIBLE, 0), (VISIBLE, 0))
    if local is None or staging is None or reading is None or parameters is None:
        raise DeviceError("the driver offers no host-visible coherent memory for buffers")
    open_to_host = best((LOCAL | VISIBLE | CACHED, 0), (LOCAL | VISIBLE, 0))
    most = max(kind.heap_bytes for kind in usable if kind.flags & LOCAL or kind is local)
    mapped = not copies and open_to_host is not None and open_to_host.heap_bytes >= 0.9 * most
    storage = open_to_host if mapped and open_to_host is not None else local
    direct = mapped and bool(storage.flags & CACHED)
    return MemoryKinds(storage, parameters, staging, reading, mapped, direct)


class Block:
    """One allocation of device memory; `bytes` is its host mapping, or None.

    Raises OutOfMemoryError; what was made until then is destroyed again.
    """

    __slots__ = ("buffer", "bytes", "freed", "memory", "number", "size")

    def __init__(
        self,
        vk: Functions,
        device: int,
        size: int,
        kind: MemoryType,
        mapped: bool,
        freed: deque[tuple[int, int, int]],
    ) -> None:
        self.number = next(_numbers)
        self.size = size
        self.freed = freed
        self.buffer = 0
        self.memory = 0
        self.bytes: NDArray[numpy.uint8] | None = None
        place = out()
        information = make("VkBufferCreateInfo", size=size, usage=USAGE)
        check(
            vk.vkCreateBuffer(device, address(information), None, address(place)), "vkCreateBuffer"
        )
        self.buffer = place[0]
        try:
            needs: Any = ffi().new("VkMemoryRequirements *")
            vk.vkGetBufferMemoryRequirements(device, self.buffer, address(needs))
            if not needs.memoryTypeBits >> kind.index & 1:
                raise OutOfMemoryError(f"memory type {kind.index} takes no buffer of {size} bytes")
            request = make(
                "VkMemoryAllocateInfo", allocationSize=needs.size, memoryTypeIndex=kind.index
            )
            check(
                vk.vkAllocateMemory(device, address(request), None, address(place)),
                "vkAllocateMemory",
            )
            self.memory = place[0]
            check(vk.vkBindBufferMemory(device, self.buffer, self.memory, 0), "vkBindBufferMemory")
            if mapped:
                pointer = ffi().new("void *[1]")
                check(
                    vk.vkMapMemory(device, self.memory, 0, c.VK_WHOLE_SIZE, 0, address(pointer)),
                    "vkMapMemory",
                )
                view = ffi().buffer(pointer[0], size)
                self.bytes = numpy.frombuffer(view, dtype=numpy.uint8)
        except BaseException:
            self.destroy(vk, device)
            raise

    def destroy(self, vk: Functions, device: int) -> None:
        """Give the memory back; nothing may use it any more."""
        self.bytes = None
        if self.buffer:
            vk.vkDestroyBuffer(device, self.buffer, None)
        if self.memory:
            vk.vkFreeMemory(device, self.memory, None)
        self.buffer = self.memory = 0


def buffer_type_bits(vk: Functions, device: int) -> int:
    """Which memory types a buffer of this package may live in, as a bit mask."""
    place = out()
    information = make("VkBufferCreateInfo", size=256, usage=USAGE)
    check(vk.vkCreateBuffer(device, address(information), None, address(place)), "vkCreateBuffer")
    needs: Any = ffi().new("VkMemoryRequirements *")
    vk.vkGetBufferMemoryRequirements(device, place[0], address(needs))
    vk.vkDestroyBuffer(device, place[0], None)
    return int(needs.memoryTypeBits)
