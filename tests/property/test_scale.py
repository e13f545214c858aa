"""Long, wide, deep and empty: graphs and shapes at the ends of what is allowed."""

from __future__ import annotations

import gc
import time
from typing import Any

import numpy
import pytest

import vkml
from vkml import config
from vkml.codegen.capture import LEAF, Entry, Graph
from vkml.codegen.partition import partition
from vkml.limits import DeviceLimits
from vkml.shapes import contiguous


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def device(request: pytest.FixtureRequest) -> Any:
    return vkml.device(request.param)


def alive() -> tuple[int, int]:
    """Live nodes and bytes."""
    gc.collect()
    counts = vkml.counters()
    return counts["live_nodes"], counts["live_bytes"]


# ---- long ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_million_chained_operations(device: Any) -> None:
    nodes, nbytes = alive()
    x = vkml.tensor(numpy.zeros(3, numpy.float32), device=device)
    for _ in range(1_000_000):
        x = x + 1.0
    assert x.tolist() == [1e6] * 3
    del x
    after = alive()
    assert after[0] <= nodes
    assert after[1] <= nbytes + (1 << 20)


@pytest.mark.slow
def test_a_million_operations_that_are_never_computed() -> None:
    """Freeing a long graph does not recurse."""
    nodes, _ = alive()
    x = vkml.tensor(numpy.zeros(3, numpy.float32), device=vkml.cpu)
    limit = x.device.limits.pending_nodes
    for _ in range(limit // 2):
        x = x + 1.0
    del x
    assert alive()[0] <= nodes


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_loop_that_realizes_each_step_is_flat(device: Any, count: int) -> None:
    x = vkml.tensor(numpy.zeros((64, 3), numpy.float32), device=device)
    for _ in range(50):
        x = x + 1
        x.realize()
    before = alive()
    for _ in range(count):
        x = x + 1
        x.realize()
    vkml.synchronize(device)
    after = alive()
    assert after[0] <= before[0] + 4
    assert after[1] <= before[1] + (1 << 20)
    assert (x.numpy() == count + 50).all()


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("realize", [True, False])
def test_a_loop_that_assigns_is_flat(device: Any, count: int, realize: bool) -> None:
    x = vkml.tensor(numpy.zeros((64, 3), numpy.float32), device=device)
    x.assign_(x + 1).realize()
    before = alive()
    for _ in range(count):
        x.assign_(x + 1)
        if realize:
            x.realize()
    x.realize()
    vkml.synchronize(device)
    after = alive()
    assert after[0] <= before[0] + 4
    assert after[1] <= before[1] + (1 << 20)
    assert (x.numpy() == count + 1).all()


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_a_loop_that_writes_parts_is_flat(device: Any, count: int) -> None:
    x = vkml.tensor(numpy.zeros(8, numpy.int32), device=device)
    x[1] = 1
    x.realize()
    before = alive()
    for number in range(count):
        x[number % 8] = x[(number + 3) % 8] + 1
        x.realize()
    after = alive()
    want = numpy.zeros(8, numpy.int32)
    want[1] = 1
    for number in range(count):
        want[number % 8] = want[(number + 3) % 8] + 1
    assert x.tolist() == want.tolist()
    assert after[0] <= before[0] + 4
    assert after[1] <= before[1] + (1 << 20)


def test_what_is_never_observed_is_bounded(device: Any) -> None:
    """Past the device's limit of pending operations the graph is realized early."""
    x = vkml.tensor(numpy.zeros(3, numpy.float32), device=device)
    nodes, _ = alive()
    limit = device.limits.pending_nodes
    for _ in range(3 * limit // 2):
        x = x + 1.0
    assert alive()[0] - nodes <= 2 * limit + 8
    assert x.tolist() == [3 * limit // 2] * 3


def test_the_bound_holds_after_eager_mode(device: Any) -> None:
    with vkml.eager():
        vkml.ones(3, device=device)
    test_what_is_never_observed_is_bounded(device)


@pytest.mark.slow
def test_ten_thousand_operations_are_partitioned_in_a_second() -> None:
    shape = contiguous((64, 64))
    entries = [Entry(LEAF, (), "float32", shape, 0), Entry(LEAF, (), "float32", shape, 1)]
    while len(entries) < 10_002:
        number = len(entries)
        op = ("add", "multiply", "maximum", "subtract")[number % 4]
        entries.append(Entry(op, (number - 1, number - 2 - number % 2), "float32", shape))
    graph = Graph(tuple(entries), (len(entries) - 1,))
    start = time.process_time()
    cuts = partition(graph, DeviceLimits())
    spent = time.process_time() - start
    assert cuts.cuts
    assert spent < 1.0


# ---- wide ----------------------------------------------------------------------------------------


def test_a_thousand_inputs_of_one_expression(device: Any) -> None:
    generator = numpy.random.default_rng(3)
    arrays = generator.normal(size=(1000, 5)).astype(numpy.float32)
    tensors = [vkml.tensor(array, device=device) for array in arrays]
    total, want = tensors[0], arrays[0]
    for tensor, array in zip(tensors[1:], arrays[1:], strict=True):
        total, want = total + tensor, want + array
    numpy.testing.assert_array_equal(total.numpy(), want)


def test_a_thousand_roots(device: Any) -> None:
    x = vkml.tensor(numpy.arange(6, dtype=numpy.float32).reshape(2, 3), device=device)
    roots = []
    for number in range(250):
        part = x[number % 2, : 1 + number % 3]
        roots += [part + number, part * number, x.T - number, (x == number)]
    before = vkml.counters()["submissions"]
    vkml.realize(*roots)
    assert vkml.counters()["submissions"] - before == 1
    array = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    for number in range(250):
        part = array[number % 2, : 1 + number % 3]
        wanted = (part + number, part * number, array.T - number, array == number)
        for root, want in zip(roots[4 * number :], wanted, strict=False):
            numpy.testing.assert_array_equal(root.numpy(), want.astype(root.dtype.numpy))


def test_a_value_shared_twice_at_every_step_is_computed_once(device: Any) -> None:
    """x = x + x, sixty times: text that inlined it would be 2**60 operations."""
    x = vkml.tensor(numpy.ones(4, numpy.float32), device=device)
    for _ in range(60):
        x = x + x
    assert x.tolist() == [2.0**60] * 4


def test_one_operand_on_every_side(device: Any) -> None:
    array = numpy.arange(9, dtype=numpy.int32).reshape(3, 3)
    x = vkml.tensor(array, device=device)
    got = x + x.T - x[::-1] * x[:, ::-1] + x[1] - x[:, 1:2]
    want = array + array.T - array[::-1] * array[:, ::-1] + array[1] - array[:, 1:2]
    numpy.testing.assert_array_equal(got.numpy(), want)


# ---- shapes --------------------------------------------------------------------------------------


def test_ten_dimensions(device: Any) -> None:
    array = numpy.arange(2**10, dtype=numpy.int32).reshape((2,) * 10)
    order = (9, 0, 8, 1, 7, 2, 6, 3, 5, 4)
    x = vkml.tensor(array, device=device)
    got = x.permute(order) * 3 - x
    numpy.testing.assert_array_equal(got.numpy(), array.transpose(order) * 3 - array)
    flipped = vkml.flip(x, (0, 2, 4, 6, 8)) + x.permute(order)[:, :1]
    want = numpy.flip(array, (0, 2, 4, 6, 8)) + array.transpose(order)[:, :1]
    numpy.testing.assert_array_equal(flipped.numpy(), want)


def test_axes_of_one_and_none(device: Any) -> None:
    for shape in ((), (1,), (1, 1, 1), (0,), (3, 0, 2), (1, 0), (1, 5, 1), (5, 1)):
        array = numpy.ones(shape, numpy.float32)
        x = vkml.tensor(array, device=device)
        for other in ((1,), (1, 1, 1), ()):
            y = vkml.tensor(numpy.full(other, 2, numpy.float32), device=device)
            got = (x + y).numpy()
            want = array + numpy.full(other, 2, numpy.float32)
            assert got.shape == want.shape
            numpy.testing.assert_array_equal(got, want)
        assert x.reshape(-1).shape == (array.size,)
        assert vkml.flip(x).numpy().shape == shape


@pytest.mark.parametrize(
    "shape", [(2**31, 2**31), (2**20,) * 5, (2**62,), (2**63, 2**63), (10**6, 10**6, 10**6, 0)]
)
def test_sizes_that_overflow_are_refused_or_empty(device: Any, shape: tuple[int, ...]) -> None:
    if 0 in shape:
        assert vkml.full(shape, 1.0, device=device).size == 0
        return
    with pytest.raises(vkml.ShapeError, match="elements"):
        vkml.zeros(shape, device=device)
    with pytest.raises(vkml.ShapeError, match="elements"):
        vkml.tensor([[1.0]], device=device).broadcast_to(shape)


@pytest.mark.skipif(
    config.text("VKML_LIMITS") is not None, reason="2**42 elements are too many windows of 4 KiB"
)
def test_more_than_the_memory_is_an_error_and_nothing_is_lost(device: Any) -> None:
    x = vkml.tensor(numpy.ones(3, numpy.float32), device=device)
    huge = vkml.zeros((2**42,), device=device) + 1
    with pytest.raises((vkml.OutOfMemoryError, vkml.UnsupportedError), match=r"\d"):
        huge.realize()
    assert (x + 1).tolist() == [2, 2, 2]
