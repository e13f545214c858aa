"""Every GLSL text of the op table, in a kernel of its own: compiles and hides nothing inexact."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from vkml import dtypes
from vkml.codegen.kernel import LINEAR, Operand, Output, Region, Statement
from vkml.codegen.render import render
from vkml.codegen.scan import scan
from vkml.codegen.shaderc import Source, compile_kernels
from vkml.dtypes import DType
from vkml.limits import Verdicts
from vkml.ops import TABLE, OpDef
from vkml.ops.casts import cast_text
from vkml.ops.infer import accepts, expression, result_dtype

EXACT = Verdicts(
    rounding_rte32=True, signed_zero32=True, rounding_rte64=True, signed_zero64=True,
    exact_division=True, exact_sqrt=True, exact_scaling=True,
)  # fmt: skip
INEXACT = replace(EXACT, exact_division=False, exact_sqrt=False, exact_scaling=False)

# One dtype for each register family, and one that is wrapped or rounded after each operation.
SOURCES = tuple(
    map(dtypes.by_name, "bool int8 int32 int64 uint32 uint64 float16 float32 float64".split())
)
MAPS = [row for row in TABLE.values() if row.kind == "map"]

FLOAT_LITERAL = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)")


def operands_of(row: OpDef, source: DType) -> tuple[DType, ...]:
    """The dtypes of coerced operands that `source` stands for."""
    if row.coerce == "select":
        return (dtypes.bool_, *(source,) * (row.arity - 1))
    return (source,) * row.arity


def kernel(row: OpDef, source: DType, result: DType, verdicts: Verdicts) -> str:
    """The whole text of a kernel that is this one operation."""
    operands = tuple(Operand(dtype.name, LINEAR) for dtype in operands_of(row, source))
    statement = Statement(row.name, tuple(range(row.arity)), source.name, result.name)
    region = Region(
        operands, (), (), (statement,), (Output(row.arity, LINEAR),), elements=4, unroll=False
    )
    return render(region, verdicts, title=row.name, key="test")


def cases() -> list[tuple[str, OpDef, DType, DType]]:
    """Name, row, source and result of every expression in the table."""
    found = []
    for row in MAPS:
        for source in SOURCES:
            if row.result == "attribute" or not accepts(row, source):
                continue
            result = result_dtype(row, operands_of(row, source))
            if row.expression(source, result) is not None:
                found.append((f"{row.name}[{source.name}]", row, source, result))
    found += [
        (f"astype[{source.name}, {target.name}]", TABLE["astype"], source, target)
        for source in SOURCES
        for target in dtypes.ALL
    ]
    return found


def faults(verdicts: Verdicts, chosen: list[tuple[str, OpDef, DType, DType]]) -> list[str]:
    """A line for each kernel that does not compile or holds what it must not."""
    texts = [kernel(row, source, result, verdicts) for _, row, source, result in chosen]
    modules = compile_kernels(
        [Source(name, text) for (name, *_), text in zip(chosen, texts, strict=True)]
    )
    found = []
    for (name, *_), module in zip(chosen, modules, strict=True):
        if isinstance(module, bytes):
            found += [f"{name}: {fault}" for fault in scan(module)]
        else:
            found.append(f"{name}: {module}")
    return found


def test_every_text_compiles_and_is_exact() -> None:
    chosen = cases()
    assert len(chosen) > 400
    assert faults(EXACT, chosen) == []


def test_texts_compile_where_division_and_root_are_inexact() -> None:
    chosen = [
        case for case in cases()
        if case[2].name == "float32" and case[1].name != "astype"
        and kernel(*case[1:], INEXACT) != kernel(*case[1:], EXACT)
    ]  # fmt: skip
    assert {"divide", "sqrt", "sigmoid", "gelu_tanh"} <= {case[1].name for case in chosen}
    assert faults(INEXACT, chosen) == []


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_texts_use_their_operands_and_no_other(row: OpDef) -> None:
    texts = list(row.glsl.values())
    if row.form:
        texts += [cast_text(a, b) or "" for a in dtypes.ALL for b in dtypes.ALL]
    assert texts
    for text in texts:
        places = {int(place) for place in re.findall(r"\{(\d)\}", text)}
        assert text in ("true", "false") or places == set(range(row.arity)), text
        for literal in FLOAT_LITERAL.findall(text):
            assert float(literal) not in (0.0, float("inf")), text


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_float_texts_are_arithmetic_or_one_call(row: OpDef) -> None:
    """No comparison, no conversion, no function of the driver: those go through the library."""
    operand = r"\{\d\}"
    call = rf"!?vk_\w+\({operand}(, {operand})*\)"
    arithmetic = rf"({operand}|1\.0lf) [-+*/] {operand}"
    for family, text in row.glsl.items():
        if family in ("float", "float16", "float32", "double"):
            assert re.fullmatch(rf"{call}|{arithmetic}|{operand}|sqrt\({operand}\)", text), text


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_only_float64_lacks_text(row: OpDef) -> None:
    for dtype in dtypes.ALL:
        if dtype.name == "float64" or row.result == "attribute" or not accepts(row, dtype):
            continue
        operands = operands_of(row, dtype)
        assert expression(row, operands, result_dtype(row, operands))


def test_every_pair_of_dtypes_casts() -> None:
    for source in dtypes.ALL:
        for target in dtypes.ALL:
            assert cast_text(source, target)
