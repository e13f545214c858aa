"""Keys: what differs runs differently, and what only is another value or shape compiles nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy
import pytest

import vkml
from tests.device.processes import printed

A = numpy.array([1.0, 2.0, 5.0], numpy.float32)
B = numpy.array([3.0, 7.0, 11.0], numpy.float32)
CONSTANTS = (
    0.0, -0.0, 1.0, -1.0, 0.5, float("inf"), float("-inf"), float("nan"), 2.0**31, 2.0**-149,
    3.4028235e38, 1e-40, *(float(n) for n in range(2, 40)),
)  # fmt: skip
SHAPES = (
    (), (0,), (1,), (2,), (3,), (5,), (7,), (31,), (32,), (33,), (63,), (64,), (65,), (127,),
    (128,), (129,), (255,), (256,), (257,), (1000,), (1023,), (1024,), (1025,), (1, 1), (1, 7),
    (7, 1), (2, 2), (3, 5), (5, 3), (4, 4), (16, 16), (17, 13), (0, 3), (3, 0), (1, 0), (2, 3, 4),
    (4, 3, 2), (1, 2, 1), (1, 1, 1), (5, 1, 3), (2, 2, 2, 2), (3, 1, 2, 1), (1, 1, 1, 1, 1),
    (2, 1, 2, 1, 2), (97, 3), (3, 97), (11, 13), (64, 2), (2, 64), (8, 8, 8),
)  # fmt: skip


def made(array: Any) -> vkml.Tensor:
    return vkml.tensor(array, device="vulkan")


def test_the_order_and_identity_of_operands() -> None:
    """Expressions that differ in wiring alone, in one process and one cache."""
    a, b = made(A), made(B)
    pairs = [
        (lambda x, y: x - y, "x - y"),
        (lambda x, y: y - x, "y - x"),
        (lambda x, y: x - x, "x - x"),
        (lambda x, y: (x + y * x) / y, "a + b * a"),
        (lambda x, y: (x + x * x) / y, "a + a * a"),
        (lambda x, y: (x + x * y) / x, "a + a * b"),
        (lambda x, y: (x - y) - x, "left"),
        (lambda x, y: x - (y - x), "right"),
        (lambda x, y: vkml.where(x < y, x, y) - y, "where"),
        (lambda x, y: vkml.where(y < x, x, y) - y, "where exchanged"),
    ]
    for function, name in pairs:
        for left, right, x, y in ((a, b, A, B), (b, a, B, A), (a, a, A, A)):
            wanted = function(x, y) if "where" not in name else None
            if wanted is None:
                smaller = x < y if name == "where" else y < x
                wanted = numpy.where(smaller, x, y) - y
            assert numpy.array_equal(function(left, right).numpy(), wanted), name


def test_the_same_formula_over_other_arrays() -> None:
    """Coincidence of operands is part of a plan: one array twice is not two arrays."""
    a, b = made(A), made(B)
    for _ in range(2):
        assert (a * 2 + a).tolist() == (A * 3).tolist()
        assert (a * 2 + b).tolist() == (A * 2 + B).tolist()
        assert (b * 2 + a).tolist() == (B * 2 + A).tolist()
        assert (b * 2 + b).tolist() == (B * 3).tolist()
        assert (a[:2] - a[1:]).tolist() == (A[:2] - A[1:]).tolist()
        assert (a[1:] - a[:2]).tolist() == (A[1:] - A[:2]).tolist()
        assert (a[:2] - b[1:]).tolist() == (A[:2] - B[1:]).tolist()


def test_dtypes_and_kinds_of_constant() -> None:
    """1, 1.0 and True, 0.0 and -0.0, int32 and float32: each its own result."""
    integers = made(numpy.array([3, 5], numpy.int32))
    flags = made(numpy.array([True, False]))
    assert (integers + 1).dtype is vkml.int32
    assert (integers + True).dtype is vkml.int32
    assert (integers + 1.0).dtype is vkml.float32
    assert (flags + 1.0).tolist() == [2.0, 1.0]
    assert (flags & True).tolist() == [True, False]
    for value in (0.0, -0.0, 0.0, -0.0):
        product = made(numpy.array([1.0], numpy.float32)) * value
        assert numpy.signbit(product.numpy()[0]) == numpy.signbit(value)
    floats = numpy.array([200.7, -100.3, 70000.0, 0.0], numpy.float32)
    here = vkml.tensor(floats, device=vkml.cpu)
    for dtype in vkml.dtypes.ALL:
        assert made(floats).astype(dtype).tolist() == here.astype(dtype).tolist(), dtype
    for name in ("uint8", "int8", "uint16", "int16", "int32", "uint32", "float16", "float32"):
        values = made(numpy.array([200, 100]).astype(name))
        wanted = numpy.array([200, 100]).astype(name) + numpy.array(100).astype(name)
        assert (values + 100).tolist() == wanted.tolist(), name


def test_constants_are_data() -> None:
    """No two values of a constant share a result, plan anew or compile."""
    tensor = made(A)
    (tensor * 3.25 + 1.5).numpy()
    before = vkml.counters()
    with numpy.errstate(all="ignore"):
        for value in CONSTANTS:
            got = (tensor * value + 1.5).numpy()
            wanted = A * numpy.float32(value) + numpy.float32(1.5)
            assert numpy.array_equal(got, wanted, equal_nan=True), value
    after = vkml.counters()
    assert after["shaderc_compiles"] == before["shaderc_compiles"]
    assert after["kernels_generated"] == before["kernels_generated"]
    assert after["regions_planned"] == before["regions_planned"]


def test_fifty_shapes_and_fifty_constants_cause_few_compiles(tmp_path: Path) -> None:
    script = """
        from tests.device.test_keys import CONSTANTS, SHAPES
        (vkml.tensor([1.0]) - 2.0).numpy()  # probes
        before = vkml.counters()["shaderc_compiles"]
        numpy.seterr(all="ignore")
        for shape in SHAPES:
            array = numpy.arange(numpy.prod(shape, dtype=int), dtype="f4").reshape(shape)
            tensor = vkml.tensor(array)
            for value in CONSTANTS if shape in ((3,), (2, 3, 4)) else CONSTANTS[:3]:
                wanted = array * numpy.float32(value) + numpy.float32(value)
                got = (tensor * value + value).numpy()
                assert numpy.array_equal(got, wanted, equal_nan=True), (shape, value)
        print(len(SHAPES), len(CONSTANTS), vkml.counters()["shaderc_compiles"] - before)
        """
    environment = {"VKML_CACHE_DIR": str(tmp_path)}
    (line,) = printed(script, environment=environment)
    shapes, constants, compiles = map(int, line.split())
    assert shapes >= 50
    assert constants >= 50
    assert compiles <= 4


WARM = """
tensor = vkml.tensor(values(6).reshape(2, 3))
made = vkml.sqrt(tensor.T * 2.0 - tensor.reshape(3, 2)) + 1.0
print(made.numpy().sum() > 0, vkml.counters()["shaderc_compiles"], "jinja2" in sys.modules)
"""


def test_a_second_process_compiles_nothing_wherever_its_lines_are(tmp_path: Path) -> None:
    environment = {"VKML_CACHE_DIR": str(tmp_path)}
    first = printed(WARM, environment=environment)[0].split()
    assert int(first[1]) > 0
    for script in (WARM, "\n\n\n" + WARM, WARM.replace("made", "another_name")):
        assert printed(script, environment=environment)[0].split()[1:] == ["0", "False"]


def test_one_node_of_many_shapes_is_realized_once() -> None:
    """Two roots of different shapes are one submission; realizing again dispatches nothing."""
    a, b = made(A), made(numpy.arange(12, dtype=numpy.float32).reshape(3, 4))
    (a * 1.5).realize(), (b * 1.5).realize()
    roots = a * 2.5, b * 2.5 + 1.0
    before = vkml.counters()
    vkml.realize(*roots)
    between = vkml.counters()
    assert between["submissions"] - before["submissions"] == 1
    vkml.realize(*roots)
    roots[0].realize()
    assert vkml.counters()["dispatches"] == between["dispatches"]
    assert roots[0].tolist() == (A * 2.5).tolist()


def test_a_formula_over_three_hundred_small_arrays() -> None:
    """Sideways: few dispatches, each member with its own data, length and constant."""
    arrays = [numpy.arange(n % 37 + 1, dtype=numpy.float32) + n for n in range(300)]
    tensors = [made(array) for array in arrays]
    results = [tensor * float(n) - 0.5 for n, tensor in enumerate(tensors)]
    before = vkml.counters()["dispatches"]
    vkml.realize(*results)
    assert vkml.counters()["dispatches"] - before <= 8
    for n, (result, array) in enumerate(zip(results, arrays, strict=True)):
        assert numpy.array_equal(result.numpy(), array * numpy.float32(n) - numpy.float32(0.5)), n


@pytest.mark.parametrize("count", [20])
def test_a_chain_over_three_layouts_is_one_dispatch(count: int) -> None:
    """Rank 3, one broadcast, one transposed and one step-2 operand."""
    array = numpy.arange(4 * 6 * 8, dtype=numpy.float32).reshape(4, 6, 8)
    x, row = made(array), made(numpy.arange(8, dtype=numpy.float32))
    turned = made(numpy.ascontiguousarray(array.transpose(2, 1, 0)))
    wide = made(numpy.arange(4 * 6 * 16, dtype=numpy.float32).reshape(4, 6, 16))
    chain = x + row
    chain = chain * turned.permute(2, 1, 0)
    chain = chain + wide[:, :, ::2]
    for number in range(count - 3):
        chain = chain * 0.5 + float(number) if number % 2 else chain - 1.0
    before = vkml.counters()
    value = chain.numpy()
    after = vkml.counters()
    assert after["dispatches"] - before["dispatches"] == 1
    assert after["submissions"] - before["submissions"] == 1
    wanted = array + numpy.arange(8, dtype=numpy.float32)
    wanted = wanted * array
    wanted = wanted + numpy.arange(4 * 6 * 16, dtype=numpy.float32).reshape(4, 6, 16)[:, :, ::2]
    for number in range(count - 3):
        half = numpy.float32(0.5)
        wanted = wanted * half + numpy.float32(number) if number % 2 else wanted - numpy.float32(1)
    assert numpy.array_equal(value, wanted)
