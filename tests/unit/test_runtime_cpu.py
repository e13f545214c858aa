"""The cpu device: the same contract, host kernels in order, the same counters."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import Any

import numpy
import pytest

from vkml import counting
from vkml.errors import DeviceError, OutOfMemoryError
from vkml.program import Binding, Dispatch, HostKernel, Program, Range, Slot, SpirvKernel
from vkml.runtime import open_device
from vkml.runtime.cpu import CpuDevice


@pytest.fixture
def device() -> Any:
    return open_device("cpu")


def axpy(windows: Sequence[Any], scalars: Sequence[Any]) -> None:
    x, y, z = (window.view(numpy.float32) for window in windows)
    z[:] = numpy.float32(scalars[0]) * x + y


def step(x: int, y: int, z: int, nbytes: int) -> Dispatch:
    kernel = HostKernel("axpy", "a * x + y", axpy)
    return Dispatch(
        kernel,
        (
            Binding(x, 0, nbytes, False),
            Binding(y, 0, nbytes, False),
            Binding(z, 0, nbytes, True),
        ),
    )


def program(nbytes: int) -> Program:
    return Program(
        (
            Slot(nbytes, "input"),
            Slot(nbytes, "output"),
            Slot(nbytes, "temporary", 0),
            Slot(nbytes, "temporary", 4096),
        ),
        (step(0, 0, 2, nbytes), step(2, 0, 3, nbytes), step(3, 2, 1, nbytes)),
        1,
        (Range(1, 0, nbytes), Range(1, 4, 8)),
        8192,
        bytes_moved=100,
        bytes_unfused=200,
    )


def test_steps_run_in_order_and_results_are_fresh(device: Any) -> None:
    x = numpy.arange(64, dtype=numpy.float32)
    source, target = device.allocate(256), device.allocate(256)
    device.upload(source, x)
    ticket = device.execute(program(256), [source, target, None, None], [2.0])
    expected = 2 * (2 * 3 * x + x) + 3 * x
    ticket.wait()
    assert numpy.array_equal(ticket.read(0).view(numpy.float32), expected)
    assert ticket.read(1).view(numpy.float32).tolist() == [expected[1]]
    ticket.read(0)[:] = 0
    device.upload(target, numpy.zeros(64, numpy.float32))
    assert numpy.array_equal(ticket.read(0).view(numpy.float32), expected)
    device.synchronize()


def test_the_same_counters(device: Any) -> None:
    gc.collect()  # what earlier tests left behind is freed now, and not between two snapshots
    source, target = device.allocate(256), device.allocate(256)
    before = counting.snapshot()
    device.upload(source, numpy.zeros(64, numpy.float32))
    device.execute(program(256), [source, target, None, None], [2.0]).read(0)
    device.download(target, 0, 128)
    after = counting.snapshot()
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {
        "submissions": 1,
        "kernels": 3,
        "dispatches": 3,
        "transfers": 3,
        "bytes_moved": 100,
        "bytes_unfused": 200,
        "bytes_uploaded": 256,
        "bytes_downloaded": 384,
    }


def test_live_bytes_follow_buffers(device: Any) -> None:
    gc.collect()
    before = counting.snapshot()["live_bytes"]
    held = [device.allocate(1000) for _ in range(5)]
    assert counting.snapshot()["live_bytes"] - before == 5 * 1024
    assert len({buffer.key for buffer in held}) == 5
    assert all(buffer.bytes.ctypes.data % 256 == 0 for buffer in held)
    held.clear()
    assert counting.snapshot()["live_bytes"] == before


def test_errors(device: Any) -> None:
    buffer = device.allocate(16)
    with pytest.raises(OutOfMemoryError):
        device.allocate(1 << 60)
    with pytest.raises(DeviceError, match="pass the buffer's 16"):
        device.upload(buffer, numpy.zeros(5, numpy.float32))
    with pytest.raises(DeviceError, match="of a buffer of 16"):
        device.download(buffer, 8, 9)
    with pytest.raises(DeviceError, match="another device"):
        device.upload(object(), numpy.zeros(4, numpy.float32))
    with pytest.raises(DeviceError, match="4 slots"):
        device.execute(program(16), [buffer], [1.0])
    with pytest.raises(DeviceError, match="slot 0 needs 1024 bytes"):
        device.execute(program(1024), [buffer, buffer, None, None], [1.0])
    shader = SpirvKernel("k", "d", b"", 0, 0, "", "title")
    with pytest.raises(DeviceError, match="another device"):
        device.execute(Program((), (Dispatch(shader, ()),)), [], [])

    def greedy(windows: Sequence[Any], scalars: Sequence[Any]) -> None:
        raise MemoryError("too big")

    with pytest.raises(OutOfMemoryError, match=r"kernel greedy .title.: too big"):
        device.execute(Program((), (Dispatch(HostKernel("greedy", "title", greedy), ()),)), [], [])
    empty = device.allocate(0)
    device.upload(empty, numpy.empty(0))
    assert device.download(empty, 0, 0).size == 0


def test_limits_are_narrowed_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    from vkml.runtime.cpu import cpu_info

    monkeypatch.setenv("VKML_LIMITS", "float64=0,max_storage_buffers=5")
    info = cpu_info(3)
    assert (info.index, info.limits.max_storage_buffers) == (3, 5)
    assert "float64" not in info.dtypes
    assert CpuDevice(info).limits is info.limits
