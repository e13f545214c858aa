"""Random programs: what overlaps is ordered, within a submission and across submissions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.device.runtime_support import add, fresh_device, mix, needs_vulkan, silent_validation
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


Step = tuple[tuple[int, int], tuple[int, int], int, int, int]
"""Source and target (array, first element), length, factor, number of the scalar."""


def overlap(a: tuple[int, int, int], b: tuple[int, int, int]) -> bool:
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]


@st.composite
def programs(draw: st.DrawFn) -> tuple[int, list[Step]]:
    """How many arrays, and steps whose source and target are the same window or disjoint."""
    arrays = draw(st.integers(1, 4))
    places = st.tuples(
        st.integers(0, arrays - 1), st.integers(0, LENGTH // STEP - 1).map(lambda n: n * STEP)
    )
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 12))):
        source, target = draw(places), draw(places)
        length = draw(st.integers(1, LENGTH - max(source[1], target[1])))
        if overlap((*source, source[1] + length), (*target, target[1] + length)):
            source = target
        steps.append((source, target, length, draw(st.integers(1, 5)), draw(st.integers(0, 3))))
    return arrays, steps


def build(arrays: int, steps: list[Step]) -> Program:
    """The program, with barriers on just the ranges that meet earlier ones since their last."""
    slots = [Slot(4 * LENGTH, "input") for _ in range(arrays)]
    made = []
    written: list[tuple[int, int, int]] = []
    read: list[tuple[int, int, int]] = []
    for source, target, length, factor, scalar in steps:
        reads = (source[0], 4 * source[1], 4 * (source[1] + length))
        writes = (target[0], 4 * target[1], 4 * (target[1] + length))
        meets = [item for item in written if overlap(item, reads) or overlap(item, writes)]
        meets += [item for item in read if overlap(item, writes)]
        barriers = tuple(Range(*item) for item in dict.fromkeys(meets))
        if any(item in read for item in meets):
            read = []  # an execution barrier orders every earlier read
        written = [item for item in written if item not in meets]
        read.append(reads)
        written.append(writes)
        if source == target:
            patches = (Patch(8, scalar, "<I"),)
            made.append(add(length, target[0], (factor, 0, 1), patches, barriers, writes[1]))
        else:
            made.append(
                mix(length, (source[0], reads[1]), (target[0], writes[1]), factor, scalar, barriers)
            )
    everything = tuple(Range(slot, 0, 4 * LENGTH) for slot in range(arrays))
    return Program(tuple(slots), tuple(made), 4, everything)


def apply(values: list[Any], steps: list[Step], scalars: list[int]) -> None:
    for source, target, length, factor, scalar in steps:
        part = values[source[0]][source[1] : source[1] + length]
        result = part * numpy.uint32(factor) + numpy.uint32(scalars[scalar]) + numpy.uint32(1)
        values[target[0]][target[1] : target[1] + length] = result


@settings(max_examples=60)
@given(programs(), st.integers(1, 6), st.booleans())
def test_programs_in_flight(
    device: Any,
    made: tuple[int, list[Step]],
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
