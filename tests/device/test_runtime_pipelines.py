"""Pipelines and the driver's data about them."""

from __future__ import annotations

import dataclasses
import struct
import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from tests.device.runtime_support import add, axpy_program, floats, fresh_device, needs_vulkan
from vkml import counting
from vkml.program import Program, Range, Slot

pytestmark = needs_vulkan


class Disk:
    """Keeps pipeline data as the kernel cache would."""

    def __init__(self, data: bytes | None = None) -> None:
        self.data = data
        self.loads: list[str] = []
        self.saves: list[str] = []

    def load(self, identity: str) -> bytes | None:
        self.loads.append(identity)
        return self.data

    def save(self, identity: str, data: bytes) -> None:
        self.saves.append(identity)
        self.data = data


@pytest.fixture
def device() -> Iterator[Any]:
    with fresh_device() as opened:
        yield opened


def work(device: Any) -> None:
    x, z = device.allocate(64), device.allocate(64)
    device.upload(x, floats(16))
    ticket = device.execute(axpy_program(16), [x, x, z], [1.0])
    assert numpy.array_equal(ticket.read(0).view(numpy.float32), 2 * floats(16))


def test_data_is_saved_after_new_pipelines_and_loaded_by_the_next_device() -> None:
    disk = Disk()
    with fresh_device() as first:
        first.attach_pipeline_data(disk.load, disk.save)
        work(first)
        identity = first.identity
    assert disk.loads == [identity]
    assert set(disk.saves) == {identity}
    assert disk.data is not None
    assert struct.unpack_from("<II", disk.data) == (32, 1)
    kept = disk.data
    with fresh_device() as second:
        second.attach_pipeline_data(disk.load, disk.save)
        calls = []
        real = second._vk.vkCreatePipelineCache
        second._vk.vkCreatePipelineCache = lambda *a: calls.append(initial(a[1])) or real(*a)
        work(second)
        assert calls == [kept]


def initial(information: int) -> bytes:
    from vkml.runtime.vulkan.loader import ffi

    item = ffi().cast("VkPipelineCacheCreateInfo *", information)
    return bytes(ffi().buffer(item.pInitialData, item.initialDataSize))


def test_saving_is_throttled_and_the_last_word_is_said_at_close() -> None:
    disk = Disk()
    with fresh_device() as device:
        device.attach_pipeline_data(disk.load, disk.save)
        for size in range(1, 20):
            n = 16 * size
            step = dataclasses.replace(add(n, 0, (1, 1, 0)), constants=(size,))
            device.execute(Program((Slot(4 * n, "input"),), (step,)), [device.allocate(4 * n)], [])
        assert len(disk.saves) == 1
    assert len(disk.saves) == 2


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"short",
        bytes(32),
        "vendor",
        "device",
        "uuid",
        "version",
    ],
)
def test_data_of_another_driver_or_no_data_at_all_is_not_shown_to_the_driver(
    device: Any, damage: bytes | str
) -> None:
    vendor, number, unique = device.physical.cache_header
    good = struct.pack("<IIII", 32, 1, vendor, number) + unique + bytes(64)
    places = {"version": 4, "vendor": 8, "device": 12, "uuid": 20}
    if isinstance(damage, str):
        data = bytearray(good)
        data[places[damage]] ^= 1
        damage = bytes(data)
    calls = []
    real = device._vk.vkCreatePipelineCache
    device._vk.vkCreatePipelineCache = lambda *a: calls.append(initial(a[1])) or real(*a)
    device.attach_pipeline_data(lambda identity: damage, lambda identity, data: None)
    work(device)
    assert calls == [b""]


def test_data_attached_late_is_merged(device: Any) -> None:
    disk = Disk()
    with fresh_device() as other:
        other.attach_pipeline_data(disk.load, disk.save)
        work(other)
    work(device)
    merged = []
    real = device._vk.vkMergePipelineCaches
    device._vk.vkMergePipelineCaches = lambda *a: merged.append(a[2]) or real(*a)
    device.attach_pipeline_data(disk.load, disk.save)
    assert merged == [1]
    device.attach_pipeline_data(disk.load, disk.save)
    assert merged == [1]
    work(device)


def test_a_disk_that_refuses_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def save(identity: str, data: bytes) -> None:
        raise PermissionError("read-only")

    with fresh_device() as device:
        device.attach_pipeline_data(lambda identity: None, save)
        work(device)
    assert "pipeline data not saved: read-only" in caplog.text


def test_other_threads_go_on_while_the_driver_compiles(device: Any) -> None:
    work(device)
    compiling, proceed = threading.Event(), threading.Event()
    real = device._vk.vkCreateComputePipelines

    def slow(*arguments: Any) -> int:
        compiling.set()
        assert proceed.wait(30)
        return int(real(*arguments))

    device._vk.vkCreateComputePipelines = slow
    done: list[Any] = []

    def compile_and_run() -> None:
        data = device.allocate(64)
        program = Program((Slot(64, "input"),), (add(16, 0, (0, 5, 0)),), 0, (Range(0, 0, 64),))
        done.append(set(device.execute(program, [data], []).read(0).view(numpy.uint32).tolist()))

    threads = [threading.Thread(target=compile_and_run) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert compiling.wait(30)
    work(device)
    proceed.set()
    for thread in threads:
        thread.join()
    assert done == [{5}] * 3


def test_many_new_pipelines_in_threads(device: Any) -> None:
    """What GPUs do: one compilation a thread, all of them in the table afterwards."""
    device._pipelines.parallel = True
    steps = []
    for size in (1, 2, 4, 8, 16, 32):
        step = add(256, 0, (1, 1, 0))
        groups = (256 // size, 1, 1)
        steps.append(dataclasses.replace(step, groups=groups, constants=(size,)))
    before = counting.snapshot()["pipelines_created"]
    program = Program((Slot(1024, "input"),), tuple(steps))
    device.execute(program, [device.allocate(1024)], []).wait()
    assert counting.snapshot()["pipelines_created"] - before == 6
