"""How many compiles, dispatches and submissions some work takes: the promises of the design."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

import vkml
from vkml import config

pytestmark = pytest.mark.device

wide = pytest.mark.skipif(
    config.text("VKML_LIMITS") is not None, reason="counts of a device that is not narrowed"
)

SHAPES: tuple[tuple[int, ...], ...] = (
    (), (0,), (1,), (2,), (3,), (5,), (7,), (11,), (13,), (15,), (16,), (17,), (31,), (32,), (33,),
    (63,), (64,), (65,), (97,), (127,), (128,), (129,), (255,), (256,), (257,), (511,), (513,),
    (1023,), (1025,), (4099,), (1, 1), (1, 7), (7, 1), (3, 5), (16, 16), (17, 31), (0, 4), (4, 0),
    (2, 3, 5), (1, 1, 1), (8, 1, 8), (33, 1, 2), (5, 5, 5), (2, 0, 3), (2, 2, 2, 2), (1, 9, 1, 3),
    (3, 1, 3, 1), (2, 3, 2, 3, 2), (1, 1, 1, 1, 1, 1), (6, 1, 5, 2),
)  # fmt: skip
CONSTANTS = (
    0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, 2.0, 3.0, 10.0, 0.1, 1 / 3, math.pi,
    math.e, 1e-3, 1e-6, 1e-10, 1e-20, 1e-30, 1e-38, 1e-40, 1e-45, 5e-324, 1e3, 1e6, 1e10, 1e20,
    1e30, 3.4028235e38, 1e39, 2.0**31, -(2.0**31), 2.0**32, 2.0**63, 2.0**64, 16777217.0, 65504.0,
    255.0, 256.0, 127.0, -128.0, 7.0, 1e2, 99.5, -0.1, -1e-40, -1e30, 1.0000001, 0.99999994,
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def opened() -> None:
    """The device with its verdicts: finding them runs kernels of its own."""
    (vkml.tensor(1.0, device="vulkan") + 1).realize()


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """What each counter grows by inside the block."""
    before = vkml.counters()
    grown: dict[str, int] = {}
    yield grown
    after = vkml.counters()
    grown.update({name: after[name] - before[name] for name in after})


def twenty(a: Any, wide: Any, turned: Any, spread: Any) -> Any:
    """Twenty operations of rank 3 on a broadcast, a transposed and a step-two operand."""
    x = a * wide + turned
    x = x - spread * 0.5
    x = abs(x) + 1.0
    x = x / (wide * wide + 2.0)
    x = x * x - a
    x = x + turned * spread
    x = -x * 0.25
    x = x + a * 3.0
    return x - wide


@wide
def test_a_chain_of_twenty_operations_is_one_dispatch() -> None:
    generator = numpy.random.default_rng(0)
    a, row, turned, spread = (generator.normal(size=size).astype(numpy.float32)
                              for size in ((6, 10, 16), (6, 1, 16), (16, 10, 6), (6, 10, 32)))
    tensors = [vkml.tensor(array, device="vulkan") for array in (a, row, turned, spread)]
    tensors[2], tensors[3] = tensors[2].T, tensors[3][:, :, ::2]
    with counted() as grown:
        before = vkml.counters()["nodes_recorded"]
        result = twenty(*tensors)
        recorded = vkml.counters()["nodes_recorded"] - before
        got = result.numpy()
    assert recorded >= 20
    assert (grown["dispatches"], grown["submissions"]) == (1, 1)
    want = twenty(a, row, turned.T, spread[:, :, ::2])
    numpy.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@wide
def test_fifty_shapes_and_fifty_constants_compile_at_most_four_kernels() -> None:
    generator = numpy.random.default_rng(1)
    with counted() as grown:
        for shape in SHAPES:
            array = generator.normal(size=shape).astype(numpy.float32)
            tensor = vkml.tensor(array, device="vulkan")
            for constant in CONSTANTS:
                result = tensor * constant + 1.5
                if constant == CONSTANTS[0] or shape == (33,):
                    with numpy.errstate(all="ignore"):
                        want = array * numpy.float32(constant) + numpy.float32(1.5)
                    numpy.testing.assert_array_equal(result.numpy(), want)
                else:
                    result.realize()
    assert len(SHAPES) == len(CONSTANTS) == 50
    assert grown["shaderc_compiles"] <= 4
    assert grown["submissions"] == sum(0 not in shape for shape in SHAPES) * 50


@wide
def test_constants_of_every_kind_of_integer_compile_once() -> None:
    array = numpy.arange(40, dtype=numpy.int64)
    tensor = vkml.tensor(array, device="vulkan")
    with counted() as grown:
        for constant in (0, 1, -1, True, 2**31 - 1, 2**31, 2**32, -(2**31), 2**63 - 1, -(2**63)):
            with numpy.errstate(over="ignore"):
                want = array * numpy.int64(constant) - numpy.int64(7)
            numpy.testing.assert_array_equal((tensor * constant - 7).numpy(), want)
    assert grown["shaderc_compiles"] <= 1


def parameters() -> list[numpy.ndarray]:
    generator = numpy.random.default_rng(2)
    shapes = [(1 + n % 23, 1 + n // 23) for n in range(300)]
    assert len(set(shapes)) == 300
    return [generator.normal(size=shape).astype(numpy.float32) for shape in shapes]


@wide
def test_three_hundred_tensors_moved_by_one_formula_are_few_dispatches() -> None:
    arrays, gradients = parameters(), parameters()[::-1]
    gradients = [numpy.resize(g, a.shape) for a, g in zip(arrays, gradients, strict=True)]
    made = [vkml.tensor(array, device="vulkan") for array in arrays]
    slopes = [vkml.tensor(array, device="vulkan") for array in gradients]
    rate = numpy.float32(0.1)
    for step in range(3):
        with counted() as grown:
            for p, g in zip(made, slopes, strict=True):
                p.assign_(p - 0.1 * g)
            vkml.realize(*made)
        assert grown["dispatches"] <= 8, f"step {step}"
        assert grown["submissions"] == 1
        arrays = [p - rate * g for p, g in zip(arrays, gradients, strict=True)]
    for p, array in zip(made, arrays, strict=True):
        numpy.testing.assert_array_equal(p.numpy(), array)


@wide
def test_three_hundred_results_of_one_formula_are_few_dispatches() -> None:
    arrays = parameters()
    made = [vkml.tensor(array, device="vulkan") for array in arrays]
    with counted() as grown:
        results = [p * 0.5 + 1.0 for p in made]
        vkml.realize(*results)
    assert grown["dispatches"] <= 8
    assert grown["submissions"] == 1
    for result, array in zip(results, arrays, strict=True):
        want = array * numpy.float32(0.5) + numpy.float32(1)
        numpy.testing.assert_array_equal(result.numpy(), want)


def test_two_roots_of_different_shapes_are_one_submission() -> None:
    one = vkml.tensor(numpy.ones((3, 4), numpy.float32), device="vulkan") + 1
    other = vkml.tensor(numpy.ones(7, numpy.float32), device="vulkan") * 3
    with counted() as grown:
        vkml.realize(one, other)
    assert grown["submissions"] == 1
    assert (one.numpy() == 2).all()
    assert (other.numpy() == 3).all()


def test_realizing_twice_dispatches_nothing() -> None:
    made = vkml.exp(vkml.tensor(numpy.ones(9, numpy.float32), device="vulkan"))
    made.realize()
    with counted() as grown:
        made.realize()
        vkml.realize(made, made[::2], made.reshape(3, 3).T)
    assert (grown["dispatches"], grown["submissions"]) == (0, 0)


@wide
def test_observing_is_one_submission() -> None:
    array = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    for observe in (
        lambda x: x.numpy(), lambda x: x.tolist(), lambda x: list(x), lambda x: f"{x[0, 0]:.3f}",
        lambda x: str(x), lambda x: numpy.asarray(x), lambda x: float(x[1, 1]), lambda x: 5.0 in x,
        lambda x: bool(x[0, 0]),
    ):  # fmt: skip
        tensor = vkml.tensor(array, device="vulkan") + 1
        with counted() as grown:
            observe(tensor)
        assert grown["submissions"] == 1
