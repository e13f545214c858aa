"""Host arrays of every make: read-only, reversed, foreign byte order, changed after the upload."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import vkml
from vkml import dtypes

from .replay import equal_values

NAMES = [dtype.name for dtype in dtypes.ALL]
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def device(request: pytest.FixtureRequest) -> Any:
    return vkml.device(request.param)


def bits(generator: numpy.random.Generator, name: str, shape: tuple[int, ...]) -> Any:
    """Any bits of a dtype, signalling nans and all."""
    kind = numpy.dtype(name)
    size = int(numpy.prod(shape))
    if name == "bool":
        return generator.integers(0, 2, size).astype(bool).reshape(shape)
    raw = generator.integers(0, 256, size * kind.itemsize, dtype=numpy.uint8)
    return raw.view(kind).reshape(shape)


@st.composite
def layouts(draw: st.DrawFn) -> Any:
    """A base array, and a view of it with steps of any sign, transposed, maybe broadcast."""
    shape = draw(SHAPES)
    generator = numpy.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    base = bits(generator, draw(st.sampled_from(NAMES)), shape)
    view = base[draw(arrays.basic_indices(shape, allow_newaxis=True))] if shape else base
    view = numpy.asarray(view)
    if view.ndim:
        view = view.transpose(draw(st.permutations(range(view.ndim))))
    if draw(st.booleans()):
        view = numpy.broadcast_to(view, (2, *view.shape))
    if draw(st.booleans()) and view.flags.writeable:
        view.flags.writeable = False
    return base, view


def test_any_array_comes_back(device: Any) -> None:
    @settings(max_examples=150)
    @given(layouts())
    def every(drawn: Any) -> None:
        base, view = drawn
        want = view.copy()
        tensor = vkml.tensor(view, device=device)
        copied = +tensor if view.dtype.kind != "b" else tensor | False
        assert (tensor.shape, tensor.dtype.numpy) == (want.shape, want.dtype)
        got = tensor.numpy()
        assert got.tobytes() == want.tobytes()
        assert got.flags.writeable
        assert got.flags.c_contiguous
        if base.size and base.flags.writeable:
            base[...] = 0
        assert copied.numpy().tobytes() == want.tobytes()
        got[...] = 0
        assert tensor.numpy().tobytes() == want.tobytes()

    every()


@pytest.mark.parametrize("name", [name for name in NAMES if numpy.dtype(name).itemsize > 1])
def test_the_other_byte_order(device: Any, name: str) -> None:
    array = bits(numpy.random.default_rng(4), name, (5, 7))
    swapped = array.astype(array.dtype.newbyteorder())
    assert vkml.tensor(swapped, device=device).numpy().tobytes() == array.tobytes()
    assert equal_values(vkml.tensor(swapped[::-2].T, device=device).numpy(), array[::-2].T)
    added = vkml.tensor(array, device=device) | swapped if array.dtype.kind in "iu" else None
    if added is not None:
        assert (added.numpy() == array).all()


def test_an_operand_changed_right_after_it_was_used(device: Any) -> None:
    array = numpy.arange(6, dtype=numpy.float32)
    tensor = vkml.tensor(array, device=device)
    total = tensor + array
    mirrored = array - tensor
    tensor[1:3] = array[:2]
    array[:] = 99
    assert total.tolist() == [0, 2, 4, 6, 8, 10]
    assert mirrored.tolist() == [0] * 6
    assert tensor.tolist() == [0, 0, 1, 3, 4, 5]


def test_what_numpy_gives_back_is_not_the_memory(device: Any) -> None:
    tensor = vkml.tensor(numpy.zeros(4, numpy.int16), device=device)
    tensor.numpy()[:] = 5
    memoryview(numpy.asarray(tensor))[0] = 5
    assert tensor.tolist() == [0] * 4


class Exports:
    """An object that offers its array through DLPack alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Converts:
    """An object that offers its array through `__array__` alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


@pytest.mark.parametrize("wrapper", [Exports, Converts])
@pytest.mark.parametrize("name", NAMES)
def test_objects_that_offer_an_array(device: Any, wrapper: Any, name: str) -> None:
    array = bits(numpy.random.default_rng(6), name, (4, 6))
    for view in (array, array[::2, 1::2], array.T):
        tensor = vkml.tensor(wrapper(view), device=device)
        assert tensor.numpy().tobytes() == view.tobytes()
        assert vkml.asarray(wrapper(view), device=device).dtype.name == name


def array_of_bytes(content: bytes) -> Any:
    return numpy.frombuffer(content, numpy.uint8)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, array_of_bytes])
def test_from_host(device: Any, kind: Any) -> None:
    array = numpy.arange(6, dtype=numpy.int16)
    made = kind(array.tobytes())
    assert vkml.from_host(made, (2, 3), vkml.int16, device).tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(vkml.ShapeError, match=r"from_host: .*16 bytes, got 12"):
        vkml.from_host(made, (2, 4), vkml.int16, device)


def test_nested_sequences_and_scalars(device: Any) -> None:
    for data, name in (
        ([[1.5, 2], [3, 4]], "float32"), ([[1, 2], [3, 4]], "int64"), ([True, False], "bool"),
        (3, "int64"), (2.5, "float32"), (True, "bool"), ([], "float32"), ([[], []], "float32"),
        ((1, 2.0), "float32"), (range(4), "int64"), ([numpy.float32(1), 2], "float32"),
    ):  # fmt: skip
        tensor = vkml.tensor(data, device=device)
        want = numpy.asarray(data)
        assert (tensor.dtype.name, tensor.shape) == (name, want.shape)
        assert tensor.tolist() == want.tolist()
    for data, error in (
        ([[1, 2], [3]], vkml.ShapeError), ("text", vkml.DTypeError), ([None], vkml.DTypeError),
        (1j, vkml.DTypeError), (object(), vkml.DTypeError), ([2**70], OverflowError),
        (numpy.array(["a"]), vkml.DTypeError), (numpy.zeros(2, complex), vkml.DTypeError),
        (numpy.zeros(2, "datetime64[s]"), vkml.DTypeError), ({}, vkml.DTypeError),
        (numpy.zeros(2, [("a", "i4")]), vkml.DTypeError), ([[1], 2], vkml.ShapeError),
    ):  # fmt: skip
        with pytest.raises(error, match=r"\S"):
            vkml.tensor(data, device=device)
