"""How operand dtypes meet, what results have, and what a refusal says."""

from __future__ import annotations

import numpy
import pytest

from vkml import dtypes
from vkml.dtypes import (
    DType,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint32,
    uint64,
)
from vkml.errors import DTypeError, UnsupportedError
from vkml.ops import TABLE
from vkml.ops.infer import accepts, coerced, expression, result_dtype


def first_line(error: Exception) -> str:
    """What an error says, without the user's line that may follow."""
    return str(error).splitlines()[0]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("add", (int8, uint8), (int16, int16)),
        ("add", (bool_, bool_), (bool_, bool_)),
        ("add", (int32, float16), (float16, float16)),
        ("subtract", (bool_, int8), (int8, int8)),
        ("divide", (int64, int8), (float32, float32)),
        ("divide", (int64, float64), (float64, float64)),
        ("exp", (bool_,), (float32,)),
        ("exp", (float16,), (float16,)),
        ("logical_and", (float32, int8), (bool_, bool_)),
        ("where", (float32, int8, float16), (bool_, float16, float16)),
        ("where", (bool_, bool_, uint8), (bool_, uint8, uint8)),
        ("clip", (uint8, int32, uint8), (int32, int32, int32)),
        ("astype", (float64,), (float64,)),
        ("random_bits", (uint32,) * 4, (uint32,) * 4),
        ("full", (), ()),
    ],
)
def test_operands_meet(name: str, given: tuple[DType, ...], expected: tuple[DType, ...]) -> None:
    assert coerced(TABLE[name], given) == expected


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        (
            "reciprocal", (int32,),
            "reciprocal: operand 1: expected a float dtype, got int32; "
            "cast with .astype(vkml.float32)",
        ),
        (
            "bitwise_and", (int32, float16),
            "bitwise_and: operand 2: expected a bool or integer dtype, got float16; "
            "cast with .astype(vkml.int32)",
        ),
        (
            "bitwise_left_shift", (bool_, bool_),
            "bitwise_left_shift: operand 1: expected an integer dtype, got bool; "
            "cast with .astype(vkml.int32)",
        ),
        (
            "negative", (bool_,),
            "negative: operand 1: expected an integer or float dtype, got bool; "
            "cast with .astype(vkml.int32)",
        ),
        (
            "random_bits", (uint32, uint32, uint32, uint64),
            "random_bits: operand 4: expected uint32, got uint64; cast with .astype(vkml.uint32)",
        ),
        (
            "where", (bool_, uint64, int8),
            "where: uint64 and int8 have no common integer dtype; cast both with "
            ".astype(vkml.int64)",
        ),
        ("add", (int8,), "add: expected 2 operands, got 1"),
    ],
)  # fmt: skip
def test_a_refusal_names_operand_and_remedy(
    name: str, given: tuple[DType, ...], message: str
) -> None:
    with pytest.raises(DTypeError) as caught:
        coerced(TABLE[name], given)
    assert first_line(caught.value) == message


def test_results() -> None:
    assert result_dtype(TABLE["less"], (float32, float32)) is bool_
    assert result_dtype(TABLE["where"], (bool_, int8, int8)) is int8
    assert result_dtype(TABLE["astype"], (float32,), uint8) is uint8
    assert result_dtype(TABLE["full"], (), float64) is float64
    with pytest.raises(DTypeError, match=r"^astype: expected a dtype, got none"):
        result_dtype(TABLE["astype"], (float32,))


def test_a_missing_form_names_the_remedies() -> None:
    with pytest.raises(UnsupportedError) as caught:
        expression(TABLE["exp"], (float64,), float64)
    assert first_line(caught.value) == (
        "exp: operand 1: no Vulkan form for float64; cast with .astype(vkml.float32), or compute "
        "on the processor: vkml.tensor(t.numpy(), device=vkml.cpu)"
    )


def test_the_width_of_a_dtype_picks_its_own_text() -> None:
    row = TABLE["nextafter"]
    texts = [expression(row, (dtype, dtype), dtype) for dtype in (float16, float32, float64)]
    assert len(set(texts)) == 3
    assert row.text("float") is None  # so that nobody takes one for the other


def numpy_accepts(name: str, given: tuple[DType, ...]) -> bool:
    """Whether NumPy's function of a row takes these dtypes."""
    function = TABLE[name].reference
    assert function is not None
    try:
        with numpy.errstate(all="ignore"):
            function(*(numpy.ones(1, dtype.numpy) for dtype in given))
    except TypeError:
        return False
    return True


NUMPY_ROWS = [row for row in TABLE.values() if isinstance(row.reference, numpy.ufunc)]


@pytest.mark.parametrize("row", NUMPY_ROWS, ids=lambda row: row.name)
def test_what_numpy_refuses_is_refused(row: object) -> None:
    row = TABLE[row.name]  # type: ignore[attr-defined]
    for dtype in dtypes.ALL:
        given = (dtype,) * row.arity
        if not numpy_accepts(row.name, given):
            with pytest.raises(DTypeError):
                coerced(row, given)


# NumPy takes these, to an end of its own that vkml does not copy: bool arithmetic that turns into
# int8, the quotient 1 // x, the float64 neighbour of an integer, and float results of small ints.
NARROWER = {
    "floor_divide", "remainder", "square", "bitwise_left_shift", "bitwise_right_shift",
    "reciprocal", "nextafter",
}  # fmt: skip


@pytest.mark.parametrize("row", NUMPY_ROWS, ids=lambda row: row.name)
def test_what_numpy_takes_is_taken(row: object) -> None:
    row = TABLE[row.name]  # type: ignore[attr-defined]
    for dtype in dtypes.ALL:
        given = (dtype,) * row.arity
        if row.name in NARROWER and dtype.kind != "float":
            continue
        if numpy_accepts(row.name, given):
            assert all(accepts(row, operand) for operand in coerced(row, given))
