"""Merged steps: segments grouped by memory blocks, cut where a limit says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from tests.device.runtime_support import (
    add,
    fresh_device,
    merged,
    needs_vulkan,
    segment,
    silent_validation,
)
from vkml import counting
from vkml.errors import DeviceError
from vkml.program import Program, Range, Slot

pytestmark = needs_vulkan

LIMITS: dict[str, dict[str, int]] = {
    "plain": {},
    "copies": {"copies": True},
    "small range": {"max_storage_range": 4096},
    "few groups": {"max_groups": 3},
    "both": {"max_storage_range": 4096, "max_groups": 8, "copies": True},
}


@pytest.fixture(scope="module", params=LIMITS)
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    with silent_validation(), fresh_device(**LIMITS[request.param]) as opened:
        yield opened


def test_three_hundred_segments(device: Any) -> None:
    """Sizes from 1 to some hundred elements, each in its own arrays, in few dispatches."""
    rng = numpy.random.default_rng(0)
    sizes = [int(size) for size in rng.integers(1, 400, 300)]
    slots = []
    segments = []
    buffers = []
    inputs = []
    for number, n in enumerate(sizes):
        slots += [Slot(4 * n, "input"), Slot(4 * n, "output")]
        segments.append(
            segment((2 * number, 0), (2 * number + 1, 0), n, number, 5, scalar=number % 7)
        )
        data = rng.integers(0, 1000, n).astype(numpy.uint32)
        inputs.append(data)
        source = device.allocate(4 * n)
        device.upload(source, data)
        buffers += [source, device.allocate(4 * n)]
    reads = tuple(Range(2 * number + 1, 0, 4 * n) for number, n in enumerate(sizes))
    program = Program(tuple(slots), (merged(segments),), 7, reads)
    before = counting.snapshot()
    for scalars in ([1, 2, 3, 4, 5, 6, 7], [100, 200, 300, 400, 500, 600, 700]):
        ticket = device.execute(program, buffers, scalars)
        for number, data in enumerate(inputs):
            expected = data * numpy.uint32(number) + numpy.uint32(scalars[number % 7])
            assert numpy.array_equal(ticket.read(number).view(numpy.uint32), expected)
    after = counting.snapshot()
    assert after["submissions"] - before["submissions"] == 2
    if device.limits.max_storage_range > 4096 and device.limits.max_groups > 8:
        assert (after["dispatches"] - before["dispatches"]) / 2 <= 8


def test_operands_at_any_place_of_big_and_small_arrays(device: Any) -> None:
    """A small operand inside an array that is longer than one binding may be."""
    n = 100
    big = 40 << 20  # a block of its own
    slots = (Slot(big, "input"), Slot(4096, "output"))
    starts = [0, 16, 2048, 3920, 4096, big // 2 + 48, big - 400]
    segments = [
        segment((0, start), (1, 512 * number), n, 3, number) for number, start in enumerate(starts)
    ]
    data = numpy.arange(big // 4, dtype=numpy.uint32)
    source, target = device.allocate(big), device.allocate(4096)
    device.upload(source, data)
    program = Program(slots, (merged(segments),), 0, (Range(1, 0, 4096),))
    found = device.execute(program, [source, target], []).read(0).view(numpy.uint32)
    for number, start in enumerate(starts):
        expected = data[start // 4 : start // 4 + n] * numpy.uint32(3) + numpy.uint32(number)
        assert numpy.array_equal(found[128 * number : 128 * number + n], expected)


def test_operands_longer_than_half_a_binding() -> None:
    """They fit no shared window and get one of their own."""
    n = 160
    slots = (Slot(8192, "input"), Slot(8192, "output"))
    data = numpy.arange(2048, dtype=numpy.uint32)
    with silent_validation(), fresh_device(max_storage_range=1024) as device:
        source, target = device.allocate(8192), device.allocate(8192)
        device.upload(source, data)
        starts = [496 + 1040 * number for number in range(7)]
        segments = [segment((0, start), (1, start), n, 1, 1) for start in starts]
        program = Program(slots, (merged(segments),), 0, (Range(1, 0, 8192),))
        found = device.execute(program, [source, target], []).read(0).view(numpy.uint32)
        for start in starts:
            at = start // 4
            assert numpy.array_equal(found[at : at + n], data[at : at + n] + 1)


def test_a_long_segment_is_folded_to_two_dimensions() -> None:
    n = 64 * 8 * 7 - 5
    slots = (Slot(4 * n, "input"), Slot(4 * n, "output"), Slot(40, "output"))
    program = Program(
        slots,
        (merged([segment((0, 0), (1, 0), n, 2, 1), segment((0, 16), (2, 0), 10, 3, 2)]),),
        0,
        (Range(1, 0, 4 * n), Range(2, 0, 40)),
    )
    data = numpy.arange(n, dtype=numpy.uint32)
    with fresh_device(max_groups=8) as device:
        buffers = [device.allocate(slot.nbytes) for slot in slots]
        device.upload(buffers[0], data)
        ticket = device.execute(program, buffers, [])
        assert numpy.array_equal(ticket.read(0).view(numpy.uint32), 2 * data + 1)
        assert numpy.array_equal(ticket.read(1).view(numpy.uint32), 3 * data[4:14] + 2)
        assert program.prepared.instances[0].counts["dispatches"] == 1
        too_long = merged([segment((0, 0), (1, 0), 64 * 65, 2, 1)])
        longer = Program((Slot(4 * 64 * 65, "input"), Slot(4 * 64 * 65, "output")), (too_long,))
        buffers = [device.allocate(slot.nbytes) for slot in longer.slots]
        with pytest.raises(DeviceError, match="workgroups"):
            device.execute(longer, buffers, [])


def test_barriers_before_and_after_a_merged_step(device: Any) -> None:
    n = 192
    nbytes = 4 * n
    slots = (Slot(nbytes, "input"), Slot(nbytes, "output"), Slot(nbytes, "temporary"))
    steps = (
        add(n, 0, (1, 10, 0)),
        merged(
            [segment((0, 0), (2, 0), 100, 2, 0), segment((0, 400), (2, 400), 92, 3, 0)],
            (Range(0, 0, nbytes),),
        ),
        add(n, 2, (1, 1, 0), (), (Range(2, 0, nbytes),)),
        merged([segment((2, 0), (1, 0), n, 1, 7)], (Range(2, 0, nbytes),)),
    )
    program = Program(slots, steps, 0, (Range(1, 0, nbytes),), arena_bytes=nbytes)
    source, target = device.allocate(nbytes), device.allocate(nbytes)
    device.upload(source, numpy.full(n, 5, numpy.uint32))
    found = device.execute(program, [source, target, None], []).read(0).view(numpy.uint32)
    assert found.tolist() == [15 * 2 + 1 + 7] * 100 + [15 * 3 + 1 + 7] * 92


def test_segments_of_nothing(device: Any) -> None:
    slots = (Slot(64, "input"), Slot(64, "output"))
    program = Program(
        slots,
        (merged([segment((0, 0), (1, 0), 0, 1, 1)]), merged([]), add(16, 1, (0, 4, 0))),
        0,
        (Range(1, 0, 64),),
    )
    source, target = device.allocate(64), device.allocate(64)
    device.upload(source, numpy.zeros(16, numpy.uint32))
    assert set(device.execute(program, [source, target], []).read(0).tolist()) == {4, 0}
