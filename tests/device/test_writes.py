"""Writing in place: readers keep what they were recorded with, free memory is taken over."""

from __future__ import annotations

import gc

import numpy
import pytest

import vkml

VALUES = numpy.arange(12, dtype=numpy.float32)


@pytest.fixture(params=["vulkan", "cpu"])
def device(request: pytest.FixtureRequest) -> vkml.Device:
    return vkml.device(request.param)


@pytest.fixture
def tensor(device: vkml.Device) -> vkml.Tensor:
    return vkml.tensor(VALUES, device=device)


def test_a_reader_recorded_before_the_write_sees_the_old_values(tensor: vkml.Tensor) -> None:
    """Whether it runs before, with or after the write."""
    with_it, after_it = tensor * 10.0, tensor + 0.5
    tensor.assign_(tensor + 100.0)
    vkml.realize(tensor, with_it)
    assert tensor.tolist() == (VALUES + 100).tolist()
    assert with_it.tolist() == (VALUES * 10).tolist()
    assert after_it.tolist() == (VALUES + numpy.float32(0.5)).tolist()


def test_an_older_reader_that_is_realized_after_many_writes(tensor: vkml.Tensor) -> None:
    readers = []
    for _ in range(5):
        readers.append(tensor * 2.0)
        tensor.assign_(tensor + 1.0)
        tensor.realize()
    for number, reader in enumerate(readers):
        assert reader.tolist() == ((VALUES + number) * 2).tolist()
    assert tensor.tolist() == (VALUES + 5).tolist()


def test_a_reader_of_a_partial_write(tensor: vkml.Tensor) -> None:
    before = tensor[2:6] * 1.0
    tensor[3:5] = -1.0
    between = tensor * 1.0
    tensor[::2] = tensor[1::2] * 10.0
    wanted = VALUES.copy()
    wanted[3:5] = -1
    first = wanted.copy()
    wanted[::2] = wanted[1::2] * 10
    assert tensor.tolist() == wanted.tolist()
    assert between.tolist() == first.tolist()
    assert before.tolist() == VALUES[2:6].tolist()


OVERLAPS = {
    "one up": (slice(1, None), slice(None, -1)),
    "one down": (slice(None, -1), slice(1, None)),
    "reversed": (slice(None), slice(None, None, -1)),
    "even from odd": (slice(0, None, 2), slice(1, None, 2)),
    "spread": (slice(0, 12, 3), slice(0, 4)),
    "gathered": (slice(0, 4), slice(0, 12, 3)),
    "crossing": (slice(2, 8), slice(7, 1, -1)),
}


@pytest.mark.parametrize("name", OVERLAPS)
@pytest.mark.parametrize("computed", [False, True])
def test_source_and_destination_overlap(
    tensor: vkml.Tensor, name: str, computed: bool
) -> None:
    """As if the source had been copied first."""
    target, source = OVERLAPS[name]
    if computed:
        tensor = (tensor * 1.0).realize()
    tensor[target] = tensor[source]
    wanted = VALUES.copy()
    wanted[target] = VALUES[source].copy()
    assert tensor.tolist() == wanted.tolist()
    tensor[target] = tensor[source] + tensor[target]
    again = wanted.copy()
    again[target] = wanted[source] + wanted[target]
    assert tensor.tolist() == again.tolist()


def test_a_transposed_matrix_written_over_itself(device: vkml.Device) -> None:
    square = numpy.arange(81, dtype=numpy.float32).reshape(9, 9)
    tensor = vkml.tensor(square, device=device)
    tensor.assign_(tensor.T * 1.0)
    tensor[1:, :] = tensor[:-1, :].flip(1)
    wanted = square.T.copy()
    wanted[1:, :] = wanted[:-1, ::-1].copy()
    assert tensor.tolist() == wanted.tolist()


def test_handles_and_views_see_the_newest_version(tensor: vkml.Tensor) -> None:
    other, view = tensor, tensor.reshape(3, 4)[1]
    copy = vkml.Tensor.__copy__(tensor)
    tensor[4:8] = 7.0
    assert view.tolist() == [7.0] * 4
    view[:2] = 9.0
    for handle in (tensor, other, copy):
        assert handle.tolist()[3:9] == [3.0, 9.0, 9.0, 7.0, 7.0, 8.0]
    tensor.assign_(tensor * 0.0)
    assert view.tolist() == [0.0] * 4


def test_two_results_of_one_array_are_apart(tensor: vkml.Tensor) -> None:
    first = tensor + 1.0
    second = first * 1.0
    first.assign_(first * 2.0)
    vkml.realize(first, second)
    assert first.tolist() == ((VALUES + 1) * 2).tolist()
    assert second.tolist() == (VALUES + 1).tolist()
    copied = tensor.copy()
    copied[0] = 99.0
    assert tensor.tolist()[0] == 0.0


def test_what_nobody_reads_any_more_is_overwritten() -> None:
    """In place means in place: the same memory, and none beside it."""
    tensor = vkml.tensor(numpy.zeros(1 << 18, numpy.float32), device="vulkan")
    tensor.assign_(tensor + 1.0)
    tensor.realize()
    key = tensor._latest().storage.buffer.key
    gc.collect()
    peak = vkml.counters()["live_bytes"]
    for _ in range(5):
        tensor.assign_(tensor + 1.0)
        tensor[5:50] = 2.0
        tensor.realize()
        assert tensor._latest().storage.buffer.key == key
    gc.collect()
    assert vkml.counters()["live_bytes"] == peak
    reader = tensor * 3.0
    tensor.assign_(tensor + 1.0)
    tensor.realize()
    assert tensor._latest().storage.buffer.key != key, "a reader still needs the old values"
    assert reader[0].item() == 18.0


@pytest.mark.parametrize("count", [300])
def test_many_writes_in_one_submission(tensor: vkml.Tensor, count: int) -> None:
    wanted = VALUES.copy()
    for number in range(count):
        tensor[number % 7 : 12 - number % 3] = float(number)
        wanted[number % 7 : 12 - number % 3] = number
        if number % 50 == 0:
            tensor.assign_(tensor[::-1] + 1.0)
            wanted = wanted[::-1] + 1
    before = vkml.counters()["submissions"]
    value = tensor.numpy()
    assert vkml.counters()["submissions"] - before == 1
    assert numpy.array_equal(value, wanted)


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int16", "float16", "int64"])
def test_narrow_elements_leave_their_neighbours_alone(device: vkml.Device, dtype: str) -> None:
    """Elements that share a word, written by different threads and at every offset."""
    array = (numpy.arange(67) % 2).astype(dtype)
    for start, stop, step in ((1, 66, 2), (3, 5, 1), (0, 67, 3), (65, 2, -4), (1, 64, 1)):
        tensor = vkml.tensor(array, device=device)
        wanted = array.copy()
        fresh = (numpy.arange(len(range(start, stop, step))) % 2 == 0).astype(dtype)
        tensor[start:stop:step] = vkml.tensor(fresh, device=device)
        wanted[start:stop:step] = fresh
        assert tensor.tolist() == wanted.tolist(), (start, stop, step)
