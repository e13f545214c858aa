"""Finding devices and opening them: one open device a process and physical device."""

from __future__ import annotations

import atexit
import dataclasses
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vkml import config, locks
from vkml.errors import DeviceError, OutOfMemoryError, warn

from .cpu import CpuDevice, cpu_info
from .device import Device, DeviceInfo

if TYPE_CHECKING:
    from .vulkan.device import VulkanDevice
    from .vulkan.physical import PhysicalDevice

__all__ = ["discover", "open_device", "problems", "select", "validation_messages"]

PipelineData = tuple[Callable[[str], "bytes | None"], Callable[[str, bytes], None]]
"""(load, save) of the driver's pipeline data; both get `Device.identity` first."""

_RANK = {"discrete": 0, "integrated": 1, "virtual": 2, "software": 3, "cpu": 4}
_REMEDY = "vkml.cpu works on every machine"

_lock = locks.lock()
_open: dict[str, VulkanDevice] = {}
_cpu: CpuDevice | None = None
_survey: _Survey | None = None
_warned = False
_refusal: str | None = None
"""Why no device may be used any more: after a fork, or when the process ends."""


class _Survey:
    """What a look at the machine found: usable devices, and why others are not."""

    def __init__(self) -> None:
        self.physical: list[PhysicalDevice] = []
        self.skipped: list[str] = []
        self.failure: str | None = None
        try:
            self._look()
        except DeviceError as error:
            self.failure = error.message
        except OutOfMemoryError as error:  # what the loader says of a manifest that is no JSON
            self.failure = (
                f"{error.message}: a driver manifest may be damaged; look at VK_DRIVER_FILES and "
                "VK_ICD_FILENAMES, and into /usr/share/vulkan/icd.d"
            )
        infos = [item.info(index, False) for index, item in enumerate(self.physical)]
        best = min(infos, key=lambda info: _RANK[info.type]).index if infos else 0
        self.default = best
        self.infos = (
            *(item.info(index, index == best) for index, item in enumerate(self.physical)),
            cpu_info(len(infos), is_default=not infos),
        )

    def _look(self) -> None:
        from .vulkan.instance import instance  # the loader is touched only here
        from .vulkan.physical import inspect

        owner = instance()
        places: dict[tuple[Any, ...], str] = {}
        for handle in owner.physical_devices():
            found = inspect(owner, handle)
            if found.refusal is not None:
                self.skipped.append(f"{found.name} was skipped: {found.refusal}")
            elif found.place not in places:
                places[found.place] = found.name
                self.physical.append(found)


def discover() -> tuple[DeviceInfo, ...]:
    """Every device of this machine, `cpu` last; opens none. `vulkan:N` is entry N.

    Without a Vulkan loader or driver the list holds `cpu` alone. None is the default where
    VKML_DEVICE names no device.
    """
    infos = _look().infos
    chosen = config.text("VKML_DEVICE")
    if chosen is None:
        return infos
    try:
        name = select(chosen)
    except DeviceError:
        name = ""
    return tuple(dataclasses.replace(info, is_default=_name(info) == name) for info in infos)


def problems() -> tuple[str, ...]:
    """Why the list of devices is shorter than this machine allows, each with its remedy."""
    from .vulkan.diagnosis import hidden_gpu

    survey = _look()
    if not survey.physical:
        return (_why_none(survey),)
    software = all(item.type == "software" for item in survey.physical)
    hint = hidden_gpu() if software else None
    return (*survey.skipped, *([hint] if hint else []))


def validation_messages() -> list[str]:
    """What the validation layer (VKML_VALIDATION) has said so far; clearing the list clears it."""
    from .vulkan.instance import validation_messages

    return validation_messages()


def select(selector: str | None = None) -> str:
    """The name of the device that `selector` means: "vulkan:N" or "cpu"; opens none.

    `selector` is "cpu", "vulkan", "vulkan:N", a UUID or part of a name; None takes VKML_DEVICE,
    else the best Vulkan device, else `cpu` (a software device or `cpu` as the default is warned
    of once). Raises DeviceError naming what there is.
    """
    chosen = selector or config.text("VKML_DEVICE")
    if chosen is not None and chosen.strip().lower() == "cpu":
        return "cpu"
    survey = _look()
    if chosen is None:
        _warn(survey)
        return _name(survey.infos[survey.default])
    return _name(survey.infos[_position(chosen.strip(), survey)])


def open_device(selector: str | None = None, pipeline_data: PipelineData | None = None) -> Device:
    """The open device that `selector` (see `select`) names; the same object each time.

    A device that was lost or closed is opened anew. `pipeline_data` keeps the driver's compiled
    pipelines between processes. Raises DeviceError naming what there is.
    """
    name = select(selector)
    with _lock:
        if name == "cpu":
            return _open_cpu()
        return _open_vulkan(_look(), int(name.partition(":")[2]), pipeline_data)


def _look() -> _Survey:
    global _survey
    if _refusal is not None:
        raise DeviceError(_refusal)
    with _lock:
        if _survey is None:
            survey = _Survey()
            if survey.failure is not None:  # a driver may be installed meanwhile: look again
                return survey
            _survey = survey
        return _survey


def _position(chosen: str, survey: _Survey) -> int:
    """The position of the device that `chosen` names."""
    word = chosen.lower()
    count = len(survey.physical)
    names = [f"{_name(info)} ({info.name})" for info in survey.infos[:count]]
    known = ", ".join([*names, "cpu"])
    if word == "vulkan" or word.startswith("vulkan:"):
        if not count:
            raise DeviceError(f"device {chosen!r}: {_why_none(survey)}; {_REMEDY}")
        number = word.partition(":")[2] or str(survey.default)
        if number.isdigit() and int(number) < count:
            return int(number)
        raise DeviceError(f"device {chosen!r}: there is no such device; there are {known}")
    plain = word.replace("-", "")
    for info in survey.infos:
        if plain == info.uuid.replace("-", "").lower():
            return info.index
    for info in survey.infos:
        if word in info.name.lower():
            return info.index
    because = "" if count else f" ({_why_none(survey)})"
    raise DeviceError(f"device {chosen!r}: no device has this name; there are {known}{because}")


def _name(info: DeviceInfo) -> str:
    return "cpu" if info.type == "cpu" else f"vulkan:{info.index}"


def _why_none(survey: _Survey) -> str:
    from .vulkan.diagnosis import no_device

    return survey.failure or "; ".join(survey.skipped) or no_device()


def _warn(survey: _Survey) -> None:
    """One warning a process when the default is not a GPU, or a device was left out."""
    global _warned
    if _warned:
        return
    from .vulkan.diagnosis import hidden_gpu

    reasons = list(survey.skipped)
    kind = survey.infos[survey.default].type
    if kind == "cpu":
        reasons.insert(0, f"no Vulkan device, cpu (NumPy) is used: {_why_none(survey)}")
    elif kind == "software":
        name = survey.infos[survey.default].name
        hint = hidden_gpu()
        reasons.insert(0, f"{name} is a software device" + (f": {hint}" if hint else ""))
    if reasons:
        _warned = True
        warn(
            "; ".join(reasons) + " (VKML_DEVICE chooses a device and silences this)"
        )


def _open_cpu() -> CpuDevice:
    global _cpu
    if _cpu is None:
        _cpu = CpuDevice(cpu_info(_survey.infos[-1].index if _survey else 0))
    return _cpu


def _open_vulkan(survey: _Survey, index: int, pipeline_data: PipelineData | None) -> VulkanDevice:
    from .vulkan.device import VulkanDevice
    from .vulkan.instance import instance

    info = survey.infos[index]
    device = _open.get(info.uuid)
    if device is None or device.refusal is not None:
        if device is not None:
            device.close(0)
        device = VulkanDevice(instance(), survey.physical[index], info)
        _open[info.uuid] = device
    if pipeline_data is not None:
        device.attach_pipeline_data(*pipeline_data)
    return device


def _after_fork() -> None:
    """In a forked child nothing of Vulkan works: say so, and touch nothing."""
    global _refusal
    started = sys.modules.get("vkml.runtime.vulkan.instance")
    if started is None or not started.is_alive():
        return
    _refusal = (
        "this process was forked after Vulkan had started, and no driver survives that; start "
        'workers with multiprocessing.get_context("spawn"), or use vulkan only in the children'
    )
    for device in _open.values():
        device.refuse(_refusal)


def _at_exit() -> None:
    global _refusal
    if _refusal is not None:
        return
    _refusal = (
        "the process is ending and its devices are closed; what uses vkml at exit must be "
        "registered after `import vkml`"
    )
    used = sys.modules.get("vkml.runtime.vulkan.instance")
    if all([device.close(2.0) for device in _open.values()]) and used is not None:
        used.close_instance()
    for device in _open.values():
        device.refuse(_refusal)


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
