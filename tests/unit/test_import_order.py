"""Imports go one way, libraries stay behind their fences, and module names shadow nothing."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "vkml": ROOT / "vkml",
    "vkml.codegen": ROOT / "codegen",
    "vkml.runtime": ROOT / "runtime",
    "vkml.templates": ROOT / "templates",
}

LINKED = ("codegen", "runtime", "templates")  # the links in vkml/ to the folders beside it

# Each layer imports from itself and from the ones above it in this list. What is named nowhere
# belongs to the last one. A name stands for its submodules too. Annotations may name a later layer.
LAYERS = (
    ("vkml.errors", "vkml.config", "vkml.locks", "vkml.counting"),
    ("vkml.dtypes", "vkml.shapes", "vkml.limits"),
    ("vkml.storage", "vkml.graph"),
    ("vkml.ops",),
    ("vkml.program",),
    ("vkml.codegen", "vkml.runtime", "vkml.templates"),
    ("vkml.target", "vkml.verdicts", "vkml.covering"),
    ("vkml.signature",),
    ("vkml.planning",),
    ("vkml.evaluate",),
    ("vkml.recording", "vkml.indexing"),
    ("vkml.handle",),
    ("vkml.uploading", "vkml.applying"),
    ("vkml.views", "vkml.writing"),
    ("vkml.array", "vkml.autograd"),
    ("vkml",),
)

# Edges that the order of the layers would allow, refused for annotations too.
NEVER = (
    ("vkml.codegen", "vkml.runtime"),
    ("vkml.runtime", "vkml.codegen"),
    ("vkml.runtime", "vkml.ops"),
    ("vkml.runtime", "vkml.templates"),
)

# A library, or the start of a word that names a program or shared library to load, and the only
# places that may use it. The compiler is found by one module, called in this process by the second,
# and started as a program by the third, which is the one that others import.
COMPILER = ("vkml.codegen.compiler", "vkml.codegen.libshaderc", "vkml.codegen.shaderc")
FENCED_IMPORTS = {
    "jinja2": ("vkml.codegen.render",),
    "vulkan": ("vkml.runtime.vulkan",),
    "shaderc": COMPILER,
    "pyshaderc": COMPILER,
    "subprocess": ("vkml.codegen.shaderc", "vkml.codegen.disassembly", "vkml.cli"),
    "ctypes": ("vkml.codegen.libshaderc", "vkml.runtime.vulkan"),
}
FENCED_WORDS = {
    "glslc": COMPILER,
    "glslangValidator": COMPILER,
    "libshaderc": COMPILER,
    "libvulkan": ("vkml.runtime.vulkan",),
    "vulkan-1.dll": ("vkml.runtime.vulkan",),
}


class Edge(NamedTuple):
    importer: str
    imported: str
    line: int
    for_annotations: bool = False  # under `if TYPE_CHECKING:`, so it never runs

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def inside(module: str, names: tuple[str, ...]) -> bool:
    """Whether `module` is one of `names` or below one."""
    return any(module == name or module.startswith(f"{name}.") for name in names)


def layer(module: str) -> int:
    """The position of `module`'s layer; the longest name in LAYERS that holds it decides."""
    matches = [
        (len(name), index)
        for index, names in enumerate(LAYERS)
        for name in names
        if inside(module, (name,))
    ]
    return max(matches)[1]


def sources() -> dict[str, Path]:
    """Every module of the package by its name once installed; links are not followed."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            if package == "vkml" and path.relative_to(folder).parts[0] in LINKED:
                continue
            parts = path.relative_to(folder).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            found[".".join((package, *parts))] = path
    return found


MODULES = sources()


def imports(module: str, text: str, is_package: bool, known: frozenset[str]) -> Iterator[Edge]:
    """Every import in `text`: at any depth, for annotations, and through import_module."""
    base = module.split(".") if is_package else module.split(".")[:-1]
    tree = ast.parse(text)
    annotations = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Edge(module, alias.name, node.lineno, node in annotations)
        elif isinstance(node, ast.ImportFrom):
            start = base[: len(base) - node.level + 1] if node.level else []
            origin = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{origin}.{alias.name}"
                name = full if full in known else origin
                yield Edge(module, name, node.lineno, node in annotations)
        elif isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            argument = node.args[0]
            if name in ("import_module", "__import__") and isinstance(argument, ast.Constant):
                yield Edge(module, str(argument.value), node.lineno)


def words(text: str) -> Iterator[tuple[str, int]]:
    """The string constants of `text` that are a single word, so no messages and no docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value and not any(character.isspace() for character in node.value):
                yield node.value, node.lineno


def against_the_order(edge: Edge) -> str | None:
    """Why an edge between two modules of vkml is refused, or None."""
    if edge.imported.split(".")[0] in LINKED:
        return f"{edge}: the name is vkml.{edge.imported}"
    if not inside(edge.imported, ("vkml",)):
        return None
    for importer, imported in NEVER:
        if inside(edge.importer, (importer,)) and inside(edge.imported, (imported,)):
            return f"{edge}: {importer} never imports {imported}"
    if layer(edge.imported) > layer(edge.importer) and not edge.for_annotations:
        return (
            f"{edge}: {' '.join(LAYERS[layer(edge.importer)])} comes before "
            f"{' '.join(LAYERS[layer(edge.imported)])}"
        )
    return None


def over_the_fence(edge: Edge) -> str | None:
    """Why an import of another project's module is refused, or None."""
    places = FENCED_IMPORTS.get(edge.imported.split(".")[0])
    if places is None or inside(edge.importer, places):
        return None
    return f"{edge}: only in {' and '.join(places)}"


def edges_of_the_package() -> list[Edge]:
    known = frozenset(MODULES)
    return [
        edge
        for module, path in MODULES.items()
        for edge in imports(
            module, path.read_text(encoding="utf-8"), path.name == "__init__.py", known
        )
    ]


def test_modules_are_found():
    assert {"vkml", "vkml.errors", "vkml.codegen", "vkml.runtime.vulkan"} <= set(MODULES)
    assert any(edge.imported.startswith("vkml.") for edge in edges_of_the_package())


def test_imports_go_one_way():
    refused = [against_the_order(edge) for edge in edges_of_the_package()]
    assert not [text for text in refused if text]


def test_libraries_stay_behind_their_fences():
    refused = [over_the_fence(edge) for edge in edges_of_the_package()]
    assert not [text for text in refused if text]


def test_only_the_owner_names_a_compiler_or_loader():
    found = [
        f"{module}:{line} names {word!r}: only in {' and '.join(places)}"
        for module, path in MODULES.items()
        for word, line in words(path.read_text(encoding="utf-8"))
        for start, places in FENCED_WORDS.items()
        if word.startswith(start) and not inside(module, places)
    ]
    assert not found


@pytest.mark.parametrize(
    ("module", "text", "reason"),
    [
        ("vkml.errors", "from . import dtypes", "comes before vkml.dtypes"),
        ("vkml.limits", "from .graph import Node", "comes before vkml.storage vkml.graph"),
        ("vkml.graph", "from . import zeros", "comes before vkml"),
        ("vkml.graph", "def f():\n    import vkml.evaluate", "vkml.graph:2 imports vkml.evaluate"),
        ("vkml.codegen.lower", "from ..runtime.device import Device", "never imports vkml.runtime"),
        ("vkml.codegen.lower", "from vkml import runtime", "never imports vkml.runtime"),
        (
            "vkml.codegen.lower",
            "if TYPE_CHECKING:\n    from vkml.runtime import device",
            "never imports vkml.runtime",
        ),
        ("vkml.graph", "if TYPE_CHECKING: pass\nelse: from . import array", "vkml.graph:2 imports"),
        ("vkml.runtime.vulkan.memory", "from ...codegen import glsl", "never imports vkml.codegen"),
        ("vkml.runtime.cpu", "from vkml.ops.row import OpDef", "never imports vkml.ops"),
        ("vkml.array", "from .creation import zeros", "comes before vkml"),
        ("vkml.evaluate", "import codegen.lower", "the name is vkml.codegen.lower"),
        ("vkml.ops.row", "import importlib\nimportlib.import_module('vkml.array')", "ops comes"),
    ],
)
def test_a_wrong_edge_is_named(module, text, reason):
    known = frozenset({*MODULES, "vkml.dtypes", "vkml.runtime", "vkml.codegen.glsl"})
    refused = [against_the_order(edge) for edge in imports(module, text, False, known)]
    assert reason in str([text for text in refused if text])


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("vkml.graph", "import numpy\nfrom .dtypes import DType\nfrom . import storage"),
        ("vkml.codegen.lower", "from ..ops import table\nfrom . import kernel"),
        ("vkml.evaluate", "from .codegen import lower\nfrom .runtime.device import open_device"),
        ("vkml.creation", "from . import array"),
        ("vkml.graph", "import typing\nif typing.TYPE_CHECKING:\n    from .ops import OpDef"),
    ],
)
def test_a_right_edge_passes(module, text):
    known = frozenset({*MODULES, "vkml.storage", "vkml.array", "vkml.codegen.kernel"})
    assert not any(against_the_order(edge) for edge in imports(module, text, False, known))


def test_a_fence_holds():
    (edge,) = imports("vkml.codegen.lower", "from jinja2 import Environment", False, frozenset())
    assert over_the_fence(edge) == f"{edge}: only in vkml.codegen.render"
    (edge,) = imports("vkml.codegen.render", "import jinja2", False, frozenset())
    assert over_the_fence(edge) is None


def fresh_process(program: str, *arguments: str) -> str:
    """The output of `program` in a new interpreter that finds vkml in the checkout."""
    environment = {**os.environ}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_vkml_is_light():
    loaded = fresh_process(
        "import sys, vkml\nprint(*sorted({name.split('.')[0] for name in sys.modules}))"
    ).split()
    assert "vkml" in loaded
    assert not {"vulkan", "jinja2", "platformdirs", "cffi", "rich", "PIL"} & set(loaded)


RANDOM_ORDER = """
import importlib, json, sys, types
import vkml

before = {name: getattr(vkml, name) for name in vkml.__all__}
for module in json.loads(sys.argv[1]):
    importlib.import_module(module)

for name, value in before.items():
    now = getattr(vkml, name)
    assert now is value, f"vkml.{name} was {value!r} and is {now!r} after importing submodules"
    usable = callable(value) or value is None or isinstance(value, (int, float, types.ModuleType))
    assert usable or type(value).__module__.startswith("vkml."), f"vkml.{name} is {value!r}"
assert len(set(vkml.__all__)) == len(vkml.__all__), "a name stands twice in __all__"
print(len(before))
"""


@pytest.mark.parametrize("seed", [1, 2, None])
def test_public_names_survive_imports_in_any_order(seed):
    seed = random.SystemRandom().randrange(1 << 30) if seed is None else seed
    order = sorted(set(MODULES) - {"vkml.__main__"})
    random.Random(seed).shuffle(order)
    print(f"seed {seed}: {order}")  # shown when this fails
    assert int(fresh_process(RANDOM_ORDER, json.dumps(order))) > 0


def test_no_module_is_called_like_a_public_function():
    program = (
        "import json, types, vkml\n"
        "print(json.dumps([n for n in vkml.__all__\n"
        "                  if not isinstance(getattr(vkml, n), types.ModuleType)]))"
    )
    public = json.loads(fresh_process(program))
    taken = {module.removeprefix("vkml.") for module in MODULES if module.count(".") == 1}
    assert not taken & set(public)
