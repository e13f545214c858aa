"""What drivers get wrong: each trap by its shortest expression, bit for bit, fused and eager."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import vkml

NAN, INF = float("nan"), float("inf")
TINY = float(numpy.float32(1e-40))  # subnormal
FAR = float(numpy.float32(1e30))
Case = tuple[Callable[..., Any], list[list[float]], list[float]]

FLOATS: dict[str, Case] = {
    "inf - inf": (lambda x: x - x, [[INF, -INF, 1.0]], [NAN, NAN, 0.0]),
    "inf * literal 0": (lambda x: x * 0.0, [[INF, NAN, -1.0]], [NAN, NAN, -0.0]),
    "literal 0 / x": (lambda x: 0.0 / x, [[0.0, 2.0, -2.0]], [NAN, 0.0, -0.0]),
    "x / x": (lambda x: x / x, [[0.0, INF, 3.0]], [NAN, NAN, 1.0]),
    "-0 + literal 0": (lambda x: x + 0.0, [[-0.0, 0.0]], [0.0, 0.0]),
    "x - literal 0": (lambda x: x - 0.0, [[-0.0, 0.0]], [-0.0, 0.0]),
    "-(0 - x)": (lambda x: -(0.0 - x), [[0.0, 2.0]], [-0.0, 2.0]),
    "reassociation": (lambda x: (x + 1e8) - 1e8, [[1.0, 3.0]], [0.0, 0.0]),
    "contraction": (
        lambda a, b: a * b - vkml.asarray(a * b).astype("float32"),
        [[1.0000001, 3.1415927], [1.0000001, 2.7182817]],
        [0.0, 0.0],
    ),
    "division": (lambda x: x / 15.0, [[165.0, 45.0, 1e30]], [11.0, 3.0, 6.6666666e28]),
    "square root": (lambda x: vkml.sqrt(x), [[2.0, -0.0, INF, -1.0, 16777217.0]],
                    [1.4142135, -0.0, INF, NAN, 4096.0]),
    "subnormal / 2": (lambda x: x / 2.0, [[TINY, 2.0**-126]], [TINY / 2, 2.0**-127]),
    "subnormal * 2": (lambda x: x * 2.0, [[2.0**-149, TINY]], [2.0**-148, 2 * TINY]),
    "subnormal + 0": (lambda x: x + 0.0, [[TINY, -TINY]], [TINY, -TINY]),
    "subnormal compared": (lambda x: (x > 0.0).astype("float32"), [[TINY, -TINY]], [1.0, 0.0]),
    "subnormal kept": (lambda x: vkml.maximum(x, 0.0), [[TINY, -TINY]], [TINY, 0.0]),
    "pow of a negative base": (lambda x: x**2.0, [[-2.0, 0.0, INF]], [4.0, 0.0, INF]),
    "pow 0 0": (lambda x, y: vkml.pow(x, y), [[0.0, NAN, 1.0, -8.0], [0.0, 0.0, NAN, 3.0]],
                [1.0, 1.0, 1.0, -512.0]),
    "maximum of nan": (lambda x: vkml.maximum(x, 1.0), [[NAN, 0.5, -INF]], [NAN, 1.0, 1.0]),
    "minimum of nan": (lambda x: vkml.minimum(1.0, x), [[NAN, 0.5, INF]], [NAN, 0.5, 1.0]),
    "maximum of either nan": (
        lambda x, y: vkml.maximum(x, y), [[1.0, -NAN, 0.0, NAN], [-NAN, 1.0, NAN, 2.0]], [NAN] * 4
    ),
    "minimum of either nan": (
        lambda x, y: vkml.minimum(x, y), [[1.0, -NAN, 0.0, NAN], [-NAN, 1.0, NAN, 2.0]], [NAN] * 4
    ),
    "clip of nan": (lambda x: vkml.clip(x, 0.0, 1.0), [[NAN, -3.0, 3.0]], [NAN, 0.0, 1.0]),
    "relu of nan": (lambda x: vkml.relu(x), [[NAN, -1.0, 2.0]], [NAN, 0.0, 2.0]),
    "sign": (lambda x: vkml.sign(x), [[NAN, -0.0, TINY, -INF]], [NAN, 0.0, 1.0, -1.0]),
    "remainder": (lambda x, y: x % y, [[-1.0, 5.0, -7.0], [INF, -INF, 3.0]], [INF, -INF, 2.0]),
    "floor divide": (lambda x, y: x // y, [[-7.0, 7.0, 1.0], [2.0, -2.0, 0.0]], [-4.0, -4.0, INF]),
    "ties": (lambda x: vkml.round(x), [[0.5, 1.5, 2.5, -0.5]], [0.0, 2.0, 2.0, -0.0]),
    "isnan": (lambda x: vkml.isnan(x * 0.0).astype("float32"), [[INF, 1.0]], [1.0, 0.0]),
    "not less is not greater": (
        lambda x: vkml.logical_not(x < 1.0).astype("float32"), [[NAN, 0.0]], [1.0, 0.0]
    ),
    "log1p": (lambda x: vkml.log1p(x), [[1e-10, 0.0, -1.0]], [1e-10, 0.0, -INF]),
    "tanh near 0": (lambda x: vkml.tanh(x), [[1e-8, -1e-20]], [1e-8, -1e-20]),
    "sin far out": (lambda x: vkml.sin(x), [[FAR]], [math.sin(FAR)]),
}  # fmt: skip

INTEGERS: dict[str, tuple[str, Callable[..., Any], list[list[int]], list[int]]] = {
    "uint8 wraps between": ("uint8", lambda x: (x + 100) // 2, [[200, 100]], [22, 100]),
    "uint8 wraps at once": ("uint8", lambda x: x * 3, [[100, 85, 86]], [44, 255, 2]),
    "uint8 below 0": ("uint8", lambda x: (x - 1) // 2, [[0, 1]], [127, 0]),
    "uint16 wraps between": ("uint16", lambda x: (x + 1) >> 1, [[65535, 7]], [0, 4]),
    "int8 wraps between": ("int8", lambda x: (x + 1) // 2, [[127, 5]], [-64, 3]),
    "int8 negated": ("int8", lambda x: -x, [[-128, 5]], [-128, -5]),
    "int16 squared": ("int16", lambda x: x * x, [[256, -181]], [0, -32775 + 65536]),
    "int32 wraps": ("int32", lambda x: x + 1, [[2147483647]], [-2147483648]),
    "floor division": ("int32", lambda x: x // 2, [[-7, 7, -8]], [-4, 3, -4]),
    "floor modulo": ("int32", lambda x: x % 3, [[-7, 7, -9]], [2, 1, 0]),
    "by zero": ("int32", lambda x: x // 0 + x % 0, [[7, -7, 0]], [0, 0, 0]),
    "least by -1": ("int32", lambda x: x % -1, [[-2147483648, 5]], [0, 0]),
    "shift by the width": ("int32", lambda x: x << 32, [[1, -1]], [0, 0]),
    "shift right by more": ("int32", lambda x: x >> 40, [[-1, 5]], [-1, 0]),
    "beyond 2**24": ("int32", lambda x: x * 3 // 3, [[16777217, 33554433]], [16777217, 33554433]),
    "int64": ("int64", lambda x: x * x + 1, [[3037000499, -5]], [9223372030926249002, 26]),
    "uint64": ("uint64", lambda x: x // 3, [[2**64 - 1, 2**63]], [(2**64 - 1) // 3, 2**63 // 3]),
}

HALVES: dict[str, Case] = {
    "rounded between": (lambda x: (x + 1.0) - x, [[2048.0, 4096.0]], [0.0, 0.0]),
    "rounded after a product": (lambda x: x * x - 1.0, [[1.0009765625]], [0.001953125]),
    "overflow between": (lambda x: x * 2.0 / 4.0, [[65504.0, 3.0]], [INF, 1.5]),
    "subnormals": (lambda x: x * 0.5, [[6.103515625e-05, 1.1920929e-07]], [3.0517578e-05, 5.96e-8]),
    "ties to even": (lambda x: x + 1.0, [[2048.0, 2050.0]], [2048.0, 2052.0]),
}


def both(function: Callable[..., Any], operands: list[Any]) -> list[Any]:
    """The value on the device, as one kernel and operation by operation."""
    fused = function(*(vkml.tensor(operand, device="vulkan") for operand in operands)).numpy()
    with vkml.eager():
        eager = function(*(vkml.tensor(operand, device="vulkan") for operand in operands)).numpy()
    return [fused, eager]


def same_bits(got: Any, wanted: Any) -> bool:
    """Equal in every bit but those of nan."""
    words = f"u{wanted.dtype.itemsize}"
    equal = got.view(words) == wanted.view(words)
    if wanted.dtype.kind == "f":
        equal |= numpy.isnan(got) & numpy.isnan(wanted)
    return bool(got.shape == wanted.shape and got.dtype == wanted.dtype and equal.all())


@pytest.mark.parametrize("name", FLOATS)
def test_float32(name: str) -> None:
    function, operands, wanted = FLOATS[name]
    expected = numpy.array(wanted, numpy.float32)
    for got in both(function, [numpy.array(operand, numpy.float32) for operand in operands]):
        assert same_bits(got, expected), f"{got} is not {expected}"


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name: str) -> None:
    dtype, function, operands, wanted = INTEGERS[name]
    expected = numpy.array(wanted, dtype)
    for got in both(function, [numpy.array(operand, dtype) for operand in operands]):
        assert same_bits(got, expected), f"{got} is not {expected}"


@pytest.mark.parametrize("name", HALVES)
def test_float16(name: str) -> None:
    function, operands, wanted = HALVES[name]
    expected = numpy.array(wanted, numpy.float16)
    for got in both(function, [numpy.array(operand, numpy.float16) for operand in operands]):
        assert same_bits(got, expected), f"{got} is not {expected}"


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "uint32"])
def test_floats_out_of_range_saturate_and_nan_is_0(dtype: str) -> None:
    values = numpy.array([NAN, INF, -INF, 3e9, -3e9, -1.0, 1e20, 2.9, -2.9], numpy.float32)
    limits = numpy.iinfo(dtype)
    wanted = [
        0 if numpy.isnan(value) else int(min(max(numpy.trunc(value), limits.min), limits.max))
        for value in values.astype(object)
    ]
    for got in both(lambda x: x.astype(dtype), [values]):
        assert got.tolist() == wanted


def test_bools_are_read_as_not_zero() -> None:
    raw = vkml.from_host(bytes([0, 1, 2, 255]), (4,), "uint8", "vulkan")
    assert raw.astype("bool").tolist() == [False, True, True, True]
    flags = vkml.from_host(bytes([0, 1, 2, 255]), (4,), "bool", "vulkan")
    assert (flags.astype("int32") + 0).tolist() == [0, 1, 1, 1]
    assert vkml.logical_not(flags).tolist() == [True, False, False, False]


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int16", "float16", "int64", "bool"])
def test_every_length_up_to_some_vectors(dtype: str) -> None:
    """Tails: each element is computed, and none beside it is touched."""
    for size in (*range(1, 40), *(2**n + d for n in range(6, 13) for d in (-1, 0, 1))):
        numbers = numpy.arange(size) + size  # no value stands where it stood before
        values = (numbers % 2 if dtype == "bool" else numbers % 120).astype(dtype)
        tensor = vkml.tensor(values, device="vulkan")
        made = vkml.where(tensor == tensor, tensor, tensor)
        assert same_bits(made.numpy(), values), size
        whole = vkml.zeros(size + 2, dtype, "vulkan")
        whole[1:-1] = tensor
        wanted = numpy.concatenate([values[:0], [0], values, [0]]).astype(dtype)
        assert same_bits(whole.numpy(), wanted), size


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.T,
    "step 2": lambda x: x[:, ::2],
    "reversed": lambda x: x[::-1, ::-1],
    "row": lambda x: x[3],
    "column": lambda x: x[:, 3],
    "part": lambda x: x[1:5, 2:7],
    "offset by one": lambda x: x.reshape(-1)[1:],
    "broadcast": lambda x: x[:, None, :1],
}


@pytest.mark.parametrize("dtype", ["float32", "uint8", "int64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_are_read_where_they_lie(layout: str, dtype: str) -> None:
    """Each axis with its own stride, each start, beside an operand of another layout."""
    array = (numpy.arange(7 * 9) % 251).reshape(7, 9).astype(dtype)
    part = LAYOUTS[layout]
    tensor = vkml.tensor(array, device="vulkan")
    view = part(tensor)
    wanted = part(array)
    assert same_bits(part(tensor + tensor).numpy(), numpy.ascontiguousarray(part(array + array)))
    other = (numpy.arange(wanted.size) % 13).reshape(wanted.shape).astype(dtype)
    got = view * 2 + vkml.tensor(other, device="vulkan")
    assert same_bits(got.numpy(), wanted * numpy.array(2, dtype) + other)
    assert same_bits(view.numpy(), numpy.ascontiguousarray(wanted))
