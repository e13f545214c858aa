"""Planting a fault in a copy of the checkout, and running one of its tests there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Copy", "Fault"]

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("vkml", "codegen", "runtime", "templates", "tests", "pyproject.toml")
_CRASH = re.compile(r"^E +(SyntaxError|IndentationError|ImportError|NameError)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and the test of the ordinary suite that has to catch it.

    name        what is wrong
    file        the file that is changed, from the root of the checkout
    right       text that stands in it exactly once
    wrong       what stands there instead
    test        node id of the test, as pytest prints it
    validation  VKML_VALIDATION for the test
    """

    name: str
    file: str
    right: str
    wrong: str
    test: str
    validation: int = 0


class Copy:
    """A copy of the checkout that faults are planted in; the checkout itself is never changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(
                    source, folder / part, symlinks=True,
                    ignore=shutil.ignore_patterns("__pycache__", "*.pyc"),
                )  # fmt: skip
            else:
                shutil.copy(source, folder / part)

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """The copy with one fault in it; fails when the text to change is not there just once."""
        path = self.folder / fault.file
        text = path.read_text(encoding="utf-8")
        count = text.count(fault.right)
        assert count == 1, (
            f"{fault.file} has {count} times what the fault {fault.name!r} changes: it was "
            "rewritten, and the fault has to follow it"
        )
        path.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")

    def run(self, tests: Sequence[str], validation: int = 0) -> subprocess.CompletedProcess[str]:
        """Run tests of the copy in a process of its own, with a kernel cache that is empty."""
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("VKML_")
        }
        environment |= {
            "CI": "1",  # no random examples: a fault is caught each time or never
            "PYTHONDONTWRITEBYTECODE": "1",  # compiled files are told apart by whole seconds
            "PYTHONPATH": str(self.folder),
            "VKML_VALIDATION": str(validation),
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", *tests]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def passed(self, tests: Sequence[str], validation: int = 0) -> None:
        """Fail unless every one of `tests` passes."""
        done = self.run(tests, validation)
        report = done.stdout[-6000:] + done.stderr[-2000:]
        assert done.returncode == 0, f"without any fault: {report}"
        for test in tests:
            assert any(
                line.startswith(f"PASSED {test}") for line in done.stdout.splitlines()
            ), f"{test} did not run: {report}"

    def caught(self, fault: Fault) -> None:
        """Fail unless the fault's test fails, and fails because of what it checks."""
        with self.with_fault(fault):
            done = self.run([fault.test], fault.validation)
        report = done.stdout[-6000:] + done.stderr[-2000:]
        caught = fault.test.partition("[")[0]
        assert done.returncode != 0, f"{fault.name}: not caught by {fault.test}"
        assert done.returncode == 1, f"{fault.name}: the test did not run: {report}"
        assert not _CRASH.search(done.stdout), f"{fault.name}: the fault is no program: {report}"
        assert any(
            line.startswith((f"FAILED {caught}", f"ERROR {caught}"))  # the latter in a fixture
            for line in done.stdout.splitlines()
        ), f"{fault.name}: another test failed: {report}"
