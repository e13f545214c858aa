"""The Khronos layer: silent about everything that the runtime does, and proven to be on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.device.runtime_support import layer_installed, needs_vulkan

pytestmark = needs_vulkan
ROOT = Path(__file__).resolve().parents[2]

PROVOKE = """
import logging
from tests.device.runtime_support import add, mix
from vkml.program import Program, Range, Slot
from vkml.runtime import open_device
from vkml.runtime.vulkan.instance import validation_messages
from vkml.runtime.vulkan.structures import address, make, out

logging.basicConfig(level=logging.WARNING)
device = open_device("vulkan")
n = 1000
data = device.allocate(4 * n)
ordered = (add(n, 0, (2, 1, 0)), add(n, 0, (3, 1, 0), (), (Range(0, 0, 4 * n),)))
device.execute(Program((Slot(4 * n, "input"),), ordered), [data], []).wait()
print("silent", len(validation_messages()))
place = out()
nothing = make("VkBufferCreateInfo", usage=32)
device._vk.vkCreateBuffer(device._device, address(nothing), None, address(place))
print("core", sum("VUID-VkBufferCreateInfo-size" in text for text in validation_messages()))
validation_messages().clear()
steps = (add(n, 0, (2, 1, 0)), mix(n, (0, 0), (1, 0), 2, 0))
racing = Program((Slot(4 * n, "input"),) * 2, steps, 1)
device.execute(racing, [data, device.allocate(4 * n)], [7]).wait()
print("hazards", sum("SYNC-HAZARD-" in text for text in validation_messages()) > 0)
"""


def run(*arguments: str, validation: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "VKML_VALIDATION": str(validation)},
        timeout=600,
        check=False,
    )


needs_layer = pytest.mark.skipif(not layer_installed(), reason="no validation layer")


@needs_layer
@pytest.mark.parametrize(("validation", "hazards"), [(1, False), (2, True)])
def test_the_layer_is_on(validation: int, hazards: bool) -> None:
    """A mistake of each kind is reported, in the list and in the log."""
    done = run("-c", PROVOKE, validation=validation)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["silent 0", "core 1", f"hazards {hazards}"]
    assert "ERROR:vkml:Vulkan validation: " in done.stderr
    assert ("SYNC-HAZARD-" in done.stderr) is hazards


@needs_layer
def test_the_runtime_is_silent_under_synchronisation_checks() -> None:
    """Every test of the runtime again, each asserting that the layer said nothing."""
    names = ("execution", "merged", "order", "faults")
    files = [f"tests/device/test_runtime_{name}.py" for name in names]
    done = run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *files, validation=2)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


def test_without_the_layer_asking_for_it_is_an_error() -> None:
    script = """
from vkml.errors import DeviceError
from vkml.runtime import discover, open_device
from vkml.runtime.vulkan import instance
instance._layers = set
print([info.name for info in discover()])
try: open_device("vulkan")
except DeviceError as error: print(error.message)
"""
    lines = run("-c", script, validation=1).stdout.splitlines()
    assert lines[0] == "['cpu']"
    assert "VKML_VALIDATION is set but VK_LAYER_KHRONOS_validation is not installed" in lines[1]
