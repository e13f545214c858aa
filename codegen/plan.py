"""Planning: a graph, for one device, to a Program ready to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from vkml import dtypes
from vkml.errors import OutOfMemoryError, in_words
from vkml.limits import DeviceLimits
from vkml.program import Binding, Program, Range, Slot
from vkml.shapes import contiguous

from .capture import LEAF, UPDATE, Graph
from .kernels import Kernels
from .lower import Access, Lowered, Piece, lower, split
from .partition import Partition, partition
from .schedule import GRAIN, place_temporaries, with_barriers
from .steps import Planned, steps_of

__all__ = ["Plan", "Planned", "plan"]


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Plan:
    """A Program and what its slots mean.

    inputs    (storage number, slot) of the memory that exists
    outputs   (position, slot) of what is allocated and kept
    in_place  (position, storage number) of writes that keep their storage
    scalars   positions of the program's scalars, in order
    members   for each step of the program the numbers of its `planned` pieces
    kernels   where its kernels come from; None for host kernels
    recorded  where the nodes of the graph were recorded; kept by whoever made the graph
    """

    program: Program
    graph: Graph
    partition: Partition
    planned: tuple[Planned, ...]
    inputs: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, int], ...]
    in_place: tuple[tuple[int, int], ...]
    scalars: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    kernels: Kernels | None
    recorded: dict[Any, Any] = field(default_factory=dict)


def plan(
    graph: Graph,
    limits: DeviceLimits,
    kernels: Kernels | None,
    *,
    fuse: bool = True,
    reads: Sequence[int] = (),
    where: Callable[[Lowered], str] | None = None,
) -> Plan:
    """The plan of `graph`: kernels from `kernels`, or host kernels where that is None.

    `reads` are positions whose bytes the host wants when the program has run. Raises
    OutOfMemoryError for an array that no device memory could hold.
    """
    cuts = partition(graph, limits, fuse)
    _check_sizes(graph, cuts, limits)
    planner = _Planner(graph, limits, cuts)
    planner.run()
    steps, members = steps_of(planner.planned, planner.slots, limits, kernels, where)
    slots, arena = place_temporaries(planner.slots, steps)
    steps = list(with_barriers(slots, steps, planner.groups))
    read_ranges = []
    for position in reads:
        owner = graph.owners[position]
        entry = graph.entries[position]
        low, high = entry.layout.span
        size = dtypes.by_name(entry.dtype).itemsize
        read_ranges.append(Range(planner.slot_of(owner), low * size, high * size))
    program = Program(
        slots, tuple(steps), len(planner.scalars), tuple(read_ranges), arena,
        sum(_moved(item) for item in planner.lowered), _unfused(graph),
    )  # fmt: skip
    return Plan(
        program, graph, cuts, tuple(planner.planned),
        tuple(planner.inputs.items()), tuple(planner.outputs.items()),
        tuple((p, s) for p, s in planner.kept.items() if p in planner.persistent),
        tuple(planner.scalars), tuple(members), kernels,
    )  # fmt: skip


def _check_sizes(graph: Graph, cuts: Partition, limits: DeviceLimits) -> None:
    """Refuse an array past the largest allocation before cutting it into millions of pieces."""
    for position in cuts.stored:
        entry = graph.entries[position]
        if entry.nbytes > limits.max_allocation:
            raise OutOfMemoryError(
                f"{entry.op}: {in_words(entry.nbytes)} in one array, {entry.dtype} of shape "
                f"{entry.shape}: the device allows {in_words(limits.max_allocation)}; work in "
                "smaller pieces"
            )


class _Planner:
    """Slots and windows, kernel by kernel."""

    def __init__(self, graph: Graph, limits: DeviceLimits, cuts: Partition) -> None:
        self.graph = graph
        self.limits = limits
        self.cuts = cuts
        self.slots: list[Slot] = []
        self.inputs: dict[int, int] = {}  # storage number -> slot
        self.outputs: dict[int, int] = {}  # position -> slot
        self.temporaries: dict[int, int] = {}
        self.successor: dict[int, int] = {}  # old version -> the write that takes its memory over
        self.kept: dict[int, int] = {}  # write -> storage number that it takes over
        self.scalars: dict[int, int] = {}
        self.groups: dict[int, int] = {}
        self.planned: list[Planned] = []
        self.lowered: list[Lowered] = []
        entries = graph.entries
        self.persistent = graph.keep | {
            graph.owners[root] for root in graph.roots if entries[graph.owners[root]].computes
        }
        spans: dict[int, int] = {}
        for entry in entries:
            if entry.op == LEAF:
                end = entry.layout.span[1] * dtypes.by_name(entry.dtype).itemsize
                spans[entry.storage] = max(spans.get(entry.storage, 0), end)
        for position, entry in enumerate(entries):  # views may reach further than their owner's use
            owner = entries[graph.owners[position]]
            if owner.op == LEAF:
                end = entry.layout.span[1] * dtypes.by_name(entry.dtype).itemsize
                spans[owner.storage] = max(spans[owner.storage], end)
        for storage, nbytes in spans.items():
            self.inputs[storage] = self._slot(nbytes, "input")

    def _slot(self, nbytes: int, role: str) -> int:
        self.slots.append(Slot(max(nbytes, 1), role))
        return len(self.slots) - 1

    def slot_of(self, position: int) -> int:
        """The slot that holds an entry's memory."""
        entry = self.graph.entries[position]
        if entry.op == LEAF:
            return self.inputs[entry.storage]
        while position in self.successor:
            position = self.successor[position]
        if position in self.kept:
            return self.inputs[self.kept[position]]
        for table in (self.outputs, self.temporaries):
            if position in table:
                return table[position]
        table, role = (
            (self.outputs, "output")
            if position in self.persistent
            else (self.temporaries, "temporary")
        )
        table[position] = self._slot(entry.nbytes, role)
        return table[position]

    def run(self) -> None:
        """Lower every kernel, decide writes in place, and cut into windows."""
        available: set[int] = set()
        for cut in self.cuts.cuts:
            lowered = lower(self.graph, cut, available, self.cuts.placed)
            available.update(cut.outputs)
            if cut.update is not None:
                available.add(cut.update)
            self.lowered.append(lowered)
        makers = {
            access.position: number
            for number, lowered in enumerate(self.lowered)
            for _, access in lowered.outputs
        }
        for number, lowered in enumerate(self.lowered):
            for _, access in lowered.outputs:
                self._decide_in_place(number, lowered, access, makers)
        for lowered in self.lowered:
            for _, access in lowered.outputs:
                if self.graph.entries[access.position].op == UPDATE:
                    if not self._takes_over(access.position):
                        self._copy_old(access.position)
            for scalar in lowered.scalars:
                self.scalars.setdefault(scalar, len(self.scalars))
            aliased = any(self._takes_over(access.position) for _, access in lowered.outputs)
            for piece in split(lowered, self.limits, aliased):
                self._bind(lowered, piece)
        for position in self.persistent:  # an array without elements has no piece to bind it
            self.slot_of(position)

    def _decide_in_place(
        self, number: int, lowered: Lowered, output: Access, makers: dict[int, int]
    ) -> None:
        """Let a write take over the old version's memory.

        Its maker and every other reader must run before; `makers` has the kernel of each position.
        """
        entries = self.graph.entries
        write = entries[output.position]
        if write.op not in ("assign", "update"):
            return
        old = self.graph.owners[write.sources[0]]
        while entries[old].op == "assign" and old not in self.cuts.stored:
            old = self.graph.owners[entries[old].sources[0]]  # a version that needs no memory
        leaf = entries[old].op == LEAF
        if leaf and (
            output.position not in self.graph.in_place
            or entries[old].storage in self.kept.values()
            or entries[old].layout != contiguous(write.shape)
        ):
            return
        if not leaf and (
            old in self.persistent or old in self.successor or makers.get(old, number) >= number
        ):
            return
        for later in self.lowered[number:]:
            for load in later.loads:
                entry = entries[load.position]
                same = entry.storage == entries[old].storage if leaf else load.position == old
                if same and (later is not lowered or load.layout != output.layout):
                    return
        if leaf:
            self.kept[output.position] = entries[old].storage
        else:
            if old in self.kept:
                self.kept[output.position] = self.kept[old]
            self.successor[old] = output.position

    def _takes_over(self, position: int) -> bool:
        return position in self.kept or position in self.successor.values()

    def _copy_old(self, position: int) -> None:
        """A partial write into new memory: first the old version, whole."""
        entry = self.graph.entries[position]
        old = self.graph.owners[entry.sources[0]]
        whole = contiguous(entry.shape)
        lowered = Lowered(
            entry.shape, (Access(old, entry.dtype, whole, True),), (), (), (), (),
            ((0, Access(position, entry.dtype, whole, True)),), (position,), 0,
        )  # fmt: skip
        for piece in split(lowered, self.limits, False):
            self._bind(lowered, piece)

    def _bind(self, lowered: Lowered, piece: Piece) -> None:
        """The windows of one piece, and where its arrays start in them."""
        accesses = [
            *((access, layout, False) for access, layout in zip(
                lowered.loads, piece.loads, strict=True)),
            *((access, layout, True) for (_, access), layout in zip(
                lowered.outputs, piece.outputs, strict=True)),
        ]  # fmt: skip
        bindings, starts = [], []
        align = max(self.limits.offset_alignment, 64)
        for access, layout, writes in accesses:
            size = access.itemsize
            low, high = layout.span
            base = low * size // align * align
            stop = -(-high * size // GRAIN) * GRAIN
            bindings.append(Binding(self.slot_of(access.position), base, stop - base, writes))
            starts.append(layout.offset - base // size)
        self.planned.append(
            Planned(
                lowered, piece, tuple(bindings), tuple(starts),
                tuple(self.scalars[position] for position in lowered.scalars),
            )
        )


def _moved(lowered: Lowered) -> int:
    """Bytes that a kernel reads and writes, once per element touched."""
    loads = {(load.position, load.layout): load.touched for load in lowered.loads}
    return sum(loads.values()) + sum(access.touched for _, access in lowered.outputs)


def _unfused(graph: Graph) -> int:
    """Bytes that one kernel an operation would read and write."""
    total = 0
    for entry in graph.entries:
        if not entry.computes or entry.op == "full":
            continue
        total += entry.nbytes
        for source in entry.sources:
            if graph.entries[graph.owners[source]].op != "full":
                total += graph.entries[source].nbytes
    return total
