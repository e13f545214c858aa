"""A program made ready for a device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from vkml.errors import DeviceError
from vkml.limits import DeviceLimits
from vkml.program import Dispatch, Merged, Program, Slot, SpirvKernel

from .memory import Allocation, buffer_of, padded
from .merging import Place, merge
from .parameters import Launch, ParameterPlan, plan_parameters
from .recording import Recording

if TYPE_CHECKING:
    from .recordings import Recordings

__all__ = ["Prepared"]


class Prepared:
    """What a device keeps for a program: pipelines, the layout of parameters, recordings.

    `pick` takes the bound buffers out of the slots' buffers; `written` are positions among the
    bound ones that steps write; `launches` and `plan` exist when no step is Merged, because then
    they do not depend on the binding; `copied` says whether results ride in the command buffer.
    """

    __slots__ = (
        "__weakref__",
        "arena_bytes",
        "bound",
        "copied",
        "counts",
        "instances",
        "launches",
        "owner",
        "pick",
        "pick_sources",
        "pipelines",
        "plan",
        "ranges",
        "read_bytes",
        "reads",
        "recordings",
        "slots",
        "steps",
        "written",
    )

    def __init__(self, owner: Recordings, program: Program) -> None:
        self.instances: list[Recording] = []  # first: the finaliser reads it whatever happens
        self.owner = owner
        # Not the program itself: it holds this object, and a cycle would wait for the collector.
        self.slots = program.slots
        self.steps = program.steps
        self.reads = program.reads
        self.read_bytes = [max(0, item.stop - item.start) for item in program.reads]
        self.ranges = [
            (item.slot, item.start, nbytes)
            for item, nbytes in zip(program.reads, self.read_bytes, strict=True)
        ]
        self.counts = {
            "kernels": program.kernels,
            "submissions": 1,
            "bytes_moved": program.bytes_moved,
            "bytes_unfused": program.bytes_unfused,
        }
        self.bound = tuple(
            index for index, slot in enumerate(program.slots) if slot.role != "temporary"
        )
        positions = {slot: at for at, slot in enumerate(self.bound)}
        self.pick: Callable[[Sequence[Any]], tuple[Any, ...]] = _picker(self.bound)
        self.arena_bytes = program.arena_bytes
        self.recordings: dict[tuple[int, ...], list[Recording]] = {}
        writes: set[int] = set()
        recipes = []
        for step in program.steps:
            if not isinstance(step.kernel, SpirvKernel):
                raise DeviceError(
                    f"kernel {step.kernel.name} is a kernel of the cpu device; "
                    "the program was planned for another device"
                )
            recipes.append((step.kernel, step.constants))
            check_step(step, program.slots, owner.limits)
            segments = step.segments if isinstance(step, Merged) else (step,)
            for segment in segments:
                writes.update(item.slot for item in segment.bindings if item.writes)
        self.written = tuple(at for at, slot in enumerate(self.bound) if slot in writes)
        self.pipelines = owner.pipelines.find(recipes)
        self.launches: list[Launch] | None = None
        self.plan: ParameterPlan | None = None
        if not any(isinstance(step, Merged) for step in program.steps):
            self.launches = self._launches([], [], [])
            self.plan = plan_parameters(self.launches, owner.alignment)
        self.pick_sources = _picker(tuple(positions.get(item.slot, -1) for item in self.reads))
        self.copied = owner.copies_reads(self)

    def __del__(self) -> None:
        try:
            if self.instances:
                self.owner.discarded.append(self.instances)
        except AttributeError:  # interrupted before it was whole
            pass

    def _launches(
        self, memory: Sequence[Allocation], bases: Sequence[int], places: list[Place]
    ) -> list[Launch]:
        launches: list[Launch] = []
        for index, (step, pipeline) in enumerate(zip(self.steps, self.pipelines, strict=True)):
            if isinstance(step, Dispatch):
                if 0 not in step.groups:
                    launches.append(_plain_launch(index, step, pipeline))
                continue
            owner = self.owner
            launches += merge(
                index, step, pipeline, memory, bases, owner.limits, owner.alignment, places
            )
        return launches

    def bind(
        self,
        buffers: Sequence[Any],
        arena: Allocation | None,
        device: Any,
    ) -> list[Allocation]:
        """The allocation of every slot, checked; another device's buffer is refused."""
        memory: list[Allocation] = []
        for index, (slot, buffer) in enumerate(zip(self.slots, buffers, strict=True)):
            if slot.role == "temporary":
                if arena is None or slot.offset + slot.nbytes > arena.size:
                    raise DeviceError(f"internal: temporary {index} lies outside the arena")
                memory.append(arena)
                continue
            piece = buffer_of(buffer, device)
            if piece.nbytes < slot.nbytes:
                raise DeviceError(
                    f"slot {index} needs {slot.nbytes} bytes, its buffer has {piece.nbytes}"
                )
            memory.append(piece)
        return memory

    def for_binding(
        self, memory: Sequence[Allocation], bases: Sequence[int], places: list[Place]
    ) -> tuple[list[Launch], ParameterPlan]:
        """Launches and parameter layout for one binding; may append to `places`."""
        if self.launches is not None and self.plan is not None:
            return self.launches, self.plan
        launches = self._launches(memory, bases, places)
        return launches, plan_parameters(launches, self.owner.alignment)


def check_step(step: Dispatch | Merged, slots: Sequence[Slot], limits: DeviceLimits) -> None:
    """Raise DeviceError for a step that the device's limits forbid: the driver would not say."""
    kernel = step.kernel
    name = f"internal: kernel {kernel.name}"
    if len(step.parameters) > limits.max_uniform_range:
        raise DeviceError(f"{name}: {len(step.parameters)} bytes of parameters are too many")
    for part in step.segments if isinstance(step, Merged) else (step,):
        alignment = 16 if isinstance(step, Merged) else limits.offset_alignment
        bindings = kernel.bindings if isinstance(kernel, SpirvKernel) else 0
        if len(part.bindings) != bindings or bindings > limits.max_storage_buffers:
            raise DeviceError(f"{name}: {len(part.bindings)} bindings for {bindings}")
        for item in part.bindings:
            if item.offset % alignment:
                raise DeviceError(f"{name}: offset {item.offset} is not aligned")
            if item.size > limits.max_storage_range:
                raise DeviceError(f"{name}: {item.size} bytes pass max_storage_range")
            if item.offset + item.size > padded(slots[item.slot].nbytes):
                raise DeviceError(f"{name}: a window reaches past slot {item.slot}")
    if isinstance(step, Dispatch) and max(step.groups[:2]) > limits.max_groups:
        raise DeviceError(f"{name}: {step.groups} workgroups, at most {limits.max_groups} an axis")


def _picker(positions: tuple[int, ...]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    if not positions:
        return lambda buffers: ()
    if len(positions) == 1:
        only = positions[0]
        return lambda buffers: (buffers[only],)
    return itemgetter(*positions)


def _plain_launch(index: int, step: Dispatch, pipeline: Any) -> Launch:
    windows = tuple((item.slot, item.offset, item.size) for item in step.bindings)
    return Launch(
        index,
        pipeline,
        windows,
        step.groups,
        step.parameters,
        step.patches,
        step.barriers,
        sum(item.size for item in step.bindings),
    )
