"""What the GLSL texts of the op table compute, against the rows' NumPy references.

The texts and the library functions that they call are compiled as C++, where each float operation
rounds once, as it must on every device: so this needs no driver, only g++.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from vkml import dtypes
from vkml.codegen.render import library
from vkml.dtypes import DType
from vkml.limits import Verdicts
from vkml.ops import TABLE, OpDef
from vkml.ops.infer import accepts, result_dtype

SHIM = Path(__file__).resolve().parents[2] / "bench" / "math_sweep" / "shim.h"
EXACT = Verdicts(exact_division=True, exact_sqrt=True, exact_scaling=True)
MAPS = [row for row in TABLE.values() if row.kind == "map"]

TYPES = {
    "bool": "bool", "int": "int", "uint": "uint", "long": "int64_t", "ulong": "uint64_t",
    "float": "float", "double": "double",
}  # fmt: skip
MEMORY = {"bool": "uint8_t", "float16": "uint16_t", "float32": "float", "float64": "double"}
MORE = """
template <class T> static inline T min(T a, T b) { return a < b ? a : b; }
template <class T> static inline T max(T a, T b) { return a > b ? a : b; }
"""  # for the 64-bit integers that the shim leaves out

Case = tuple[OpDef, DType, DType]


def operands_of(row: OpDef, source: DType) -> tuple[DType, ...]:
    """The dtypes of coerced operands that `source` stands for."""
    if row.coerce == "select":
        return (dtypes.bool_, *(source,) * (row.arity - 1))
    return (source,) * row.arity


def cases() -> list[Case]:
    """Row, source and result of every expression for every dtype."""
    found: list[Case] = []
    for row in MAPS:
        for source in dtypes.ALL:
            if accepts(row, source):
                attribute = row.result == "attribute"
                results = dtypes.ALL if attribute else (result_dtype(row, (source,)),)
                found += [(row, source, result) for result in results]
    return [case for case in found if case[0].expression(*case[1:]) is not None]


def function(number: int, case: Case) -> str:
    """C++ of one case: a loop over arrays in memory, as a kernel's is."""
    row, source, result = case
    lines = []
    for place, dtype in enumerate(operands_of(row, source)):
        memory = MEMORY.get(dtype.name, f"{dtype.name}_t")
        element = f"static_cast<const {memory} *>(inputs[{place}])[i]"
        value = f"vk_half_value({element})" if dtype.name == "float16" else element
        lines.append(f"{TYPES[dtype.register]} x{place} = {value};")
    text = (row.expression(source, result) or "").format(*(f"x{n}" for n in range(row.arity)))
    text = re.sub(r"(?<=\d)lf\b", "", text).replace("^^", "!=")
    lines.append(f"{TYPES[result.register]} y = {text};")
    memory = MEMORY.get(result.name, f"{result.name}_t")
    stored = "vk_half_bits(vk_round_half(y))" if result.name == "float16" else "y"
    lines.append(f"static_cast<{memory} *>(output)[i] = {memory}({stored});")
    body = "\n".join(f"        {line}" for line in lines)
    return (
        f'extern "C" void case_{number}(const void *const *inputs, void *output, size_t count) {{\n'
        f"    for (size_t i = 0; i < count; i++) {{\n{body}\n    }}\n}}\n"
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case, list[Any]], Any]:
    """Runs a case on arrays, by its C++."""
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    chosen = cases()
    functions = "\n".join(function(number, case) for number, case in enumerate(chosen))
    used = library(functions, EXACT)
    texts = "\n".join(re.sub(r"\b(?:in)?out (\w+) ", r"\1 &", text) for text in used)
    texts = re.sub(r"(?<=\d)lf\b", "", texts)
    folder = tmp_path_factory.mktemp("ops")
    (folder / "ops.cpp").write_text(f'#include "{SHIM}"\n{MORE}\n{texts}\n{functions}')
    command = ["g++", "-std=c++17", "-O1", "-ffp-contract=off", "-fwrapv", "-fPIC", "-shared"]
    command += ["-fsingle-precision-constant", "ops.cpp", "-o", "ops.so"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:4000]
    loaded = ctypes.CDLL(str(folder / "ops.so"))
    numbers = {case: number for number, case in enumerate(chosen)}

    def run(case: Case, arrays: list[Any]) -> Any:
        pointers = (ctypes.c_void_p * len(arrays))(*(array.ctypes.data for array in arrays))
        output = numpy.empty(arrays[0].size, case[2].numpy)
        getattr(loaded, f"case_{numbers[case]}")(
            pointers, ctypes.c_void_p(output.ctypes.data), ctypes.c_size_t(output.size)
        )
        return output

    return run


def edges(dtype: DType) -> Any:
    """The values of a dtype where functions change their ways."""
    if dtype.kind == "bool":
        return numpy.array([False, True])
    if dtype.kind != "float":
        limits = numpy.iinfo(dtype.numpy)
        values = {
            *(0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 100),
            *(-1, -2, -7, -8, -31, -32, -33, -64),
            *(limits.min, limits.min + 1, limits.max // 2, limits.max // 2 + 1),
            *(limits.max - 1, limits.max),
            *(2**24 + 1, 2**31 - 1, 2**31, 2**53 + 1, 2**62 + 3),
        }
        inside = sorted(value for value in values if limits.min <= value <= limits.max)
        return numpy.array(inside, dtype.numpy)
    ends = numpy.finfo(dtype.numpy)
    magnitudes = [
        *(0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 10.0, 88.5, 100.0),
        *(127.0, 128.0, 255.0, 255.5, 300.0, 65504.0, 65519.0, 65520.0),
        *(2.0**24 + 1, 2.0**31 - 1, 2.0**31, 2.0**32, 2.0**52 - 0.5, 2.0**52, 2.0**53),
        *(2.0**63, 2.0**64, 1e-8, 1e-5, 1e-3, 1e10, 1e30, 1e100),
        *(float(ends.tiny), float(ends.smallest_subnormal), float(ends.max)),
        *(float("inf"), float("nan")),
    ]
    with numpy.errstate(over="ignore"):
        positive = numpy.array(magnitudes).astype(dtype.numpy)
    ones = numpy.nextafter(dtype.numpy.type(1), numpy.array([0, 2], dtype.numpy))
    return numpy.concatenate([positive, ones, -positive])


def samples(row: OpDef, dtype: DType, place: int, count: int, generator: Any) -> Any:
    """Random values of an operand: within the row's range, and of any bits."""
    if dtype.kind == "bool":
        return generator.integers(0, 2, count).astype(bool)
    bits = generator.integers(0, 256, count * dtype.itemsize, dtype=numpy.uint8)
    wild = bits.view(dtype.numpy)
    if dtype.kind != "float":
        tame = generator.integers(-10, 40, count).astype(dtype.numpy)
    else:
        low, high = row.ranges[place] if row.ranges else (-1e3, 1e3)
        limit = float(numpy.finfo(dtype.numpy).max)
        tame = generator.uniform(max(low, -limit), min(high, limit), count).astype(dtype.numpy)
    return numpy.where(generator.integers(0, 4, count) == 0, wild, tame)


def arguments(row: OpDef, operands: tuple[DType, ...], generator: Any) -> list[Any]:
    """Arrays: edges against edges as far as that goes, then random values."""
    columns = [edges(dtype) for dtype in operands]
    if len(columns) == 1:
        crossed = columns
    elif len(columns) == 2:
        crossed = [grid.ravel() for grid in numpy.meshgrid(*columns, indexing="ij")]
    else:
        crossed = [generator.choice(column, 4000) for column in columns]
    return [
        numpy.ascontiguousarray(
            numpy.concatenate([column, samples(row, dtype, place, 2000, generator)])
        )
        for place, (column, dtype) in enumerate(zip(crossed, operands, strict=True))
    ]


def wrong(case: Case, arrays: list[Any], got: Any) -> Any:
    """Where the results are off, as a mask."""
    row, source, result = case
    assert row.reference is not None
    attribute = (result.numpy,) if row.result == "attribute" else ()
    with numpy.errstate(all="ignore"):
        if result.kind != "float" or source.kind != "float" or source.name == "float64":
            want = numpy.asarray(row.reference(*arrays, *attribute)).astype(result.numpy)
            return ~same(want, got)
        if row.name in ("nextafter", "floor_divide"):  # what they are depends on the dtype
            return ~same(row.reference(*arrays), got)
        # A bool, as the condition of a selection, is no float.
        wide = [a if a.dtype.kind == "b" else a.astype(numpy.float64) for a in arrays]
        want = numpy.asarray(row.reference(*wide, *attribute)).astype(numpy.float64)
        rounded = want.astype(result.numpy)
        if row.tolerance == 0:
            return ~same(rounded, got)
        ulp = 2.0 ** numpy.maximum(exponent(want), -126) * 2.0**-23
        if row.scale == "operands":
            largest = numpy.max([numpy.abs(a) for a in wide], axis=0)
            ulp = 2.0 ** numpy.maximum(exponent(numpy.fmax(largest, abs(want))), -126) * 2.0**-23
        room = row.tolerance * ulp
        if result.name == "float16":  # one rounding more
            room = room + 2.0 ** numpy.maximum(exponent(want), -14) * 2.0**-11
        near = numpy.abs(finite(got, result) - finite(want, result)) <= room
        return ~numpy.where(numpy.isfinite(want), near, same(rounded, got))


def finite(values: Any, dtype: DType) -> Any:
    """Values in float64, those beyond the dtype's range as the first one that is too large."""
    limit = 65536.0 if dtype.name == "float16" else 2.0**128
    return numpy.clip(values.astype(numpy.float64), -limit, limit)


def exponent(values: Any) -> Any:
    """The power of two at or below each magnitude."""
    finite_values = numpy.where(numpy.isfinite(values) & (values != 0), values, 1e-300)
    return numpy.frexp(finite_values)[1] - 1.0


def same(want: Any, got: Any) -> Any:
    """Equal bit for bit but for the payload of nan."""
    if want.dtype.kind != "f":
        return want == got
    both = numpy.isnan(want) & numpy.isnan(got)
    return both | ((want == got) & (numpy.signbit(want) == numpy.signbit(got)))


@pytest.mark.parametrize("row", MAPS, ids=lambda row: row.name)
def test_texts_compute_the_references(
    row: OpDef, compiled: Callable[[Case, list[Any]], Any]
) -> None:
    generator = numpy.random.default_rng(zlib.crc32(row.name.encode()))
    faults = []
    for case in cases():
        if case[0] is not row:
            continue
        arrays = arguments(row, operands_of(row, case[1]), generator)
        got = compiled(case, arrays)
        bad = wrong(case, arrays, got)
        if row.name in ("maximum", "minimum", "clip") and case[1].kind == "float":
            # Which zero it is is not said.
            bad &= ~((got == 0) & numpy.any([array == 0 for array in arrays], axis=0))
        if row.name == "lerp":  # a way too long for the dtype overflows, as documented
            with numpy.errstate(over="ignore", invalid="ignore"):
                bad &= ~numpy.isinf((arrays[1] - arrays[0]).astype(numpy.float32))
        for i in numpy.flatnonzero(bad)[:3]:
            values = ", ".join(repr(array[i]) for array in arrays)
            faults.append(f"{row.name}({values}) to {case[2].name} gave {got[i]!r}")
    assert not faults, "\n".join(faults)
