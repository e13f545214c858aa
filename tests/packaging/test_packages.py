"""The list of packages in pyproject.toml is the folders that hold code, and nothing is left out."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]


def folder_of(package: str) -> Path:
    """The folder that a package is built from, as setuptools finds it: the longest mapped name."""
    mapping = SETUPTOOLS["package-dir"]
    rest: list[str] = []
    while package not in mapping:
        package, _, last = package.rpartition(".")
        rest.insert(0, last)
    return ROOT.joinpath(mapping[package], *rest)


def test_the_list_is_the_folders():
    found = {
        init.parent
        for top in ("vkml", "codegen", "runtime", "templates")
        for init in (ROOT / top).rglob("__init__.py")
        if not any(parent.is_symlink() for parent in init.parents)
    }
    assert {folder_of(package) for package in SETUPTOOLS["packages"]} == found
    assert len(set(SETUPTOOLS["packages"])) == len(SETUPTOOLS["packages"])


def test_every_module_is_in_a_package():
    listed = {folder_of(package) for package in SETUPTOOLS["packages"]}
    outside = [
        str(path.relative_to(ROOT))
        for top in ("vkml", "codegen", "runtime")
        for path in (ROOT / top).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents) and path.parent not in listed
    ]
    assert not outside, "no __init__.py there, so the wheel would lack them"


def test_every_template_is_package_data():
    patterns = SETUPTOOLS["package-data"]["vkml.templates"]
    templates = ROOT / "templates"
    named = {path for pattern in patterns for path in templates.glob(pattern)}
    present = {
        path
        for path in templates.rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc", ".md")
    }
    assert present
    assert present == named


def test_nothing_bare_is_installed():
    assert all(package.split(".")[0] == "vkml" for package in SETUPTOOLS["packages"])


@pytest.mark.parametrize("extra", ["demo", "cli", "dev", "bench"])
def test_the_extras_exist(extra):
    assert PROJECT["project"]["optional-dependencies"][extra]


def test_the_names():
    assert PROJECT["project"]["name"] == "vkml-fuser"
    assert PROJECT["project"]["scripts"] == {"vkml": "vkml.__main__:main"}
