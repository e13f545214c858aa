"""Physical devices: what each one is, can do and costs, known without opening it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from vkml import config, dtypes
from vkml.limits import DeviceLimits, narrowed

from ..device import DeviceInfo
from . import constants as c
from .instance import Instance
from .loader import ffi
from .structures import make

__all__ = ["MemoryType", "PhysicalDevice", "inspect"]

_TYPES = {
    c.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: "discrete",
    c.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: "integrated",
    c.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: "virtual",
    c.VK_PHYSICAL_DEVICE_TYPE_CPU: "software",
}
LOCATION_BITS = 40
"""Bits of an offset in a memory block: no buffer is longer than 1 TiB."""

FEATURES_1_2 = (
    "timelineSemaphore",
    "uniformBufferStandardLayout",
    "scalarBlockLayout",
)
FEATURES_1_0 = ("shaderInt64", "shaderFloat64")


@dataclass(frozen=True, slots=True)
class MemoryType:
    """One memory type: its index, property bits, and the bytes of its heap."""

    index: int
    flags: int
    heap: int
    heap_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class PhysicalDevice:
    """A Vulkan device that can run vkml, or the reason (`refusal`) why it cannot."""

    handle: Any
    name: str
    type: str
    driver: str
    driver_version: str
    uuid: str
    identity: str
    place: tuple[Any, ...]
    refusal: str | None
    limits: DeviceLimits
    features: dict[str, bool]
    memory: tuple[MemoryType, ...]
    queue_family: int
    timestamp_bits: int
    timestamp_period: float
    allocation_count: int
    storage_range: int
    alignment: int
    cache_header: tuple[int, int, bytes]

    def info(self, index: int, is_default: bool) -> DeviceInfo:
        """The public facts, as entry `index` of the list of devices."""
        missing = set()
        if not self.limits.int64:
            missing |= {"int64", "uint64"}
        if not self.limits.float64:
            missing.add("float64")
        return DeviceInfo(
            index=index,
            name=self.name,
            type=self.type,
            driver=self.driver,
            driver_version=self.driver_version,
            uuid=self.uuid,
            dtypes=tuple(item.name for item in dtypes.ALL if item.name not in missing),
            limits=self.limits,
            is_default=is_default,
        )


def inspect(owner: Instance, handle: Any) -> PhysicalDevice:
    """Read the facts of one physical device."""
    lib = owner.lib
    plain = ffi().new("VkPhysicalDeviceProperties *")
    lib.vkGetPhysicalDeviceProperties(handle, plain)
    kind = _TYPES.get(plain.deviceType, "virtual")
    modern = plain.apiVersion >= c.VK_API_VERSION_1_2
    version_1_1 = make("VkPhysicalDeviceVulkan11Properties")
    version_1_2 = make("VkPhysicalDeviceVulkan12Properties", pNext=version_1_1)
    features_1_2 = make("VkPhysicalDeviceVulkan12Features")
    features = {}
    if modern:
        lib.vkGetPhysicalDeviceProperties2(
            handle, make("VkPhysicalDeviceProperties2", pNext=version_1_2)
        )
        more = make("VkPhysicalDeviceFeatures2", pNext=features_1_2)
        lib.vkGetPhysicalDeviceFeatures2(handle, more)
        features = {name: bool(getattr(features_1_2, name)) for name in FEATURES_1_2}
        features |= {name: bool(getattr(more.features, name)) for name in FEATURES_1_0}
    family, bits = _queue_family(lib, handle)
    refusal = None
    if not modern:
        refusal = f"it offers Vulkan {_version(plain.apiVersion)}, vkml needs 1.2"
    elif not features["timelineSemaphore"]:
        refusal = "it has no timeline semaphores"
    elif family < 0:
        refusal = "it has no compute queue"
    unique = uuid.UUID(bytes=bytes(version_1_1.deviceUUID))
    return PhysicalDevice(
        handle=handle,
        name=_string(plain.deviceName),
        type=kind,
        driver=_string(version_1_2.driverName),
        driver_version=_string(version_1_2.driverInfo) or _version(plain.driverVersion),
        uuid=str(unique),
        identity=f"{unique}-{int(version_1_2.driverID):x}-{plain.driverVersion:x}",
        place=_bus(lib, handle) or (plain.vendorID, plain.deviceID, str(unique)),
        refusal=refusal,
        limits=_limits(
            plain, version_1_1, version_1_2, _longest_buffer(lib, handle, plain), features, kind
        ),
        features=features,
        memory=_memory(lib, handle),
        queue_family=family,
        timestamp_bits=bits,
        timestamp_period=plain.limits.timestampPeriod,
        allocation_count=plain.limits.maxMemoryAllocationCount,
        storage_range=plain.limits.maxStorageBufferRange,
        alignment=max(
            plain.limits.minStorageBufferOffsetAlignment,
            plain.limits.minUniformBufferOffsetAlignment,
        ),
        cache_header=(plain.vendorID, plain.deviceID, bytes(plain.pipelineCacheUUID)),
    )


def _limits(
    plain: Any,
    version_1_1: Any,
    version_1_2: Any,
    longest: int,
    features: dict[str, bool],
    kind: str,
) -> DeviceLimits:
    """Limits as the driver reports them; prices by kind of device (see docs on performance)."""
    reported = plain.limits
    software = kind == "software"
    independence = version_1_2.roundingModeIndependence
    alone_32 = independence in (
        c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY,
        c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    )
    alone_64 = independence == c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL
    denorm = version_1_2.denormBehaviorIndependence
    most = min(reported.maxComputeWorkGroupInvocations, reported.maxComputeWorkGroupSize[0])
    limits = DeviceLimits(
        max_storage_buffers=min(
            reported.maxPerStageDescriptorStorageBuffers,
            reported.maxDescriptorSetStorageBuffers,
            reported.maxPerStageResources - 1,
            128,
        ),
        max_storage_range=reported.maxStorageBufferRange,
        max_uniform_range=reported.maxUniformBufferRange,
        max_groups=min(reported.maxComputeWorkGroupCount[0], reported.maxComputeWorkGroupCount[1]),
        max_workgroup=most,
        max_shared_bytes=reported.maxComputeSharedMemorySize,
        max_allocation=min(version_1_1.maxMemoryAllocationSize or (1 << 30), longest),
        offset_alignment=max(16, reported.minStorageBufferOffsetAlignment),
        workgroup=min(most, 256),
        region_budget=2048 if software else 8192,
        unroll_budget=1024 if software else 2048,
        operations_a_byte=2 if software else 10,
        dispatch_bytes=200_000 if software else 8_000_000,
        tile=0 if software else 32,
        int64=features.get("shaderInt64", False),
        float64=features.get("shaderFloat64", False),
        rounding_rte32=alone_32 and bool(version_1_2.shaderRoundingModeRTEFloat32),
        rounding_rte64=alone_64 and bool(version_1_2.shaderRoundingModeRTEFloat64),
        signed_zero32=bool(version_1_2.shaderSignedZeroInfNanPreserveFloat32),
        signed_zero64=bool(version_1_2.shaderSignedZeroInfNanPreserveFloat64),
        denorm_preserve32=bool(version_1_2.shaderDenormPreserveFloat32)
        and denorm
        in (
            c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY,
            c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
        ),
        denorm_preserve64=bool(version_1_2.shaderDenormPreserveFloat64)
        and denorm == c.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    )
    return narrowed(limits, config.text("VKML_LIMITS"))


def _longest_buffer(lib: Any, handle: Any, plain: Any) -> int:
    """Bytes of the longest buffer; drivers of Vulkan 1.2 do not say, and set no limit."""
    if plain.apiVersion < c.VK_API_VERSION_1_3:
        return (1 << LOCATION_BITS) - 256
    found = make("VkPhysicalDeviceMaintenance4Properties")
    lib.vkGetPhysicalDeviceProperties2(handle, make("VkPhysicalDeviceProperties2", pNext=found))
    return min(int(found.maxBufferSize) // 256 * 256, (1 << LOCATION_BITS) - 256)


def _memory(lib: Any, handle: Any) -> tuple[MemoryType, ...]:
    found = ffi().new("VkPhysicalDeviceMemoryProperties *")
    lib.vkGetPhysicalDeviceMemoryProperties(handle, found)
    kinds = []
    for index in range(found.memoryTypeCount):
        item = found.memoryTypes[index]
        size = found.memoryHeaps[item.heapIndex].size
        kinds.append(MemoryType(index, int(item.propertyFlags), item.heapIndex, size))
    return tuple(kinds)


def _queue_family(lib: Any, handle: Any) -> tuple[int, int]:
    """The first family that computes, and the valid bits of its timestamps; (-1, 0) for none."""
    count = ffi().new("uint32_t *")
    lib.vkGetPhysicalDeviceQueueFamilyProperties(handle, count, ffi().NULL)
    families = ffi().new("VkQueueFamilyProperties[]", count[0])
    lib.vkGetPhysicalDeviceQueueFamilyProperties(handle, count, families)
    for index, family in enumerate(families):
        if family.queueFlags & c.VK_QUEUE_COMPUTE_BIT:
            return index, family.timestampValidBits
    return -1, 0


def extensions(lib: Any, handle: Any) -> set[str]:
    """The names of the device's extensions."""
    count = ffi().new("uint32_t *")
    none = ffi().NULL
    if lib.vkEnumerateDeviceExtensionProperties(handle, none, count, none) != c.VK_SUCCESS:
        return set()
    found = ffi().new("VkExtensionProperties[]", count[0])
    if lib.vkEnumerateDeviceExtensionProperties(handle, none, count, found) != c.VK_SUCCESS:
        return set()
    return {ffi().string(item.extensionName).decode() for item in found}


def _bus(lib: Any, handle: Any) -> tuple[Any, ...] | None:
    """The PCI address, by which one GPU under two drivers is recognised."""
    if "VK_EXT_pci_bus_info" not in extensions(lib, handle):
        return None
    bus = make("VkPhysicalDevicePCIBusInfoPropertiesEXT")
    lib.vkGetPhysicalDeviceProperties2(handle, make("VkPhysicalDeviceProperties2", pNext=bus))
    return ("pci", bus.pciDomain, bus.pciBus, bus.pciDevice, bus.pciFunction)


def _string(text: Any) -> str:
    return str(ffi().string(text).decode(errors="replace"))


def _version(number: int) -> str:
    return f"{(number >> 22) & 0x7F}.{(number >> 12) & 0x3FF}.{number & 0xFFF}"
