"""The logical device: a VkDevice with one compute queue and the features that kernels may use."""

from __future__ import annotations

from .instance import Instance
from .loader import ffi
from .physical import FEATURES_1_0, PhysicalDevice, extensions
from .structures import address, array, check, make

__all__ = ["create_device"]


def create_device(instance: Instance, physical: PhysicalDevice) -> int:
    """A new VkDevice with every feature of the table that is offered. Raises DeviceError."""
    priorities = ffi().new("float[]", [1.0])
    queues = make(
        "VkDeviceQueueCreateInfo",
        queueFamilyIndex=physical.queue_family,
        queueCount=1,
        pQueuePriorities=priorities,
    )
    version_1_2 = make("VkPhysicalDeviceVulkan12Features")
    features = make("VkPhysicalDeviceFeatures2", pNext=version_1_2)
    for name, offered in physical.features.items():
        if offered:
            setattr(features.features if name in FEATURES_1_0 else version_1_2, name, 1)
    # A driver on top of another API must be told that its gaps are accepted.
    subset = "VK_KHR_portability_subset"
    names = [subset] if subset in extensions(instance.lib, physical.handle) else []
    information = make(
        "VkDeviceCreateInfo",
        pNext=features,
        queueCreateInfoCount=1,
        pQueueCreateInfos=queues,
        enabledExtensionCount=len(names),
        ppEnabledExtensionNames=array("char *", names),
    )
    place = ffi().new("VkDevice *")
    check(
        instance.lib.vkCreateDevice(physical.handle, information, ffi().NULL, place),
        f"vkCreateDevice on {physical.name}",
    )
    return address(place[0])
