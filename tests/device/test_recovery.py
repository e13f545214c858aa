"""Faults at every level: what is raised, and that the same tensors are right afterwards."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import vkml
from vkml.codegen import cache, kernels, shaderc
from vkml.errors import CompileError, DeviceError, OutOfMemoryError
from vkml.runtime import cpu
from vkml.runtime.vulkan import constants as c

VALUES = numpy.arange(64, dtype=numpy.float32)
_lengths = itertools.count(2)


@pytest.fixture
def device() -> vkml.Device:
    chosen = vkml.device("vulkan")
    (vkml.tensor([1.0], device=chosen) + 1).numpy()  # probes are not what is to fail
    return chosen


class Failing:
    """Makes calls of `owner.name` raise or return `outcome`, `times` of them after `passing`."""

    def __init__(
        self, owner: Any, name: str, outcome: Any, times: int = 1, passing: int = 0
    ) -> None:
        self.owner, self.name, self.outcome = owner, name, outcome
        self.left, self.passing, self.failed = times, passing, 0

    def __enter__(self) -> Failing:
        self.real = getattr(self.owner, self.name)
        self.own = self.name in vars(self.owner)

        def call(*arguments: Any, **options: Any) -> Any:
            if self.passing or not self.left:
                self.passing -= bool(self.passing)
                return self.real(*arguments, **options)
            self.left -= 1
            self.failed += 1
            if isinstance(self.outcome, BaseException):
                raise type(self.outcome)(*self.outcome.args)  # a new one: its traceback goes away
            return self.outcome

        setattr(self.owner, self.name, call)
        return self

    def __exit__(self, *_: object) -> None:
        if self.own:
            setattr(self.owner, self.name, self.real)
        else:
            delattr(self.owner, self.name)


SITES: dict[str, tuple[Callable[[vkml.Device], Any], str, Any, type[BaseException]]] = {
    "execute": (lambda d: d.runtime, "execute", DeviceError("no"), DeviceError),
    "execute interrupted": (
        lambda d: d.runtime, "execute", KeyboardInterrupt(), KeyboardInterrupt
    ),
    "allocate": (lambda d: d.runtime, "allocate", OutOfMemoryError("no"), OutOfMemoryError),
    "compile": (lambda d: shaderc, "_run_processes", CompileError("no"), CompileError),
    "compile interrupted": (
        lambda d: shaderc, "_run_processes", KeyboardInterrupt(), KeyboardInterrupt
    ),
    "no temporary folder": (lambda d: shaderc, "_run_processes", OSError(28, "x"), CompileError),
    "render": (lambda d: kernels.Kernels, "source", KeyboardInterrupt(), KeyboardInterrupt),
    "store": (lambda d: cache.KernelCache, "store", KeyboardInterrupt(), KeyboardInterrupt),
    "submit": (
        lambda d: d.runtime._vk, "vkQueueSubmit", c.VK_ERROR_OUT_OF_DEVICE_MEMORY, OutOfMemoryError
    ),
    "pipeline": (
        lambda d: d.runtime._vk, "vkCreateComputePipelines", -13, CompileError
    ),
    "shader": (
        lambda d: d.runtime._vk, "vkCreateShaderModule", c.VK_ERROR_OUT_OF_HOST_MEMORY,
        OutOfMemoryError,
    ),
}  # fmt: skip


@pytest.mark.parametrize("site", SITES)
def test_the_same_tensors_are_computed_right_afterwards(device: vkml.Device, site: str) -> None:
    """Nothing counts as computed, no write happens twice, and nothing else is disturbed."""
    owner, name, outcome, raised = SITES[site]
    source = vkml.tensor(VALUES, device=device)
    bystander = (source * 5).realize()
    chain = source
    length = next(_lengths)
    for _ in range(length):  # a kernel that nobody has seen
        chain = chain + 1.0
    written = vkml.tensor(VALUES, device=device)
    before = written + 0.5
    written.assign_(chain * 2.0)
    part = written[::2]
    roots = (chain, before, written, part)
    with Failing(owner(device), name, outcome, 9) as failing, pytest.raises(raised):
        vkml.realize(*roots)
    assert failing.failed
    assert not any(root._node.computed for root in (chain, before))
    assert numpy.array_equal(bystander.numpy(), VALUES * 5)
    wanted = VALUES + numpy.float32(length)
    vkml.realize(*roots)
    assert numpy.array_equal(chain.numpy(), wanted)
    assert numpy.array_equal(before.numpy(), VALUES + numpy.float32(0.5))
    assert numpy.array_equal(written.numpy(), wanted * 2)
    assert numpy.array_equal(part.numpy(), wanted[::2] * 2)


@pytest.mark.parametrize("place", ["execute", "allocate"])
def test_a_counter_in_place_counts_each_step_once(device: vkml.Device, place: str) -> None:
    counter = vkml.tensor(VALUES, device=device)
    for step in range(1, 6):
        counter.assign_(counter + 1.0)
        counter[3:5] = counter[3:5] * 1.0
        with Failing(device.runtime, place, OutOfMemoryError("no"), 1) as failing:
            try:
                counter.realize()
            except OutOfMemoryError:
                assert failing.failed
        assert numpy.array_equal(counter.numpy(), VALUES + numpy.float32(step))


def test_a_program_of_cpu_is_executed_whole_or_not_at_all() -> None:
    """It runs step by step, and each may fail."""
    counters = [vkml.tensor(VALUES[:size], device=vkml.cpu) for size in (5, 6, 7)]
    failures = 0
    for passing in range(4):
        for counter in counters:
            counter.assign_(counter + 1.0)
        with Failing(cpu, "_run_step", OutOfMemoryError("no"), 1, passing):
            try:
                vkml.realize(*counters)
            except OutOfMemoryError:
                failures += 1
        vkml.realize(*counters)
        for counter in counters:
            assert numpy.array_equal(counter.numpy(), VALUES[: counter.size] + passing + 1)
    assert failures == 3


def test_reading_a_result_fails_and_is_read_again(device: vkml.Device) -> None:
    made = vkml.tensor(VALUES, device=device) * 3.0
    runtime = device.runtime
    with Failing(runtime, "fetch", DeviceError("no")), pytest.raises(DeviceError):
        made.numpy()
    assert numpy.array_equal(made.numpy(), VALUES * 3)


def test_out_of_memory_names_sizes_and_leaves_the_process_usable(device: vkml.Device) -> None:
    small = vkml.tensor(VALUES, device=device) + 1.0
    most = device.limits.max_allocation
    extent = most // 4 + 1024
    for attempt in (
        lambda: vkml.zeros(extent, device=device).realize(),
        lambda: (vkml.zeros((extent, 1), device=device) + vkml.zeros(2, device=device)).numpy(),
        lambda: vkml.realize(small, vkml.ones(extent, device=device)),
        lambda: vkml.flip(vkml.arange(extent, dtype="float32", device=device) * 2.0).numpy(),
    ):
        with pytest.raises(OutOfMemoryError, match=r"[TGM]iB in one array.* allows .*iB; work in"):
            attempt()
        assert numpy.array_equal((small * 2.0).numpy(), (VALUES + 1) * 2)
    vk = device.runtime._vk
    device.runtime.trim()
    with Failing(vk, "vkAllocateMemory", c.VK_ERROR_OUT_OF_DEVICE_MEMORY, 99):
        with pytest.raises(OutOfMemoryError, match=r"has no memory for 400 MiB more: .* in live"):
            vkml.zeros(100 << 20, device=device).realize()
    assert vkml.zeros(100 << 20, device=device)[5].item() == 0.0


def test_an_array_may_change_right_after_it_was_given(device: vkml.Device) -> None:
    """Nothing keeps looking at memory that is the caller's."""
    for turn in range(20):
        given = numpy.full(10_000 + turn, turn, numpy.float32)
        buffer = bytearray(given.tobytes())
        made = vkml.tensor(given, device=device)
        raw = vkml.from_host(buffer, given.shape, "float32", device)
        target = vkml.zeros(given.shape, device=device)
        target.assign_(given)
        target[1:3] = given[1:3]
        added = made + given
        given[:] = -1.0
        buffer[:] = bytes(len(buffer))
        vkml.realize(made, raw, target, added)
        for tensor, value in ((made, turn), (raw, turn), (target, turn), (added, 2 * turn)):
            assert (tensor.numpy() == value).all()
        result = made.numpy()
        result[:] = 9.0
        assert (made.numpy() == turn).all()


def test_a_lost_device_raises_and_is_opened_anew() -> None:
    """What was computed on it is never read, new tensors work, and so do those of `cpu`."""
    device = vkml.device("vulkan")
    runtime = device.runtime
    kept = vkml.tensor(VALUES, device=device)
    computed, pending = (kept * 2.0).realize(), kept * 3.0
    here = vkml.tensor(VALUES, device=vkml.cpu)
    with Failing(runtime._vk, "vkQueueSubmit", c.VK_ERROR_DEVICE_LOST):
        with pytest.raises(DeviceError, match=r"the device was lost .* make them anew"):
            pending.numpy()
    runtime._vk.vkDeviceWaitIdle(runtime._device)  # it is not really lost
    for attempt in (pending.numpy, computed.numpy, kept.numpy, lambda: (kept + 1).numpy()):
        with pytest.raises(DeviceError, match="the device was lost"):
            attempt()
    assert numpy.array_equal((here + 1).numpy(), VALUES + 1)
    again = vkml.tensor(VALUES, device=device)
    assert numpy.array_equal((again * 3.0).numpy(), VALUES * 3)
    assert device.runtime is not runtime
    for attempt in (pending.numpy, computed.numpy, lambda: (kept + again).numpy()):
        with pytest.raises(DeviceError, match="the device was lost"):
            attempt()


def test_eager_raises_at_the_operations_own_line(device: vkml.Device) -> None:
    tensor = vkml.tensor(VALUES, device=device)
    with vkml.eager(), Failing(device.runtime, "execute", DeviceError("no")):
        first = tensor.reshape(8, 8)
        with pytest.raises(DeviceError) as caught:
            first * 3.0  # this line
    assert str(caught.value).splitlines()[1].endswith(": first * 3.0  # this line")
    assert caught.traceback[0].lineno + 1 == caught.value.places[0][1]
    with vkml.eager():
        doubled = tensor * 2.0
        assert doubled._node.computed
        with pytest.raises(vkml.ShapeError, match="add: ") as shape:
            doubled + vkml.zeros(3, device=device)  # and this
    assert str(shape.value).splitlines()[1].endswith("# and this")
    assert numpy.array_equal(doubled.numpy(), VALUES * 2)
