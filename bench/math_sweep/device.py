"""A function of templates/math on a Vulkan device, as a NumPy function: one dispatch, no more."""

from __future__ import annotations

from typing import Any

import library
import numpy as np
import vulkan as vk
from native import WORDS, Signature

GROUP = 64
LOADS = {"float": "uintBitsToFloat({})", "bool": "({} != 0u)"}
STORES = {"float": "floatBitsToUint({})", "bool": "uint({})"}
WIDE = ("double", "int64_t", "uint64_t")


def shader(signature: Signature, body: str) -> str:
    """A compute shader that applies one overload to buffers; floats travel as bit patterns."""

    def stored(kind: str) -> str:
        return kind if kind in WIDE or kind == "int" else "uint"

    lines = ["#version 460", "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require"]
    lines.append(f"layout(local_size_x = {GROUP}) in;")
    last = len(signature.parameters)
    for place, kind in enumerate([*signature.parameters, signature.result]):
        access, name = ("writeonly", "result") if place == last else ("readonly", f"x{place}")
        head = f"layout(binding = {place}, std430) {access} buffer B{place}"
        lines.append(f"{head} {{ {stored(kind)} {name}[]; }};")
    loads = [
        LOADS.get(kind, "{}").format(f"x{place}[i]")
        for place, kind in enumerate(signature.parameters)
    ]
    call = STORES.get(signature.result, "{}").format(f"{signature.name}({', '.join(loads)})")
    index = "uint i = gl_GlobalInvocationID.x;"
    lines += [
        body,
        "void main() {",
        f"    {index}",
        f"    if (i < result.length()) result[i] = {call};",
        "}",
    ]
    return "\n".join(lines) + "\n"


class Device:
    """The first Vulkan device, or the one whose name holds `wanted`; a context manager."""

    def __init__(self, wanted: str = "") -> None:
        information = vk.VkApplicationInfo(apiVersion=vk.VK_MAKE_VERSION(1, 2, 0))
        self.instance = vk.vkCreateInstance(
            vk.VkInstanceCreateInfo(pApplicationInfo=information), None
        )
        found = vk.vkEnumeratePhysicalDevices(self.instance)
        named = [(vk.vkGetPhysicalDeviceProperties(one).deviceName, one) for one in found]
        self.name, self.physical = next(pair for pair in named if wanted.lower() in pair[0].lower())
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=0, queueCount=1, pQueuePriorities=[1.0])
        features = vk.VkPhysicalDeviceFeatures(shaderInt64=1, shaderFloat64=1)
        create = vk.VkDeviceCreateInfo(pQueueCreateInfos=[queue], pEnabledFeatures=features)
        self.device = vk.vkCreateDevice(self.physical, create, None)
        self.queue = vk.vkGetDeviceQueue(self.device, 0, 0)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        vk.vkDestroyDevice(self.device, None)
        vk.vkDestroyInstance(self.instance, None)

    def _buffer(self, size: int) -> tuple[Any, Any, Any]:
        create = vk.VkBufferCreateInfo(size=size, usage=vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)
        buffer = vk.vkCreateBuffer(self.device, create, None)
        needs = vk.vkGetBufferMemoryRequirements(self.device, buffer)
        wanted = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
        types = vk.vkGetPhysicalDeviceMemoryProperties(self.physical).memoryTypes
        kind = next(
            i
            for i, one in enumerate(types)
            if needs.memoryTypeBits >> i & 1 and one.propertyFlags & wanted == wanted
        )
        allocate = vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=kind)
        memory = vk.vkAllocateMemory(self.device, allocate, None)
        vk.vkBindBufferMemory(self.device, buffer, memory, 0)
        return buffer, memory, vk.vkMapMemory(self.device, memory, 0, size, 0)

    def run(self, signature: Signature, body: str, inputs: list[np.ndarray]) -> np.ndarray:
        """Bit patterns of the results; `inputs` are arrays of the words in native.WORDS."""
        device = self.device
        code = library.compile_shader(shader(signature, body))
        module = vk.vkCreateShaderModule(
            device, vk.VkShaderModuleCreateInfo(codeSize=len(code), pCode=code), None
        )
        output = np.empty(inputs[0].size, WORDS[signature.result])
        buffers = [self._buffer(array.nbytes) for array in [*inputs, output]]
        for (_, _, mapped), array in zip(buffers, inputs, strict=False):
            mapped[:] = array.tobytes()
        kind, stage = vk.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, vk.VK_SHADER_STAGE_COMPUTE_BIT
        bindings = [
            vk.VkDescriptorSetLayoutBinding(
                binding=i, descriptorType=kind, descriptorCount=1, stageFlags=stage
            )
            for i in range(len(buffers))
        ]
        layout = vk.vkCreateDescriptorSetLayout(
            device, vk.VkDescriptorSetLayoutCreateInfo(pBindings=bindings), None
        )
        pipelines = vk.vkCreatePipelineLayout(
            device, vk.VkPipelineLayoutCreateInfo(pSetLayouts=[layout]), None
        )
        # The binding keeps no reference to nested structures: `entry` holds the name alive.
        entry = vk.VkPipelineShaderStageCreateInfo(stage=stage, module=module, pName="main")
        create = vk.VkComputePipelineCreateInfo(stage=entry, layout=pipelines)
        pipeline = vk.vkCreateComputePipelines(device, vk.VK_NULL_HANDLE, 1, [create], None)[0]
        size = vk.VkDescriptorPoolSize(type=kind, descriptorCount=len(buffers))
        pool = vk.vkCreateDescriptorPool(
            device, vk.VkDescriptorPoolCreateInfo(maxSets=1, pPoolSizes=[size]), None
        )
        chosen = vk.vkAllocateDescriptorSets(
            device, vk.VkDescriptorSetAllocateInfo(descriptorPool=pool, pSetLayouts=[layout])
        )[0]
        writes = []
        for i, ((buffer, _, _), array) in enumerate(zip(buffers, [*inputs, output], strict=True)):
            part = vk.VkDescriptorBufferInfo(buffer=buffer, offset=0, range=array.nbytes)
            target = {"dstSet": chosen, "dstBinding": i}
            write = vk.VkWriteDescriptorSet(
                descriptorCount=1, descriptorType=kind, pBufferInfo=[part], **target
            )
            writes.append(write)
        vk.vkUpdateDescriptorSets(device, len(writes), writes, 0, None)
        commands = vk.vkCreateCommandPool(
            device, vk.VkCommandPoolCreateInfo(queueFamilyIndex=0), None
        )
        command = vk.vkAllocateCommandBuffers(
            device, vk.VkCommandBufferAllocateInfo(commandPool=commands, commandBufferCount=1)
        )[0]
        vk.vkBeginCommandBuffer(command, vk.VkCommandBufferBeginInfo())
        point = vk.VK_PIPELINE_BIND_POINT_COMPUTE
        vk.vkCmdBindPipeline(command, point, pipeline)
        vk.vkCmdBindDescriptorSets(command, point, pipelines, 0, 1, [chosen], 0, None)
        vk.vkCmdDispatch(command, -(-output.size // GROUP), 1, 1)
        vk.vkEndCommandBuffer(command)
        vk.vkQueueSubmit(
            self.queue, 1, [vk.VkSubmitInfo(pCommandBuffers=[command])], vk.VK_NULL_HANDLE
        )
        vk.vkQueueWaitIdle(self.queue)
        output[:] = np.frombuffer(buffers[-1][2], output.dtype, output.size)
        vk.vkDestroyPipeline(device, pipeline, None)
        vk.vkDestroyPipelineLayout(device, pipelines, None)
        vk.vkDestroyDescriptorPool(device, pool, None)
        vk.vkDestroyDescriptorSetLayout(device, layout, None)
        vk.vkDestroyCommandPool(device, commands, None)
        vk.vkDestroyShaderModule(device, module, None)
        for buffer, memory, _ in buffers:
            vk.vkDestroyBuffer(device, buffer, None)
            vk.vkFreeMemory(device, memory, None)
        return output
