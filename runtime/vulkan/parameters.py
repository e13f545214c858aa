"""Parameter memory of a recording: where blocks and tables lie, and how scalars get there."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from vkml.errors import DeviceError
from vkml.program import Patch, Range

from .pipelines import Pipeline

__all__ = ["Launch", "ParameterPlan", "Window", "plan_parameters"]

Window = tuple[int, int, int]
"""A bound window: number of a place (a buffer and a base offset), offset from it, bytes."""

_FORMAT = re.compile(r"^[<=]?([a-zA-Z?]+)$")


@dataclass(frozen=True, slots=True)
class Launch:
    """One vkCmdDispatch: a Dispatch, or a part of a Merged step.

    `step` is the position of the program's step, `cost` the bytes that it touches; `table` is the
    segment table with its patches.
    """

    step: int
    pipeline: Pipeline
    windows: tuple[Window, ...]
    groups: tuple[int, int, int]
    parameters: bytes
    patches: tuple[Patch, ...]
    barriers: tuple[Range, ...]
    cost: int
    table: bytes | None = None
    table_patches: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ParameterPlan:
    """The parameter memory of a list of launches.

    image       its bytes, zeros where scalars go
    blocks      for each launch, offset and size of its parameter block
    tables      for each launch, offset and size of its segment table; (0, 0) for none
    pack        writes the scalars of one execution into mapped memory; None without scalars
    """

    image: bytes
    blocks: tuple[tuple[int, int], ...]
    tables: tuple[tuple[int, int], ...]
    pack: Callable[[Any, Sequence[Any]], None] | None


def plan_parameters(launches: Sequence[Launch], alignment: int) -> ParameterPlan:
    """Lay out the parameter memory of `launches`, each part aligned to `alignment` bytes."""
    image = bytearray()
    patches: list[Patch] = []

    def add(content: bytes, changing: Sequence[Patch]) -> tuple[int, int]:
        image.extend(bytes(-len(image) % alignment))
        start = len(image)
        image.extend(content.ljust(16, b"\0"))
        for patch in changing:
            patches.append(Patch(start + patch.position, patch.scalar, patch.format))
        return start, max(16, len(content))

    blocks = []
    tables = []
    for launch in launches:
        blocks.append(add(launch.parameters, launch.patches))
        table = launch.table
        tables.append((0, 0) if table is None else add(table, launch.table_patches))
    return ParameterPlan(bytes(image), tuple(blocks), tuple(tables), _packer(image, patches))


def _packer(image: bytearray, patches: list[Patch]) -> Callable[[Any, Sequence[Any]], None] | None:
    """One struct over all patches: the constant bytes between them are packed along."""
    if not patches:
        return None
    patches = sorted(patches, key=lambda patch: patch.position)
    position = start = patches[0].position
    layout = "<"
    constants: list[bytes] = []
    order: list[tuple[str, int]] = []
    for patch in patches:
        match = _FORMAT.match(patch.format)
        if match is None:
            raise DeviceError(f"internal: patch format {patch.format!r}")
        gap = bytes(image[position : patch.position])
        if gap.strip(b"\0"):
            layout += f"{len(gap)}s"
            order.append(("constant", len(constants)))
            constants.append(gap)
        elif gap:
            layout += f"{len(gap)}x"
        layout += match[1]
        order.append(("scalar", patch.scalar))
        position = patch.position + struct.calcsize("<" + match[1])
    pack_into = struct.Struct(layout).pack_into
    if len(order) == 1:
        only = order[0][1]

        def pack_one(memory: Any, scalars: Sequence[Any]) -> None:
            pack_into(memory, start, scalars[only])

        return pack_one
    if not constants:
        pick = itemgetter(*(index for _, index in order))

        def pack_scalars(memory: Any, scalars: Sequence[Any]) -> None:
            pack_into(memory, start, *pick(scalars))

        return pack_scalars
    count = len(constants)
    pick_mixed = itemgetter(
        *(index if kind == "constant" else count + index for kind, index in order)
    )

    def pack_mixed(memory: Any, scalars: Sequence[Any]) -> None:
        pack_into(memory, start, *pick_mixed((*constants, *scalars)))

    return pack_mixed
