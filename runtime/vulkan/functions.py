"""Device functions as ctypes calls on the device's own entry points.

cffi releases the interpreter lock at every call, and beside one busy Python thread each release
may cost a switch interval. So calls that never block hold the lock (PYFUNCTYPE); calls that may
take long release it (CFUNCTYPE). All handles and pointers are plain ints here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from vkml.errors import DeviceError

from .loader import ffi, library
from .structures import address, handle

__all__ = ["Functions"]

_TYPES = {
    "p": ctypes.c_void_p,  # pointer or dispatchable handle
    "h": ctypes.c_uint64,  # any other handle
    "q": ctypes.c_uint64,
    "u": ctypes.c_uint32,
    "i": ctypes.c_int32,
}
# name: argument types. Results are VkResult ("i" first) or nothing ("-" first).
_QUICK = {
    "vkGetSemaphoreCounterValue": "i phP",
    "vkUpdateDescriptorSets": "- puPuP",
    "vkBeginCommandBuffer": "i pP",
    "vkEndCommandBuffer": "i p",
    "vkCmdBindPipeline": "- puh",
    "vkCmdBindDescriptorSets": "- puhuuPuP",
    "vkCmdDispatch": "- puuu",
    "vkCmdPipelineBarrier": "- puuuuPuPuP",
    "vkCmdCopyBuffer": "- phhuP",
    "vkCmdResetQueryPool": "- phuu",
    "vkCmdWriteTimestamp": "- puhu",
}
_SLOW = {
    "vkDestroyDevice": "- pP",
    "vkGetDeviceQueue": "- puuP",
    "vkDeviceWaitIdle": "i p",
    "vkQueueSubmit": "i puPh",
    "vkWaitSemaphores": "i pPq",
    "vkCreateSemaphore": "i pPPP",
    "vkDestroySemaphore": "- phP",
    "vkCreateBuffer": "i pPPP",
    "vkDestroyBuffer": "- phP",
    "vkGetBufferMemoryRequirements": "- phP",
    "vkAllocateMemory": "i pPPP",
    "vkFreeMemory": "- phP",
    "vkBindBufferMemory": "i phhq",
    "vkMapMemory": "i phqquP",
    "vkUnmapMemory": "- ph",
    "vkCreateShaderModule": "i pPPP",
    "vkDestroyShaderModule": "- phP",
    "vkCreatePipelineCache": "i pPPP",
    "vkDestroyPipelineCache": "- phP",
    "vkGetPipelineCacheData": "i phPP",
    "vkMergePipelineCaches": "i phuP",
    "vkCreatePipelineLayout": "i pPPP",
    "vkDestroyPipelineLayout": "- phP",
    "vkCreateDescriptorSetLayout": "i pPPP",
    "vkDestroyDescriptorSetLayout": "- phP",
    "vkCreateComputePipelines": "i phuPPP",
    "vkDestroyPipeline": "- phP",
    "vkCreateDescriptorPool": "i pPPP",
    "vkDestroyDescriptorPool": "- phP",
    "vkAllocateDescriptorSets": "i pPP",
    "vkCreateCommandPool": "i pPPP",
    "vkDestroyCommandPool": "- phP",
    "vkAllocateCommandBuffers": "i pPP",
    "vkFreeCommandBuffers": "- phuP",
    "vkCreateQueryPool": "i pPPP",
    "vkDestroyQueryPool": "- phP",
    "vkGetQueryPoolResults": "i phuuqPqu",
}


class Functions:
    """The functions of one VkDevice, as attributes under their Vulkan names."""

    def __init__(self, device: int) -> None:
        """Resolve every function of `device`. Raises DeviceError for one that is missing."""
        lookup = library().vkGetDeviceProcAddr
        owner = handle("VkDevice", device)
        for table, factory in ((_QUICK, ctypes.PYFUNCTYPE), (_SLOW, ctypes.CFUNCTYPE)):
            for name, signature in table.items():
                found = lookup(owner, name.encode())
                if found == ffi().NULL:
                    raise DeviceError(f"the Vulkan driver has no {name}; update the driver")
                result, arguments = signature.split()
                prototype = factory(
                    ctypes.c_int32 if result == "i" else None,
                    *(_TYPES[letter] for letter in arguments.lower()),
                )
                setattr(self, name, prototype(address(found)))

    def __getattr__(self, name: str) -> Callable[..., int]:
        """Only reached for a name that is not in the tables."""
        raise AttributeError(f"{name} is not in the table of device functions")
