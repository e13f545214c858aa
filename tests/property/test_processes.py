"""The same programs in other processes: the same bits, with and without compiled kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import hashlib, json, random, sys, warnings
warnings.simplefilter("ignore")
import vkml
from tests.property.generator import DRAWN, program
from tests.property.replay import Replay

digest = hashlib.sha256()
device = vkml.device(sys.argv[1])
(vkml.tensor(1.0, device=device) + 1).realize()  # what a device can do is asked once a cache
before = vkml.counters()["dispatches"]
for seed in range(8):
    tensors = Replay(program(random.Random(seed), DRAWN), device).run()
    vkml.realize(*tensors.values())
    for tensor in tensors.values():
        digest.update(repr((tensor.shape, tensor.dtype)).encode() + tensor.numpy().tobytes())
counts = vkml.counters()
print(json.dumps([digest.hexdigest(), counts["shaderc_compiles"], counts["dispatches"] - before]))
"""


def ran(checkout: Path, device: str, cache: Path) -> tuple[str, int, int]:
    environment = {**os.environ, "PYTHONPATH": str(checkout), "VKML_CACHE_DIR": str(cache)}
    environment["PYTHONHASHSEED"] = "random"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, device], cwd=checkout, env=environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    digest, compiles, dispatches = json.loads(done.stdout)
    return digest, compiles, dispatches


@pytest.mark.parametrize("device", ["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def test_another_process_gives_the_same_bits(checkout: Path, device: str, tmp_path: Path) -> None:
    cold, compiles, dispatches = ran(checkout, device, tmp_path)
    warm, again, as_many = ran(checkout, device, tmp_path)
    assert warm == cold
    assert dispatches == as_many > 0
    assert again == 0
    assert (compiles > 0) == (device != "cpu")
