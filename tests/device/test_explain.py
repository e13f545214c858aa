"""What explain says about a Vulkan device against what the device does."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy
import pytest

import vkml
from tests.device.runtime_support import needs_vulkan
from vkml.codegen.cache import KernelCache
from vkml.codegen.kernels import Kernels

pytestmark = needs_vulkan
ROOT = Path(__file__).resolve().parents[2]
DEVICE = "vulkan"
UNCHANGED = (
    "nodes_recorded", "regions_planned", "kernels_generated", "shaderc_compiles",
    "pipelines_created", "dispatches", "submissions", "transfers", "bytes_moved", "bytes_uploaded",
    "bytes_downloaded", "live_bytes",
)  # fmt: skip


def tensor(*shape: int) -> vkml.Tensor:
    values = numpy.random.default_rng(1).random(shape, dtype=numpy.float32)
    return vkml.tensor(values, device=DEVICE)


def counts() -> dict[str, int]:
    gc.collect()  # what other tests left in cycles would go at any time
    found = vkml.counters()
    return {name: found[name] for name in UNCHANGED}


def test_looking_changes_nothing():
    a = tensor(33, 20)
    b = vkml.exp(a.T * 2.5) / (a[:, 3] + 1)
    before = counts()
    planned = vkml.explain(b)
    str(planned)
    planned.to_dict()
    assert counts() == before
    assert not b._node.computed
    assert b._node.storage is None


def test_the_text_shown_is_the_text_that_is_compiled(monkeypatch, tmp_path):
    a = tensor(7, 5)
    (vkml.sqrt(a) / 3).realize()  # the device's verdicts are known from here on
    b = vkml.sqrt(vkml.sinh(a.T) / 1.25) - a.T
    shown = vkml.explain(b).parts[0].kernels[0]
    assert shown.name is None
    made: list[str] = []
    source = Kernels.source
    monkeypatch.setattr(Kernels, "source", lambda *given: made.append(source(*given)) or made[-1])
    forget_kernels(monkeypatch, tmp_path)
    b.realize()
    assert made == [shown.glsl]
    after = vkml.explain(b).parts[0].kernels[0]
    assert after.glsl == shown.glsl
    assert after.name is not None


def forget_kernels(monkeypatch, folder):
    """From here on every kernel is compiled again."""
    kernels = Kernels.kernels

    def made(self, regions, where=None):
        self._made.clear()
        monkeypatch.setattr(self, "cache", KernelCache(folder))
        return kernels(self, regions, where)

    monkeypatch.setattr(Kernels, "kernels", made)


def test_what_ran_is_what_was_counted():
    a, b = tensor(64, 96), tensor(64, 96)
    low = vkml.exp(a) * b
    high = (low[1:] - low[:-1]) * 0.5
    other = tensor(11) + 1
    before = vkml.counters()
    vkml.realize(high, other)
    after = vkml.counters()
    totals = vkml.explain(high, other).totals
    for name in ("regions_planned", "dispatches", "submissions", "bytes_moved", "bytes_unfused"):
        assert totals[name] == after[name] - before[name], name
    assert vkml.explain(high).parts == vkml.explain(other).parts  # one submission computed both


def test_groups_and_bytes_of_each_dispatch():
    a = tensor(1000)
    part = vkml.explain(a * 2 + 1).parts[0]
    (dispatch,), (kernel,) = part.dispatches, part.kernels
    threads = dispatch.groups[0] * dispatch.workgroup
    assert threads * kernel.elements >= 1000 > (threads - dispatch.workgroup) * kernel.elements
    assert dispatch.bytes_moved == part.totals["bytes_moved"] == 8000
    assert [array.binding for array in dispatch.arrays] == [1, 2]
    for array in dispatch.arrays:
        assert f"binding = {array.binding})" in kernel.glsl
        assert f"{array.name}_data[" in kernel.glsl
        assert array.layout == "linear"


def test_like_regions_are_merged():
    inputs = [tensor(n + 1).realize() for n in range(40)]
    part = vkml.explain(*(item * 0.5 + 1 for item in inputs)).parts[0]
    assert len(part.dispatches) == 1
    assert part.dispatches[0].merged == 40
    assert len(part.regions) == 40
    assert "gl_WorkGroupID" in part.kernels[0].glsl
    assert "for 40 merged regions" in str(vkml.explain(*(item * 0.5 + 1 for item in inputs)))


def test_a_window_of_a_large_array_is_a_dispatch_of_its_own(tmp_path):
    text = python(
        "import vkml\n"
        "a = vkml.ones((4096,), device='vulkan') * 2\n"
        "part = vkml.explain(a).parts[0]\n"
        "print(len(part.kernels), len(part.dispatches), len(part.regions),\n"
        "      sum(d.bytes_moved for d in part.dispatches), part.regions[0].dispatches[-1])",
        VKML_LIMITS="max_storage_range=4096",
    ).stdout
    kernels, dispatches, regions, moved, last = map(int, text.split())
    assert (kernels, regions, moved) == (1, 1, 16384)
    assert dispatches == last > 4


def test_explaining_again_and_again_keeps_nothing():
    a = tensor(50)
    done = (vkml.exp(a) + 1).realize()
    pending = vkml.sin(a) * 2
    for _ in range(3):
        vkml.explain(done, pending)
    gc.collect()
    tracemalloc.start()
    try:
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(30):
            vkml.explain(done, pending)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - first < 50_000
    finally:
        tracemalloc.stop()


def test_a_device_that_was_never_tried_out(tmp_path):
    script = (
        "import vkml\n"
        "a = vkml.ones((3,), device='vulkan') * 2\n"
        "plain, divided = vkml.explain(a), vkml.explain(a / 3)\n"
        "print(len(plain.notes), len(divided.notes), vkml.counters()['submissions'])\n"
        "a.numpy()\n"
        "print(len(vkml.explain(a / 3).notes))"
    )
    assert python(script, VKML_CACHE_DIR=str(tmp_path)).stdout.split() == ["0", "1", "0", "0"]


def test_two_devices_are_two_parts():
    a = tensor(3)
    parts = vkml.explain(a + 1, vkml.tensor([1.0], device="cpu") + 1).parts
    assert sorted(part.device for part in parts) == ["cpu", str(a.device)]


# ---- errors name the user's lines ----------------------------------------------------------------


def test_a_compile_error_names_expression_and_lines(monkeypatch, tmp_path):
    a = tensor(3)
    b = vkml.exp2(a) + 1.5
    c = vkml.cosh(b)
    source = Kernels.source
    monkeypatch.setattr(
        Kernels, "source", lambda *given: source(*given).replace("void main", "void niam")
    )
    forget_kernels(monkeypatch, tmp_path)
    with pytest.raises(vkml.CompileError) as caught:
        c.numpy()
    text = str(caught.value)
    assert text.startswith("kernel out0 = cosh(exp2(a) + s0): ")
    assert text.endswith(": c = vkml.cosh(b)")
    assert ": b = vkml.exp2(a) + 1.5\n" in text
    monkeypatch.undo()
    numpy.testing.assert_allclose(c.numpy(), numpy.cosh(2 ** a.numpy() + 1.5), rtol=1e-6)


def test_out_of_memory_names_the_line(monkeypatch):
    a = tensor(3)
    b = a + 1.25

    def refuse(*_, **__):
        raise vkml.OutOfMemoryError("no memory for 12 bytes")

    with monkeypatch.context() as patch:
        patch.setattr(type(a.device.runtime), "allocate", refuse)
        with pytest.raises(vkml.OutOfMemoryError) as caught:
            b.realize()
    first, second = str(caught.value).split("\n")
    assert first == "no memory for 12 bytes"
    assert second.endswith(": b = a + 1.25")
    numpy.testing.assert_array_equal(b.numpy(), a.numpy() + numpy.float32(1.25))


# ---- VKML_DEBUG and VKML_DUMP_DIR ---------------------------------------------------------------

SCRIPT = """
import vkml
a = vkml.tensor([[1.0, 2.0], [3.0, 4.0]], device="vulkan")
b = vkml.exp(a) + 1
print(b.tolist())
c = vkml.exp(a.T) + 1
print(c.tolist())
"""


def python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_debug_levels(tmp_path):
    told = {}
    plain = python(SCRIPT, VKML_CACHE_DIR=str(tmp_path / "0")).stdout
    for level in range(5):
        done = python(SCRIPT, VKML_DEBUG=str(level), VKML_CACHE_DIR=str(tmp_path / str(level)))
        assert done.stdout == plain
        told[level] = done.stderr
    assert told[0] == ""
    compiled = [line for line in told[1].splitlines() if "out0 = exp(a) + s0" in line]
    assert "because the expression is new" in compiled[0]
    assert "because the layout of a is strided, was linear" in compiled[1]
    assert all(line.startswith("vkml: compiled map_") for line in told[1].splitlines())
    assert told[2].count("vkml: realize: 1 dispatch, 32 bytes moved, 64 unfused\n") == 2
    assert "vkml: GLSL of" not in told[2]
    assert "vkml: GLSL of" in told[3]
    assert "#version 460" in told[3]
    assert "OpEntryPoint" not in told[3]
    if shutil.which("spirv-dis") is not None:
        assert "OpEntryPoint GLCompute" in told[4]


def test_a_warm_start_compiles_nothing_and_shows_its_kernels(tmp_path):
    cold = python(SCRIPT, VKML_DEBUG="3", VKML_CACHE_DIR=str(tmp_path)).stderr
    warm = python(SCRIPT, VKML_DEBUG="3", VKML_CACHE_DIR=str(tmp_path)).stderr
    assert "vkml: compiled" in cold
    assert "vkml: compiled" not in warm
    assert warm.count("vkml: GLSL of") == 2


def test_dumps_are_the_kernels(tmp_path):
    names = []
    for _ in range(2):  # a cold and a warm start
        python(SCRIPT, VKML_DUMP_DIR=str(tmp_path / "dump"), VKML_CACHE_DIR=str(tmp_path / "cache"))
        names.append(sorted(path.name for path in (tmp_path / "dump").iterdir()))
    texts = [path for path in (tmp_path / "dump").glob("*.comp") if "exp(a)" in path.read_text()]
    assert len(texts) == 2
    assert set(names[1]) == set(names[0])
    for text in texts:
        assert text.name.startswith("map_")
        spirv = text.with_suffix(".spv")
        assert spirv.read_bytes()[:4] == (0x07230203).to_bytes(4, sys.byteorder)
        validator = shutil.which("spirv-val")
        if validator is not None:
            subprocess.run([validator, "--target-env", "vulkan1.2", str(spirv)], check=True)


def test_nothing_of_the_users_reaches_a_kernel(tmp_path):
    name = 'x"; } */ \\ #include <evil> {{ 7 * 7 }} .py'
    code = 'import vkml\nevil_name = vkml.ones((2,), device="vulkan") * 3  # evil comment\n'
    space: dict[str, vkml.Tensor] = {}
    exec(compile(code, name, "exec"), space)
    explanation = vkml.explain(space["evil_name"])
    (part,) = explanation.parts
    assert part.operations[0].where == (name, 2)
    assert "evil" not in part.kernels[0].glsl
    assert "evil> {{ 7 * 7 }} .py:2" in str(explanation)
