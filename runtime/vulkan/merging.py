"""Merged steps: segments grouped by the memory blocks that their operands lie in."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vkml.errors import DeviceError
from vkml.limits import DeviceLimits
from vkml.program import Merged, Patch, Segment

from .memory import Allocation
from .parameters import Launch, Window
from .pipelines import Pipeline

__all__ = ["Place", "merge"]

Place = tuple[int, int]
"""A VkBuffer and an offset in it."""

_Key = tuple[tuple[int, int, int], ...]  # (buffer, window start, window size) a binding


def merge(
    step: int,
    merged: Merged,
    pipeline: Pipeline,
    memory: Sequence[Allocation],
    bases: Sequence[int],
    limits: DeviceLimits,
    alignment: int,
    places: list[Place],
) -> list[Launch]:
    """The launches of a Merged step for one binding of its slots.

    `memory` and `bases` say for each slot which allocation it lies in and where it starts in the
    allocation's block. Windows are appended to `places`. One launch a distinct tuple of windows,
    more where the table or the number of workgroups would pass a limit.
    """
    grouped: dict[_Key, list[Segment]] = {}
    for segment in merged.segments:
        if not segment.groups:
            continue
        key = tuple(
            _window(memory[item.slot], bases[item.slot] + item.offset, item.size, limits, alignment)
            for item in segment.bindings
        )
        grouped.setdefault(key, []).append(segment)
    launches: list[Launch] = []
    for key, segments in grouped.items():
        windows = []
        for buffer, start, size in key:
            windows.append((len(places), 0, size))
            places.append((buffer, start))
        for part in _parts(segments, limits):
            launches.append(_launch(step, merged, pipeline, key, windows, part, bases, limits))
    if launches:
        launches[0] = replace(launches[0], barriers=merged.barriers)
    return launches


def _window(
    piece: Allocation, start: int, size: int, limits: DeviceLimits, alignment: int
) -> tuple[int, int, int]:
    """The window to bind for an operand: the whole block, or a part that many operands share.

    Parts overlap by half, so that every operand of up to half a binding's range fits one.
    """
    block = piece.block
    reach = limits.max_storage_range
    if block.size <= reach:
        return block.buffer, 0, block.size
    half = reach // 2 // alignment * alignment
    left = start // half * half if half else start
    if start + size > left + reach:
        left = start // alignment * alignment
    if start + size > left + reach:
        raise DeviceError(f"internal: an operand of {size} bytes passes max_storage_range={reach}")
    return block.buffer, left, min(reach // 4 * 4, block.size - left)


def _row_bytes(segment: Segment) -> int:
    return 4 * (1 + len(segment.bindings)) + len(segment.words)


def _parts(segments: list[Segment], limits: DeviceLimits) -> list[list[Segment]]:
    """Cut a group so that its table fits one binding and its workgroups fit one dispatch."""
    most = limits.max_groups * limits.max_groups
    parts: list[list[Segment]] = [[]]
    rows = groups = 0
    for segment in segments:
        if segment.groups > most:
            raise DeviceError(
                f"internal: a segment of {segment.groups} workgroups, at most {most} fit"
            )
        size = _row_bytes(segment)
        if parts[-1] and (rows + size > limits.max_storage_range or groups + segment.groups > most):
            parts.append([])
            rows = groups = 0
        parts[-1].append(segment)
        rows += size
        groups += segment.groups
    return parts


def _launch(
    step: int,
    merged: Merged,
    pipeline: Pipeline,
    key: _Key,
    windows: list[Window],
    segments: list[Segment],
    bases: Sequence[int],
    limits: DeviceLimits,
) -> Launch:
    table = bytearray()
    patches: list[Patch] = []
    first = 0
    for segment in segments:
        starts: list[Any] = []
        for item, (_, left, _) in zip(segment.bindings, key, strict=True):
            start = bases[item.slot] + item.offset - left
            if start % 16:
                raise DeviceError("internal: a merged operand is not aligned to 16 bytes")
            starts.append(start // 16)
        table += struct.pack(f"<{1 + len(starts)}I", first, *starts)
        for patch in segment.patches:
            patches.append(Patch(len(table) + patch.position, patch.scalar, patch.format))
        table += segment.words
        first += segment.groups
    along = min(first, limits.max_groups)
    parameters = bytearray(merged.parameters.ljust(8, b"\0"))
    struct.pack_into("<II", parameters, 0, len(segments), along)
    return Launch(
        step,
        pipeline,
        tuple(windows),
        (along, -(-first // along), 1),
        bytes(parameters),
        (),
        (),
        sum(item.size for segment in segments for item in segment.bindings),
        bytes(table),
        tuple(patches),
    )
