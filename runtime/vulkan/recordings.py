"""Programs made ready, and the bounded cache of their recordings."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from vkml.errors import DeviceError
from vkml.limits import DeviceLimits
from vkml.program import Dispatch, Merged, Program, SpirvKernel

from . import constants as c
from .functions import Functions
from .memory import Allocation, Pool, padded
from .merging import Place, merge
from .parameters import Launch, ParameterPlan, plan_parameters
from .pipelines import Pipelines
from .profiling import create_queries
from .recording import COMPUTE, HOST, SHADER, TRANSFER, WRITES, Commands, Recording, mapped_view
from .submission import Queue

__all__ = ["Prepared", "Recordings"]


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
        "pipelines",
        "plan",
        "ranges",
        "read_bytes",
        "reads",
        "recordings",
        "slot_positions",
        "slots",
        "steps",
        "written",
    )

    def __init__(self, owner: Recordings, program: Program) -> None:
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
            "submissions": 1,
            "bytes_moved": program.bytes_moved,
            "bytes_unfused": program.bytes_unfused,
        }
        self.bound = tuple(
            index for index, slot in enumerate(program.slots) if slot.role != "temporary"
        )
        self.slot_positions = {slot: at for at, slot in enumerate(self.bound)}
        self.pick: Callable[[Sequence[Any]], tuple[Any, ...]] = _picker(self.bound)
        self.arena_bytes = program.arena_bytes
        self.recordings: dict[tuple[int, ...], list[Recording]] = {}
        self.instances: list[Recording] = []
        writes: set[int] = set()
        recipes = []
        for step in program.steps:
            if not isinstance(step.kernel, SpirvKernel):
                raise DeviceError(
                    f"kernel {step.kernel.name} is a kernel of the cpu device; "
                    "the program was planned for another device"
                )
            recipes.append((step.kernel, step.constants))
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
        self.copied = owner.copies_reads(self)

    def __del__(self) -> None:
        if self.instances:
            self.owner.discarded.append(self.instances)

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

    def for_binding(
        self, memory: Sequence[Allocation], bases: Sequence[int], places: list[Place]
    ) -> tuple[list[Launch], ParameterPlan]:
        """Launches and parameter layout for one binding; may append to `places`."""
        if self.launches is not None and self.plan is not None:
            return self.launches, self.plan
        launches = self._launches(memory, bases, places)
        return launches, plan_parameters(launches, self.owner.alignment)


class Recordings:
    """Makes, finds, bounds and destroys recordings. Used with the device's lock held."""

    def __init__(
        self,
        vk: Functions,
        device: int,
        queue: Queue,
        commands: Commands,
        pipelines: Pipelines,
        parameters: Pool,
        reading: Pool,
        limits: DeviceLimits,
        alignment: int,
        direct: bool,
    ) -> None:
        self.vk = vk
        self.device = device
        self.queue = queue
        self.commands = commands
        self.pipelines = pipelines
        self.parameters = parameters
        self.reading = reading
        self.limits = limits
        self.alignment = alignment
        self.direct = direct
        self.instances_a_binding = 3
        self.instances_a_program = 24
        self.limit = 1024
        self.read_limit = 1 << 28
        self.batch_bytes = 1 << 34
        self.count = 0
        self.discarded: deque[list[Recording]] = deque()
        self._all: dict[int, tuple[weakref.ref[Prepared], Recording]] = {}
        self._retired: list[Recording] = []

    def copies_reads(self, prepared: Prepared) -> bool:
        """Whether the program's command buffers copy its results to host memory.

        Not where the host reads tensors in place, and not beyond `read_limit` bytes, which would
        pin as much host memory: those are fetched when they are read.
        """
        if not prepared.reads:
            return False
        if any(prepared.slots[item.slot].role == "temporary" for item in prepared.reads):
            return True
        return not self.direct and sum(prepared.read_bytes) <= self.read_limit

    def idle(self, recordings: list[Recording]) -> Recording | None:
        """A recording of this binding that the device is done with, or None to record one.

        Waits for the oldest when there are as many as a binding may have.
        """
        for _ in range(2):
            completed = self.queue.completed
            for recording in recordings:
                if recording.value <= completed:
                    return recording
            if self.queue.refresh() == completed:
                break
        if len(recordings) < self.instances_a_binding:
            return None
        oldest = min(recordings, key=lambda item: item.value)
        self.queue.wait(oldest.value)
        return oldest

    def record(
        self, prepared: Prepared, key: tuple[int, ...], memory: Sequence[Allocation]
    ) -> Recording:
        """A recording of the program for the binding `key`; `memory` has one entry a slot."""
        self.retire()
        recording = self._reusable(prepared)
        try:
            self._fill(recording, prepared, memory, profile=False)
        except BaseException:
            self._retired.append(recording)
            raise
        recording.key = key
        prepared.instances.append(recording)
        prepared.recordings.setdefault(key, []).append(recording)
        self._all[id(recording)] = (weakref.ref(prepared), recording)
        return recording

    def record_once(self, prepared: Prepared, memory: Sequence[Allocation]) -> Recording:
        """A recording with timestamps that is not kept for later executions."""
        self.retire()
        recording = Recording()
        self._retired.append(recording)
        self._fill(recording, prepared, memory, profile=True)
        return recording

    def retire(self) -> None:
        """Destroy what was dropped and is no longer in use; keep the cache within its bound."""
        while self.discarded:
            for recording in self.discarded.popleft():
                self._all.pop(id(recording), None)
                self._retired.append(recording)
        if len(self._all) > self.limit:
            order = sorted(self._all.values(), key=lambda entry: entry[1].value)
            for owner, recording in order[: max(1, self.limit // 4)]:
                prepared = owner()
                if prepared is not None:
                    self._forget(prepared, recording)
                    self._retired.append(recording)
        if self._retired:
            completed = self.queue.refresh()
            kept = []
            for recording in self._retired:
                if recording.value <= completed and not _watched(recording):
                    self.commands.destroy(recording)
                else:
                    kept.append(recording)
            self._retired = kept

    def close(self) -> None:
        """Destroy every recording; the device is idle."""
        while self.discarded:
            self._retired += self.discarded.popleft()
        for recording in itertools.chain((entry[1] for entry in self._all.values()), self._retired):
            self.commands.destroy(recording)
        self._all.clear()
        self._retired.clear()

    def _reusable(self, prepared: Prepared) -> Recording:
        """A new recording, or the program's least recently used one once it has many."""
        if len(prepared.instances) >= self.instances_a_program:
            completed = self.queue.refresh()
            idle = [item for item in prepared.instances if item.value <= completed]
            if idle:
                found = min(idle, key=lambda item: item.value)
                settle(found)
                self._forget(prepared, found)
                return found
        return Recording()

    def _forget(self, prepared: Prepared, recording: Recording) -> None:
        self._all.pop(id(recording), None)
        prepared.instances.remove(recording)
        same = prepared.recordings[recording.key]
        same.remove(recording)
        if not same:
            del prepared.recordings[recording.key]

    def _fill(
        self,
        recording: Recording,
        prepared: Prepared,
        memory: Sequence[Allocation],
        profile: bool,
    ) -> None:
        bases = []
        for slot, piece in zip(prepared.slots, memory, strict=True):
            bases.append(piece.offset + (slot.offset if slot.role == "temporary" else 0))
        places = [(piece.block.buffer, base) for piece, base in zip(memory, bases, strict=True)]
        launches, plan = prepared.for_binding(memory, bases, places)
        self._place_parameters(recording, plan)
        if prepared.copied:
            size = sum(padded(nbytes) for nbytes in prepared.read_bytes)
            if recording.reading is None or recording.reading.size < size:
                recording.reading = self.reading.allocation(size)
        if profile:
            recording.queries = create_queries(self.vk, self.device, len(prepared.steps) + 1)
        self.commands.describe(recording, launches, plan, places)
        self._write_commands(recording, prepared, launches, places, profile)
        recording.counts = {**prepared.counts, "dispatches": len(launches)}

    def _place_parameters(self, recording: Recording, plan: ParameterPlan) -> None:
        recording.plan = plan
        if not plan.image:
            return
        size = len(plan.image)
        if recording.parameters is None or recording.parameters.size < size:
            recording.parameters = self.parameters.allocation(size, idle=True)
            self.queue.wait(recording.parameters.used)
            recording.memory = mapped_view(recording.parameters)
        recording.memory[:size] = plan.image

    def _write_commands(
        self,
        recording: Recording,
        prepared: Prepared,
        launches: list[Launch],
        places: list[Place],
        profile: bool,
    ) -> None:
        commands = self.commands
        steps = prepared.steps
        groups = [launches] if profile else self._batches(launches, steps)
        while len(recording.commands) < len(groups):
            recording.commands.append(commands.allocate())
        command = recording.commands[0]
        index = 0
        for number, group in enumerate(groups):
            command = recording.commands[number]
            commands.begin(command)
            if profile:
                self.vk.vkCmdResetQueryPool(command, recording.queries, 0, len(steps) + 1)
            step = 0
            for launch in group:
                if profile:
                    step = self._timestamps(recording, command, step, launch.step)
                if launch.barriers:
                    commands.range_barriers(command, launch.barriers, places)
                commands.launch(command, recording, index, launch)
                index += 1
            if profile:
                self._timestamps(recording, command, step, len(steps))
            if number < len(groups) - 1:
                commands.end(command)
        if prepared.copied:
            self._copy_results(recording, command, prepared, places)
        elif self.direct:
            commands.barrier(command, COMPUTE | TRANSFER, WRITES, HOST, c.VK_ACCESS_HOST_READ_BIT)
        commands.end(command)
        recording.batches = (
            [[item] for item in recording.commands[: len(groups)]] if len(groups) > 1 else None
        )

    def _timestamps(self, recording: Recording, command: int, first: int, last: int) -> int:
        """Stamp the starts of steps `first` to `last`; steps are kept apart while profiling."""
        for step in range(first, last + 1):
            self.commands.barrier(command, COMPUTE, c.VK_ACCESS_SHADER_WRITE_BIT, COMPUTE, SHADER)
            self.vk.vkCmdWriteTimestamp(
                command, c.VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, recording.queries, step
            )
        return last + 1

    def _copy_results(
        self, recording: Recording, command: int, prepared: Prepared, places: list[Place]
    ) -> None:
        reading = recording.reading
        assert reading is not None
        self.commands.range_barriers(
            command, prepared.reads, places, TRANSFER, c.VK_ACCESS_TRANSFER_READ_BIT
        )
        start = reading.offset
        for item, nbytes in zip(prepared.reads, prepared.read_bytes, strict=True):
            if nbytes:
                buffer, base = places[item.slot]
                target = (reading.block.buffer, start)
                self.commands.copy(command, (buffer, base + item.start), target, nbytes)
            start += padded(nbytes)
        self.commands.barrier(
            command,
            COMPUTE | TRANSFER,
            WRITES,
            HOST,
            c.VK_ACCESS_HOST_READ_BIT,
        )

    def _batches(
        self, launches: list[Launch], steps: Sequence[Dispatch | Merged]
    ) -> list[list[Launch]]:
        """Cut long work: a driver's watchdog looks at one batch of a submission at a time."""
        groups: list[list[Launch]] = [[]]
        moved = 0
        for launch in launches:
            step = steps[launch.step]
            if isinstance(step, Dispatch):
                cost = sum(window[2] for window in launch.windows)
            else:
                cost = sum(item.size for part in step.segments for item in part.bindings)
            if groups[-1] and moved + cost > self.batch_bytes:
                groups.append([])
                moved = 0
            groups[-1].append(launch)
            moved += cost
        return groups


def settle(recording: Recording) -> None:
    """Let the execution that still may read this recording's results take them now."""
    if recording.ticket is not None:
        execution = recording.ticket()
        recording.ticket = None
        if execution is not None:
            execution.keep()


def _watched(recording: Recording) -> bool:
    return recording.ticket is not None and recording.ticket() is not None


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
        index, pipeline, windows, step.groups, step.parameters, step.patches, step.barriers
    )
