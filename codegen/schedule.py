"""Schedule: steps in order, the barriers between them, and memory for what lives in between.

Hazards are found by byte ranges: a step waits for earlier steps that wrote what it reads or
overwrites, or read what it overwrites, and for nothing else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from vkml.program import Binding, Dispatch, Merged, Range, Slot

__all__ = ["place_temporaries", "with_barriers"]

GRAIN = 256
"""Alignment of every allocation, in bytes."""


def bindings_of(step: Dispatch | Merged) -> tuple[Binding, ...]:
    """Every window that a step touches."""
    if isinstance(step, Dispatch):
        return step.bindings
    return tuple(binding for segment in step.segments for binding in segment.bindings)


def place_temporaries(
    slots: Sequence[Slot], steps: Sequence[Dispatch | Merged]
) -> tuple[tuple[Slot, ...], int]:
    """Slots with an arena offset for each temporary, and the arena's size.

    First fit over lifetimes (first to last step that touches a slot), the largest first.
    """
    lives: dict[int, list[int]] = {}
    for number, step in enumerate(steps):
        for binding in bindings_of(step):
            if slots[binding.slot].role == "temporary":
                lives.setdefault(binding.slot, [number, number])[1] = number
    placed: list[tuple[int, int, int, int]] = []  # first step, last step, start, stop
    offsets: dict[int, int] = {}
    total = 0
    for slot in sorted(lives, key=lambda item: -slots[item].nbytes):
        first, last = lives[slot]
        size = -(-slots[slot].nbytes // GRAIN) * GRAIN
        taken = sorted(
            (start, stop) for born, dead, start, stop in placed if born <= last and first <= dead
        )
        offset = 0
        for start, stop in taken:
            if offset + size <= start:
                break
            offset = max(offset, stop)
        placed.append((first, last, offset, offset + size))
        offsets[slot] = offset
        total = max(total, offset + size)
    return tuple(
        dataclasses.replace(slot, offset=offsets.get(number, 0))
        for number, slot in enumerate(slots)
    ), total


def with_barriers(
    slots: Sequence[Slot], steps: Sequence[Dispatch | Merged], groups: dict[int, int]
) -> tuple[Dispatch | Merged, ...]:
    """The steps, each with the byte ranges that must be finished before it.

    `groups` maps slots that may be the same memory to one number; temporaries share the arena.
    """
    pending: dict[int, list[tuple[int, int, bool, int]]] = {}  # memory: start, stop, wrote, slot
    result: list[Dispatch | Merged] = []
    for step in steps:
        waits: dict[Range, None] = {}
        touched: list[tuple[int, int, int, bool, int]] = []
        for binding in bindings_of(step):
            slot = slots[binding.slot]
            temporary = slot.role == "temporary"
            memory = -1 if temporary else groups.get(binding.slot, binding.slot)
            shift = slot.offset if temporary else 0
            start, stop = shift + binding.offset, shift + binding.offset + binding.size
            touched.append((memory, start, stop, binding.writes, binding.slot))
            for old_start, old_stop, wrote, old_slot in pending.get(memory, ()):
                if (wrote or binding.writes) and old_start < stop and start < old_stop:
                    base = slots[old_slot].offset if temporary else 0
                    waits[Range(old_slot, old_start - base, old_stop - base)] = None
        if waits:
            for wait in waits:
                slot = slots[wait.slot]
                temporary = slot.role == "temporary"
                memory = -1 if temporary else groups.get(wait.slot, wait.slot)
                shift = slot.offset if temporary else 0
                done = (wait.start + shift, wait.stop + shift)
                pending[memory] = [
                    item for item in pending[memory] if (item[0], item[1]) != done
                ]
        for memory, start, stop, wrote, slot_number in touched:
            pending.setdefault(memory, []).append((start, stop, wrote, slot_number))
        result.append(dataclasses.replace(step, barriers=tuple(waits)))
    return tuple(result)
