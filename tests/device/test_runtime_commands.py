"""What is recorded and called: barriers exactly where they are due, three calls a realize."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from tests.device.runtime_support import (
    add,
    axpy_program,
    floats,
    fresh_device,
    merged,
    mix,
    needs_vulkan,
    segment,
)
from vkml.program import Program, Range, Slot
from vkml.runtime.vulkan import constants as c
from vkml.runtime.vulkan.functions import _QUICK, _SLOW
from vkml.runtime.vulkan.loader import ffi

pytestmark = needs_vulkan


@pytest.fixture
def device() -> Iterator[Any]:
    with fresh_device() as opened:
        yield opened


class Log:
    """Every call of the device's functions while the block runs, with barriers decoded."""

    def __init__(self, device: Any) -> None:
        self.vk = device._vk
        self.calls: list[tuple[Any, ...]] = []

    def __enter__(self) -> Log:
        for name in (*_QUICK, *_SLOW):
            setattr(self.vk, name, self._logged(name, getattr(self.vk, name)))
        return self

    def __exit__(self, *_: object) -> None:
        for name in (*_QUICK, *_SLOW):
            setattr(self.vk, name, getattr(self.vk, name).real)

    def _logged(self, name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            if name == "vkCmdPipelineBarrier":
                self.calls.append(self._barrier(*arguments))
            else:
                self.calls.append((name,))
            return real(*arguments)

        call.real = real  # type: ignore[attr-defined]
        return call

    def _barrier(self, command: int, before: int, after: int, flags: int, *rest: Any) -> Any:
        memory_count, memory, buffer_count, buffers = rest[:4]
        if memory_count:
            item = ffi().cast("VkMemoryBarrier *", memory)
            return ("memory", before, after, item.srcAccessMask, item.dstAccessMask)
        found = ffi().cast("VkBufferMemoryBarrier *", buffers)
        ranges = [(found[n].offset, found[n].size) for n in range(buffer_count)]
        return ("ranges", before, after, ranges)

    def names(self) -> list[str]:
        return [call[0] for call in self.calls]


COMPUTE = c.VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
EVERYTHING = COMPUTE | c.VK_PIPELINE_STAGE_TRANSFER_BIT


def test_barriers_cover_the_named_ranges_and_independent_steps_have_none(device: Any) -> None:
    n = 64
    steps = (
        add(n, 0, (1, 1, 0)),
        mix(n, (1, 0), (2, 0), 1, 0),
        mix(n, (0, 0), (2, 256), 1, 0, (Range(0, 0, 256),)),
        add(n, 2, (1, 1, 0), (), (Range(2, 0, 256), Range(2, 300, 300))),
    )
    program = Program(tuple(Slot(512, "input") for _ in range(3)), steps, 1)
    buffers = [device.allocate(512) for _ in range(3)]
    with Log(device) as log:
        device.execute(program, buffers, [1])
    recorded = [call for call in log.calls if call[0] in ("memory", "ranges", "vkCmdDispatch")]
    places = [buffer.offset for buffer in buffers]
    assert [call[0] for call in recorded] == [
        "memory",  # what earlier submissions wrote
        "vkCmdDispatch",
        "vkCmdDispatch",
        "ranges",
        "vkCmdDispatch",
        "ranges",
        "vkCmdDispatch",
        *(["memory"] if device._heaps.kinds.direct else []),  # the host reads it in place
    ]
    assert recorded[0][1:3] == (EVERYTHING, EVERYTHING)
    writes = c.VK_ACCESS_SHADER_WRITE_BIT | c.VK_ACCESS_TRANSFER_WRITE_BIT
    assert recorded[0][3] == writes
    reads = c.VK_ACCESS_SHADER_READ_BIT | c.VK_ACCESS_TRANSFER_READ_BIT
    assert recorded[0][4] == writes | reads | c.VK_ACCESS_UNIFORM_READ_BIT
    assert recorded[3][1:] == (COMPUTE, COMPUTE, [(places[0], 256)])
    assert recorded[5][1:] == (COMPUTE, COMPUTE, [(places[2], 256)])
    if device._heaps.kinds.direct:
        assert recorded[7][2] == c.VK_PIPELINE_STAGE_HOST_BIT


def test_every_batch_and_upload_starts_with_the_full_barrier() -> None:
    with fresh_device(copies=True) as device:
        device._recorder.batch_bytes = 1
        steps = tuple(add(64, 0, (1, 1, 0)) for _ in range(3))
        program = Program((Slot(256, "input"),), steps)
        data = device.allocate(256)
        with Log(device) as log:
            device.upload(data, numpy.zeros(64, numpy.uint32))
            device.execute(program, [data], [])
    begins = [at for at, name in enumerate(log.names()) if name == "vkBeginCommandBuffer"]
    assert len(begins) == 4
    for at in begins:
        assert log.calls[at + 1][:3] == ("memory", EVERYTHING, EVERYTHING)
    assert log.names().count("vkQueueSubmit") == 1


def test_steady_state_is_one_submission_one_wait_and_at_most_one_question(device: Any) -> None:
    n = 64
    program = axpy_program(n)
    x, z = device.allocate(4 * n), device.allocate(4 * n)
    device.upload(x, floats(n))
    device._queue.spin_seconds = 0.0
    device.execute(program, [x, x, z], [1.0]).read(0)
    with Log(device) as log:
        for _ in range(10):
            device.execute(program, [x, x, z], [2.0]).read(0)
    assert log.names() == ["vkQueueSubmit", "vkWaitSemaphores"] * 10
    device.execute(program, [x, x, z], [2.0]).read(0)
    with Log(device) as log:
        for _ in range(2):
            device.execute(program, [x, x, z], [3.0])
    assert log.names().count("vkQueueSubmit") == 2
    assert set(log.names()[:2]) <= {"vkQueueSubmit", "vkGetSemaphoreCounterValue"}


def test_merged_dispatches_in_the_same_blocks_are_kept_apart(device: Any) -> None:
    n = 64
    slots = (Slot(256, "input"), Slot(256, "input"), Slot(256, "input"))
    steps = (
        add(n, 0, (1, 1, 0)),
        merged([segment((1, 0), (2, 0), n, 1, 1)]),
        add(n, 0, (1, 1, 0), (), (Range(0, 0, 256),)),
    )
    with Log(device) as log:
        device.execute(Program(slots, steps), [device.allocate(256) for _ in range(3)], [])
    recorded = [call[0] for call in log.calls if call[0] in ("memory", "ranges", "vkCmdDispatch")]
    assert recorded[:6] == ["memory", *["vkCmdDispatch", "memory"] * 2, "vkCmdDispatch"]


def test_a_gpu_polls_before_it_blocks(device: Any) -> None:
    n = 64
    program = axpy_program(n)
    x, z = device.allocate(4 * n), device.allocate(4 * n)
    device.upload(x, floats(n))
    device._queue.spin_seconds = 5.0
    device.execute(program, [x, x, z], [1.0]).wait()
    with Log(device) as log:
        for _ in range(5):
            device.execute(program, [x, x, z], [2.0]).wait()
    assert "vkWaitSemaphores" not in log.names()
    device._queue.spin_seconds = 1e-9
    device._queue.submitted += 1
    with Log(device) as log:
        assert not device._queue.wait_slice(device._queue.submitted, 1000)
    device._queue.submitted -= 1
    assert log.names() == ["vkWaitSemaphores"]
