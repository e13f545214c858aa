"""Programs on the Vulkan device: values, order, parameters, results."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from tests.device.runtime_support import (
    CONSTANTS,
    add,
    axpy,
    axpy_program,
    floats,
    fresh_device,
    kernel,
    needs_vulkan,
    silent_validation,
)
from vkml import counting
from vkml.errors import DeviceError
from vkml.program import Binding, Dispatch, HostKernel, Patch, Program, Range, Slot
from vkml.runtime import open_device

pytestmark = needs_vulkan


@pytest.fixture(scope="module", params=["direct", "copies"])
def device(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The open device, and one that stages uploads and copies results as a GPU would."""
    with silent_validation():
        if request.param == "direct":
            yield open_device("vulkan")
        else:
            with fresh_device(copies=True) as opened:
                yield opened


def filled(device: Any, array: Any) -> Any:
    buffer = device.allocate(array.nbytes)
    device.upload(buffer, array)
    return buffer


def words(device: Any, n: int, value: int = 0) -> Any:
    return filled(device, numpy.full(n, value, numpy.uint32))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000, 65537])
def test_one_dispatch(device: Any, n: int) -> None:
    x, y = floats(n, 1), floats(n, 2)
    z = device.allocate(4 * n)
    ticket = device.execute(axpy_program(n), [filled(device, x), filled(device, y), z], [2.5])
    expected = numpy.float32(2.5) * x + y
    assert numpy.array_equal(ticket.read(0).view(numpy.float32), expected)
    assert numpy.array_equal(device.download(z, 0, 4 * n).view(numpy.float32), expected)
    part = device.download(z, 4 * (n // 2), 4 * (n - n // 2))
    assert numpy.array_equal(part.view(numpy.float32), expected[n // 2 :])


def test_a_chain_through_temporaries_is_ordered_by_its_barriers(device: Any) -> None:
    n = 5000
    nbytes = 4 * n
    slots = (
        Slot(nbytes, "input"),
        Slot(nbytes, "output"),
        Slot(nbytes, "temporary", 0),
        Slot(nbytes, "temporary", 20480),
    )
    steps = [axpy(n, 0, 0, 2, 0)]
    source = 2
    for _ in range(19):
        target = 5 - source
        steps.append(
            axpy(n, source, 0, target, 0, (Range(source, 0, nbytes), Range(target, 0, nbytes)))
        )
        source = target
    steps.append(axpy(n, source, 0, 1, 0, (Range(source, 0, nbytes),)))
    program = Program(slots, tuple(steps), 1, (Range(1, 0, nbytes),), arena_bytes=40960)
    x = floats(n)
    expected = numpy.float32(0.5) * x + x
    for _ in range(20):
        expected = numpy.float32(0.5) * expected + x
    out = device.allocate(nbytes)
    read = device.execute(program, [filled(device, x), out, None, None], [0.5]).read(0)
    assert numpy.array_equal(read.view(numpy.float32), expected)


def test_an_arena_too_big_to_be_shared_is_free_again_after_the_submission(device: Any) -> None:
    """The device gets its memory at once, the host only when the device is done with it."""
    n = 5 << 20
    nbytes = 4 * n
    slots = (Slot(nbytes, "input"), Slot(nbytes, "output"), Slot(nbytes, "temporary"))
    meanwhile = [
        axpy(n, 0, 0, 1, 0, (Range(1, 0, nbytes),) if number else (), workgroup=256)
        for number in range(4)
    ]
    last = axpy(n, 2, 0, 1, 0, (Range(1, 0, nbytes), Range(2, 0, nbytes)), workgroup=256)
    program = Program(
        slots, (axpy(n, 0, 0, 2, workgroup=256), *meanwhile, last), 1, (), arena_bytes=nbytes
    )
    x = numpy.arange(n, dtype=numpy.float32) % 1000
    source, out = filled(device, x), device.allocate(nbytes)
    before = device.memory()["live"]
    for _ in range(3):
        ticket = device.execute(program, [source, out, None], [1.0])
    assert device.memory()["live"] == before
    for _ in range(2):
        ticket.wait()
        ticket = device.execute(program, [source, out, None], [1.0])
        for _ in range(5):
            device.upload(device.allocate(nbytes), numpy.full(n, 99, numpy.float32))
    assert numpy.array_equal(device.download(out, 0, nbytes).view(numpy.float32), 3 * x)


def test_scalars_of_executions_in_flight_do_not_meet(device: Any) -> None:
    n = 100_000
    program = Program((Slot(4 * n, "input"),), (add(n, 0, (3, 0, 7), (Patch(8, 0, "<I"),)),), 1)
    data = words(device, n, 1)
    expected = 1
    for value in range(50):
        device.execute(program, [data], [value])
        expected = (expected * 3 + value + 7) % 2**32
    found = device.download(data, 0, 4 * n).view(numpy.uint32)
    assert set(found.tolist()) == {expected}
    assert len(program.prepared.instances) <= 3


def test_constant_bytes_between_scalars_stay(device: Any) -> None:
    n = 10
    patches = (Patch(4, 2, "<I"), Patch(12, 0, "<I"))
    program = Program(
        (Slot(4 * n, "input"),),
        (
            add(n, 0, (0, 1000, 0), patches),
            add(n, 0, (5, 6, 0), (Patch(12, 1, "<I"),), (Range(0, 0, 4 * n),)),
        ),
        3,
        (Range(0, 0, 4 * n),),
    )
    for scalars in ([1, 2, 3], [10, 20, 30]):
        read = device.execute(program, [words(device, n, 2)], scalars).read(0)
        first = 2 * scalars[2] + 1000 + scalars[0]
        assert set(read.view(numpy.uint32).tolist()) == {5 * first + 6 + scalars[1]}


def test_scalars_that_do_not_fit_change_nothing(device: Any) -> None:
    program = Program(
        (Slot(40, "input"),), (add(10, 0, (1, 0, 0), (Patch(8, 0, "<I"),)),), 1, (Range(0, 0, 40),)
    )
    data = words(device, 10, 1)
    with pytest.raises(struct.error):
        device.execute(program, [data], [-1])
    assert set(device.execute(program, [data], [4]).read(0).view(numpy.uint32).tolist()) == {5}


def test_specialisation_constants_make_pipelines_of_one_kernel(device: Any) -> None:
    made = kernel("constants", CONSTANTS, 1, 0)

    def step(slot: int, constants: tuple[int, ...]) -> Dispatch:
        return Dispatch(made, (Binding(slot, 0, 256, True),), b"", (), (4, 1, 1), (16, *constants))

    slots = tuple(Slot(256, "output") for _ in range(3))
    before = counting.snapshot()["pipelines_created"]
    program = Program(
        slots,
        (step(0, (7, 8)), step(1, (70, 80)), step(2, (7, 8))),
        0,
        tuple(Range(slot, 0, 256) for slot in range(3)),
    )
    ticket = device.execute(program, [device.allocate(256) for _ in range(3)], [])
    found = [set(ticket.read(index).view(numpy.uint32).tolist()) for index in range(3)]
    assert found == [{7008}, {70080}, {7008}]
    assert counting.snapshot()["pipelines_created"] - before == 2


def test_windows_at_offsets_and_results_of_several_ranges(device: Any) -> None:
    program = Program(
        (Slot(4096, "input"),),
        (add(10, 0, (1, 5, 0), offset=256), add(10, 0, (1, 9, 0), offset=1024)),
        0,
        (Range(0, 256, 296), Range(0, 1024, 1064), Range(0, 0, 0), Range(0, 1020, 1028)),
    )
    ticket = device.execute(program, [words(device, 1024)], [])
    assert ticket.read(0).view(numpy.uint32).tolist() == [5] * 10
    assert ticket.read(1).view(numpy.uint32).tolist() == [9] * 10
    assert ticket.read(2).size == 0
    assert ticket.read(3).view(numpy.uint32).tolist() == [0, 9]
    result = ticket.read(0)
    result[:] = 1  # fresh and writable
    assert ticket.read(0).view(numpy.uint32).tolist() == [5] * 10


def test_an_empty_program_and_empty_buffers(device: Any) -> None:
    program = Program((Slot(0, "input"), Slot(16, "input")), (), 0, (Range(1, 4, 12),))
    empty = device.allocate(0)
    device.upload(empty, numpy.empty(0, numpy.float32))
    data = filled(device, numpy.arange(4, dtype=numpy.uint32))
    ticket = device.execute(program, [empty, data], [])
    assert ticket.read(0).view(numpy.uint32).tolist() == [1, 2]
    assert device.download(empty, 0, 0).size == 0
    nothing = Program((Slot(16, "input"),), (add(0, 0, (1, 1, 1)),))
    device.execute(nothing, [data], []).wait()


def test_results_stay_those_of_their_execution(device: Any) -> None:
    """A later execution overwrites the array, the recording and the freed memory."""
    n = 1000
    program = Program(
        (Slot(4 * n, "input"),),
        (add(n, 0, (1, 0, 0), (Patch(8, 0, "<I"),)),),
        1,
        (Range(0, 0, 4 * n),),
    )
    data = words(device, n)
    tickets = [device.execute(program, [data], [1]) for _ in range(10)]
    found = [set(ticket.read(0).view(numpy.uint32).tolist()) for ticket in reversed(tickets)]
    assert found == [{10 - index} for index in range(10)]
    kept = device.execute(program, [data], [5])
    del data
    words(device, n, 77)
    assert set(kept.read(0).view(numpy.uint32).tolist()) == {15}


def test_two_results_of_one_array_before_a_third_program_writes_it(device: Any) -> None:
    reader = Program((Slot(64, "input"),), (), 0, (Range(0, 0, 64),))
    other = Program((Slot(64, "input"),), (), 0, (Range(0, 0, 8),))
    writer = Program((Slot(64, "input"),), (add(16, 0, (1, 1, 0)),))
    data = words(device, 16, 3)
    first, second = device.execute(reader, [data], []), device.execute(other, [data], [])
    device.execute(writer, [data], [])
    assert first.read(0).view(numpy.uint32).tolist() == [3] * 16
    assert second.read(0).view(numpy.uint32).tolist() == [3] * 2


def test_a_result_is_one_submission_and_counts_what_it_did(device: Any) -> None:
    n = 256
    x = floats(n)
    buffers = [filled(device, x), filled(device, x), device.allocate(4 * n)]
    program = axpy_program(n)
    device.execute(program, buffers, [1.0]).read(0)
    before = counting.snapshot()
    device.execute(program, buffers, [2.0]).read(0)
    after = counting.snapshot()
    counted = {name: after[name] - before[name] for name in after}
    assert {name: value for name, value in counted.items() if value} == {
        "submissions": 1,
        "kernels": 1,
        "dispatches": 1,
        "transfers": 1,
        "bytes_moved": 3 * 4 * n,
        "bytes_unfused": 5 * 4 * n,
        "bytes_downloaded": 4 * n,
    }


def test_uploads_and_program_are_one_submission(device: Any) -> None:
    n = 64
    program = axpy_program(n)
    x = floats(n)
    device.synchronize()
    before = counting.snapshot()["submissions"]
    buffers = [filled(device, x), filled(device, x), device.allocate(4 * n)]
    device.upload(buffers[1], numpy.zeros(4, numpy.float32), 16)
    read = device.execute(program, buffers, [1.0]).read(0).view(numpy.float32)
    assert counting.snapshot()["submissions"] - before == 1
    expected = 2 * x
    expected[4:8] = x[4:8]
    assert numpy.array_equal(read, expected)


def test_recordings_are_found_again_for_the_same_places(device: Any) -> None:
    n = 4096
    program = axpy_program(n, reads=False)
    x = filled(device, numpy.ones(n, numpy.float32))
    current = filled(device, numpy.zeros(n, numpy.float32))
    for _ in range(200):
        result = device.allocate(4 * n)
        device.execute(program, [x, current, result], [1.0]).wait()
        current = result
    assert set(device.download(current, 0, 4 * n).view(numpy.float32).tolist()) == {200.0}
    assert len(program.prepared.instances) <= 3


def test_many_bindings_stay_bounded(device: Any) -> None:
    n = 64
    program = Program((Slot(4 * n, "input"),), (add(n, 0, (1, 1, 0)),))
    arrays = [words(device, n) for _ in range(100)]
    for _ in range(2):
        for array in arrays:
            device.execute(program, [array], [])
    assert len(program.prepared.instances) == device._recordings.instances_a_program
    for array in arrays:
        assert set(device.download(array, 0, 4 * n).view(numpy.uint32).tolist()) == {2}


def test_dropped_programs_give_their_recordings_back(device: Any) -> None:
    data = words(device, 64)
    for _ in range(30):
        program = Program((Slot(256, "input"),), (add(64, 0, (1, 1, 0)),))
        device.execute(program, [data], []).wait()
        del program
    last = Program((Slot(256, "input"),), (add(64, 0, (1, 1, 0)),))
    device.execute(last, [data], []).wait()
    device._recordings.retire()
    kept = [entry for entry in device._recordings._all.values() if entry[0]() is None]
    assert kept == []
    assert set(device.download(data, 0, 256).view(numpy.uint32).tolist()) == {31}


def test_the_cache_of_recordings_is_bounded(device: Any) -> None:
    recordings = device._recordings
    before, recordings.limit = recordings.limit, 8
    try:
        programs = [Program((Slot(256, "input"),), (add(64, 0, (1, 1, 0)),)) for _ in range(20)]
        data = words(device, 64)
        for _ in range(3):
            for program in programs:
                device.execute(program, [data], [])
        assert len(recordings._all) <= 9
    finally:
        recordings.limit = before
    assert set(device.download(data, 0, 256).view(numpy.uint32).tolist()) == {60}


def test_long_work_is_cut_into_batches_of_one_submission(device: Any) -> None:
    recorder = device._recorder
    before, recorder.batch_bytes = recorder.batch_bytes, 1
    try:
        n = 1000
        steps = tuple(
            add(n, 0, (2, number, 0), (), (Range(0, 0, 4 * n),) if number else ())
            for number in range(5)
        )
        program = Program((Slot(4 * n, "input"),), steps, 0, (Range(0, 0, 4 * n),))
        data = words(device, n, 1)
        counted = counting.snapshot()
        for _ in range(2):
            ticket = device.execute(program, [data], [])
        expected = 1
        for _ in range(2):
            for number in range(5):
                expected = expected * 2 + number
        assert set(ticket.read(0).view(numpy.uint32).tolist()) == {expected}
        assert counting.snapshot()["submissions"] - counted["submissions"] <= 3
        assert len(program.prepared.instances[0].batches) == 5
    finally:
        recorder.batch_bytes = before


def test_profiled_execution_tells_nanoseconds_for_each_step(device: Any) -> None:
    n = 1 << 16
    steps = (
        add(n, 0, (1, 1, 0)),
        add(0, 0, (1, 1, 0)),
        add(n, 0, (1, 1, 0), (), (Range(0, 0, 4 * n),)),
    )
    program = Program((Slot(4 * n, "input"),), steps, 0, (Range(0, 0, 4 * n),))
    data = words(device, n)
    ticket = device.execute(program, [data], [], profile=True)
    times = ticket.step_nanoseconds()
    assert len(times) == 3
    assert times[0] > 0
    assert times[2] > 0
    assert set(ticket.read(0).view(numpy.uint32).tolist()) == {2}
    plain = device.execute(program, [data], [])
    with pytest.raises(DeviceError, match="profile=True"):
        plain.step_nanoseconds()


def test_wrong_arguments_are_refused_and_nothing_is_lost(device: Any) -> None:
    n = 16
    program = axpy_program(n)
    x = filled(device, floats(n))
    short = device.allocate(8)
    with pytest.raises(DeviceError, match="slot 2 needs 64 bytes, its buffer has 8"):
        device.execute(program, [x, x, short], [1.0])
    for count in (0, 2, 4):
        with pytest.raises(DeviceError, match=f"3 slots, got {count} buffers"):
            device.execute(program, [x] * count, [1.0])
    foreign = open_device("cpu").allocate(64)
    with pytest.raises(DeviceError, match="another device"):
        device.execute(program, [x, foreign, x], [1.0])
    with pytest.raises(DeviceError, match="another device"):
        device.upload(foreign, floats(n))
    with pytest.raises(DeviceError, match="pass the buffer's 64"):
        device.upload(x, floats(n), 4)
    with pytest.raises(DeviceError, match="of a buffer of 64"):
        device.download(x, 60, 8)
    host = Dispatch(HostKernel("host", "title", lambda windows, scalars: None), ())
    with pytest.raises(DeviceError, match="cpu device"):
        device.execute(Program((), (host,)), [], [])
    z = device.allocate(4 * n)
    assert device.execute(program, [x, x, z], [0.0]).read(0).size == 4 * n


def test_uploads_of_views_and_other_layouts(device: Any) -> None:
    array = numpy.arange(24, dtype=numpy.int16).reshape(4, 6)
    for value in (array, array.T, array[::-1, ::2], numpy.array(7, numpy.int64)):
        buffer = device.allocate(value.nbytes)
        device.upload(buffer, value)
        read = device.download(buffer, 0, value.nbytes).view(value.dtype).reshape(value.shape)
        assert numpy.array_equal(read, value)


def test_a_step_beyond_the_limits_is_refused_before_the_driver_sees_it(device: Any) -> None:
    limits = device.limits
    data = device.allocate(1024)
    good = add(4, 0, (1, 1, 0))
    for step, message in (
        (dataclasses.replace(good, groups=(limits.max_groups + 1, 1, 1)), "workgroups"),
        (dataclasses.replace(good, bindings=(Binding(0, 4, 16, True),)), "aligned"),
        (dataclasses.replace(good, bindings=(Binding(0, 0, 2048, True),)), "slot 0"),
        (
            dataclasses.replace(
                good, bindings=(Binding(0, 0, limits.max_storage_range + 4, True),)
            ),
            "max_storage_range",
        ),
        (dataclasses.replace(good, parameters=bytes(limits.max_uniform_range + 16)), "parameters"),
        (dataclasses.replace(good, bindings=good.bindings * 2), "bindings"),
    ):
        with pytest.raises(DeviceError, match=message):
            device.execute(Program((Slot(1024, "input"),), (step,)), [data], [])


def test_more_barriers_than_one_call_takes(device: Any) -> None:
    n = 64
    nbytes = 256
    count = 40
    slots = tuple(Slot(nbytes, "input") for _ in range(count))
    everything = tuple(Range(slot, 0, nbytes) for slot in range(count))
    steps = [add(n, slot, (1, slot, 0)) for slot in range(count)]
    steps += [add(n, slot, (2, 0, 0), (), everything if slot == 0 else ()) for slot in range(count)]
    arrays = [words(device, n) for _ in range(count)]
    program = Program(slots, tuple(steps), 0, tuple(Range(s, 0, 4) for s in range(count)))
    ticket = device.execute(program, arrays, [])
    found = [int(ticket.read(slot).view(numpy.uint32)[0]) for slot in range(count)]
    assert found == [2 * slot for slot in range(count)]


def test_an_upload_leaves_unread_results_and_running_work_alone(device: Any) -> None:
    n = 200_000
    program = Program((Slot(4 * n, "input"),), (add(n, 0, (1, 1, 0)),), 0, (Range(0, 0, 4 * n),))
    data = words(device, n, 10)
    tickets = []
    for number in range(10):
        tickets.append(device.execute(program, [data], []))
        device.upload(data, numpy.full(n, 100 * number, numpy.uint32))
    last = device.execute(program, [data], [])
    found = [set(ticket.read(0).view(numpy.uint32).tolist()) for ticket in (*tickets, last)]
    assert found == [{11}, *({100 * number + 1} for number in range(10))]


def test_an_upload_waits_for_no_one_and_overtakes_no_one(device: Any) -> None:
    """The array that a running program reads gets new values for the next one."""
    n = 1 << 21
    program = Program(
        (Slot(4 * n, "input"), Slot(4 * n, "input"), Slot(4 * n, "output")),
        (axpy(n, 0, 1, 2, workgroup=256),),
        1,
    )
    x = filled(device, numpy.ones(n, numpy.float32))
    results = [device.allocate(4 * n) for _ in range(4)]
    for number, result in enumerate(results):
        device.execute(program, [x, x, result], [1.0])
        device.upload(x, numpy.full(n, number + 2, numpy.float32))
    for number, result in enumerate(results):
        found = device.download(result, 0, 4 * n).view(numpy.float32)
        assert (found == 2.0 * (number + 1)).all()


def test_large_uploads_and_fetches_go_by_pieces() -> None:
    """Host memory that the device reads or writes stays bounded."""
    with silent_validation(), fresh_device(copies=True) as device:
        transfers = device._transfers
        transfers.chunk, transfers.pending_limit = 1 << 12, 1 << 14
        device._recordings.read_limit = 1 << 12
        device._heaps.staging.patience = 1 << 20
        n = 100_000
        program = Program(
            (Slot(4 * n, "input"),), (add(n, 0, (1, 1, 0)),), 0, (Range(0, 4, 4 * n),)
        )
        for _ in range(5):
            data = filled(device, numpy.arange(n, dtype=numpy.uint32))
            ticket = device.execute(program, [data], [])
            later = device.execute(program, [data], [])
            expected = numpy.arange(1, n, dtype=numpy.uint32)
            assert numpy.array_equal(ticket.read(0).view(numpy.uint32), expected + 1)
            assert numpy.array_equal(later.read(0).view(numpy.uint32), expected + 2)
        assert device._heaps.staging.reserved <= 1 << 20


def test_live_bytes_are_what_buffers_take(device: Any) -> None:
    """Temporaries, results on their way and what waits to be reused are not counted."""
    n = 1000
    before = counting.snapshot()["live_bytes"]
    program = axpy_program(n)
    x = filled(device, floats(n))
    for _ in range(100):
        result = device.allocate(4 * n)
        device.execute(program, [x, x, result], [1.0])
        assert counting.snapshot()["live_bytes"] - before == 2 * 4096
    del x, result
    assert counting.snapshot()["live_bytes"] == before


def test_memory_comes_back_when_asked(device: Any) -> None:
    held = [device.allocate(40 << 20) for _ in range(3)]
    reserved = device.memory()["reserved"]
    del held
    assert device.memory()["reserved"] == reserved
    assert device.trim() >= 120 << 20
    assert device.memory()["reserved"] <= reserved - (120 << 20)
