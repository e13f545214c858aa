"""The digest of what decides kernel texts."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from vkml.codegen import digest

CODEGEN = Path(__file__).resolve().parents[2] / "codegen"


def test_every_module_that_writes_text_is_in_it() -> None:
    """Whatever the renderer imports of this package, directly or not, shapes text."""
    waiting, found = ["render"], set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        tree = ast.parse((CODEGEN / f"{name}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                if node.module == "vkml.codegen":
                    waiting += [alias.name for alias in node.names]
                elif node.module.startswith("vkml.codegen."):
                    waiting.append(node.module.removeprefix("vkml.codegen."))
    assert {f"{name}.py" for name in found} == set(digest.WRITERS)


def test_templates_library_and_rows_are_in_it() -> None:
    names = {name for name, _ in digest.inputs()}
    assert {
        "templates/map.comp.j2",
        "templates/math/sqrt_integer.glsl",
        "templates/pack/pair.glsl",
        "ops/arithmetic.py",
        "codegen/glsl.py",
        "dtypes.py",
    } <= names
    assert not [name for name in names if "__pycache__" in name]


def test_a_changed_file_changes_it(monkeypatch, tmp_path: Path) -> None:
    before = digest.code_digest()
    changed = tmp_path / "sqrt.glsl"
    changed.write_text("float vk_sqrt(float x) { return x; }\n", encoding="utf-8")
    real = list(digest.inputs())
    swapped = [(n, changed if n.endswith("/sqrt.glsl") else file) for n, file in real]
    monkeypatch.setattr(digest, "inputs", lambda: iter(swapped))
    digest.code_digest.cache_clear()
    assert digest.code_digest() != before
    monkeypatch.undo()
    digest.code_digest.cache_clear()
    assert digest.code_digest() == before


def test_it_loads_no_template_engine() -> None:
    program = "import sys; from vkml.codegen.digest import code_digest as d; d(); "
    program += "print('jinja2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=CODEGEN.parent, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False"
