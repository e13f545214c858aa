"""Recording: descriptors, parameters and commands of one execution."""

from __future__ import annotations

from collections.abc import Sequence

from . import constants as c
from .functions import Functions
from .heaps import Heaps
from .memory import Allocation, padded
from .merging import Place
from .parameters import Launch, ParameterPlan
from .prepared import Prepared
from .profiling import create_queries
from .recording import COMPUTE, HOST, SHADER, TRANSFER, WRITES, Commands, Recording, mapped_view
from .submission import Queue

__all__ = ["Recorder"]


class _BlockOrder:
    """Which blocks were touched since the last barrier on all memory, where steps are merged.

    A merged dispatch binds whole blocks: to everyone but the code that wrote its table it may
    touch all of them, so it is kept apart from every other dispatch in the same blocks.
    """

    def __init__(self) -> None:
        self.touched: set[int] = set()
        self.merged: set[int] = set()

    def meets(self, launch: Launch, places: Sequence[Place]) -> bool:
        """Note `launch`; whether it needs a barrier on all memory before it."""
        blocks = {places[window[0]][0] for window in launch.windows}
        merged = launch.table is not None
        meets = not blocks.isdisjoint(self.touched if merged else self.merged)
        if meets:
            self.touched.clear()
            self.merged.clear()
        self.touched |= blocks
        if merged:
            self.merged |= blocks
        return meets


class Recorder:
    """Fills recordings. Used with the device's lock held.

    `batch_bytes` is how much work one batch of a submission may hold before the next is begun.
    """

    def __init__(
        self, vk: Functions, device: int, queue: Queue, commands: Commands, heaps: Heaps
    ) -> None:
        self.vk = vk
        self.device = device
        self.queue = queue
        self.commands = commands
        self.parameters = heaps.parameters
        self.reading = heaps.reading
        self.direct = heaps.kinds.direct
        self.batch_bytes = 1 << 34

    def fill(
        self,
        recording: Recording,
        prepared: Prepared,
        memory: Sequence[Allocation],
        profile: bool,
    ) -> None:
        """Record `prepared` for the memory of its slots, with timestamps when `profile`.

        Raises OutOfMemoryError or DeviceError; the recording is only good for `destroy` then.
        """
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
        steps = len(prepared.steps)
        groups = [launches] if profile else self._batches(launches)
        while len(recording.commands) < len(groups):
            recording.commands.append(commands.allocate())
        command = recording.commands[0]
        index = 0
        order = None
        for number, group in enumerate(groups):
            command = recording.commands[number]
            commands.begin(command)
            bound = None
            if any(launch.table is not None for launch in group):
                order = _BlockOrder()
            if profile:
                self.vk.vkCmdResetQueryPool(command, recording.queries, 0, steps + 1)
            step = 0
            for launch in group:
                if profile:
                    step = self._timestamps(recording, command, step, launch.step)
                if order is not None and order.meets(launch, places):
                    commands.barrier(
                        command, COMPUTE, c.VK_ACCESS_SHADER_WRITE_BIT, COMPUTE, SHADER
                    )
                elif launch.barriers:
                    commands.range_barriers(command, launch.barriers, places)
                commands.launch(command, recording.sets[index], launch, bound)
                bound = launch.pipeline
                index += 1
            if profile:
                self._timestamps(recording, command, step, steps)
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

    def _batches(self, launches: list[Launch]) -> list[list[Launch]]:
        """Cut long work: a driver's watchdog looks at one batch of a submission at a time."""
        groups: list[list[Launch]] = [[]]
        moved = 0
        for launch in launches:
            if moved + launch.cost > self.batch_bytes and groups[-1]:
                groups.append([])
                moved = 0
            groups[-1].append(launch)
            moved += launch.cost
        return groups
