"""Every file of the GLSL function library compiles, keeps its rounding and states its cost."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load() -> ModuleType:
    path = ROOT / "bench" / "math_sweep" / "library.py"
    spec = importlib.util.spec_from_file_location("math_library", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


library = load()
STEMS = sorted(path.stem for path in library.FOLDER.glob("*.glsl"))

# Rounded by the device: each result must carry NoContraction.
ROUNDED = re.compile(r"^(%\d+) = Op(FAdd|FSub|FMul|FDiv|FNegate|FMod|FRem|Dot) ", re.MULTILINE)
KEPT = re.compile(r"^OpDecorate (%\d+) NoContraction$", re.MULTILINE)
EXTENDED = re.compile(r"OpExtInst %\d+ %\d+ (\w+)")
# Integer functions, bit moves and the one square root that a probe stands behind.
ALLOWED = frozenset(
    "FindUMsb FindSMsb UMin UMax UClamp SMin SMax SClamp SAbs "
    "PackDouble2x32 UnpackDouble2x32".split()
)
ROOTS = frozenset({"sqrt", "sqrt_integer"})
# Folded, flushed or inexact on some device: the library has its own.
FORBIDDEN = re.compile(r"Op(IsNan|IsInf|FMod|FRem|FOrd\w+|FUnord\w+)\b")
COMPARES_NORMAL = frozenset({"floor_divide"})


@pytest.fixture(scope="module", params=STEMS)
def compiled(request: pytest.FixtureRequest) -> tuple[str, str]:
    stem = str(request.param)
    return stem, library.disassemble(library.compile_shader(library.shader([stem])))


def test_every_rounded_operation_is_kept(compiled: tuple[str, str]) -> None:
    stem, assembly = compiled
    rounded = {found[0] for found in ROUNDED.findall(assembly)}
    assert rounded <= set(KEPT.findall(assembly)), f"{stem}: a float result is not `precise`"


def test_no_function_of_the_driver(compiled: tuple[str, str]) -> None:
    stem, assembly = compiled
    needed = set(library.ordered([stem]))
    allowed = ALLOWED | ({"Sqrt"} if needed & ROOTS else set())
    assert set(EXTENDED.findall(assembly)) <= allowed
    if not needed & COMPARES_NORMAL:
        assert not FORBIDDEN.search(assembly), f"{stem}: {FORBIDDEN.search(assembly)}"


def test_cost_line_is_what_the_compiler_counts(compiled: tuple[str, str]) -> None:
    stem, assembly = compiled
    text = (library.FOLDER / f"{stem}.glsl").read_text()
    stated = library.COST.search(text)
    assert stated is not None, f"{stem}: no `// cost:` line"
    assert int(stated[1]) == library.cost_in(stem, assembly)


@pytest.mark.parametrize("stem", STEMS)
def test_header_says_method_and_accuracy(stem: str) -> None:
    text = (library.FOLDER / f"{stem}.glsl").read_text()
    assert text.startswith("// ")
    assert re.search(r"^// max ulp: \S", text, re.MULTILINE)
    names = {found[1] for found in library.FUNCTION.findall(text)}
    wanted = {f"vk_{stem}", f"vk_{stem.removesuffix('_integer').removesuffix('_long')}"}
    assert names & wanted, f"{stem}: declares {sorted(names)}"


@pytest.mark.parametrize("stem", STEMS)
def test_literals_are_operands_of_rounded_operations(stem: str) -> None:
    code = re.sub(r"//.*", "", (library.FOLDER / f"{stem}.glsl").read_text())
    assert not re.search(r"(?<![\w.])-?0\.0*(?![\d])", code), "zero goes through uintBitsToFloat"
    for literal in re.findall(r"(?<![\w.])\d+\.\d*(?:e-?\d+)?", code):
        assert float(literal) != 0.0


def test_page_shows_the_current_figures() -> None:
    page = library.PAGE.read_text()
    assert page == library.with_table(page), "run python bench/math_sweep/library.py"
