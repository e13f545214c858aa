"""What a machine can read about errors: no assert on input, no builtin raised."""

from __future__ import annotations

import ast
from pathlib import Path

from vkml import errors

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("vkml", "codegen", "runtime")
    for path in (ROOT / folder).rglob("*.py")
    if not any(parent.is_symlink() for parent in path.parents)
)


def assertions_on_input(text: str, public: bool = True) -> list[int]:
    """The lines of asserts that say more than "our own value is not None".

    Such an assert is for the type checker. In a `public` module one about a parameter of its
    function is about input.
    """
    found = []
    for function in ast.walk(ast.parse(text)):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            continue
        given: set[str] = set()
        if not isinstance(function, ast.Module):
            arguments = function.args
            every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
            given = {item.arg for item in every} - {"self"}
        for node in ast.walk(function):
            if not isinstance(node, ast.Assert):
                continue
            test = node.test
            narrows = (
                isinstance(test, ast.Compare)
                and len(test.ops) == 1
                and isinstance(test.ops[0], ast.IsNot)
                and isinstance(test.comparators[0], ast.Constant)
                and test.comparators[0].value is None
                and isinstance(test.left, (ast.Name, ast.Attribute))
            )
            if not narrows or (public and ast.unparse(test.left) in given):
                found.append(node.lineno)
    return sorted(set(found))


def test_no_assert_on_input() -> None:
    assert assertions_on_input("def f(x):\n y = g(x)\n assert y is not None") == []
    assert assertions_on_input("def f(x):\n assert x is not None") == [2]
    assert assertions_on_input("def f(x):\n assert x > 0\nassert 1") == [2, 3]
    found = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if (
            lines := assertions_on_input(
                path.read_text(encoding="utf-8"), path.is_relative_to(ROOT / "vkml")
            )
        )
    }
    assert not found, f"raise one of vkml.errors instead: {found}"


def builtins_raised(text: str) -> list[str]:
    """Exceptions raised by name that are neither of vkml.errors nor classes of the module."""
    tree = ast.parse(text)
    known = set(errors.__all__) | {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = ast.unparse(node.exc.func)
            if name not in known:
                found.append(f"{node.lineno}: {name}")
    return found


def test_users_meet_errors_of_vkml_alone() -> None:
    allowed = {"config.py": "KeyError", "photographs.py": "Unusable", "demo.py": "Unusable"}
    assert builtins_raised("raise ValueError('a')") == ["1: ValueError"]
    found = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if path.is_relative_to(ROOT / "vkml")
        and (
            lines := [
                line
                for line in builtins_raised(path.read_text(encoding="utf-8"))
                if not line.endswith(f": {allowed.get(path.name)}")
            ]
        )
    }
    assert not found
