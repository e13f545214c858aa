"""Each row of the op table, for each dtype and layout class, against its NumPy reference."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from numpy.typing import NDArray

import vkml
from vkml import config, dtypes
from vkml.array import Tensor, apply
from vkml.dtypes import DType
from vkml.ops import TABLE, OpDef
from vkml.ops.infer import accepts, result_dtype

from .replay import Mismatch, check_row
from .values import edges, special

Array = NDArray[Any]
Made = tuple[Tensor, Array]

ROWS = tuple(row for row in TABLE.values() if row.kind == "map" and row.name != "astype")
CHUNK = 8
"""Rows that are realized together: one kernel with as many outputs where they share operands."""

SIZES = (1, 2, 31, 32, 33, 255, 256, 257)
FORMS = ((5, 7), (3, 1, 17), (1, 1), (17, 33))
LARGE = ((128, 128), (129, 127), (3, 5461), (1040, 16), (2, 64, 144))
"""2**14 elements or more, where whole runs are loaded; inner extents that 16 divides and not."""
if config.text("VKML_LIMITS") is not None:
    LARGE = LARGE[:2]  # a thousand windows each


def contiguous(array: Array, device: Any) -> Made:
    return vkml.tensor(array, device=device), array


def transposed(array: Array, device: Any) -> Made:
    return vkml.tensor(array.T, device=device).T, array


def step_two(array: Array, device: Any) -> Made:
    wide = numpy.repeat(array, 2, axis=-1) if array.ndim else array
    wide[..., 1::2] = 0
    made = vkml.tensor(wide, device=device)
    return (made[..., ::2] if array.ndim else made), array


def reversed_(array: Array, device: Any) -> Made:
    return vkml.flip(vkml.tensor(numpy.flip(array), device=device)), array


def offset(array: Array, device: Any) -> Made:
    flat = numpy.concatenate([array.reshape(-1)[:1], array.reshape(-1)])
    return vkml.tensor(flat, device=device)[flat.size - array.size :].reshape(array.shape), array


def rows_offset(array: Array, device: Any) -> Made:
    """Whole rows skipped: runs stay aligned."""
    if not array.ndim:
        return contiguous(array, device)
    taller = numpy.concatenate([array[:1], array, array[:1]])
    return vkml.tensor(taller, device=device)[1 : array.shape[0] + 1], array


def inner_broadcast(array: Array, device: Any) -> Made:
    wide = numpy.broadcast_to(array[..., :1], array.shape)
    return vkml.tensor(array[..., :1], device=device).broadcast_to(array.shape), wide


def outer_broadcast(array: Array, device: Any) -> Made:
    wide = numpy.broadcast_to(array[:1], array.shape)
    return vkml.tensor(array[:1], device=device).broadcast_to(array.shape), wide


def single(array: Array, device: Any) -> Made:
    """One element everywhere."""
    one = array.reshape(-1)[0] if array.size else numpy.zeros((), array.dtype)
    return (
        vkml.tensor(one, device=device).broadcast_to(array.shape),
        numpy.broadcast_to(one, array.shape),
    )


LAYOUTS: dict[str, Callable[[Array, Any], Made]] = {
    "contiguous": contiguous,
    "transposed": transposed,
    "step_two": step_two,
    "reversed": reversed_,
    "offset": offset,
    "rows_offset": rows_offset,
    "inner_broadcast": inner_broadcast,
    "outer_broadcast": outer_broadcast,
    "single": single,
}


def rows_for(dtype: DType, device: Any) -> list[OpDef]:
    """The rows that take operands of `dtype` as they are, on a device."""
    found = []
    for row in ROWS:
        if accepts(row, dtype) or (row.coerce == "bool" and dtype is dtypes.bool_):
            result = result_dtype(row, (dtype,) * row.arity)
            if device is vkml.cpu or row.expression(dtype, result) is not None:
                found.append(row)
    return found


def values(dtype: DType, shape: tuple[int, ...], seed: int, place: int) -> Array:
    """Every special value as far as there is room, then random ones; a place a stream."""
    generator = numpy.random.default_rng((seed, place))
    array = special(generator, dtype, shape).reshape(-1)
    chosen = edges(dtype)
    if place % 3 == 1:  # against each other where there is room
        chosen = numpy.repeat(chosen, chosen.size)
    elif place % 3 == 2:
        chosen = numpy.tile(chosen, chosen.size)
    start = generator.integers(0, chosen.size)
    count = min(array.size, chosen.size)
    array[:count] = numpy.resize(numpy.roll(chosen, -start), count)
    return array.reshape(shape)


def checked(
    dtype: DType, shapes: tuple[tuple[int, ...], ...], layouts: tuple[str, str, str], device: Any
) -> None:
    """Every row on operands of these layouts, all shapes of some rows in one realize."""
    rows = rows_for(dtype, device)
    assert rows
    seed = zlib.crc32(f"{dtype.name} {layouts}".encode())
    operands = {
        shape: [
            LAYOUTS[name](values(dtype, shape, seed, place), device)
            for place, name in enumerate(layouts)
        ]
        for shape in shapes
    }
    conditions = {
        shape: LAYOUTS[layouts[0]](values(dtypes.bool_, shape, seed, 0), device) for shape in shapes
    }
    wrong = []
    for start in range(0, len(rows), CHUNK):
        made: list[tuple[OpDef, Tensor, list[Array]]] = []
        for shape in shapes:
            for row in rows[start : start + CHUNK]:
                given = operands[shape][: row.arity]
                if row.arity == 4:
                    given = [*operands[shape], operands[shape][0]]
                if row.coerce == "select":
                    given = [conditions[shape], *operands[shape][1:]]
                result = apply(row, tuple(tensor for tensor, _ in given))
                made.append((row, result, [array for _, array in given]))
        vkml.realize(*(result for _, result, _ in made))
        for row, result, arrays in made:
            try:
                check_row(row, arrays, result.numpy(), f"{row.name} {arrays[0].shape}")
            except Mismatch as error:
                wrong.append(str(error))
    assert not wrong, "\n".join(wrong)


def names(layouts: tuple[str, str, str]) -> str:
    return "+".join(dict.fromkeys(layouts))


SMALL_LAYOUTS = [(name,) * 3 for name in LAYOUTS]
MIXED_LAYOUTS = [
    ("contiguous", "transposed", "step_two"),
    ("inner_broadcast", "contiguous", "outer_broadcast"),
    ("rows_offset", "single", "reversed"),
]


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def device(request: pytest.FixtureRequest) -> Any:
    return vkml.device(request.param)


every_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)


@every_dtype
def test_contiguous(device: Any, dtype: DType) -> None:
    shapes = (*((size,) for size in SIZES), (), (0,), (45, 50))
    checked(dtype, shapes, ("contiguous",) * 3, device)


@every_dtype
def test_mixed(device: Any, dtype: DType) -> None:
    checked(dtype, ((17, 33), (257, 2)), MIXED_LAYOUTS[0], device)


@pytest.mark.slow
@every_dtype
@pytest.mark.parametrize("layouts", SMALL_LAYOUTS[1:] + MIXED_LAYOUTS, ids=names)
def test_small(device: Any, dtype: DType, layouts: tuple[str, str, str]) -> None:
    shapes = (*((size,) for size in SIZES), (0, 3), (3, 0), *FORMS)
    checked(dtype, shapes, layouts, device)


@pytest.mark.slow
@every_dtype
@pytest.mark.parametrize("layouts", SMALL_LAYOUTS + MIXED_LAYOUTS, ids=names)
def test_large(device: Any, dtype: DType, layouts: tuple[str, str, str]) -> None:
    checked(dtype, LARGE, layouts, device)


@every_dtype
def test_casts(device: Any, dtype: DType) -> None:
    """To every dtype, from contiguous, transposed and step-two operands."""
    cast = TABLE["astype"].reference
    assert cast is not None
    made = []
    for name in ("contiguous", "step_two"):
        tensor, array = LAYOUTS[name](values(dtype, (3, 85), 1, 0), device)
        made += [(tensor.astype(target, copy=True), array, target) for target in dtypes.ALL]
    vkml.realize(*(result for result, _, _ in made))
    for result, array, target in made:
        with numpy.errstate(all="ignore"):
            want = cast(array, target.numpy)
        got = result.numpy()
        assert got.dtype == target.numpy
        equal = (got == want) & (numpy.signbit(got) == numpy.signbit(want) if got.dtype.kind == "f"
                                 else True)  # fmt: skip
        if got.dtype.kind == "f":
            equal |= numpy.isnan(got) & numpy.isnan(want)
        bad = numpy.flatnonzero(~equal)
        assert not bad.size, (
            f"{dtype.name} to {target.name}: {bad.size} wrong: of {array.reshape(-1)[bad[0]]!r} "
            f"got {got.reshape(-1)[bad[0]]!r}, expected {want.reshape(-1)[bad[0]]!r}"
        )
