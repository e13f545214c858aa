"""The house rules that a machine can read."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

from vkml import config

ROOT = Path(__file__).resolve().parents[2]
CODE = sorted(
    path
    for folder in ("vkml", "codegen", "runtime")
    for path in (ROOT / folder).rglob("*.py")
    if not any(parent.is_symlink() for parent in path.parents)
)
LONGEST = 400


def test_there_is_code():
    assert ROOT / "vkml" / "errors.py" in CODE
    assert ROOT / "runtime" / "vulkan" / "__init__.py" in CODE
    assert not [path for path in CODE if path.is_relative_to(ROOT / "vkml" / "codegen")]


def test_no_file_is_too_long():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    long = {str(path.relative_to(ROOT)): n for path, n in lengths.items() if n > LONGEST}
    assert not long, f"past {LONGEST} lines, split by responsibility: {long}"


def environment_reads(text: str) -> list[int]:
    """The lines that touch os.environ or os.getenv."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv", "environb"))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {alias.name for alias in node.names} & {"environ", "getenv", "environb"}
        )
    ]


def test_one_module_reads_the_environment():
    # These two look for parts of the system, by the variables of the system ($VULKAN_SDK, VK_…).
    allowed = ("vkml/config.py", "codegen/compiler.py", "runtime/vulkan")
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in CODE
        if not any(path.is_relative_to(ROOT / place) for place in allowed)
        for line in environment_reads(path.read_text(encoding="utf-8"))
    ]
    assert environment_reads("from os import getenv\nimport os\nos.environ.get('A')") == [1, 3]
    assert not found, "environment variables are read in vkml/config.py alone"


def test_every_variable_is_in_the_table():
    known = {variable.name for variable in config.VARIABLES}
    named = {
        constant.value: path.relative_to(ROOT)
        for path in CODE
        for constant in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(constant, ast.Constant)
        and isinstance(constant.value, str)
        and re.fullmatch(r"VKML_[A-Z_]+", constant.value)
    }
    assert named.keys() == known


@pytest.mark.parametrize("name", ["codegen", "runtime", "templates"])
def test_links_are_relative(name):
    link = ROOT / "vkml" / name
    if not link.is_symlink():
        pytest.skip("checked out without symbolic links")
    assert os.readlink(link) == f"../{name}"


@pytest.mark.skipif(os.name == "nt", reason="no mode bits on Windows")
@pytest.mark.parametrize("name", [".ci/run", "scripts/setup"])
def test_scripts_can_be_run(name):
    path = ROOT / name
    assert os.access(path, os.X_OK)
    assert path.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")


def test_documents_are_there():
    for name in ("README.md", "LICENSE", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        assert (ROOT / name).stat().st_size > 200, name


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "adr"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(path.name for path in folder.glob("[0-9][0-9][0-9][0-9]-*.md"))
    assert pages
    assert [name for name in pages if f"]({name})" not in index] == []
    numbers = [name[:4] for name in pages]
    assert len(set(numbers)) == len(numbers), "a number is used twice"
