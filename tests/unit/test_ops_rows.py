"""Every row of the op table is whole, and says of dtypes what its reference does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy
import pytest

from vkml import dtypes
from vkml.ops import TABLE, OpDef
from vkml.ops.casts import cast_text
from vkml.ops.document import page
from vkml.ops.infer import accepts, result_dtype
from vkml.ops.reference import cast, threefry, threefry2x32
from vkml.ops.texts import EVERY

ROOT = Path(__file__).resolve().parents[2]
MATH = ROOT / "templates" / "math"
MAPS = [row for row in TABLE.values() if row.kind == "map"]

STANDARD = """
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert
    bitwise_or bitwise_right_shift bitwise_xor ceil clip copysign cos cosh divide equal exp expm1
    floor floor_divide greater greater_equal hypot isfinite isinf isnan less less_equal log log1p
    log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
    negative nextafter not_equal positive pow reciprocal remainder round sign signbit sin sinh
    square sqrt subtract tan tanh trunc where astype
""".split()
"""The element-wise functions of the array API standard 2024.12 for real dtypes."""

MORE = """
    exp2 erf erfc rsqrt sigmoid silu gelu_erf gelu_tanh softplus relu leaky_relu elu lerp
    random_bits
""".split()


def test_the_standard_is_complete() -> None:
    assert set(STANDARD) | set(MORE) <= {row.name for row in MAPS}


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_a_row_is_whole(row: OpDef) -> None:
    assert row.reference is not None
    assert row.doc
    assert row.doc.endswith(".")
    assert row.coerce in ("common", "float", "bool", "select", "none")
    assert row.scale in ("result", "operands")
    assert row.accepts
    assert all(kind in (*EVERY, "uint32") for kind in row.accepts)
    if "float" in row.accepts and row.coerce != "none":
        assert len(row.ranges) == row.arity
        assert all(low < high for low, high in row.ranges)
    else:
        assert row.tolerance == 0


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_a_reference_gives_the_result_dtype(row: OpDef) -> None:
    assert row.reference is not None
    for dtype in dtypes.ALL:
        if not accepts(row, dtype):
            continue
        operands: list[Any] = [numpy.ones(3, dtype.numpy) for _ in range(row.arity)]
        if row.coerce == "select":
            operands[0] = numpy.array([True, False, True])
        attribute = dtypes.int8 if row.result == "attribute" else None
        want = result_dtype(row, (dtype,) * row.arity, attribute)
        extra = (attribute.numpy,) if attribute else ()
        with numpy.errstate(all="ignore"):
            got = row.reference(*operands, *extra)
            scalars = row.reference(*(operand[0] for operand in operands), *extra)
        assert (got.dtype, got.shape) == (want.numpy, (3,))
        assert (numpy.asarray(scalars).dtype, numpy.ndim(scalars)) == (want.numpy, 0)


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_a_reference_leaves_its_operands_alone(row: OpDef) -> None:
    """Results of host kernels are written to while their operands are still read."""
    assert row.reference is not None
    for dtype in dtypes.ALL:
        if accepts(row, dtype):
            operands = [numpy.ones(3, dtype.numpy) for _ in range(row.arity)]
            extra = (dtype.numpy,) if row.result == "attribute" else ()
            for operand in operands:
                operand.flags.writeable = False
            with numpy.errstate(all="ignore"):
                row.reference(*operands, *extra)


def library_cost(text: str) -> int | None:
    """The price that the library's file gives for a text that is one call of it."""
    found = re.fullmatch(r"!?vk_(\w+)\([^()]*\)", text)
    if found is None:
        return None
    price = re.search(r"^// cost: (\d+)$", (MATH / f"{found[1]}.glsl").read_text(), re.MULTILINE)
    assert price is not None
    return int(price[1])


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_a_price_is_the_library_s(row: OpDef) -> None:
    """To a factor of three: a price decides about plans, not about results."""
    for family, text in row.glsl.items():
        cost = library_cost(text)
        if cost is not None:
            register = {"float16": "float", "float32": "float"}.get(family, family)
            assert cost / 3 <= row.price(register) <= 3 * cost + 1, (family, text, cost)
    if row.form:
        for source in dtypes.ALL:
            for target in dtypes.ALL:
                cost = library_cost(cast_text(source, target) or "")
                assert cost is None or cost <= 5 * row.price(target.register)


def test_threefry_known_answers() -> None:
    """The vectors that Random123 1.14 publishes (kat_vectors, threefry2x32 of 20 rounds)."""
    ones = 0xFFFFFFFF
    for key, counter, expected in (
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((ones, ones), (ones, ones), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ):
        with numpy.errstate(over="ignore"):
            words = threefry2x32(key, counter)
            first = threefry(*map(numpy.uint32, (*key, *counter)))
        assert tuple(int(word) for word in words) == expected
        assert int(first) == expected[0]


def test_random_bits_look_random() -> None:
    index = numpy.arange(1 << 16, dtype=numpy.uint32)
    bits = threefry(numpy.uint32(7), numpy.uint32(0), numpy.uint32(1), index)
    ones = numpy.unpackbits(bits.view(numpy.uint8)).reshape(-1, 32).mean(axis=0)
    assert abs(ones - 0.5).max() < 5 * 0.5 / 256
    assert numpy.unique(bits).size > (1 << 16) - 5


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (300.7, "int8", 127), (-300.7, "int8", -128), (-1.0, "uint8", 0), (255.9, "uint8", 255),
        (-0.9, "uint32", 0), (3e9, "int32", 2**31 - 1), (1e30, "int64", 2**63 - 1),
        (-1e30, "int64", -(2**63)), (1e30, "uint64", 2**64 - 1), (float("nan"), "int16", 0),
        (float("-inf"), "int16", -(2**15)), (float("nan"), "bool", True), (0.1, "bool", True),
        (-0.0, "bool", False),
    ],
)  # fmt: skip
def test_casts_from_floats(value: float, dtype: str, expected: int) -> None:
    for source in ("float32", "float64"):
        with numpy.errstate(all="ignore"):
            got = cast(numpy.array([value], source), dtype)
        assert (got.tolist(), got.dtype) == ([expected], numpy.dtype(dtype))


def test_casts_are_numpy_s_where_numpy_says() -> None:
    generator = numpy.random.default_rng(1)
    for source in dtypes.ALL:
        values = generator.integers(-100, 100, 64).astype(source.numpy)
        for target in dtypes.ALL:
            if source.kind == "float" and target.kind == "uint":
                values = abs(values)
            with numpy.errstate(over="ignore"):  # uint64 from negative numbers to float16
                want = values.astype(target.numpy)
                assert (cast(values, target.numpy) == want).all()


def test_the_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "ops.md").read_text(encoding="utf-8") == page(), (
        "run python -m vkml.ops.document"
    )
