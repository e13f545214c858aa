"""What VKML_DEBUG and VKML_DUMP_DIR show."""

from __future__ import annotations

import logging
import warnings

import numpy
import pytest

import vkml
from vkml import evaluate
from vkml.codegen import debugging
from vkml.codegen.cache import KernelCache
from vkml.codegen.kernel import LINEAR, STRIDED, Operand, Output, Region, Statement
from vkml.codegen.kernels import Kernels
from vkml.limits import Verdicts
from vkml.program import SpirvKernel


def region(layout: str = LINEAR, op: str = "exp", dtype: str = "float32") -> Region:
    return Region(
        (Operand(dtype, layout),), (), (), (Statement(op, (0,), dtype, dtype),),
        (Output(1, LINEAR),), 4, 8 if layout == STRIDED else 0,
    )  # fmt: skip


HERE = ("code", "compiler", "none")


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ([], "the expression is new"),
        ([(HERE, region(op="sin"))], "the expression is new"),
        (
            [(HERE, region(op="sin")), (HERE, region(STRIDED))],
            "the layout of a is linear, was strided",
        ),
        ([(("old", *HERE[1:]), region())], "the code generator changed"),
        (
            [(("old", "x", "y"), region()), (("code", "x", "y"), region())],
            "the compiler and the device's verdicts changed",
        ),
    ],
)
def test_why_a_kernel_is_compiled(known, reason):
    assert debugging.why(region(), HERE, known) == reason


def test_why_names_the_most_alike():
    known = [(HERE, region(STRIDED, dtype="int32")), (HERE, region(dtype="float16"))]
    assert debugging.why(region(), HERE, known) == (
        "the dtype of a is float32, was float16 and the dtypes are float32, were float16"
    )


@pytest.fixture
def kernels(tmp_path):
    return Kernels(KernelCache(tmp_path / "cache"), Verdicts())


def fake(name: str = "map_0123456789ab") -> SpirvKernel:
    return SpirvKernel(name, "0" * 64, b"\x03\x02\x23\x07" * 5, 2, 16, "", "out0 = exp(a)")


def test_dumps_are_whole_and_stably_named(tmp_path, monkeypatch, kernels):
    folder = tmp_path / "new" / "dump"
    monkeypatch.setattr(debugging, "folder", str(folder))
    for _ in range(2):
        debugging.new_kernels(kernels, [(region(), fake())], [], None)
    debugging.dump_failed("abc", "#version 460\n")
    assert sorted(path.name for path in folder.iterdir()) == [
        "failed_abc.comp", "map_0123456789ab.comp", "map_0123456789ab.spv",
    ]  # fmt: skip
    assert (folder / "map_0123456789ab.comp").read_text() == kernels.source(region())
    assert (folder / "map_0123456789ab.spv").read_bytes() == fake().spirv


def test_a_folder_that_cannot_be_written_to_is_told_of_once(tmp_path, monkeypatch, kernels):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setattr(debugging, "folder", str(file / "below"))
    monkeypatch.setattr(debugging, "_unwritable", False)
    with pytest.warns(vkml.VkmlWarning, match="VKML_DUMP_DIR: .*below cannot be written to"):
        debugging.new_kernels(kernels, [(region(), fake())], [], None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        debugging.new_kernels(kernels, [(region(), fake())], [], None)


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
def test_levels(level, monkeypatch, caplog, kernels):
    monkeypatch.setattr(debugging, "level", level)
    caplog.set_level(logging.DEBUG, logger="vkml")
    debugging.new_kernels(
        kernels, [(region(), fake())], [region()], lambda _: "a.py:1: x\n           a.py:2: y"
    )
    text = caplog.text
    assert (
        "compiled map_0123456789ab because the expression is new: out0 = exp(a)  [a.py:2: y]"
        in text
    ) is (level >= 1)
    assert ("GLSL of map_0123456789ab\n// out0 = exp(a)" in text) is (level >= 3)
    assert ("SPIR-V of map_0123456789ab\n" in text) is (level >= 4)


def test_the_table_of_a_realize(monkeypatch, caplog):
    monkeypatch.setattr(evaluate, "_tables", True)
    caplog.set_level(logging.DEBUG, logger="vkml")
    numpy.testing.assert_array_equal((vkml.tensor([1.0, 2.0], device="cpu") + 1).numpy(), [2, 3])
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0] == "realize: 1 dispatch, 16 bytes moved, 16 unfused"
    assert lines[1].split() == ["1", "host_map", "2", "out0", "=", "a", "+", "s0"]
