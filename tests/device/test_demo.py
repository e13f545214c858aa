"""The demo on a device: counts, agreement with NumPy, what it writes, and a warm second process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy
import pytest

import vkml
from tests.device.runtime_support import needs_vulkan
from vkml.cli import darkroom, development

KEYS = {
    "schema", "ops", "kernels", "dispatches", "submissions", "shaderc_compiles", "bytes_moved",
    "bytes_unfused", "max_abs_difference", "first_ms", "warm_ms", "device", "outputs",
}  # fmt: skip


pytestmark = needs_vulkan


def run(checkout: Path, cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One Python process with a kernel cache of its own choosing."""
    environment = {**os.environ, "VKML_CACHE_DIR": str(cache)}
    return subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )


def photograph(path: Path, height: int = 96, width: int = 132) -> Path:
    image = pytest.importorskip("PIL.Image")
    values = numpy.random.default_rng(0).integers(0, 256, (height, width, 3), numpy.uint8)
    image.fromarray(values).save(path)
    return path


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (5, 1), (61, 47), (64, 64), (120, 131)])
def test_device_gives_the_reference(shape: tuple[int, int]) -> None:
    """Widths with and without whole vectors, and sizes with wide and with general accesses."""
    vkml.device().kernels  # noqa: B018 - the probes of a device are not the demo's
    pixels = numpy.random.default_rng(1).integers(0, 256, (*shape, 3), numpy.uint8)
    result = development.measure(pixels)
    assert result.picture.shape == pixels.shape
    assert result.difference <= 1
    assert result.counts["dispatches"] <= 2
    assert result.counts["submissions"] == 1
    assert len(result.kernels) == result.distinct <= 2
    assert all("#version 460" in text for text in result.kernels)


def test_another_seed_and_size_compile_nothing() -> None:
    """What a second photograph needs is compiled already: sizes and scalars are data."""
    gains = numpy.array(darkroom.BALANCE, numpy.float32).reshape(3, 1, 1)

    def develop(height: int, width: int, seed: int) -> None:
        pixels = numpy.zeros((height, width, 3), numpy.uint8)
        planes = vkml.tensor(darkroom.negative(pixels))
        generator = vkml.random.default_rng(seed)
        darkroom.develop(vkml, planes, vkml.tensor(gains), generator).numpy()

    develop(80, 100, 1)
    before = vkml.counters()["shaderc_compiles"]
    develop(92, 120, 2)
    develop(200, 104, 3)
    assert vkml.counters()["shaderc_compiles"] == before


@pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
def test_the_photograph(checkout: Path, tmp_path: Path) -> None:
    """The command as it is documented, in two processes with one cache."""
    pytest.importorskip("PIL")
    cache, out = tmp_path / "cache", tmp_path / "out"
    facts: list[dict[str, Any]] = []
    for _ in range(2):
        done = run(checkout, cache, "-m", "vkml", "demo", "--json", "--out", str(out))
        facts.append(json.loads(done.stdout))
    for found in facts:
        assert set(found) == KEYS
        assert found["schema"] == 1
        assert found["ops"] >= 40
        assert found["submissions"] == 1
        assert 1 <= found["dispatches"] <= 2
        assert found["kernels"] == found["dispatches"]
        assert found["max_abs_difference"] <= 1
        assert 0 < found["bytes_moved"] < found["bytes_unfused"]
        assert found["first_ms"] > 0
        assert found["warm_ms"] > 0
        assert all(Path(path).stat().st_size for path in found["outputs"])
    assert facts[0]["shaderc_compiles"] == facts[0]["kernels"]
    assert facts[1]["shaderc_compiles"] == 0
    names = [Path(path).name for path in facts[0]["outputs"]]
    assert names[:3] == ["before.png", "after.png", "before-after.png"]
    assert names[3:] == [f"kernel-{n}.comp" for n in range(1, facts[0]["kernels"] + 1)]


def test_the_story(checkout: Path, tmp_path: Path) -> None:
    """A line a stage, the counts, and the written paths at the end."""
    path = photograph(tmp_path / "small.png")
    out = tmp_path / "out"
    arguments = ("-m", "vkml", "demo", "--image", str(path), "--out", str(out))
    lines = run(checkout, tmp_path / "cache", *arguments).stdout.splitlines()
    assert lines[0] == "vkml demo: small.png, 132 x 96 pixels"
    stages = [line for line in lines if "on average" in line]
    assert len(stages) == 9
    assert all(float(line.split("up to")[1].split(",")[0]) >= 1 for line in stages)
    text = " ".join(" ".join(lines).split())
    count = re.search(r"([12]) dispatch(?:es)? in 1 submission", text)
    assert count is not None, text  # a GPU repeats work where a small picture is cheap
    assert f"{count[1]}, {count[1]} compiled now" in text
    paths = [Path(line.strip()) for line in lines[lines.index("  wrote") + 1 :]]
    assert {item.name for item in paths} == {item.name for item in out.iterdir()}
    assert all(item.parent == out for item in paths)


SCRIPT = """
import json, sys
import numpy, vkml
from vkml.cli import darkroom
pixels = numpy.zeros((96, 132, 3), numpy.uint8)
gains = vkml.tensor(numpy.ones((3, 1, 1), numpy.float32))
planes = vkml.tensor(darkroom.negative(pixels))
picture = darkroom.develop(vkml, planes, gains, vkml.random.default_rng(int(sys.argv[1])))
bright = vkml.minimum(picture.astype(vkml.float32) * 1.5 + 2.0, 255.0)
bright.numpy()
print(json.dumps(vkml.counters()))
"""


def test_moved_lines_compile_nothing(checkout: Path, tmp_path: Path) -> None:
    """A second process finds every kernel, also when its code has moved down three lines."""
    script, cache = tmp_path / "script.py", tmp_path / "cache"
    compiles = []
    for text, seed in ((SCRIPT, "1"), (SCRIPT, "2"), (f"\n\n\n{SCRIPT}", "3")):
        script.write_text(text)
        found = json.loads(run(checkout, cache, str(script), seed).stdout)
        compiles.append(found["shaderc_compiles"])
    assert compiles[0] > 0
    assert compiles[1:] == [0, 0]
