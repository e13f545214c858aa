"""The Device protocol: what the evaluator asks of a device, Vulkan or `cpu`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from vkml.limits import DeviceLimits
from vkml.program import Program

__all__ = ["Buffer", "Device", "DeviceInfo", "Ticket"]


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """Facts of one device, known without opening it.

    `type` is "discrete", "integrated", "virtual", "software" or "cpu"; `dtypes` are names.
    """

    index: int
    name: str
    type: str
    driver: str
    driver_version: str
    uuid: str
    dtypes: tuple[str, ...]
    limits: DeviceLimits
    is_default: bool = False


class Buffer(Protocol):
    """Memory of a device: starts at a multiple of 256 bytes and owns its padding to the next.

    `key` is unique among the live buffers of the process; freed when the object dies. It names
    the place: a buffer that gets a freed one's memory gets its key, so that loops run what they
    have recorded.
    """

    nbytes: int
    key: int


class Ticket(Protocol):
    """One execution in flight."""

    def wait(self) -> None:
        """Block until the execution has ended; Ctrl-C works meanwhile."""

    def read(self, index: int) -> NDArray[numpy.uint8]:
        """The bytes of `program.reads[index]`, fresh and writable; waits first."""


class Device(Protocol):
    """A device that is open. All methods may be called from any thread."""

    name: str
    info: DeviceInfo
    limits: DeviceLimits
    identity: str
    """UUID and driver version: names driver data and verdicts on disk."""

    @property
    def refusal(self) -> str | None:
        """Why the device accepts nothing any more, lost or closed; None while it works."""

    def allocate(self, nbytes: int, for_upload: bool = False) -> Buffer:
        """Memory for `nbytes` bytes, contents undefined. Raises OutOfMemoryError.

        `for_upload` says that the host writes it first: memory is preferred that no submission
        still uses.
        """

    def upload(self, buffer: Buffer, data: NDArray[Any], offset: int = 0) -> None:
        """Copy a C-contiguous array into a buffer that no submission uses yet."""

    def download(self, buffer: Buffer, offset: int, nbytes: int) -> NDArray[numpy.uint8]:
        """The bytes of a buffer after every execution that writes it; fresh and writable."""

    def execute(
        self, program: Program, buffers: Sequence[Buffer | None], scalars: Sequence[Any]
    ) -> Ticket:
        """Submit the whole program once; `buffers` holds one entry a slot (None: temporary).

        Where it raises, nothing was executed, but for an interrupt right after the submission:
        `last_executed` tells.
        """

    def last_executed(self) -> int:
        """A number that changes when a program was executed, even where `execute` then raised."""

    def synchronize(self) -> None:
        """Block until the device is idle."""
