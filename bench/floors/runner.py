"""Hand-written kernels on raw Vulkan: own device, own memory, no part of vkml's runtime.

Every time is taken twice: by timestamps around the one dispatch of a submission, and by the clock
of the host around submit and wait.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
import vulkan as vk
from floors.variants import Variant

STORAGE = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
COMPUTE = vk.VK_SHADER_STAGE_COMPUTE_BIT
STAGE = vk.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
VISIBLE = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
LOCAL = vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
STAGING = 1 << 26


@dataclass(slots=True)
class Memory:
    """A buffer with memory of its own."""

    buffer: Any
    memory: Any
    size: int
    mapped: np.ndarray | None


@dataclass(slots=True)
class Streams:
    """Operands of one kernel in several sets, so that caches cannot hold them all.

    memories[k] holds all sets of operand k, `strides[k]` bytes apart.
    """

    memories: list[Memory]
    sizes: list[int]
    strides: list[int]
    sets: int
    inputs: int
    pool: Any
    layout: Any
    pipeline_layout: Any
    descriptors: list[Any]


@dataclass(slots=True)
class Kernel:
    """A variant as a pipeline; `commands` by set of streams."""

    variant: Variant
    pipeline: Any
    streams: Streams
    groups: tuple[int, int]
    count: int
    commands: dict[int, Any] = field(default_factory=dict)


class Runner:
    """One Vulkan device for hand-written kernels; a context manager. `uuid` picks the device."""

    def __init__(self, uuid: str) -> None:
        application = vk.VkApplicationInfo(apiVersion=vk.VK_MAKE_VERSION(1, 2, 0))
        self.instance = vk.vkCreateInstance(
            vk.VkInstanceCreateInfo(pApplicationInfo=application), None
        )
        self.physical = self._find(uuid)
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(self.physical)
        family = next(
            n for n, one in enumerate(families) if one.queueFlags & vk.VK_QUEUE_COMPUTE_BIT
        )
        self.bits = families[family].timestampValidBits
        limits = vk.vkGetPhysicalDeviceProperties(self.physical).limits
        self.period = limits.timestampPeriod
        self.largest_workgroup = min(
            limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]
        )
        self.largest_range = limits.maxStorageBufferRange
        self.shared_bytes = limits.maxComputeSharedMemorySize
        queue = vk.VkDeviceQueueCreateInfo(
            queueFamilyIndex=family, queueCount=1, pQueuePriorities=[1.0]
        )
        features = vk.VkPhysicalDeviceFeatures(shaderInt64=0)
        self.device = vk.vkCreateDevice(
            self.physical,
            vk.VkDeviceCreateInfo(pQueueCreateInfos=[queue], pEnabledFeatures=features),
            None,
        )
        self.queue = vk.vkGetDeviceQueue(self.device, family, 0)
        self.commands = vk.vkCreateCommandPool(
            self.device, vk.VkCommandPoolCreateInfo(queueFamilyIndex=family), None
        )
        self.fence = vk.vkCreateFence(self.device, vk.VkFenceCreateInfo(), None)
        self.queries = vk.vkCreateQueryPool(
            self.device,
            vk.VkQueryPoolCreateInfo(queryType=vk.VK_QUERY_TYPE_TIMESTAMP, queryCount=2),
            None,
        )
        self._staging: Memory | None = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        vk.vkDeviceWaitIdle(self.device)
        if self._staging is not None:
            self._free(self._staging)
        vk.vkDestroyQueryPool(self.device, self.queries, None)
        vk.vkDestroyFence(self.device, self.fence, None)
        vk.vkDestroyCommandPool(self.device, self.commands, None)
        vk.vkDestroyDevice(self.device, None)
        vk.vkDestroyInstance(self.instance, None)

    def _find(self, uuid: str) -> Any:
        for physical in vk.vkEnumeratePhysicalDevices(self.instance):
            identity = vk.VkPhysicalDeviceIDProperties()
            both = vk.VkPhysicalDeviceProperties2(pNext=identity)
            vk.vkGetPhysicalDeviceProperties2(physical, both)
            if str(UUID(bytes=bytes(identity.deviceUUID))) == uuid:
                return physical
        raise RuntimeError(f"no Vulkan device {uuid} for the hand-written kernels")

    # Memory -------------------------------------------------------------------------------

    def _allocate(self, size: int, visible: bool) -> Memory:
        usage = (
            vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
            | vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT
            | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
        )
        buffer = vk.vkCreateBuffer(
            self.device, vk.VkBufferCreateInfo(size=size, usage=usage), None
        )
        needs = vk.vkGetBufferMemoryRequirements(self.device, buffer)
        types = vk.vkGetPhysicalDeviceMemoryProperties(self.physical).memoryTypes
        fitting = [
            (n, one.propertyFlags)
            for n, one in enumerate(types)
            if needs.memoryTypeBits >> n & 1
            and (one.propertyFlags & VISIBLE == VISIBLE or not visible)
        ]
        # Kernels: the device's own memory, and of that the kind that the host does not see.
        wanted = LOCAL if not visible else vk.VK_MEMORY_PROPERTY_HOST_CACHED_BIT
        fitting.sort(key=lambda one: (not one[1] & wanted, bool(one[1] & VISIBLE)))
        kind, flags = fitting[0]
        memory = vk.vkAllocateMemory(
            self.device,
            vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=kind),
            None,
        )
        vk.vkBindBufferMemory(self.device, buffer, memory, 0)
        mapped = None
        if flags & VISIBLE == VISIBLE:
            mapped = np.frombuffer(vk.vkMapMemory(self.device, memory, 0, size, 0), np.uint8)
        return Memory(buffer, memory, size, mapped)

    def _free(self, item: Memory) -> None:
        vk.vkDestroyBuffer(self.device, item.buffer, None)
        vk.vkFreeMemory(self.device, item.memory, None)

    def _staged(self) -> Memory:
        if self._staging is None:
            self._staging = self._allocate(STAGING, True)
        return self._staging

    def _write(self, item: Memory, offset: int, data: np.ndarray) -> None:
        raw = data.reshape(-1).view(np.uint8)
        if item.mapped is not None:
            item.mapped[offset : offset + raw.size] = raw
            return
        staging = self._staged()
        assert staging.mapped is not None
        for start in range(0, raw.size, STAGING):
            part = raw[start : start + STAGING]
            staging.mapped[: part.size] = part
            self._copy(staging.buffer, 0, item.buffer, offset + start, part.size)

    def _copy(self, source: Any, start: int, target: Any, offset: int, size: int) -> None:
        command = self._begin()
        region = vk.VkBufferCopy(srcOffset=start, dstOffset=offset, size=size)
        vk.vkCmdCopyBuffer(command, source, target, 1, [region])
        vk.vkEndCommandBuffer(command)
        self._submit(command)
        vk.vkFreeCommandBuffers(self.device, self.commands, 1, [command])

    def streams(
        self, sets: Sequence[Sequence[np.ndarray]], outputs: Sequence[int], poison: int
    ) -> Streams:
        """Upload input arrays, set by set; outputs (bytes each) are filled with byte `poison`."""
        inputs = len(sets[0])
        sizes = [(array.nbytes + 15) // 16 * 16 + 16 for array in sets[0]]
        sizes += [(size + 15) // 16 * 16 for size in outputs]
        strides = [(size + 255) // 256 * 256 for size in sizes]
        memories = [self._allocate(stride * len(sets), False) for stride in strides]
        for number, arrays in enumerate(sets):
            for place, array in enumerate(arrays):
                self._write(memories[place], number * strides[place], array)
        for place, size in enumerate(outputs, inputs):
            filled = np.full(size, poison, np.uint8)
            for number in range(len(sets)):
                self._write(memories[place], number * strides[place], filled)
        bindings = [
            vk.VkDescriptorSetLayoutBinding(
                binding=n, descriptorType=STORAGE, descriptorCount=1, stageFlags=COMPUTE
            )
            for n in range(len(sizes))
        ]
        layout = vk.vkCreateDescriptorSetLayout(
            self.device, vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings), None
        )
        constants = vk.VkPushConstantRange(stageFlags=COMPUTE, offset=0, size=4)
        pipeline_layout = vk.vkCreatePipelineLayout(
            self.device,
            vk.VkPipelineLayoutCreateInfo(pSetLayouts=[layout], pPushConstantRanges=[constants]),
            None,
        )
        room = vk.VkDescriptorPoolSize(type=STORAGE, descriptorCount=len(sizes) * len(sets))
        pool = vk.vkCreateDescriptorPool(
            self.device,
            vk.VkDescriptorPoolCreateInfo(maxSets=len(sets), pPoolSizes=[room]),
            None,
        )
        made = Streams(
            memories, sizes, strides, len(sets), inputs, pool, layout, pipeline_layout, []
        )
        for number in range(len(sets)):
            chosen = vk.vkAllocateDescriptorSets(
                self.device,
                vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=[layout]),
            )[0]
            # The binding keeps no reference to nested structures: `windows` does.
            windows = [
                [vk.VkDescriptorBufferInfo(item.buffer, number * stride, size)]
                for item, stride, size in zip(memories, strides, sizes, strict=True)
            ]
            writes = [
                vk.VkWriteDescriptorSet(
                    dstSet=chosen, dstBinding=n, descriptorCount=1, descriptorType=STORAGE,
                    pBufferInfo=window,
                )
                for n, window in enumerate(windows)
            ]  # fmt: skip
            vk.vkUpdateDescriptorSets(self.device, len(writes), writes, 0, None)
            made.descriptors.append(chosen)
        return made

    def read(self, streams: Streams, operand: int, number: int, size: int) -> np.ndarray:
        """The first `size` bytes of an operand of one set."""
        item, offset = streams.memories[operand], number * streams.strides[operand]
        if item.mapped is not None:
            return item.mapped[offset : offset + size].copy()
        result = np.empty(size, np.uint8)
        staging = self._staged()
        assert staging.mapped is not None
        for start in range(0, size, STAGING):
            part = min(STAGING, size - start)
            self._copy(item.buffer, offset + start, staging.buffer, 0, part)
            result[start : start + part] = staging.mapped[:part]
        return result

    def release(self, streams: Streams) -> None:
        """Free what `streams` made."""
        vk.vkDeviceWaitIdle(self.device)
        vk.vkDestroyDescriptorPool(self.device, streams.pool, None)
        vk.vkDestroyPipelineLayout(self.device, streams.pipeline_layout, None)
        vk.vkDestroyDescriptorSetLayout(self.device, streams.layout, None)
        for item in streams.memories:
            self._free(item)

    # Kernels ------------------------------------------------------------------------------

    def kernels(
        self, streams: Streams, variants: Sequence[Variant], elements: int, row: int
    ) -> list[Kernel]:
        """Pipelines of the variants that the device can run, over `elements` outputs."""
        from vkml.codegen.shaderc import Source, compile_kernels

        fitting = [one for one in variants if one.workgroup <= self.largest_workgroup]
        texts = list(dict.fromkeys(one.text for one in fitting))
        compiled = dict(
            zip(texts, compile_kernels([Source("floor", text) for text in texts]), strict=True)
        )
        made = []
        for one in fitting:
            code = compiled[one.text]
            if not isinstance(code, bytes):
                raise code
            made.append(self._kernel(streams, one, code, elements, row))
        return made

    def _kernel(
        self, streams: Streams, variant: Variant, code: bytes, elements: int, row: int
    ) -> Kernel:
        module = vk.vkCreateShaderModule(
            self.device, vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code), None
        )
        entries = [
            vk.VkSpecializationMapEntry(constantID=n, offset=4 * n, size=4) for n in range(2)
        ]
        values = vk.ffi.new("uint32_t[]", [variant.workgroup, row])
        constants = vk.VkSpecializationInfo(pMapEntries=entries, dataSize=8, pData=values)
        stage = vk.VkPipelineShaderStageCreateInfo(
            stage=COMPUTE, module=module, pName="main", pSpecializationInfo=constants
        )
        create = vk.VkComputePipelineCreateInfo(stage=stage, layout=streams.pipeline_layout)
        pipeline = vk.vkCreateComputePipelines(
            self.device, vk.VK_NULL_HANDLE, 1, [create], None
        )[0]
        vk.vkDestroyShaderModule(self.device, module, None)
        groups = -(-elements // variant.elements)
        rows = -(-groups // 65535)
        return Kernel(
            variant, pipeline, streams, (-(-groups // rows), rows), elements // variant.width
        )

    def forget(self, kernel: Kernel) -> None:
        """Destroy a kernel."""
        for command in kernel.commands.values():
            vk.vkFreeCommandBuffers(self.device, self.commands, 1, [command])
        vk.vkDestroyPipeline(self.device, kernel.pipeline, None)

    def time(self, kernel: Kernel, number: int) -> tuple[float, float]:
        """Run on set `number`: seconds by the device's timestamps and by the host's clock."""
        command = kernel.commands.get(number)
        if command is None:
            command = kernel.commands[number] = self._record(kernel, number)
        start = time.perf_counter()
        self._submit(command)
        wall = time.perf_counter() - start
        stamps = vk.ffi.new("uint64_t[]", 2)
        vk.vkGetQueryPoolResults(
            self.device, self.queries, 0, 2, 16, stamps, 8,
            vk.VK_QUERY_RESULT_64_BIT | vk.VK_QUERY_RESULT_WAIT_BIT,
        )  # fmt: skip
        ticks = (stamps[1] - stamps[0]) & ((1 << self.bits) - 1)
        return ticks * self.period * 1e-9, wall

    def _begin(self) -> Any:
        command = vk.vkAllocateCommandBuffers(
            self.device,
            vk.VkCommandBufferAllocateInfo(commandPool=self.commands, commandBufferCount=1),
        )[0]
        vk.vkBeginCommandBuffer(command, vk.VkCommandBufferBeginInfo())
        return command

    def _record(self, kernel: Kernel, number: int) -> Any:
        point = vk.VK_PIPELINE_BIND_POINT_COMPUTE
        streams = kernel.streams
        command = self._begin()
        vk.vkCmdResetQueryPool(command, self.queries, 0, 2)
        vk.vkCmdBindPipeline(command, point, kernel.pipeline)
        vk.vkCmdBindDescriptorSets(
            command, point, streams.pipeline_layout, 0, 1, [streams.descriptors[number]], 0, None
        )
        count = vk.ffi.new("uint32_t[]", [kernel.count])
        vk.vkCmdPushConstants(command, streams.pipeline_layout, COMPUTE, 0, 4, count)
        self._stamp(command, 0)
        vk.vkCmdDispatch(command, kernel.groups[0], kernel.groups[1], 1)
        self._stamp(command, 1)
        vk.vkEndCommandBuffer(command)
        return command

    def _stamp(self, command: Any, query: int) -> None:
        barrier = vk.VkMemoryBarrier(
            srcAccessMask=vk.VK_ACCESS_SHADER_WRITE_BIT,
            dstAccessMask=vk.VK_ACCESS_SHADER_READ_BIT | vk.VK_ACCESS_SHADER_WRITE_BIT,
        )
        vk.vkCmdPipelineBarrier(command, STAGE, STAGE, 0, 1, [barrier], 0, None, 0, None)
        bottom = vk.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
        vk.vkCmdWriteTimestamp(command, bottom, self.queries, query)

    def _submit(self, command: Any) -> None:
        submission = vk.VkSubmitInfo(pCommandBuffers=[command])
        vk.vkQueueSubmit(self.queue, 1, [submission], self.fence)
        vk.vkWaitForFences(self.device, 1, [self.fence], vk.VK_TRUE, 2**64 - 1)
        vk.vkResetFences(self.device, 1, [self.fence])

