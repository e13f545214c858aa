"""The README's code runs, and its lines are the ones that the project has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def test_there_is_code():
    assert PYTHON
    assert len(PYTHON[0].splitlines()) <= 14, "ten lines or so"


@pytest.mark.parametrize("block", PYTHON, ids=range(1, len(PYTHON) + 1))
def test_the_code_runs(block, tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error::DeprecationWarning", "-c", block],
        cwd=tmp_path,
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "it prints what it says it prints"


def test_the_kernel_is_the_one_that_the_code_generates(tmp_path):
    pytest.importorskip("vulkan")
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", PYTHON[0]],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    if "vulkan:" not in done.stdout:
        pytest.skip("no Vulkan device")
    shown = re.search(r"^```glsl\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    assert shown is not None
    printed = iter([line.strip() for line in done.stdout.splitlines()])
    missing = [
        line for line in map(str.strip, shown[1].splitlines()) if line and line not in printed
    ]
    assert not missing, "in this order, every line stands in what vkml.explain prints"


def test_the_links_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_commands_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    documents = README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)\b", "\n".join(code_spans(documents))))
    assert {"demo", "test"} <= named
    assert [name for name in named if f"\n{name}: " not in makefile] == []


def code_spans(text: str) -> list[str]:
    """The text between backticks, of single words and of blocks."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    return blocks + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def test_it_says_the_lines_that_setup_says():
    script = (ROOT / "scripts" / "setup").read_text(encoding="utf-8")
    for tool in ("dnf install", "brew install"):
        (line,) = re.findall(rf"`({tool} [^`]+)`", README)
        assert line in script
