"""The scan of compiled kernels finds what it is for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vkml.codegen.scan import parse, scan
from vkml.errors import CompileError

KERNEL = """#version 460
layout(local_size_x = 64) in;
layout(std140, binding = 0) uniform Parameters {{ uint count; uint start; uvec4 axis[8]; }};
layout(std430, binding = 1) buffer Data {{ float data[]; }};
float helper(float x, float y) {{ {helper} }}
void main() {{
    float x = data[0];
    float y = data[1];
    {main}
    data[2] = z;
}}
"""


def kernel(folder: Path, main: str, helper: str = "return x;") -> bytes:
    (folder / "k.comp").write_text(KERNEL.format(main=main, helper=helper), encoding="utf-8")
    command = ["glslc", "-O0", "--target-env=vulkan1.2", "k.comp", "-o", "k.spv"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "k.spv").read_bytes()


@pytest.mark.parametrize(
    ("main", "found"),
    [
        ("float z = x * y;", "main: OpFMul"),
        ("float z = -x;", "main: OpFNegate"),
        ("float z = max(x, y);", "main: GLSL function number 40"),
        ("float z = sin(x);", "main: GLSL function number 13"),
        ("precise float z = fma(x, y, x);", "main: GLSL function number 50"),
        ("float z = isnan(x) ? y : x;", "main: OpIsNan may be folded"),
        ("precise float z = x * 0.0;", "main: OpFMul with the constant 0.0"),
        ("precise float z = x + (1.0 / 0.0);", "main: OpFAdd with the constant inf"),
    ],
)
def test_faults_are_found(tmp_path: Path, main: str, found: str) -> None:
    (line,) = scan(kernel(tmp_path, main))
    assert line.startswith(found)


def test_a_fault_in_a_helper_is_found(tmp_path: Path) -> None:
    spirv = kernel(tmp_path, "precise float z = helper(x, y);", "return x * y + 1.5;")
    assert [line.split(" %")[0] for line in scan(spirv)] == ["helper: OpFMul", "helper: OpFAdd"]


def test_a_right_kernel_passes(tmp_path: Path) -> None:
    right = "precise float z = sqrt(x * y + 1.5) / uintBitsToFloat(floatBitsToUint(x) | 1u);"
    assert scan(kernel(tmp_path, right)) == []


def test_offsets_of_members(tmp_path: Path) -> None:
    module = parse(kernel(tmp_path, "float z = x;"))
    assert module.members("Parameters") == {"count": 0, "start": 4, "axis": 16}


@pytest.mark.parametrize("bytes_", [b"", b"abcd" * 8, b"\x03\x02\x23\x07" + b"\0" * 20])
def test_other_bytes_are_refused(bytes_: bytes) -> None:
    with pytest.raises(CompileError, match="SPIR-V"):
        parse(bytes_)
