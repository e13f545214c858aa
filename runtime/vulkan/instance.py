"""The one VkInstance of the process: layers, messages, and the list of physical devices."""

from __future__ import annotations

import logging
from typing import Any

from vkml import config, locks
from vkml.errors import DeviceError

from . import constants as c
from .loader import INSTALL_HINT, ffi, library
from .structures import array, check, make, result_name

__all__ = ["Instance", "instance", "validation_messages"]

LAYER = "VK_LAYER_KHRONOS_validation"
_log = logging.getLogger("vkml")
_messages: list[str] = []
_lock = locks.lock()
_current: Instance | None = None
_making = False


def validation_messages() -> list[str]:
    """What the validation layer has said so far, oldest first; clearing the list clears it."""
    return _messages


class Instance:
    """A VkInstance. `validation` is 0, 1 (the Khronos layer) or 2 (synchronisation checks too).

    Raises DeviceError when there is no loader, no driver, or no layer where one was asked for.
    """

    def __init__(self, validation: int = 0) -> None:
        self.lib = library()
        self.validation = validation
        available = _extensions(None)
        extensions: list[str] = []
        layers: list[str] = []
        chain: list[Any] = []
        flags = 0
        if "VK_KHR_portability_enumeration" in available:
            extensions.append("VK_KHR_portability_enumeration")
            flags = c.VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR
        if validation:
            layers, more, chain = self._validation(available)
            extensions += more
        application = make(
            "VkApplicationInfo",
            pApplicationName="vkml",
            pEngineName="vkml",
            apiVersion=c.VK_API_VERSION_1_2,
        )
        information = make(
            "VkInstanceCreateInfo",
            flags=flags,
            pApplicationInfo=application,
            enabledLayerCount=len(layers),
            ppEnabledLayerNames=array("char *", layers),
            enabledExtensionCount=len(extensions),
            ppEnabledExtensionNames=array("char *", extensions),
            pNext=_linked(chain),
        )
        place = ffi().new("VkInstance *")
        result = self.lib.vkCreateInstance(information, ffi().NULL, place)
        if result == c.VK_ERROR_INCOMPATIBLE_DRIVER:
            raise DeviceError(f"no Vulkan driver found. {INSTALL_HINT}")
        check(result, "vkCreateInstance")
        self.handle = place[0]
        self._messenger = self._listen() if validation else None

    def _validation(self, available: set[str]) -> tuple[list[str], list[str], list[Any]]:
        if LAYER not in _layers():
            raise DeviceError(
                f"VKML_VALIDATION is set but {LAYER} is not installed; "
                "apt-get install vulkan-validationlayers"
            )
        self._callback = ffi().callback(
            "VkBool32(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,"
            " const VkDebugUtilsMessengerCallbackDataEXT *, void *)",
            _receive,
        )
        self._messenger_information = make(
            "VkDebugUtilsMessengerCreateInfoEXT",
            messageSeverity=c.VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
            | c.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
            messageType=c.VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT
            | c.VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT
            | c.VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
            pfnUserCallback=self._callback,
        )
        extensions = ["VK_EXT_debug_utils"]
        chain = []
        if self.validation > 1:
            if "VK_EXT_validation_features" not in _extensions(LAYER):
                raise DeviceError(
                    f"VKML_VALIDATION=2: this {LAYER} has no synchronisation checks; update it"
                )
            extensions.append("VK_EXT_validation_features")
            enabled = array(
                "VkValidationFeatureEnableEXT",
                [c.VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT],
            )
            chain.append(
                make(
                    "VkValidationFeaturesEXT",
                    enabledValidationFeatureCount=1,
                    pEnabledValidationFeatures=enabled,
                )
            )
        return [LAYER], extensions, chain

    def _listen(self) -> Any:
        create = self.procedure("vkCreateDebugUtilsMessengerEXT")
        place = ffi().new("VkDebugUtilsMessengerEXT *")
        check(
            create(self.handle, self._messenger_information, ffi().NULL, place),
            "vkCreateDebugUtilsMessengerEXT",
        )
        return place[0]

    def procedure(self, name: str) -> Any:
        """The instance function `name`, typed. Raises DeviceError when it is missing."""
        found = self.lib.vkGetInstanceProcAddr(self.handle, name.encode())
        if found == ffi().NULL:
            raise DeviceError(f"the Vulkan loader has no {name}; update it")
        return ffi().cast(f"PFN_{name}", found)

    def physical_devices(self) -> list[Any]:
        """Every VkPhysicalDevice, in the loader's order."""
        count = ffi().new("uint32_t *")
        result = self.lib.vkEnumeratePhysicalDevices(self.handle, count, ffi().NULL)
        if result == c.VK_ERROR_INITIALIZATION_FAILED or count[0] == 0:
            return []
        check(result, "vkEnumeratePhysicalDevices")
        found = ffi().new("VkPhysicalDevice[]", count[0])
        result = self.lib.vkEnumeratePhysicalDevices(self.handle, count, found)
        if result not in (c.VK_SUCCESS, c.VK_INCOMPLETE):
            raise DeviceError(f"vkEnumeratePhysicalDevices: {result_name(result)}")
        return list(found)[: count[0]]

    def close(self) -> None:
        """Destroy the instance; every device of it must be closed."""
        if self._messenger is not None:
            destroy = self.procedure("vkDestroyDebugUtilsMessengerEXT")
            destroy(self.handle, self._messenger, ffi().NULL)
            self._messenger = None
        if self.handle is not None:
            self.lib.vkDestroyInstance(self.handle, ffi().NULL)
            self.handle = None


def instance() -> Instance:
    """The process's instance, made at first use. Raises DeviceError."""
    global _current, _making
    with _lock:
        if _current is None:
            _making = True
            try:
                _current = Instance(config.flag("VKML_VALIDATION"))
            finally:
                _making = False
        return _current


def is_alive() -> bool:
    """Whether the process has an instance, or has begun to make one."""
    return _current is not None or _making


def close_instance() -> None:
    """Destroy the process's instance, if it was made."""
    global _current
    with _lock:
        if _current is not None:
            _current.close()
            _current = None


def _linked(chain: list[Any]) -> Any:
    """The structures of `chain` linked through pNext; the first one, or NULL."""
    head = ffi().NULL
    for item in reversed(chain):
        item.pNext = head
        head = item
    return head


def _extensions(layer: str | None) -> set[str]:
    name = ffi().NULL if layer is None else layer.encode()
    count = ffi().new("uint32_t *")
    call = library().vkEnumerateInstanceExtensionProperties
    check(call(name, count, ffi().NULL), "vkEnumerateInstanceExtensionProperties")
    found = ffi().new("VkExtensionProperties[]", count[0])
    check(call(name, count, found), "vkEnumerateInstanceExtensionProperties")
    return {ffi().string(item.extensionName).decode() for item in found}


def _layers() -> set[str]:
    count = ffi().new("uint32_t *")
    call = library().vkEnumerateInstanceLayerProperties
    check(call(count, ffi().NULL), "vkEnumerateInstanceLayerProperties")
    found = ffi().new("VkLayerProperties[]", count[0])
    check(call(count, found), "vkEnumerateInstanceLayerProperties")
    return {ffi().string(item.layerName).decode() for item in found}


def _receive(severity: int, kind: int, data: Any, _user: Any) -> int:
    text = ffi().string(data.pMessage).decode(errors="replace")
    _messages.append(text)
    error = severity >= c.VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
    _log.log(logging.ERROR if error else logging.WARNING, "Vulkan validation: %s", text)
    return 0
