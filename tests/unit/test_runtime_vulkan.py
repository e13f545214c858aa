"""What the runtime knows of Vulkan without a driver: numbers, structures, where to look."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vkml.errors import DeviceError, OutOfMemoryError
from vkml.runtime.vulkan import constants, diagnosis, structures
from vkml.runtime.vulkan.loader import candidates, ffi

ROOT = Path(__file__).resolve().parents[2]


def test_every_constant_is_the_headers_own() -> None:
    """Enumerators are compared with the binding; what the binding defines otherwise is listed."""
    enumerators: dict[str, int] = {}
    for name in ("VkResult", "VkPhysicalDeviceType", "VkDescriptorType", "VkQueryType",
                 "VkMemoryPropertyFlagBits", "VkMemoryHeapFlagBits", "VkBufferUsageFlagBits",
                 "VkShaderStageFlagBits", "VkPipelineBindPoint", "VkPipelineCacheHeaderVersion",
                 "VkSemaphoreType", "VkCommandPoolCreateFlagBits", "VkCommandBufferLevel",
                 "VkCommandBufferUsageFlagBits", "VkPipelineStageFlagBits", "VkAccessFlagBits",
                 "VkQueryResultFlagBits", "VkDebugUtilsMessageSeverityFlagBitsEXT",
                 "VkDebugUtilsMessageTypeFlagBitsEXT", "VkValidationFeatureEnableEXT",
                 "VkQueueFlagBits", "VkInstanceCreateFlagBits",
                 "VkShaderFloatControlsIndependence"):  # fmt: skip
        enumerators |= ffi().typeof(name).relements
    macros = {
        "VK_API_VERSION_1_2": 0x402000,
        "VK_API_VERSION_1_3": 0x403000,
        "VK_WHOLE_SIZE": 2**64 - 1,
        "VK_QUEUE_FAMILY_IGNORED": 2**32 - 1,
    }
    ours = {name: value for name, value in vars(constants).items() if name.startswith("VK_")}
    assert len(ours) > 60
    for name, value in ours.items():
        assert value == (macros[name] if name in macros else enumerators[name]), name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("VkApplicationInfo", 0),
        ("VkSubmitInfo", 4),
        ("VkWriteDescriptorSet", 35),
        ("VkBufferMemoryBarrier", 44),
        ("VkMemoryBarrier", 46),
        ("VkPhysicalDeviceVulkan12Features", 51),
        ("VkPhysicalDeviceProperties2", 1000059001),
        ("VkPhysicalDevicePCIBusInfoPropertiesEXT", 1000212000),
        ("VkTimelineSemaphoreSubmitInfo", 1000207003),
        ("VkDebugUtilsMessengerCreateInfoEXT", 1000128004),
        ("VkValidationFeaturesEXT", 1000247000),
        ("VkBufferCopy", None),
    ],
)
def test_structure_types(name: str, kind: int | None) -> None:
    assert structures.structure_type(name) == kind
    if kind is not None:
        assert structures.make(name).sType == kind


def test_what_a_structure_points_at_lives_with_it() -> None:
    """A temporary's text, arrays and nested structures are read by the driver much later."""
    import gc

    stage: Any = structures.make(
        "VkPipelineShaderStageCreateInfo",
        pName="main",
        pSpecializationInfo=structures.make(
            "VkSpecializationInfo", dataSize=8, pData=structures.array("uint32_t", [7, 8])
        ),
    )
    names = structures.array("char *", ["first", "second"])
    gc.collect()
    junk = [structures.array("uint32_t", [0xFFFFFFFF] * 2) for _ in range(1000)]
    assert ffi().string(stage.pName) == b"main"
    data = ffi().cast("uint32_t *", stage.pSpecializationInfo.pData)
    assert (data[0], data[1]) == (7, 8)
    assert [ffi().string(names[n]) for n in range(2)] == [b"first", b"second"]
    del junk


def test_results_become_errors() -> None:
    structures.check(0, "vkOne")
    with pytest.raises(OutOfMemoryError, match="vkOne: VK_ERROR_OUT_OF_DEVICE_MEMORY"):
        structures.check(-2, "vkOne")
    with pytest.raises(structures.DeviceLost, match="vkOne: VK_ERROR_DEVICE_LOST"):
        structures.check(-4, "vkOne")
    with pytest.raises(DeviceError, match="vkOne: VkResult -77777"):
        structures.check(-77777, "vkOne")


def test_where_the_loader_is_looked_for() -> None:
    assert list(candidates("linux", {})) == ["libvulkan.so.1", "libvulkan.so"]
    assert "/opt/sdk/lib/libvulkan.so.1" in candidates("linux", {"VULKAN_SDK": "/opt/sdk"})
    assert "/opt/homebrew/lib/libvulkan.1.dylib" in candidates("darwin", {})
    assert next(iter(candidates("win32", {}))) == "vulkan-1.dll"


def test_diagnosis_names_the_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VK_DRIVER_FILES", raising=False)
    monkeypatch.delenv("VK_ICD_FILENAMES", raising=False)
    assert "found no driver" in diagnosis.no_device(tmp_path)
    assert diagnosis.hidden_gpu(tmp_path) is None
    nodes = tmp_path / "dev" / "dri"
    nodes.mkdir(parents=True)
    (nodes / "renderD128").touch()
    assert "no Vulkan driver manifest" in str(diagnosis.hidden_gpu(tmp_path))
    manifests = tmp_path / "usr" / "share" / "vulkan" / "icd.d"
    manifests.mkdir(parents=True)
    (manifests / "radeon_icd.json").touch()
    assert diagnosis.hidden_gpu(tmp_path) is None
    (tmp_path / "dev" / "nvidiactl").touch()
    assert "libEGL_nvidia.so.0" in str(diagnosis.hidden_gpu(tmp_path))
    (manifests / "nvidia_icd.json").touch()
    assert diagnosis.hidden_gpu(tmp_path) is None
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "usermod -aG render" in str(diagnosis.hidden_gpu(tmp_path))


SURVEY = """
import warnings, sys
from vkml.errors import DeviceError
from vkml.runtime import discover, open_device, select
{before}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print([info.name for info in discover()])
    print(select(), open_device().name, open_device().name)
print(len(caught), caught[0].message if caught else "")
try: open_device("vulkan")
except DeviceError as error: print(error.message)
"""
NO_LOADER = """
from vkml.runtime.vulkan import loader
loader.candidates = lambda: iter(["libno_such_vulkan.so"])
"""
NO_BINDING = """
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "vulkan" else find(name, *rest)
"""


@pytest.mark.parametrize(
    ("before", "environment", "reason"),
    [
        (NO_LOADER, {}, "apt-get install libvulkan1"),
        (NO_BINDING, {}, "pip install vulkan"),
        ("", {"VK_DRIVER_FILES": "/none", "VK_ICD_FILENAMES": "/none"}, "no Vulkan driver found"),
    ],
)
def test_without_vulkan_there_is_cpu_and_the_remedy(
    before: str, environment: dict[str, str], reason: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SURVEY.format(before=before)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "VKML_DEVICE": "", **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["['cpu']", "cpu cpu cpu"]
    assert lines[2].startswith("1 no Vulkan device, cpu (NumPy) is used: ")
    assert reason in lines[2]
    assert lines[3].startswith("device 'vulkan': ")
    assert reason in lines[3]


def test_importing_the_runtime_touches_no_vulkan() -> None:
    script = (
        "import sys, vkml.runtime; from vkml.runtime import open_device; open_device('cpu');"
        "print([name for name in sys.modules if 'vulkan' in name or name == 'cffi'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "[]"
