"""Command buffers: everything one execution of a program needs, recorded once for a binding."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vkml.errors import DeviceError
from vkml.program import Range

from . import constants as c
from .functions import Functions
from .loader import ffi
from .memory import Allocation
from .merging import Place
from .parameters import Launch, ParameterPlan
from .pipelines import Pipeline
from .structures import address, array, check, handle, make, out

if TYPE_CHECKING:
    import weakref

__all__ = ["Commands", "Recording"]

COMPUTE = c.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
TRANSFER = c.VK_PIPELINE_STAGE_TRANSFER_BIT
HOST = c.VK_PIPELINE_STAGE_HOST_BIT
WRITES = c.VK_ACCESS_SHADER_WRITE_BIT | c.VK_ACCESS_TRANSFER_WRITE_BIT
ANY = (
    WRITES
    | c.VK_ACCESS_SHADER_READ_BIT
    | c.VK_ACCESS_TRANSFER_READ_BIT
    | c.VK_ACCESS_UNIFORM_READ_BIT
)
SHADER = c.VK_ACCESS_SHADER_READ_BIT | c.VK_ACCESS_SHADER_WRITE_BIT
_MEMORY_BARRIER = struct.Struct("<I4xQII")
_BUFFER_BARRIER = struct.Struct("<I4xQIIIIQQQ")
_COPY = struct.Struct("<QQQ")
_RANGES = 16  # more ranges than this in one barrier become a barrier on all memory


class Recording:
    """A recorded instance of a program: owns its commands, descriptors and parameter memory.

    `value` is the timeline value of its last use: until that is over nothing here is touched.
    """

    __slots__ = (
        "batches",
        "commands",
        "counts",
        "descriptors",
        "infos",
        "key",
        "memory",
        "parameters",
        "plan",
        "queries",
        "reading",
        "sets",
        "shape",
        "ticket",
        "value",
        "writes",
    )

    def __init__(self) -> None:
        self.value = 0
        self.key: tuple[int, ...] = ()
        self.commands: list[int] = []
        self.batches: list[list[int]] | None = None
        self.descriptors = 0
        self.sets: Any = None
        self.writes: Any = None
        self.infos: Any = None
        self.shape: tuple[int, ...] = ()
        self.parameters: Allocation | None = None
        self.memory: Any = None
        self.plan: ParameterPlan | None = None
        self.reading: Allocation | None = None
        self.queries = 0
        self.ticket: weakref.ref[Any] | None = None
        self.counts: dict[str, int] = {}


class Commands:
    """Records command buffers on one device. Used with the device's lock held."""

    def __init__(self, vk: Functions, device: int, family: int) -> None:
        self.vk = vk
        self.device = device
        place = out()
        information = make(
            "VkCommandPoolCreateInfo",
            flags=c.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
            queueFamilyIndex=family,
        )
        check(
            vk.vkCreateCommandPool(device, address(information), None, address(place)),
            "vkCreateCommandPool",
        )
        self.pool = place[0]
        self._begin = make("VkCommandBufferBeginInfo")
        self._begin_address = address(self._begin)
        self._scratch = ffi().new("uint64_t[]", 8 * _RANGES)
        self._bytes = ffi().buffer(self._scratch)
        self._scratch_address = address(self._scratch)
        self._set = array("uint64_t", [0])
        self._set_address = address(self._set)

    def allocate(self) -> int:
        """A new primary command buffer."""
        place = out()
        information = make(
            "VkCommandBufferAllocateInfo",
            commandPool=handle("VkCommandPool", self.pool),
            level=c.VK_COMMAND_BUFFER_LEVEL_PRIMARY,
            commandBufferCount=1,
        )
        check(
            self.vk.vkAllocateCommandBuffers(self.device, address(information), address(place)),
            "vkAllocateCommandBuffers",
        )
        return int(place[0])

    def free(self, commands: list[int]) -> None:
        """Give command buffers back that the device is done with."""
        if commands:
            place = array("uint64_t", commands)
            self.vk.vkFreeCommandBuffers(self.device, self.pool, len(commands), address(place))

    def begin(self, command: int) -> None:
        """Start recording, with everything earlier on the queue finished and visible."""
        check(self.vk.vkBeginCommandBuffer(command, self._begin_address), "vkBeginCommandBuffer")
        self.barrier(command, COMPUTE | TRANSFER, WRITES, COMPUTE | TRANSFER, ANY)

    def end(self, command: int) -> None:
        """Finish recording."""
        check(self.vk.vkEndCommandBuffer(command), "vkEndCommandBuffer")

    def barrier(self, command: int, before: int, written: int, after: int, accessed: int) -> None:
        """A barrier on all memory."""
        _MEMORY_BARRIER.pack_into(self._bytes, 0, 46, 0, written, accessed)
        self.vk.vkCmdPipelineBarrier(
            command, before, after, 0, 1, self._scratch_address, 0, None, 0, None
        )

    def range_barriers(
        self,
        command: int,
        ranges: Sequence[Range],
        places: Sequence[Place],
        after: int = COMPUTE,
        accessed: int = SHADER,
    ) -> None:
        """Barriers on exactly the byte ranges that earlier steps wrote or read."""
        if len(ranges) > _RANGES:
            self.barrier(command, COMPUTE, c.VK_ACCESS_SHADER_WRITE_BIT, after, accessed)
            return
        ignored = c.VK_QUEUE_FAMILY_IGNORED
        count = 0
        for item in ranges:
            if item.stop <= item.start:
                continue
            buffer, base = places[item.slot]
            _BUFFER_BARRIER.pack_into(
                self._bytes,
                56 * count,
                44,
                0,
                c.VK_ACCESS_SHADER_WRITE_BIT,
                accessed,
                ignored,
                ignored,
                buffer,
                base + item.start,
                item.stop - item.start,
            )
            count += 1
        if count:
            self.vk.vkCmdPipelineBarrier(
                command, COMPUTE, after, 0, 0, None, count, self._scratch_address, 0, None
            )

    def copy(self, command: int, source: Place, target: Place, nbytes: int) -> None:
        """Copy `nbytes` bytes between buffers."""
        _COPY.pack_into(self._bytes, 0, source[1], target[1], nbytes)
        self.vk.vkCmdCopyBuffer(command, source[0], target[0], 1, self._scratch_address)

    def describe(
        self,
        recording: Recording,
        launches: Sequence[Launch],
        plan: ParameterPlan,
        places: Sequence[Place],
    ) -> None:
        """Point the recording's descriptor sets at this binding's memory."""
        shape = tuple(launch.pipeline.layout.buffers for launch in launches)
        if recording.shape != shape or not recording.descriptors:
            self._allocate_sets(recording, launches, shape)
        if not launches:
            return
        parameters = recording.parameters
        assert parameters is not None
        buffer, base = parameters.block.buffer, parameters.offset
        values: list[int] = []
        for launch, block, table in zip(launches, plan.blocks, plan.tables, strict=True):
            values += (buffer, base + block[0], block[1])
            for place, offset, size in launch.windows:
                owner, start = places[place]
                values += (owner, start + offset, size)
            if launch.table is not None:
                values += (buffer, base + table[0], table[1])
        struct.pack_into(f"<{len(values)}Q", ffi().buffer(recording.infos), 0, *values)
        self.vk.vkUpdateDescriptorSets(
            self.device, len(recording.writes), address(recording.writes), 0, None
        )

    def _allocate_sets(
        self, recording: Recording, launches: Sequence[Launch], shape: tuple[int, ...]
    ) -> None:
        descriptors, recording.descriptors = recording.descriptors, 0  # Ctrl-C: never twice
        if descriptors:
            self.vk.vkDestroyDescriptorPool(self.device, descriptors, None)
        recording.shape = shape
        if not shape:
            return
        sizes = ffi().new("VkDescriptorPoolSize[]", 2)
        sizes[0].type = c.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
        sizes[0].descriptorCount = len(shape)
        sizes[1].type = c.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
        sizes[1].descriptorCount = max(1, sum(shape))
        place = out()
        information = make(
            "VkDescriptorPoolCreateInfo", maxSets=len(shape), poolSizeCount=2, pPoolSizes=sizes
        )
        check(
            self.vk.vkCreateDescriptorPool(self.device, address(information), None, address(place)),
            "vkCreateDescriptorPool",
        )
        recording.descriptors = place[0]
        layouts = array("uint64_t", [launch.pipeline.layout.set_layout for launch in launches])
        recording.sets = ffi().new("uint64_t[]", len(shape))
        request = make(
            "VkDescriptorSetAllocateInfo",
            descriptorPool=handle("VkDescriptorPool", recording.descriptors),
            descriptorSetCount=len(shape),
            pSetLayouts=ffi().cast("VkDescriptorSetLayout *", layouts),
        )
        check(
            self.vk.vkAllocateDescriptorSets(
                self.device, address(request), address(recording.sets)
            ),
            "vkAllocateDescriptorSets",
        )
        self._write_sets(recording, shape)

    def _write_sets(self, recording: Recording, shape: tuple[int, ...]) -> None:
        """The descriptor writes of the whole recording; a binding changes only their infos."""
        infos = ffi().new("VkDescriptorBufferInfo[]", len(shape) + sum(shape))
        kinds = sum(1 + bool(buffers) for buffers in shape)
        writes = ffi().new("VkWriteDescriptorSet[]", kinds)
        at = info = 0
        for index, buffers in enumerate(shape):
            for binding, count, kind in (
                (0, 1, c.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
                (1, buffers, c.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
            ):
                if not count:
                    continue
                item = writes[at]
                item.sType = 35
                item.dstSet = handle("VkDescriptorSet", recording.sets[index])
                item.dstBinding = binding
                item.descriptorCount = count  # runs on into the bindings that follow
                item.descriptorType = kind
                item.pBufferInfo = infos + info
                at += 1
                info += count
        recording.infos = infos
        recording.writes = writes

    def launch(self, command: int, owned: int, launch: Launch, bound: Pipeline | None) -> None:
        """Dispatch with descriptor set `owned`; `bound` is the pipeline bound so far."""
        vk = self.vk
        pipeline = launch.pipeline
        self._set[0] = owned
        if pipeline is not bound:
            vk.vkCmdBindPipeline(command, c.VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle)
        vk.vkCmdBindDescriptorSets(
            command,
            c.VK_PIPELINE_BIND_POINT_COMPUTE,
            pipeline.layout.pipeline_layout,
            0,
            1,
            self._set_address,
            0,
            None,
        )
        vk.vkCmdDispatch(command, *launch.groups)

    def destroy(self, recording: Recording) -> None:
        """Destroy what a recording owns; the device is done with it."""
        commands, recording.commands = recording.commands, []
        descriptors, recording.descriptors = recording.descriptors, 0
        queries, recording.queries = recording.queries, 0
        self.free(commands)
        if descriptors:
            self.vk.vkDestroyDescriptorPool(self.device, descriptors, None)
        if queries:
            self.vk.vkDestroyQueryPool(self.device, queries, None)
        recording.memory = None
        recording.parameters = None
        recording.reading = None

    def close(self) -> None:
        """Destroy the command pool; the device is idle."""
        self.vk.vkDestroyCommandPool(self.device, self.pool, None)


def mapped_view(allocation: Allocation) -> Any:
    """The bytes of a mapped allocation as a memoryview."""
    content: Any = allocation.block.bytes
    if content is None:
        raise DeviceError("internal: this memory is not mapped")
    return memoryview(content)[allocation.offset : allocation.offset + allocation.size]
