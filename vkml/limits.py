"""DeviceLimits: what a device can take, and the prices that decide between plans.

Everything that fusion, lowering and binding must respect is a field here, counted before
anything is fused. `VKML_LIMITS` narrows fields by name.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from .errors import VkmlError

__all__ = ["DeviceLimits", "Verdicts", "narrowed"]


@dataclass(frozen=True, slots=True)
class DeviceLimits:
    """Limits and prices of one device. Bytes, elements and plain counts.

    max_storage_buffers     storage blocks one compute stage may bind
    max_storage_range       bytes one binding may cover
    max_uniform_range       bytes of one parameter block
    max_groups              workgroups along x, and along y, of one dispatch
    max_workgroup           invocations of one workgroup
    max_shared_bytes        shared memory of one workgroup
    max_allocation          bytes of one device allocation
    offset_alignment        alignment of a binding's start, bytes
    workgroup               invocations of one workgroup that map kernels use
    region_budget           statements of one kernel: cost, times the elements a thread if unrolled
    unroll_budget           cost x elements a thread up to which the element loop is unrolled
    operations_a_byte       scalar operations that cost as much as moving one byte
    dispatch_bytes          bytes whose movement costs as much as one more dispatch
    tile                    edge of the shared-memory tile for transposed operands, 0 for none
    pending_nodes           recorded operations after which a graph is realized early
    pending_bytes           uploaded bytes held by pending work after which it is realized early
    int64, float64          whether 64-bit integers and floats exist
    rounding_rte32, 64      whether a kernel may ask for round-to-nearest-even (float controls)
    signed_zero32, 64       whether it may ask that signed zero, inf and nan are preserved
    denorm_preserve32, 64   whether it may ask that subnormals are kept
    """

    max_storage_buffers: int = 32
    max_storage_range: int = 1 << 27
    max_uniform_range: int = 1 << 14
    max_groups: int = 65535
    max_workgroup: int = 256
    max_shared_bytes: int = 1 << 15
    max_allocation: int = 1 << 30
    offset_alignment: int = 16
    workgroup: int = 64
    region_budget: int = 2048
    unroll_budget: int = 1024
    operations_a_byte: int = 4
    dispatch_bytes: int = 1 << 18
    tile: int = 0
    pending_nodes: int = 50_000
    pending_bytes: int = 1 << 30
    int64: bool = True
    float64: bool = True
    rounding_rte32: bool = False
    rounding_rte64: bool = False
    signed_zero32: bool = False
    signed_zero64: bool = False
    denorm_preserve32: bool = False
    denorm_preserve64: bool = False

    def __post_init__(self) -> None:
        if self.max_storage_buffers < 4:
            raise VkmlError("limits: max_storage_buffers is at least 4: three operands, a result")
        if self.max_storage_range < 1024:
            raise VkmlError("limits: max_storage_range must be at least 1024 bytes")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What probe kernels found about a device's arithmetic; it picks text, so it is part of keys.

    rounding_rte32, rounding_rte64    the execution mode "round to nearest even" is offered for
                                      32-bit, 64-bit floats and kernels ask for it
    signed_zero32, signed_zero64      the same for "keep signed zero, infinity and nan"
    exact_division, exact_sqrt        with these modes, plain float32 division and square root
                                      round correctly and keep subnormals
    exact_scaling                     with these modes, float32 multiplication keeps subnormals
    fast_math                         the user trades exactness for the driver's own functions
    """

    rounding_rte32: bool = False
    rounding_rte64: bool = False
    signed_zero32: bool = False
    signed_zero64: bool = False
    exact_division: bool = False
    exact_sqrt: bool = False
    exact_scaling: bool = False
    fast_math: bool = False

    def text(self) -> str:
        """The names of the fields that hold, in order of declaration; "none" for none."""
        names = [field.name for field in dataclasses.fields(self) if getattr(self, field.name)]
        return " ".join(names) or "none"


def narrowed(limits: DeviceLimits, text: str | None) -> DeviceLimits:
    """`limits` with the fields that `text` names replaced, as "max_storage_buffers=4,tile=16".

    Raises VkmlError naming an unknown field, a value that is no whole number, or one that widens
    a limit that the device sets.
    """
    if not text:
        return limits
    fields = {field.name for field in dataclasses.fields(limits)}
    changes: dict[str, int | bool] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name not in fields:
            known = ", ".join(sorted(fields))
            raise VkmlError(f"VKML_LIMITS: no limit {name!r}; there are {known}")
        try:
            number = int(value, 0)
        except ValueError:
            raise VkmlError(f"VKML_LIMITS: {name}={value!r} is no whole number") from None
        old = getattr(limits, name)
        if (name.startswith("max_") and number > old) or (isinstance(old, bool) and number > old):
            raise VkmlError(f"VKML_LIMITS: {name}={number} is more than the device's {old}")
        changes[name] = bool(number) if isinstance(old, bool) else number
    return dataclasses.replace(limits, **changes)  # type: ignore[arg-type]
