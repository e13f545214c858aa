"""Random programs: what overlaps is ordered, within a submission and across submissions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.device.runtime_support import add, fresh_device, needs_vulkan, silent_validation
from vkml.program import Patch, Program, Range, Slot
from vkml.runtime import open_device

pytestmark = needs_vulkan

LENGTH = 512  # elements of an array
STEP = 64  # windows start at multiples of this many elements: 256 bytes


@pytest.fixture(scope="module", params=["direct", "copies"])
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    with silent_validation():
        if request.param == "direct":
            yield open_device("vulkan")
        else:
            with fresh_device(copies=True) as opened:
                yield opened


@st.composite
def programs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int, int, int]]]:
    """How many arrays, and steps (array, start, length, factor, scalar)."""
    arrays = draw(st.integers(1, 4))
    count = draw(st.integers(1, 12))
    steps = []
    for _ in range(count):
        start = STEP * draw(st.integers(0, LENGTH // STEP - 1))
        length = draw(st.integers(1, LENGTH - start))
        steps.append(
            (
                draw(st.integers(0, arrays - 1)),
                start,
                length,
                draw(st.integers(1, 5)),
                draw(st.integers(0, 3)),
            )
        )
    return arrays, steps


def build(arrays: int, steps: list[tuple[int, int, int, int, int]]) -> Program:
    """The program, with barriers on just the ranges that meet earlier ones since their last."""
    slots = [Slot(4 * LENGTH, "input") for _ in range(arrays)]
    made = []
    open_ranges: list[tuple[int, int, int]] = []
    for slot, start, length, factor, scalar in steps:
        low, high = 4 * start, 4 * (start + length)
        meets = [
            item for item in open_ranges if item[0] == slot and item[1] < high and low < item[2]
        ]
        barriers = tuple(Range(*item) for item in meets)
        if meets:
            open_ranges = []  # an execution barrier orders everything before it
        open_ranges.append((slot, low, high))
        made.append(
            add(length, slot, (factor, 0, 1), (Patch(8, scalar, "<I"),), barriers, offset=low)
        )
    reads = tuple(Range(slot, 0, 4 * LENGTH) for slot in range(arrays))
    return Program(tuple(slots), tuple(made), 4, reads)


def apply(
    values: list[Any], steps: list[tuple[int, int, int, int, int]], scalars: list[int]
) -> None:
    for slot, start, length, factor, scalar in steps:
        part = values[slot][start : start + length]
        part[:] = part * numpy.uint32(factor) + numpy.uint32(scalars[scalar]) + numpy.uint32(1)


@settings(max_examples=60)
@given(programs(), st.integers(1, 6), st.booleans())
def test_programs_in_flight(
    device: Any,
    made: tuple[int, list[tuple[int, int, int, int, int]]],
    executions: int,
    patient: bool,
) -> None:
    arrays, steps = made
    program = build(arrays, steps)
    values = [numpy.arange(LENGTH, dtype=numpy.uint32) + slot for slot in range(arrays)]
    buffers = []
    for value in values:
        buffer = device.allocate(value.nbytes, for_upload=True)
        device.upload(buffer, value)
        buffers.append(buffer)
    tickets = []
    expected = []
    for number in range(executions):
        scalars = [number, 2 * number, 7, 1000]
        tickets.append(device.execute(program, buffers, scalars))
        if patient:
            tickets[-1].wait()
        apply(values, steps, scalars)
        expected.append([value.copy() for value in values])
    for ticket, wanted in zip(tickets, expected, strict=True):
        for slot in range(arrays):
            assert numpy.array_equal(ticket.read(slot).view(numpy.uint32), wanted[slot])


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 3000), st.integers(0, 5)), min_size=1, max_size=30))
def test_freed_memory_reused_while_the_device_works(
    device: Any, requests: list[tuple[int, int]]
) -> None:
    """Arrays come and go without a wait: uploads, executions and reads keep their order."""
    program = Program(
        (Slot(4, "input"),), (add(1, 0, (1, 0, 0), (Patch(8, 0, "<I"),)),), 1, (Range(0, 0, 4),)
    )
    live: list[tuple[Any, int]] = []
    tickets = []
    for number, (size, action) in enumerate(requests):
        buffer = device.allocate(4 * size, for_upload=action % 2 == 0)
        device.upload(buffer, numpy.full(size, number, numpy.uint32))
        tickets.append((device.execute(program, [buffer], [action]), number + action))
        live.append((buffer, number))
        if action > 2:
            live.pop(0)
    for buffer, number in live:
        tail = device.download(buffer, 4, buffer.nbytes - 4).view(numpy.uint32)
        assert set(tail.tolist()) <= {number}
    for ticket, expected in tickets:
        assert ticket.read(0).view(numpy.uint32).tolist() == [expected]
