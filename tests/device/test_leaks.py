"""Thousands of steps: nodes, bytes, memory blocks, recordings and the process stay as they were."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import vkml
from tests.device.processes import printed

DEVICE = "vulkan"
SIZE = 10_000


class Loop:
    """One tensor that steps change; each step leaves nothing behind."""

    def __init__(self) -> None:
        self.tensor = vkml.tensor(numpy.zeros(SIZE, numpy.float32), device=DEVICE).realize()

    def rebound(self, _: int) -> None:
        self.tensor = self.tensor + 1.0
        self.tensor.realize()

    def assigned(self, _: int) -> None:
        self.tensor.assign_(self.tensor + 1.0)

    def written(self, step: int) -> None:
        self.tensor[step % 10 : 5000] = float(step)
        self.tensor.realize()

    def observed(self, step: int) -> None:
        (self.tensor * float(step)).numpy()

    def uploaded(self, step: int) -> None:
        made = vkml.tensor(numpy.full(1000 + step % 50, step, numpy.float32), device=DEVICE)
        (made + 1.0).numpy()

    def of_many_shapes(self, step: int) -> None:
        (vkml.zeros((step % 300 + 1, 3), device=DEVICE) + 1.5).realize()

    def viewed(self, step: int) -> None:
        (self.tensor[step % 10 :] + self.tensor[: SIZE - step % 10]).realize()

    def refused(self, step: int) -> None:
        with pytest.raises(vkml.ShapeError):
            self.tensor + numpy.zeros(7, numpy.float32)

    def dropped(self, _: int) -> None:
        shared = self.tensor * 2.0
        kept = [shared + float(n) for n in range(5)]
        vkml.realize(*kept[:2])


STEPS: dict[str, tuple[Callable[[Loop, int], None], int]] = {
    "rebound": (Loop.rebound, 10_000),
    "assigned": (Loop.assigned, 10_000),
    "written": (Loop.written, 2000),
    "observed": (Loop.observed, 2000),
    "uploaded": (Loop.uploaded, 2000),
    "of many shapes": (Loop.of_many_shapes, 900),
    "viewed": (Loop.viewed, 1500),
    "refused": (Loop.refused, 2000),
    "dropped": (Loop.dropped, 1000),
}


def facts(loop: Loop) -> dict[str, Any]:
    loop.tensor.realize()
    gc.collect()
    counts = vkml.counters()
    runtime = loop.tensor.device.runtime
    memory = runtime.memory()
    return {
        "live_nodes": counts["live_nodes"],
        "live_bytes": counts["live_bytes"],
        "blocks": memory["blocks"],
        "reserved": memory["reserved"],
    }


@pytest.mark.parametrize("name", STEPS)
def test_a_loop_holds_flat_memory(name: str) -> None:
    step, count = STEPS[name]
    loop = Loop()
    for number in range(count // 10):
        step(loop, number)
    before = facts(loop)
    for number in range(count):
        step(loop, number)
    assert facts(loop) == before
    recordings = loop.tensor.device.runtime._recordings
    assert len(recordings._all) <= recordings.limit + 1


def test_live_memory_is_that_of_live_tensors() -> None:
    gc.collect()
    before = vkml.counters()
    held = [vkml.tensor(numpy.zeros(256, numpy.float32), device=DEVICE) + 1.0 for _ in range(50)]
    vkml.realize(*held)
    between = vkml.counters()
    assert between["live_bytes"] - before["live_bytes"] == 50 * 1024
    assert between["live_nodes"] - before["live_nodes"] == 50
    held.clear()
    gc.collect()
    after = vkml.counters()
    assert after["live_bytes"] == before["live_bytes"]
    assert after["live_nodes"] == before["live_nodes"]


def test_thousands_of_tensors_share_a_few_allocations() -> None:
    """Drivers allow some thousand allocations of memory in all."""
    runtime = vkml.device(DEVICE).runtime
    before = runtime.memory()["blocks"]
    held = [
        (vkml.tensor(numpy.full(n % 700 + 1, n, numpy.float32), device=DEVICE) + 1.0).realize()
        for n in range(5000)
    ]
    assert runtime.memory()["blocks"] - before <= 4
    assert all(held[n][-1].item() == n + 1 for n in range(0, 5000, 97))


def test_the_process_does_not_grow() -> None:
    """Pages of the process itself, over all kinds of step at once."""
    script = """
        from tests.device.test_leaks import STEPS, Loop
        def pages():
            gc.collect()
            return int(open("/proc/self/statm").read().split()[1])
        loop = Loop()
        chosen = [step for name, (step, _) in STEPS.items() if name != "assigned"]
        def go(count):
            for number in range(count):
                for step in chosen: step(loop, number)
        go(400)
        before = pages()
        go(800)
        print((pages() - before) * 4096 >> 20)
        """
    if not Path("/proc/self/statm").exists():
        pytest.skip("no /proc on this system")
    (grown,) = printed(script)
    assert int(grown) <= 8, f"{grown} MiB"
