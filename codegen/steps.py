"""Steps: planned pieces as dispatches with parameter blocks, like ones merged."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vkml.limits import DeviceLimits
from vkml.program import Binding, Dispatch, Merged, Patch, Segment, Slot, SpirvKernel
from vkml.shapes import Layout, size_of

from .division import magic
from .host import host_kernel
from .kernel import LINEAR, Parameters, Region
from .kernels import Kernels
from .lower import Lowered, Piece
from .merging import merge

__all__ = ["Planned", "steps_of"]

FORMATS = {
    "bool": "I", "int8": "i", "int16": "i", "int32": "i", "int64": "q",
    "uint8": "I", "uint16": "I", "uint32": "I", "uint64": "Q",
    "float16": "f", "float32": "f", "float64": "d",
}  # fmt: skip
"""How a scalar of a dtype is packed into a parameter block."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One piece with the windows it binds: what becomes a Dispatch or a Segment."""

    lowered: Lowered
    piece: Piece
    bindings: tuple[Binding, ...]
    starts: tuple[int, ...]
    scalars: tuple[int, ...]


def steps_of(
    planned: Sequence[Planned],
    slots: Sequence[Slot],
    limits: DeviceLimits,
    kernels: Kernels | None,
    where: Callable[[Lowered], str] | None,
) -> tuple[list[Dispatch | Merged], list[tuple[int, ...]]]:
    """The planned pieces as steps, in order, and for each step the numbers of its pieces.

    Host kernels where `kernels` is None. `where` names the user's lines in a CompileError.
    """
    if kernels is None:
        host = [host_kernel(item.piece, item.starts, item.scalars) for item in planned]
        return (
            [Dispatch(kernel, item.bindings) for kernel, item in zip(host, planned, strict=True)],
            [(number,) for number in range(len(planned))],
        )
    merged = merge(planned, slots, limits)
    members = [(item,) if isinstance(item, Planned) else item.members for item in merged]
    regions = [item.piece.region if isinstance(item, Planned) else item.region for item in merged]
    lowered = {region: items[0].lowered for region, items in zip(regions, members, strict=True)}

    def lines(region: Region) -> str:
        assert where is not None
        return where(lowered[region])

    made = kernels.kernels(regions, None if where is None else lines)
    steps = [
        _dispatch(item, kernel, limits)
        if isinstance(item, Planned)
        else _merged(item.region, item.members, kernel, limits)
        for item, kernel in zip(merged, made, strict=True)
    ]
    number = {id(item): place for place, item in enumerate(planned)}
    return steps, [tuple(number[id(item)] for item in items) for items in members]


def _dispatch(item: Planned, kernel: SpirvKernel, limits: DeviceLimits) -> Dispatch:
    """One piece as a dispatch with its parameter block."""
    region, piece = item.piece.region, item.piece
    size = size_of(piece.shape)
    layout = Parameters(region)
    block = bytearray(layout.nbytes)
    patches: list[Patch] = []
    workgroup, groups = _groups(size, region.elements, limits)
    if region.tiled:
        *outer, rows, columns = piece.shape
        groups = size_of(outer) * -(-rows // limits.tile) * -(-columns // limits.tile)
    words = _words(item, groups if region.tiled else size)
    for place, name in enumerate(layout.words):
        if name in words:
            struct.pack_into("<I", block, 4 * place, words[name] & 0xFFFFFFFF)
    for number, (dtype, scalar) in enumerate(zip(region.scalars, item.scalars, strict=True)):
        place = layout.words.index(f"scalar_{len(region.operands) + number}")
        patches.append(Patch(4 * place, scalar, FORMATS[dtype]))
    if region.room:
        strides = _strides(item)
        for axis, extent in enumerate(reversed(piece.shape)):
            multiplier, shift = magic(extent)
            struct.pack_into(
                "<4I", block, 4 * (layout.axes_at + 4 * axis), extent, multiplier, shift, 0
            )
        for number, name in enumerate(layout.strided):
            at = layout.strides_at(number // 4) + number % 4
            for axis, stride in enumerate(reversed(strides[name])):
                struct.pack_into("<I", block, 4 * (at + 4 * axis), stride & 0xFFFFFFFF)
    rank = max(1, len(piece.shape))  # the zeros in the block are an axis of stride 0
    constants = (workgroup, rank) if region.room else (workgroup,)
    if region.tiled:
        constants = (*constants, limits.tile)
    if groups > limits.max_groups:
        rows = -(-groups // limits.max_groups)
        shape = (-(-groups // rows), rows, 1)
    else:
        shape = (groups, 1, 1)
    return Dispatch(kernel, item.bindings, bytes(block), tuple(patches), shape, constants)


def _words(item: Planned, size: int) -> dict[str, int]:
    """The single parameter words of a piece, by name."""
    region = item.piece.region
    words = {"count": size}
    for number, operand in enumerate(region.operands):
        start = item.starts[number]
        words[f"start_{number}"] = start // region.elements if operand.layout == LINEAR else start
    first_index = len(region.operands) + len(region.scalars)
    for number, layout in enumerate(item.piece.indices, first_index):
        words[f"start_{number}"] = layout.offset
        words[f"start_{number}_high"] = layout.offset >> 32
    for number, output in enumerate(region.outputs):
        start = item.starts[len(region.operands) + number]
        linear = output.layout == LINEAR
        words[f"start_out_{number}"] = start // region.elements if linear else start
    return words


def _strides(item: Planned) -> dict[str, tuple[int, ...]]:
    """The strides of everything in a piece, by the names that Parameters uses."""
    region, piece = item.piece.region, item.piece
    first_index = len(region.operands) + len(region.scalars)
    named: list[tuple[str, Layout]] = [
        *((str(n), layout) for n, layout in enumerate(piece.loads)),
        *((str(n), layout) for n, layout in enumerate(piece.indices, first_index)),
        *((f"out_{n}", layout) for n, layout in enumerate(piece.outputs)),
    ]
    return {name: layout.strides for name, layout in named}


def _groups(size: int, elements: int, limits: DeviceLimits) -> tuple[int, int]:
    """Workgroup size and number of workgroups for an iteration."""
    threads = -(-size // elements)
    return limits.workgroup, max(1, -(-threads // limits.workgroup))


def _merged(
    region: Region, members: Sequence[Planned], kernel: SpirvKernel, limits: DeviceLimits
) -> Merged:
    """Like pieces as one step with a segment table."""
    segments = []
    names = [n for n in Parameters(region).words if not n.startswith("start_")]
    for item in members:
        size = size_of(item.piece.shape)
        words = bytearray(4 * len(names))
        struct.pack_into("<I", words, 0, size)
        patches = tuple(
            Patch(4 * names.index(f"scalar_{len(region.operands) + n}"), scalar, FORMATS[dtype])
            for n, (dtype, scalar) in enumerate(zip(region.scalars, item.scalars, strict=True))
        )
        _, groups = _groups(size, region.elements, limits)
        segments.append(Segment(item.bindings, groups, bytes(words), patches))
    return Merged(kernel, tuple(segments), bytes(Parameters(region).nbytes), (limits.workgroup,))
