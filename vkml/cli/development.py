"""Developing one photograph on the default device, and what that took beside plain NumPy."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

import vkml

from ..graph import topological
from . import darkroom

__all__ = ["COUNTS", "Pixels", "Result", "Stage", "measure", "stages_of"]

COUNTS = (
    "dispatches", "submissions", "shaderc_compiles", "pipelines_created", "bytes_moved",
    "bytes_unfused",
)  # fmt: skip
STAGE_VALUES = 6_000_000  # of a photograph that are looked at between the stages

Pixels = NDArray[numpy.uint8]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: operations it records, and its change of the picture in steps of 1/255."""

    name: str
    operations: int
    most: float
    mean: float


@dataclass(frozen=True, slots=True)
class Result:
    """What developing one photograph took. Times are seconds, sizes bytes.

    `counts` are those of the first run, `warm` and `reference` medians; `noise` is the share of
    `reference` that the grain's random numbers take. `kernels` are the GLSL texts of the `distinct`
    kernels; `cpu` runs NumPy instead, and has none.
    """

    device: str
    stages: tuple[Stage, ...]
    counts: dict[str, int]
    kernels: tuple[str, ...]
    distinct: int
    first: float
    warm: float
    reference: float
    noise: float
    difference: int
    differing: int
    picture: Pixels

    @property
    def operations(self) -> int:
        """Element-wise operations recorded."""
        return sum(stage.operations for stage in self.stages)


def measure(pixels: Pixels) -> Result:
    """Develop `pixels` (height, width, 3) on the default device and with NumPy, and compare."""
    gains = numpy.array(darkroom.BALANCE, numpy.float32).reshape(3, 1, 1)

    def developed() -> tuple[vkml.Tensor, NDArray[numpy.uint8]]:
        planes, balance = vkml.tensor(darkroom.negative(pixels)), vkml.tensor(gains)
        generator = vkml.random.default_rng(darkroom.SEED)
        picture = darkroom.develop(vkml, planes, balance, generator)
        return picture, picture.numpy()

    before = vkml.counters()
    first, (tensor, planes) = _timed(developed)
    after = vkml.counters()
    kernels = [kernel for part in vkml.explain(tensor).parts for kernel in part.kernels]
    del tensor
    warm, _ = _repeated(developed)

    shape = planes.shape
    noise, grain = _repeated(lambda: darkroom.Threefry(darkroom.SEED).random(shape))
    plain, expected = _repeated(lambda: darkroom.reference(pixels, grain))
    picture = numpy.ascontiguousarray(planes.transpose(1, 2, 0))
    steps = numpy.abs(picture.astype(numpy.int16) - expected)

    device = vkml.device()
    return Result(
        device=f"{device} {device.info.name}" if str(device) != "cpu" else "cpu",
        stages=stages_of(pixels, gains),
        counts={name: after[name] - before[name] for name in COUNTS},
        kernels=tuple(kernel.glsl for kernel in kernels if kernel.glsl is not None),
        distinct=len(kernels),
        first=first,
        warm=warm,
        reference=noise + plain,
        noise=noise,
        difference=int(steps.max()),
        differing=int(numpy.count_nonzero(steps)),
        picture=picture,
    )


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    value = function()
    return time.perf_counter() - start, value


def _repeated(
    function: Callable[[], Any], most: int = 15, seconds: float = 1.5
) -> tuple[float, Any]:
    """The median time of up to `most` calls after one that is not counted; the last value."""
    value = function()
    times: list[float] = []
    while not times or (len(times) < most and sum(times) < seconds):
        elapsed, value = _timed(function)
        times.append(elapsed)
    return statistics.median(times), value


def stages_of(pixels: Pixels, gains: NDArray[numpy.float32]) -> tuple[Stage, ...]:
    """Each stage's operations, and how far it changes the picture.

    The same array code runs on vkml, where it only records, and on NumPy, which gives the picture
    between two stages; so the run that is timed stays one submission. NumPy keeps each array that
    the code names: of large photographs every n-th row and column has to do.
    """
    step = math.isqrt(max(pixels.size - 1, 0) // STAGE_VALUES) + 1
    planes = darkroom.negative(pixels[::step, ::step])
    lazy = darkroom.stages(
        vkml, vkml.tensor(planes), vkml.tensor(gains), vkml.random.default_rng(darkroom.SEED)
    )
    values = darkroom.stages(numpy, planes, gains, darkroom.Threefry(darkroom.SEED))
    result: list[Stage] = []
    before = planes.astype(numpy.float32) / 255
    known = 0
    with numpy.errstate(invalid="ignore"):
        for (name, tensor), (_, after) in zip(lazy, values, strict=True):
            nodes = topological([tensor._node])
            operations = sum(node.rule.kind == "map" for node in nodes)
            shown = after.astype(numpy.float32) / 255 if after.dtype == numpy.uint8 else after
            if shown.shape != before.shape:
                before = darkroom.inside(before)
            change = 255 * numpy.abs(shown - before)
            most, mean = float(change.max()), float(change.mean())
            result.append(Stage(name, operations - known, most, mean))
            before, known = shown, operations
    return tuple(result)
