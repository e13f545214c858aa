"""Devices as the graph sees them: opened at first use, with their kernels and plans.

Also the modes that decide how work is planned: eager and fast_math.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from . import config, locks
from .errors import DeviceError
from .limits import DeviceLimits

if TYPE_CHECKING:
    from .codegen.kernels import Kernels
    from .runtime.device import DeviceInfo

__all__ = [
    "Device", "Mode", "cpu", "device", "devices", "eager", "fast_math", "is_eager", "mode",
    "set_eager",
]  # fmt: skip


class Device:
    """A place where arrays live and kernels run. `str(device)` names it: "vulkan:0" or "cpu".

    Opened when it is first used. `info` holds its facts, `limits` what kernels must keep to.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.plans: OrderedDict[Any, Any] = OrderedDict()
        self._runtime: Any = None
        self._kernels: dict[bool, Kernels] = {}
        self._lock = locks.lock()

    def __repr__(self) -> str:
        return f"<vkml.Device {self.name}>"

    def __str__(self) -> str:
        return self.name

    @property
    def runtime(self) -> Any:
        """The open runtime device, opened anew after a loss. Raises DeviceError when it cannot."""
        runtime = self._runtime
        if runtime is None or runtime.refusal is not None:
            with self._lock:
                runtime = self._runtime
                if runtime is None or runtime.refusal is not None:
                    if runtime is not None and sys.is_finalizing():  # nothing can be imported
                        raise DeviceError(runtime.refusal)
                    from .runtime import open_device

                    runtime = self._runtime = open_device(self.name, _pipeline_data())
        return runtime

    @property
    def info(self) -> DeviceInfo:
        """Name, type, driver, UUID, dtypes and limits."""
        info: DeviceInfo = self.runtime.info
        return info

    @property
    def limits(self) -> DeviceLimits:
        """Limits and prices that kernels keep to."""
        limits: DeviceLimits = self.runtime.limits
        return limits

    @property
    def kernels(self) -> Kernels | None:
        """The device's compiled kernels in the mode in force; None for `cpu`, which runs NumPy."""
        if self.name == "cpu":
            return None
        fast = _fast_math.get()
        found = self._kernels.get(fast)
        if found is None:
            with self._lock:
                from .verdicts import kernels_of

                found = self._kernels.setdefault(fast, kernels_of(self, fast))
        return found


    def outlines(self) -> tuple[Kernels | None, bool]:
        """Kernels for looking at a plan: described, never compiled; None for `cpu`.

        False beside them says that the device's verdicts are not known yet.
        """
        if self.name == "cpu":
            return None, True
        fast = _fast_math.get()
        found = self._kernels.get(fast)
        if found is not None:
            from .codegen.kernels import Outlines

            return Outlines(found.verdicts), True
        from .verdicts import outlines_of

        return outlines_of(self, fast)


class Mode(NamedTuple):
    """What changes plans beside the graph."""

    eager: bool
    fast_math: bool


_fast_math: ContextVar[bool] = ContextVar(
    "vkml_fast_math", default=bool(config.flag("VKML_FAST_MATH"))
)


def _pipeline_data() -> Any:
    """(load, save) of the driver's compiled pipelines, by device and driver version, on disk."""
    from .codegen.cache import PipelineData, default_folder

    data = PipelineData(default_folder())
    return (
        lambda identity: data.load(identity, "") or None,
        lambda identity, content: data.save(identity, "", content),
    )


class _Watch:
    """When a recorded node needs more than recording: eager mode, or too much pending work.

    `serial` is the first serial number that must be looked at, `due` the first at which pending
    work is counted; `bytes` are uploads since it was realized last.
    """

    __slots__ = ("bytes", "due", "serial")

    def __init__(self) -> None:
        self.serial = 0
        self.due = 0
        self.bytes = 0


watch = _Watch()


_open: dict[str, Device] = {"cpu": Device("cpu")}
_default: Device | None = None
_lock = locks.lock()
cpu = _open["cpu"]

_process_eager: bool | None = None
_local_eager_used = False
_eager: ContextVar[bool | None] = ContextVar("vkml_eager", default=None)


def device(selector: object = None) -> Device:
    """The device that `selector` names.

    A Device, "vulkan:N", "vulkan", "cpu", a UUID, part of a name, or None for the default
    (VKML_DEVICE, else the best Vulkan device, else cpu). Raises DeviceError naming the devices
    that there are.
    """
    global _default
    if isinstance(selector, Device):
        return selector
    if selector is None:
        if _default is None:
            _default = _find(config.text("VKML_DEVICE"))
        return _default
    if not isinstance(selector, str):
        raise DeviceError(f"device: expected a name or a Device, got {type(selector).__name__}")
    return _open.get(selector) or _find(selector)


def _find(selector: str | None) -> Device:
    from .runtime import select

    name = select(selector)
    with _lock:
        return _open.setdefault(name, Device(name))


def devices() -> tuple[DeviceInfo, ...]:
    """The facts of every device, the default one marked; opens nothing."""
    from .runtime import discover

    found: tuple[DeviceInfo, ...] = discover()
    return found


def is_eager() -> bool:
    """Whether every operation is realized as it is recorded."""
    global _process_eager
    local = _eager.get()
    if local is not None:
        return local
    if _process_eager is None:
        _process_eager = bool(config.flag("VKML_EAGER"))
    return _process_eager


def eager_used() -> bool:
    """Whether eager mode is on here or may be on in another context."""
    return _local_eager_used or is_eager()


def set_eager(on: bool) -> None:
    """Realize after every operation (True), or only where a value is observed; process-wide."""
    global _process_eager
    _process_eager = bool(on)
    watch.serial = 0


@contextmanager
def eager(on: bool = True) -> Iterator[None]:
    """`with vkml.eager():` realizes after every operation inside the block, in this context."""
    global _local_eager_used
    _local_eager_used = True
    watch.serial = 0
    token = _eager.set(on)
    try:
        yield
    finally:
        _eager.reset(token)


@contextmanager
def fast_math(on: bool = True) -> Iterator[None]:
    """`with vkml.fast_math():` computes what is realized inside with the driver's own functions.

    Faster, and neither exact to NumPy nor the same on every device. VKML_FAST_MATH=1 sets it for
    the process.
    """
    token = _fast_math.set(on)
    try:
        yield
    finally:
        _fast_math.reset(token)


def mode() -> Mode:
    """The modes in force."""
    return Mode(is_eager(), _fast_math.get())
