"""Each operation on each dtype: its text compiles, and no inexact operation hides in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vkml import dtypes
from vkml.codegen.kernel import LINEAR, Operand, Output, Region, Statement
from vkml.codegen.render import render
from vkml.codegen.scan import scan
from vkml.limits import Verdicts
from vkml.ops import TABLE, OpDef

EXACT = Verdicts(exact_division=True, exact_sqrt=True, exact_scaling=True)
FAST = Path(__file__).resolve().parents[2] / "templates" / "fast"


def results_of(row: OpDef, dtype: dtypes.DType) -> list[str]:
    if row.result == "attribute":
        return [target.name for target in dtypes.ALL]
    return [dtype.name if row.result == "same" else row.result]


def region_of(dtype: dtypes.DType, widest: int = 8) -> tuple[Region, set[str]]:
    """Every row that has text for `dtype` and results of `widest` bytes at most; their names."""
    operands = ("bool", dtype.name, dtype.name, dtype.name, dtype.name)
    statements: list[Statement] = []
    accepting = set()
    for row in TABLE.values():
        if row.kind != "map" or not {dtype.kind, dtype.name} & set(row.accepts):
            continue
        for result in results_of(row, dtype):
            target = dtypes.by_name(result)
            if target.itemsize > widest or row.expression(dtype, target) is None:
                continue
            accepting.add(row.name)
            select = row.coerce == "select"
            arguments = tuple(range(0 if select else 1, row.arity + (0 if select else 1)))
            statements.append(Statement(row.name, arguments, dtype.name, result))
    region = Region(
        tuple(Operand(name, LINEAR) for name in operands),
        (),
        (),
        tuple(statements),
        tuple(Output(len(operands) + n, LINEAR) for n in range(len(statements))),
        4,
        unroll=False,
    )
    return region, accepting


def compiled(text: str, folder: Path) -> bytes:
    (folder / "rows.comp").write_text(text, encoding="utf-8")
    command = ["glslc", "-O0", "--target-env=vulkan1.2", "rows.comp", "-o", "rows.spv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return (folder / "rows.spv").read_bytes()


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("verdicts", [EXACT, Verdicts()], ids=["exact", "inexact"])
def test_rows(dtype: dtypes.DType, verdicts: Verdicts, tmp_path: Path) -> None:
    region, accepting = region_of(dtype)
    assert {"add", "astype", "where"} <= accepting
    text = render(region, verdicts, title=dtype.name, key="")
    assert scan(compiled(text, tmp_path)) == []


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.itemsize < 8], ids=lambda d: d.name)
def test_narrow_kernels_need_no_wide_types(dtype: dtypes.DType) -> None:
    """Devices without 64-bit integers or floats run every kernel that has no such array."""
    region, _ = region_of(dtype, widest=4)
    text = render(region, EXACT, title=dtype.name, key="")
    assert "int64" not in text
    assert "double" not in text
    assert "Uint2x32" not in text


def test_fast_math_takes_the_drivers_functions(tmp_path: Path) -> None:
    names = sorted(path.stem for path in FAST.glob("*.glsl"))
    region = Region(
        (Operand("float32", LINEAR), Operand("float32", LINEAR)),
        (),
        (),
        tuple(
            Statement(name, tuple(range(TABLE[name].arity)), "float32", "float32") for name in names
        ),
        tuple(Output(2 + n, LINEAR) for n in range(len(names))),
        4,
    )
    fast = render(region, Verdicts(fast_math=True), title="", key="")
    exact = render(region, EXACT, title="", key="")
    for name in names:
        source = (FAST / f"{name}.glsl").read_text(encoding="utf-8").strip()
        assert source in fast
        assert source not in exact
    assert len(scan(compiled(fast, tmp_path))) >= len(names) - 1  # the scan knows them; sqrt is one
