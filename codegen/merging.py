"""Merging sideways: many small pieces with the same kernel become one step.

Pieces may share a step when they have one region, read and write linearly, and none of them
touches what another writes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vkml.limits import DeviceLimits
from vkml.program import Slot

from .kernel import CONSTANT, LINEAR, Region

if TYPE_CHECKING:
    from .steps import Planned

__all__ = ["MergedPieces", "merge"]

SMALL_BYTES = 1 << 20
"""A piece whose largest window is bigger than this keeps its own dispatch."""


@dataclass(frozen=True, slots=True)
class MergedPieces:
    """Pieces of one step and the segmented form of their region."""

    region: Region
    members: tuple[Planned, ...]


def merge(
    planned: Sequence[Planned], slots: Sequence[Slot], limits: DeviceLimits
) -> list[Planned | MergedPieces]:
    """The pieces in order, small like ones joined where order allows it.

    A piece joins the newest step of its region unless a step in between, or that step itself,
    writes what the piece touches or reads what it writes.
    """
    result: list[list[Planned]] = []
    newest: dict[Region, int] = {}
    last_write: dict[int, int] = {}
    last_read: dict[int, int] = {}
    for item in planned:
        region = item.piece.region
        small = _mergeable(item)
        earliest = 0
        for binding in item.bindings:
            earliest = max(earliest, last_write.get(binding.slot, -1) + 1)
            if binding.writes:
                earliest = max(earliest, last_read.get(binding.slot, -1) + 1)
        place = newest.get(region, -1) if small else -1
        if place < earliest:
            result.append([])
            place = len(result) - 1
            if small:
                newest[region] = place
        result[place].append(item)
        for binding in item.bindings:
            table = last_write if binding.writes else last_read
            table[binding.slot] = max(table.get(binding.slot, -1), place)
    return [
        members[0]
        if len(members) == 1
        else MergedPieces(
            dataclasses.replace(members[0].piece.region, segmented=True), tuple(members)
        )
        for members in result
    ]


def _mergeable(item: Planned) -> bool:
    region = item.piece.region
    return (
        all(operand.layout in (LINEAR, CONSTANT) for operand in region.operands)
        and all(output.layout == LINEAR for output in region.outputs)
        and not region.indices
        and region.room == 0
        and max(binding.size for binding in item.bindings) <= SMALL_BYTES
        and all(start == 0 for start in item.starts)
        and len(region.operands) + len(region.outputs) + 1 <= 16
    )
