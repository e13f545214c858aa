"""Calls that fail: what is raised, and that everything works right afterwards."""

from __future__ import annotations

import dataclasses
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy
import pytest

from tests.device.runtime_support import (
    WORKGROUP,
    add,
    axpy_program,
    floats,
    fresh_device,
    merged,
    needs_vulkan,
    segment,
    silent_validation,
)
from vkml.errors import CompileError, DeviceError, OutOfMemoryError
from vkml.program import Program, Range, Slot
from vkml.runtime.vulkan import constants as c

pytestmark = needs_vulkan

CALLS = (
    "vkCreateBuffer",
    "vkAllocateMemory",
    "vkBindBufferMemory",
    "vkMapMemory",
    "vkCreateShaderModule",
    "vkCreatePipelineCache",
    "vkCreateDescriptorSetLayout",
    "vkCreatePipelineLayout",
    "vkCreateComputePipelines",
    "vkCreateDescriptorPool",
    "vkAllocateDescriptorSets",
    "vkAllocateCommandBuffers",
    "vkBeginCommandBuffer",
    "vkEndCommandBuffer",
    "vkCreateQueryPool",
    "vkQueueSubmit",
)


@pytest.fixture(params=["direct", "copies"])
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    with silent_validation(), fresh_device(copies=request.param == "copies") as opened:
        yield opened


class Failing:
    """Makes a call fail `times` times with `result`, after letting `passing` calls through."""

    def __init__(self, device: Any, name: str, result: int, times: int, passing: int = 0) -> None:
        self.vk = device._vk
        self.name = name
        self.real = getattr(self.vk, name)
        self.result = result
        self.left = times
        self.passing = passing
        self.failed = 0

    def __call__(self, *arguments: Any) -> Any:
        if self.passing:
            self.passing -= 1
        elif self.left:
            self.left -= 1
            self.failed += 1
            return self.result
        return self.real(*arguments)

    def __enter__(self) -> Failing:
        setattr(self.vk, self.name, self)
        return self

    def __exit__(self, *_: object) -> None:
        setattr(self.vk, self.name, self.real)


class Work:
    """A program that walks every path: an upload, a chain, a merged step, a result.

    `salt` is a constant that no kernel knows: it makes new pipelines.
    """

    def __init__(self, device: Any, salt: int = 0) -> None:
        n = 64
        self.device = device
        steps: list[Any] = [
            merged([segment((0, 0), (2, 0), n, 2, 1)]),
            add(n, 2, (3, 0, 0), (), (Range(2, 0, 256),)),
            merged([segment((2, 0), (1, 0), n, 1, 5)], (Range(2, 0, 256),)),
        ]
        constants = (WORKGROUP, salt)
        self.program = Program(
            (Slot(256, "input"), Slot(256, "output"), Slot(256, "temporary")),
            tuple(dataclasses.replace(step, constants=constants) for step in steps),
            0,
            (Range(1, 0, 256),),
            arena_bytes=256,
        )

    def do(self, profile: bool = False) -> None:
        source, target = self.device.allocate(256), self.device.allocate(256)
        self.device.upload(source, numpy.arange(64, dtype=numpy.uint32))
        ticket = self.device.execute(self.program, [source, target, None], [], profile=profile)
        expected = (numpy.arange(64, dtype=numpy.uint32) * 2 + 1) * 3 + 5
        assert numpy.array_equal(ticket.read(0).view(numpy.uint32), expected)
        assert numpy.array_equal(self.device.download(target, 0, 256).view("u4"), expected)


@pytest.mark.parametrize("name", CALLS)
def test_out_of_memory_in_any_call(device: Any, name: str) -> None:
    """One failure is retried or raised; afterwards the same program gives its values."""
    failed = 0
    for passing in (0, 1, 2, 5):
        work = Work(device, passing)
        with Failing(device, name, c.VK_ERROR_OUT_OF_DEVICE_MEMORY, 2, passing) as failing:
            for _ in range(3):
                with suppress(OutOfMemoryError):
                    work.do(profile=name == "vkCreateQueryPool")
        failed += failing.failed
        work.do()
        work.do(profile=True)
        for _ in range(5):
            work.do()
        device.trim()
    assert failed or (name == "vkMapMemory" and not device._heaps.kinds.mapped)


def test_memory_that_comes_back_after_trimming_raises_nothing(device: Any) -> None:
    held = device.allocate(48 << 20)
    del held  # an empty block that can be given back
    with Failing(device, "vkAllocateMemory", c.VK_ERROR_OUT_OF_DEVICE_MEMORY, 1) as failing:
        again = device.allocate(60 << 20)
    assert failing.failed == 1
    assert again.nbytes == 60 << 20
    assert device.memory()["reserved"] == 60 << 20


def test_out_of_memory_names_the_sizes(device: Any) -> None:
    held = device.allocate(1 << 20)
    with (
        Failing(device, "vkAllocateMemory", c.VK_ERROR_OUT_OF_DEVICE_MEMORY, 9),
        pytest.raises(OutOfMemoryError, match=r"for 200 MiB more: 1 MiB in live arrays, 64 MiB"),
    ):
        device.allocate(200 << 20)
    with pytest.raises(OutOfMemoryError, match=r"in one array: .* allows"):
        device.allocate(device.limits.max_allocation + 1)
    device.upload(held, numpy.zeros(1 << 20, numpy.uint8))
    Work(device).do()


def test_the_number_of_allocations_is_respected(device: Any) -> None:
    work = Work(device)
    work.do()
    heaps = device._heaps
    heaps.most_blocks = 8
    held = []
    with pytest.raises(OutOfMemoryError, match="8 memory allocations, and all are in use"):
        held += [device.allocate(40 << 20) for _ in range(9)]
    assert device.memory()["blocks"] <= 8
    held = [device.allocate(41 << 20)]  # trimming has made room
    work.do()
    assert held[0].nbytes == 41 << 20


def test_a_kernel_that_the_driver_refuses(device: Any) -> None:
    n = 16
    data = device.allocate(64)
    program = axpy_program(n)
    for name in ("vkCreateComputePipelines", "vkCreateShaderModule"):
        with (
            Failing(device, name, -13, 1),
            pytest.raises(CompileError, match=f"kernel axpy .title of axpy.: {name}"),
        ):
            device.execute(program, [data, data, device.allocate(64)], [1.0])
    device.upload(data, floats(n))
    ticket = device.execute(program, [data, data, device.allocate(64)], [1.0])
    assert numpy.array_equal(ticket.read(0).view(numpy.float32), 2 * floats(n))


@pytest.mark.parametrize(
    "name", ["vkQueueSubmit", "vkWaitSemaphores", "vkGetSemaphoreCounterValue"]
)
def test_a_lost_device_never_shows_stale_bytes(name: str) -> None:
    device = fresh_device()
    device._queue.spin_seconds = 0  # a GPU is done before anyone would wait
    program = axpy_program(16)
    x = device.allocate(64)
    device.upload(x, floats(16))
    z = device.allocate(64)
    done = device.execute(program, [x, x, z], [1.0])
    done.wait()
    pending = device.execute(program, [x, x, z], [2.0])

    def go_on() -> None:
        for _ in range(5):
            device.execute(program, [x, x, z], [3.0])
        device.synchronize()
        device._queue.refresh()

    with (
        Failing(device, name, c.VK_ERROR_DEVICE_LOST, 1),
        pytest.raises(DeviceError, match=f"{name}: VK_ERROR_DEVICE_LOST: the device was lost"),
    ):
        go_on()
    for attempt in (
        done.wait,
        pending.wait,
        lambda: done.read(0),
        lambda: pending.read(0),
        lambda: device.download(z, 0, 64),
        lambda: device.upload(z, floats(16)),
        lambda: device.execute(program, [x, x, z], [1.0]),
        lambda: device.allocate(64),
        device.synchronize,
        device.trim,
    ):
        with pytest.raises(DeviceError, match="lost"):
            attempt()
    device._vk.vkDeviceWaitIdle(device._device)  # it is not really lost
    device.close()


def test_a_timeline_beyond_what_was_submitted_is_a_lost_device() -> None:
    device = fresh_device()
    counter = device._queue._counter
    real = device._vk.vkGetSemaphoreCounterValue

    def beyond(*_: object) -> int:
        counter[0] = 2**64 - 1
        return 0

    device._vk.vkGetSemaphoreCounterValue = beyond
    with pytest.raises(DeviceError, match="lost"):
        device._queue.refresh()
    device._vk.vkGetSemaphoreCounterValue = real
    device.close()


def test_waiting_for_what_a_failed_submission_would_have_done_ends(device: Any) -> None:
    """Buffers were marked as used by a submission that did not happen."""
    program = axpy_program(16, reads=False)
    x, z = device.allocate(64), device.allocate(64)
    device.upload(x, floats(16))
    device.execute(program, [x, x, z], [1.0]).wait()
    with (
        Failing(device, "vkQueueSubmit", c.VK_ERROR_OUT_OF_HOST_MEMORY, 1),
        pytest.raises(OutOfMemoryError),
    ):
        device.execute(program, [x, x, z], [2.0])
    found: list[Any] = []

    def read() -> None:
        device.upload(x, floats(16))
        device._queue.wait(z.used)
        found.append(device.download(z, 0, 64).view(numpy.float32))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(20)
    assert len(found) == 1
    assert numpy.array_equal(found[0], 2 * floats(16))


def interrupted_once(device: Any, happens: bool) -> None:
    """Ctrl-C at the next submission: where it is about to happen, or where it just has."""
    if not happens:

        def submit(*arguments: Any) -> int:
            device._vk.vkQueueSubmit = real
            raise KeyboardInterrupt

        real = device._vk.vkQueueSubmit
        device._vk.vkQueueSubmit = submit
        return

    def call(count: int, information: int, results: list[int]) -> None:
        del queue._call
        queue._call(count, information, results)
        raise KeyboardInterrupt

    queue = device._queue
    queue._call = call


def test_an_interrupt_inside_a_submission(device: Any) -> None:
    """Just before it and just after it: later work must neither wait for ever nor collide."""
    work = Work(device)
    work.do()
    queue = device._queue
    for happens in (False, True):
        interrupted_once(device, happens)
        before = device.last_executed()
        with pytest.raises(KeyboardInterrupt):
            work.do()
        assert (device.last_executed() not in (before, -1)) is happens
        device.synchronize()
        assert queue.completed == queue.submitted
        for _ in range(5):
            work.do()


def test_an_interrupt_at_a_submission_copies_each_upload_once() -> None:
    with silent_validation(), fresh_device(copies=True) as device:
        program = Program((Slot(64, "input"),), (add(16, 0, (1, 1, 0)),))
        data = device.allocate(64)
        for happens, wanted in ((True, 7), (False, 6)):
            device.upload(data, numpy.full(16, 5, numpy.uint32))
            interrupted_once(device, happens)
            with pytest.raises(KeyboardInterrupt):
                device.execute(program, [data], [])
            device.execute(program, [data], [])
            assert set(device.download(data, 0, 64).view(numpy.uint32).tolist()) == {wanted}


def test_control_c_ends_a_wait(device: Any) -> None:
    """A wait for work that never ends comes back to Python often enough."""
    queue = device._queue
    queue.submitted += 1  # nothing will signal this
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        queue.wait(queue.submitted)
    assert time.perf_counter() - start < 5
    queue.submitted -= 1
    Work(device).do()
