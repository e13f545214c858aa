"""A wheel is built from a copy of the checkout, installed elsewhere, and used from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "vkml": "vkml",
    "codegen": "vkml/codegen",
    "runtime": "vkml/runtime",
    "templates": "vkml/templates",
}
DOCUMENTS = ("pyproject.toml", "README.md", "LICENSE")


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    """The output of a command that has to succeed, without the checkout on its path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pip(*arguments: str | Path, folder: Path) -> None:
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, folder=folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built where no earlier build left anything; links are copied as links."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=ignored)
    for name in DOCUMENTS:
        shutil.copy2(ROOT / name, copy / name)
    target = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", target, copy, folder=copy)
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nothing but the installed wheel."""
    target = tmp_path_factory.mktemp("site")
    pip("install", "--no-deps", "--no-index", "--target", target, wheel, folder=target)
    return target


def in_the_checkout() -> set[str]:
    """What the wheel has to hold, by its names there."""
    names = set()
    for folder, place in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            inside_a_link = any(parent.is_symlink() for parent in path.parents)
            if path.is_file() and not inside_a_link and "__pycache__" not in path.parts:
                names.add(f"{place}/{path.relative_to(ROOT / folder).as_posix()}")
    return {name for name in names if not name.endswith(".md")}


def test_it_is_called_vkml_fuser(wheel):
    assert wheel.name.startswith("vkml_fuser-")
    assert wheel.name.endswith("-py3-none-any.whl")


def test_each_file_is_in_it_once(wheel):
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.infolist()
    names = Counter(entry.filename for entry in entries)
    assert not [name for name, times in names.items() if times > 1]
    links = [entry.filename for entry in entries if entry.external_attr >> 28 == 0xA]
    assert not links, "symbolic links in the wheel"
    code = {name for name in names if ".dist-info/" not in name}
    assert code == in_the_checkout()


def test_the_licence_is_in_it(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/LICENSE")]
        assert archive.read(name) == (ROOT / "LICENSE").read_bytes()
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    assert "License-Expression: MIT\n" in text
    assert "\nRequires-Dist: jinja2" in text


def test_it_is_importable_outside_the_checkout(installed, tmp_path):
    program = (
        "import importlib.resources, pkgutil, vkml, vkml.codegen, vkml.runtime, vkml.templates\n"
        "print(vkml.__file__)\n"
        "print(*(module.name for module in pkgutil.walk_packages(vkml.__path__, 'vkml.')))\n"
        "files = importlib.resources.files('vkml.templates')\n"
        "text = [entry.read_text('utf-8') for entry in files.iterdir()\n"
        "        if entry.name.endswith(('.j2', '.glsl'))]\n"
        "text += [entry.read_text('utf-8') for entry in files.joinpath('math').iterdir()]\n"
        "print(len(text), min(map(len, text)))\n"
    )
    output = run(sys.executable, "-P", "-c", program, folder=tmp_path, PYTHONPATH=str(installed))
    where, modules, templates = output.splitlines()
    assert Path(where) == installed / "vkml" / "__init__.py"
    assert {"vkml.errors", "vkml.codegen", "vkml.runtime.vulkan"} <= set(modules.split())
    count, shortest = map(int, templates.split())
    assert count > 1
    assert shortest > 0


def test_the_command_is_installed(installed, tmp_path):
    for command in (
        (installed / "bin" / "vkml",) if os.name != "nt" else (sys.executable, "-m", "vkml"),
        (sys.executable, "-P", "-m", "vkml"),
    ):
        text = run(*command, "--help", folder=tmp_path, PYTHONPATH=str(installed))
        assert "demo" in text


def test_it_says_that_it_is_typed(installed):
    assert (installed / "vkml" / "py.typed").is_file()
