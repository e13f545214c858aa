"""Kernels as text: what a person reads is kept, compiles, validates and hides no inexact operation.

`pytest --update-golden` rewrites the .comp files beside this module.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vkml import dtypes
from vkml.codegen.expression import expression
from vkml.codegen.kernel import (
    CONSTANT,
    LINEAR,
    SPLAT,
    STRIDED,
    TILED,
    VECTOR,
    Operand,
    Output,
    Parameters,
    Region,
    Statement,
)
from vkml.codegen.render import render
from vkml.codegen.scan import parse, scan
from vkml.limits import Verdicts

HERE = Path(__file__).resolve().parent
EXACT = Verdicts(
    rounding_rte32=True,
    signed_zero32=True,
    exact_division=True,
    exact_sqrt=True,
    exact_scaling=True,
)
DOUBLES = Verdicts(rounding_rte32=True, rounding_rte64=True, signed_zero64=True)
PLAIN = Verdicts()


def op(name: str, *arguments: int, of: str = "float32", to: str | None = None) -> Statement:
    return Statement(name, arguments, of, to or of)


def linear(*names: str) -> tuple[Operand, ...]:
    return tuple(Operand(name, LINEAR) for name in names)


def stored(*values: int, layout: str = LINEAR) -> tuple[Output, ...]:
    return tuple(Output(value, layout) for value in values)


CASES: dict[str, tuple[Region, Verdicts]] = {
    "linear": (
        Region(
            linear("float32", "float32"),
            ("float32",),
            (),
            (op("multiply", 0, 0), op("multiply", 1, 1), op("add", 3, 4), op("sqrt", 5),
             op("divide", 6, 2)),
            stored(7),
            elements=4,
        ),
        EXACT,
    ),
    "inexact_device": (
        Region(linear("float32"), (), (), (op("sqrt", 0),), stored(1), elements=4),
        PLAIN,
    ),
    "broadcast_runs": (
        Region(
            (
                Operand("float32", LINEAR), Operand("float32", VECTOR),
                Operand("float32", SPLAT), Operand("float32", CONSTANT),
            ),
            (),
            (),
            (op("subtract", 0, 1), op("multiply", 4, 2), op("add", 5, 3)),
            stored(6),
            elements=4,
            room=8,
            runs=True,
        ),
        EXACT,
    ),
    "strided": (
        Region(
            (Operand("float32", STRIDED), Operand("float32", STRIDED), Operand("float32", LINEAR)),
            (),
            (),
            (op("add", 0, 1), op("multiply", 3, 2)),
            stored(4),
            elements=4,
            room=8,
        ),
        EXACT,
    ),
    "strided_runs": (
        Region(
            (
                *(Operand("int16", STRIDED) for _ in range(4)),
                Operand("float64", STRIDED), Operand("bool", VECTOR),
            ),
            (),
            (),
            (
                op("add", 0, 1, of="int16"), op("multiply", 2, 3, of="int16"),
                op("where", 5, 6, 7, of="int16"),
            ),
            (*stored(8), *stored(4, 7, layout=STRIDED)),
            elements=8,
            room=32,
            runs=True,
        ),
        EXACT,
    ),
    "bytes_through_float": (
        Region(
            linear("uint8", "uint8"),
            ("float32",),
            (),
            (
                op("astype", 0, of="uint8", to="float32"), op("multiply", 3, 2),
                op("astype", 4, of="float32", to="uint8"), op("add", 5, 1, of="uint8"),
            ),
            stored(6),
            elements=16,
        ),
        EXACT,
    ),
    "float16": (
        Region(
            linear("float16", "float16"),
            ("float16",),
            (),
            (op("multiply", 0, 1, of="float16"), op("add", 3, 2, of="float16")),
            stored(4),
            elements=8,
        ),
        EXACT,
    ),
    "bool": (
        Region(
            linear("float32", "float32", "bool"),
            (),
            (),
            (
                op("less", 0, 1, to="bool"), op("logical_and", 3, 2, of="bool"),
                op("logical_not", 4, of="bool"),
            ),
            stored(4, 5),
            elements=4,
        ),
        EXACT,
    ),
    "int64": (
        Region(
            linear("int64", "int8"),
            ("int64", "int8"),
            (),
            (
                op("multiply", 0, 2, of="int64"), op("add", 1, 3, of="int8"),
                op("astype", 5, of="int8", to="int64"), op("subtract", 4, 6, of="int64"),
            ),
            stored(7),
            elements=4,
        ),
        EXACT,
    ),
    "double": (
        Region(
            (*linear("float64"), Operand("float64", CONSTANT)),
            ("float64",),
            (),
            (op("multiply", 0, 1, of="float64"), op("add", 3, 2, of="float64")),
            stored(4),
            elements=4,
        ),
        DOUBLES,
    ),
    "element_numbers": (
        Region(
            (),
            ("uint32",),
            (
                Operand("uint32", LINEAR), Operand("uint64", LINEAR),
                Operand("uint32", STRIDED), Operand("uint64", STRIDED),
            ),
            (
                op("multiply", 1, 0, of="uint32"), op("add", 5, 3, of="uint32"),
                op("add", 2, 4, of="uint64"),
            ),
            stored(6, 7),
            elements=4,
            room=8,
        ),
        PLAIN,
    ),
    "several_outputs": (
        Region(
            linear("float32", "float32"),
            (),
            (),
            (op("add", 0, 1), op("multiply", 2, 2), op("negative", 2)),
            stored(2, 3, 4),
            elements=4,
        ),
        EXACT,
    ),
    "part_in_place": (
        Region(
            (Operand("float32", STRIDED), Operand("uint8", STRIDED)),
            ("float32", "uint8"),
            (),
            (op("multiply", 0, 2), op("add", 1, 3, of="uint8")),
            stored(4, 5, layout=STRIDED),
            elements=4,
            room=8,
            aliased=True,
        ),
        EXACT,
    ),
    "tiled": (
        Region(
            (
                Operand("float32", VECTOR), Operand("float32", TILED), Operand("uint8", TILED),
            ),
            (),
            (),
            (op("add", 0, 1),),
            stored(3, 2, layout=VECTOR),
            elements=4,
            room=8,
            runs=True,
        ),
        EXACT,
    ),
    "segmented": (
        Region(
            (*linear("float32", "uint8"), Operand("float32", CONSTANT)),
            ("float32",),
            (Operand("uint64", LINEAR),),
            (op("multiply", 0, 2), op("subtract", 5, 3)),
            stored(6, 1, 4),
            elements=4,
            segmented=True,
        ),
        EXACT,
    ),
    "loop": (
        Region(
            linear("float32"), (), (), (op("exp", 0),), stored(1), elements=4, unroll=False
        ),
        EXACT,
    ),
}  # fmt: skip


def text_of(name: str) -> str:
    region, verdicts = CASES[name]
    return render(region, verdicts, title=expression(region), key=f"golden {name}")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The SPIR-V of every case: one compiler run for all."""
    return compiled({name: text_of(name) for name in CASES}, tmp_path_factory.mktemp("golden"))


def compiled(texts: dict[str, str], folder: Path) -> dict[str, bytes]:
    for name, text in texts.items():
        (folder / f"{name}.comp").write_text(text, encoding="utf-8")
    command = ["glslc", "-O0", "--target-env=vulkan1.2", "-c", *(f"{name}.comp" for name in texts)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in texts:
        command = ["spirv-val", "--target-env", "vulkan1.2", f"{name}.comp.spv"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    return {name: (folder / f"{name}.comp.spv").read_bytes() for name in texts}


@pytest.mark.parametrize("name", CASES)
def test_text_is_the_golden_one(name: str, request: pytest.FixtureRequest) -> None:
    golden = HERE / f"{name}.comp"
    text = text_of(name)
    if request.config.getoption("--update-golden"):
        golden.write_text(text, encoding="utf-8")
    assert golden.is_file(), "no golden file: run pytest --update-golden and read what it writes"
    assert text == golden.read_text(encoding="utf-8"), "run pytest --update-golden, read the diff"


def test_every_golden_file_has_a_case() -> None:
    assert {path.stem for path in HERE.glob("*.comp")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_text_is_tidy(name: str) -> None:
    text = text_of(name)
    lines = text.split("\n")
    assert lines.pop() == ""
    assert not [line for line in lines if line != line.rstrip()]
    assert "\n\n\n" not in text
    assert "{\n\n" not in text
    assert "\n\n}" not in text
    depth = 0
    for line in lines:
        body = line.lstrip()
        depth -= body.startswith("}")
        assert not body or len(line) - len(body) == 4 * depth, line
        depth += body.endswith("{")
    assert depth == 0


@pytest.mark.parametrize("name", CASES)
def test_modules_hide_no_inexact_operation(name: str, modules: dict[str, bytes]) -> None:
    assert scan(modules[name]) == []


@pytest.mark.parametrize("name", CASES)
def test_parameters_stand_where_the_host_writes_them(
    name: str, modules: dict[str, bytes]
) -> None:
    region, _ = CASES[name]
    parameters = Parameters(region)
    members = parse(modules[name]).members("Parameters")
    if region.segmented:
        assert members == {"rows": 0, "groups_x": 4}
        return
    expected = {word: 4 * at for at, word in enumerate(parameters.words)}
    if region.room:
        expected["axis"] = 4 * parameters.axes_at
        for group in range(-(-len(parameters.strided) // 4)):
            expected[f"stride_{group}"] = 4 * parameters.strides_at(group)
    assert members == expected


@pytest.mark.parametrize("name", CASES)
def test_bindings_are_in_order(name: str, modules: dict[str, bytes]) -> None:
    region, _ = CASES[name]
    count = 1 + len(region.operands) + len(region.outputs) + region.segmented
    bound = sorted(
        words[2]
        for opcode, words in parse(modules[name]).instructions
        if opcode == 71 and words[1] == 33  # OpDecorate Binding
    )
    assert bound == list(range(count))


def test_only_what_is_used_is_asked_for() -> None:
    """A device without 64-bit types or float controls takes every kernel that needs none."""
    region, _ = CASES["linear"]
    text = render(region, PLAIN, title=expression(region), key="")
    assert "int64" not in text
    assert "spirv_execution_mode" not in text
    region, _ = CASES["int64"]
    assert "spirv_execution_mode" not in render(region, EXACT, title=expression(region), key="")


@pytest.mark.parametrize(
    ("operand", "output", "runs"),
    [
        (VECTOR, LINEAR, False),
        (SPLAT, LINEAR, False),
        (TILED, LINEAR, True),
        (LINEAR, VECTOR, False),
    ],
)
def test_layouts_that_do_not_fit_are_refused(operand: str, output: str, runs: bool) -> None:
    """Such a kernel would read or write the wrong places for some shapes."""
    region = Region(
        (Operand("float32", operand),), (), (), (), stored(0, layout=output), 4, 8, runs
    )
    with pytest.raises(ValueError, match="value"):
        render(region, EXACT, title="", key="")


def test_nothing_of_the_title_is_code() -> None:
    region, _ = CASES["linear"]
    text = render(region, EXACT, title="out0 = a\n}; evil\\\nuint x;", key="k\nuint y;")
    assert all(line.startswith("//") for line in text.split("\n\n#version")[0].split("\n"))


def test_each_dtype_has_every_wide_form(tmp_path: Path) -> None:
    """Loads and stores of every dtype at every number of elements that fills a word."""
    texts = {}
    for dtype in dtypes.ALL:
        for elements in (1, 2, 4, 8, 16):
            if dtype.itemsize * elements >= 4:
                region = Region(linear(dtype.name), (), (), (), stored(0), elements)
                texts[f"{dtype.name}_{elements}"] = render(region, EXACT, title="out0 = a", key="")
    assert len(compiled(texts, tmp_path)) == len(texts) >= 44
