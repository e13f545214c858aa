"""Lowering: one kernel of a partition to Regions and the numbers they run with.

A Region holds what is in the kernel's text; a Piece holds what is data: the arrays, their layouts,
the iteration. Large work becomes several pieces, each within the device's windows.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from vkml import dtypes
from vkml.errors import UnsupportedError
from vkml.limits import DeviceLimits
from vkml.shapes import Layout, compose, contiguous, size_of

from .capture import Graph
from .instances import Instance, cost_of, pull, through
from .kernel import (
    AXIS_ROOM,
    CONSTANT,
    LINEAR,
    SPLAT,
    STRIDED,
    TILED,
    VECTOR,
    Operand,
    Output,
    Region,
    Statement,
)
from .partition import Cut

__all__ = ["Access", "Lowered", "Piece", "classify", "lower", "split"]

SMALL = 1 << 14
"""Iterations of fewer elements use the general access for every view: one kernel serves them all,
and wide loads would not be felt."""


@dataclass(frozen=True, slots=True)
class Access:
    """An array that a kernel reads or writes: whose memory and where.

    plain    not through a view: row-major in its own shape
    single   an array of no axes
    """

    position: int
    dtype: str
    layout: Layout
    plain: bool
    single: bool = False

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return dtypes.by_name(self.dtype).itemsize

    @property
    def touched(self) -> int:
        """Bytes of the distinct elements that are touched."""
        extents = zip(self.layout.shape, self.layout.strides, strict=True)
        return self.itemsize * size_of([n if stride or n == 0 else 1 for n, stride in extents])


@dataclass(frozen=True, slots=True)
class Lowered:
    """One kernel of the partition, still in terms of the graph.

    `statements` name values as Region does: loads, scalars, indices, statements. `outputs` are
    (value, access) pairs.
    """

    shape: tuple[int, ...]
    loads: tuple[Access, ...]
    scalars: tuple[int, ...]
    scalar_dtypes: tuple[str, ...]
    indices: tuple[Access, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[tuple[int, Access], ...]
    positions: tuple[int, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One dispatch to be: a region, its iteration, and a layout for each load, index and output."""

    region: Region
    shape: tuple[int, ...]
    loads: tuple[Layout, ...]
    indices: tuple[Layout, ...]
    outputs: tuple[Layout, ...]


def lower(
    graph: Graph, cut: Cut, available: Container[int], placed: Container[int] = ()
) -> Lowered:
    """What the kernel of `cut` computes, with a value number for everything.

    `available` and `placed` as in `pull`.
    """
    entries = graph.entries
    targets: list[tuple[Instance, Access]] = []
    if cut.update is not None:
        entry = entries[cut.update]
        assert entry.part is not None
        source = through(graph, entry.sources[1], contiguous(cut.shape))
        assert source is not None
        targets.append((source, Access(cut.update, entry.dtype, entry.part, False)))
    for position in cut.outputs:
        identity = graph.identity(position)
        access = Access(position, entries[position].dtype, identity, True)
        targets.append((Instance(position, identity), access))
    computed = [
        instance
        for instance, _ in targets
        if cut.update is None
        or (entries[instance.position].computes and instance.position not in available)
        or entries[instance.position].is_source
    ]
    pulled = pull(graph, computed, available, None, placed)
    loads = dict(pulled.loads)
    for instance, _ in targets:
        if instance not in computed:
            loads[instance] = None
    numbers: dict[Instance, int] = {}
    accesses: list[Access] = []
    for instance in loads:
        entry = entries[instance.position]
        layout = compose(instance.layout, entry.shape, entry.layout)
        assert layout is not None
        plain = not (instance.moved or entry.moved) and layout.is_contiguous
        numbers[instance] = len(accesses)
        accesses.append(Access(instance.position, entry.dtype, layout, plain, entry.shape == ()))
    scalars = [i for i in pulled.body if entries[i.position].op == "full"]
    indices = [i for i in pulled.body if entries[i.position].op == "index"]
    for instance in (*scalars, *indices):
        numbers[instance] = len(numbers)
    statements: list[Statement] = []
    for instance, operands in pulled.body.items():
        entry = entries[instance.position]
        if entry.is_source:
            continue
        if entry.op == "assign":  # the value itself, under another name
            numbers[instance] = numbers[operands[0]]
            continue
        arguments = tuple(numbers[operand] for operand in operands)
        operand_dtype = entries[operands[-1].position].dtype
        numbers[instance] = len(loads) + len(scalars) + len(indices) + len(statements)
        statements.append(Statement(entry.op, arguments, operand_dtype, entry.dtype))
    return Lowered(
        cut.shape,
        tuple(accesses),
        tuple(instance.position for instance in scalars),
        tuple(entries[instance.position].dtype for instance in scalars),
        tuple(
            Access(
                i.position, entries[i.position].dtype, i.layout,
                not i.moved and i.layout.is_contiguous,
            )
            for i in indices
        ),
        tuple(statements),
        tuple((numbers[instance], access) for instance, access in targets),
        tuple(instance.position for instance in pulled.body),
        sum(cost_of(graph, instance.position) for instance in pulled.body),
    )  # fmt: skip


def collapse(
    shape: tuple[int, ...], layouts: list[Layout]
) -> tuple[tuple[int, ...], list[Layout]]:
    """The same iteration with as few axes as all layouts allow."""
    axes: list[tuple[int, list[int]]] = []
    for axis, extent in enumerate(shape):
        if extent == 1:
            continue
        strides = [layout.strides[axis] if layout.shape else 0 for layout in layouts]
        if axes and all(a == extent * b for a, b in zip(axes[-1][1], strides, strict=True)):
            axes[-1] = (axes[-1][0] * extent, strides)
        else:
            axes.append((extent, strides))
    extents = tuple(extent for extent, _ in axes)
    return extents, [
        Layout(extents, tuple(strides[n] for _, strides in axes), layout.offset)
        for n, layout in enumerate(layouts)
    ]


def classify(
    lowered: Lowered, shape: tuple[int, ...], layouts: list[Layout], ends: bool,
    limits: DeviceLimits, aliased: bool,
) -> Piece:  # fmt: skip
    """The region that serves an iteration: layout classes, elements a thread, axis room.

    `layouts` are those of the loads, indices and outputs in order; `ends` says that the iteration
    reaches the end of its outputs, so that a last vector may run into their padding.
    """
    accesses = [*lowered.loads, *(access for _, access in lowered.outputs)]
    shape, layouts = collapse(shape, layouts)
    size = size_of(shape)
    widest = max((access.itemsize for access in accesses), default=4)
    elements = max(4, min(16, 16 // widest))
    runs = size >= SMALL and bool(shape) and shape[-1] % elements == 0
    axis = tile_axis(lowered, shape, layouts, limits) if runs and not aliased else None
    if axis is not None:
        order = [*(n for n in range(len(shape) - 1) if n != axis), axis, len(shape) - 1]
        shape = tuple(shape[n] for n in order)
        layouts = [layout.permuted(order) for layout in layouts]
    row = contiguous(shape).strides if axis is None else None

    def kind(layout: Layout, access: Access) -> str:
        linear = layout.strides == row and layout.offset % elements == 0
        if linear and (access.plain or (size >= SMALL and len(lowered.shape) == 1)):
            return LINEAR
        if access.single or (size >= SMALL and not any(layout.strides)):
            return CONSTANT
        if runs and layout.strides[-1] == 0:
            return SPLAT
        if axis is not None and crosses(layout, -2):
            return TILED
        aligned = not any(n % elements for n in (*layout.strides[:-1], layout.offset))
        if runs and layout.strides[-1] == 1 and aligned:
            return VECTOR
        return STRIDED

    def stored(layout: Layout, access: Access) -> str:
        if access.plain and layout.offset % elements == 0:
            if layout.strides == row and (ends or size % elements == 0):
                return LINEAR
        aligned = not any(n % elements for n in (*layout.strides[:-1], layout.offset))
        return VECTOR if runs and layout.strides[-1] == 1 and aligned else STRIDED

    first, last = len(lowered.loads), len(lowered.loads) + len(lowered.indices)
    operands = tuple(
        Operand(access.dtype, kind(layout, access))
        for access, layout in zip(lowered.loads, layouts, strict=False)
    )
    indices = tuple(
        Operand(
            access.dtype,
            LINEAR if layout.strides == row and access.plain else STRIDED,
        )
        for access, layout in zip(lowered.indices, layouts[first:], strict=False)
    )
    outputs = tuple(
        Output(value, stored(layout, access))
        for (value, access), layout in zip(lowered.outputs, layouts[last:], strict=True)
    )
    kinds = {item.layout for item in (*operands, *indices)} | {item.layout for item in outputs}
    placed = bool(kinds - {LINEAR, CONSTANT})
    room = 0
    if placed:
        fitting = [room for room in AXIS_ROOM[1:] if len(shape) <= room]
        if not fitting:
            raise UnsupportedError(
                f"a view over {len(shape)} axes; at most {AXIS_ROOM[-1]} fit one kernel, "
                "call .contiguous() on a part of it first"
            )
        room = fitting[0]
    region = Region(
        operands,
        lowered.scalar_dtypes,
        indices,
        lowered.statements,
        outputs,
        elements,
        room,
        runs and placed,
        lowered.cost * elements <= limits.unroll_budget,
        aliased,
    )
    return Piece(
        region, shape, tuple(layouts[:first]), tuple(layouts[first:last]), tuple(layouts[last:])
    )


def crosses(layout: Layout, axis: int) -> bool:
    """Whether an array is consecutive along `axis` and strided along the innermost one."""
    return layout.strides[axis] == 1 and layout.strides[-1] not in (0, 1)


def tile_axis(
    lowered: Lowered, shape: tuple[int, ...], layouts: list[Layout], limits: DeviceLimits
) -> int | None:
    """The axis along which transposed operands are consecutive, if tiles are worth their while."""
    if not limits.tile or len(shape) < 2 or shape[-1] < limits.tile:
        return None
    votes: dict[int, int] = {}
    for access, layout in zip(lowered.loads, layouts, strict=False):
        for axis in range(len(shape) - 1):
            if shape[axis] >= limits.tile and crosses(layout, axis):
                votes[axis] = votes.get(axis, 0) + limits.tile * (limits.tile + 1) * max(
                    access.itemsize, 4
                )
    fitting = [axis for axis, nbytes in votes.items() if nbytes <= limits.max_shared_bytes]
    return max(fitting, key=votes.__getitem__, default=None)


def split(lowered: Lowered, limits: DeviceLimits, aliased: bool) -> list[Piece]:
    """The pieces of a kernel: each within one window an array, and within the group limits."""
    layouts = [
        *(access.layout for access in lowered.loads),
        *(access.layout for access in lowered.indices),
        *(access.layout for _, access in lowered.outputs),
    ]
    itemsizes = [
        *(access.itemsize for access in lowered.loads),
        *(0 for _ in lowered.indices),
        *(access.itemsize for _, access in lowered.outputs),
    ]
    most = min(2**31 - 2**16, limits.max_groups * limits.max_groups * limits.workgroup * 4)
    window = limits.max_storage_range - 256 - limits.offset_alignment
    if window < 256:
        window = limits.max_storage_range // 2
    pieces: list[Piece] = []
    work = [(lowered.shape, layouts, True)]
    while work:
        shape, layouts, ends = work.pop()
        size = size_of(shape)
        if size == 0:
            continue
        spans = [
            (high - low) * itemsize
            for (low, high), itemsize in zip((x.span for x in layouts), itemsizes, strict=True)
        ]
        worst = max(range(len(spans)), key=spans.__getitem__, default=0)
        if size <= most and (not spans or spans[worst] <= window):
            pieces.append(classify(lowered, shape, layouts, ends, limits, aliased))
            continue
        reach = [
            (extent - 1) * (abs(stride) if spans[worst] > window else 1)
            for extent, stride in zip(shape, layouts[worst].strides, strict=True)
        ]
        axis = max(range(len(shape)), key=reach.__getitem__)
        half = (shape[axis] + 1) // 2
        if half > 64:
            half = half // 64 * 64
        ahead = all(extent == 1 for extent in shape[:axis])
        for start, count in ((half, shape[axis] - half), (0, half)):
            part = [layout.sliced(axis, start, count, 1) for layout in layouts]
            work.append((part[0].shape, part, ends and ahead and start > 0))
    return pieces
