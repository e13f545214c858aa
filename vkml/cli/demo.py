"""`vkml demo`: a photograph through the darkroom, and what that took, a line a stage."""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

import vkml

from .. import evaluate
from ..graph import topological
from . import darkroom, photographs
from .photographs import Photograph, Pixels, Unusable
from .terminal import binary, heading, wrapped

__all__ = ["add_arguments", "run"]

FAILED, USAGE = 1, 2
STAGE_VALUES = 6_000_000  # of a photograph that are looked at between the stages
COUNTS = (
    "dispatches", "submissions", "shaderc_compiles", "pipelines_created", "bytes_moved",
    "bytes_unfused",
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--image", type=Path, metavar="FILE", help="develop this photograph")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("demo-output"),
        help="write pictures and kernels here (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Develop, check against NumPy, write, tell. 2 for input or output that cannot be used."""
    try:
        folder = _folder(options.out)
        image = options.image
        photograph = photographs.sample() if image is None else photographs.read(image)
        notes = _opened()
        result = measure(photograph.pixels)
        outputs = _write(folder, photograph, result)
    except Unusable as problem:
        print(f"vkml: {problem}", file=sys.stderr)
        return USAGE
    except MemoryError as error:
        print(f"vkml: demo: the photograph is too large: {_message(error)}", file=sys.stderr)
        return USAGE
    if options.json:
        print(json.dumps(facts(result, outputs), indent=2))
    else:
        print(story(photograph, result, notes, outputs))
    return 0 if result.difference <= 1 else FAILED


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
    `reference` that the grain's random numbers take.
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


def _folder(path: Path) -> Path:
    """The folder for results, made and tried out. Raises Unusable."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        trial = path / ".vkml-demo"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise Unusable(f"demo: --out {path}: {error.strerror}") from None
    return path.resolve()


def _opened() -> list[str]:
    """Open the default device and try its arithmetic out, before anything is timed.

    Returns the warnings, such as that it is a software device.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", vkml.VkmlWarning)
        device = vkml.device()
        device.runtime  # noqa: B018 - opens
        device.kernels  # noqa: B018 - probes
    return [str(warning.message) for warning in caught]


def measure(pixels: Pixels) -> Result:
    """Develop `pixels` (height, width, 3) on the default device and with NumPy, and compare."""
    gains = numpy.array(darkroom.BALANCE, numpy.float32).reshape(3, 1, 1)

    def recorded() -> vkml.Tensor:
        planes, balance = vkml.tensor(darkroom.negative(pixels)), vkml.tensor(gains)
        generator = vkml.random.default_rng(darkroom.SEED)
        picture: vkml.Tensor = darkroom.develop(vkml, planes, balance, generator)
        return picture

    def developed() -> NDArray[numpy.uint8]:
        return recorded().numpy()

    before = vkml.counters()
    first, planes = _timed(developed)
    after = vkml.counters()
    warm, _ = _repeated(developed)

    shape = planes.shape
    noise, grain = _repeated(lambda: darkroom.Threefry(darkroom.SEED).random(shape))
    plain, expected = _repeated(lambda: darkroom.reference(pixels, grain))
    picture = numpy.ascontiguousarray(planes.transpose(1, 2, 0))
    steps = numpy.abs(picture.astype(numpy.int16) - expected)

    device = vkml.device()
    texts, distinct = _kernels(recorded())
    return Result(
        device=f"{device} {device.info.name}" if str(device) != "cpu" else "cpu",
        stages=_stages(pixels, gains),
        counts={name: after[name] - before[name] for name in COUNTS},
        kernels=texts,
        distinct=distinct,
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


def _stages(pixels: Pixels, gains: NDArray[numpy.float32]) -> tuple[Stage, ...]:
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


def _kernels(tensor: vkml.Tensor) -> tuple[tuple[str, ...], int]:
    """The GLSL of the kernels that compute `tensor`, in order, and how many differ.

    `cpu` runs NumPy instead: it has kernels, but no text.
    """
    plan, _, _ = evaluate.planned([tensor._node], (tensor._node,))
    regions = dict.fromkeys(item.piece.region for item in plan.planned)
    kernels = vkml.device().kernels
    texts = tuple(kernels.source(region) for region in regions) if kernels is not None else ()
    return texts, len(regions)


def _write(folder: Path, photograph: Photograph, result: Result) -> list[Path]:
    """The pictures and kernels as files; their paths. Raises Unusable."""
    before, after = photograph.pixels, result.picture
    gap = numpy.full((before.shape[0], 8, 3), 255, numpy.uint8)
    changed = dict(photograph.texts)
    if changed:  # CC BY asks that changes are indicated
        changed["Description"] = "Changed: developed by the vkml demo."
    pictures = {
        "before.png": (before, photograph.texts),
        "after.png": (after, changed),
        "before-after.png": (numpy.concatenate((before, gap, after), axis=1), changed),
    }
    outputs = []
    for name, (pixels, texts) in pictures.items():
        photographs.write(folder / name, pixels, texts)
        outputs.append(folder / name)
    for number, text in enumerate(result.kernels, 1):
        path = folder / f"kernel-{number}.comp"
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Unusable(f"demo: {path}: {error.strerror}") from None
        outputs.append(path)
    return outputs


def facts(result: Result, outputs: list[Path]) -> dict[str, Any]:
    """What `vkml demo --json` prints. Times are milliseconds, sizes bytes."""
    return {
        "schema": 1,
        "ops": result.operations,
        "kernels": result.distinct,
        **{name: result.counts[name] for name in ("dispatches", "submissions", "shaderc_compiles")},
        **{name: result.counts[name] for name in ("bytes_moved", "bytes_unfused")},
        "max_abs_difference": result.difference,
        "first_ms": round(1e3 * result.first, 3),
        "warm_ms": round(1e3 * result.warm, 3),
        "device": result.device,
        "outputs": [str(path) for path in outputs],
    }


def story(photograph: Photograph, result: Result, notes: list[str], outputs: list[Path]) -> str:
    """The run for people."""
    height, width = photograph.pixels.shape[:2]
    counts = result.counts
    lines = [heading(f"vkml demo: {photograph.name}, {width} x {height} pixels"), ""]
    lines += wrapped("device", result.device)
    for note in notes:
        lines += wrapped("", note)
    lines += ["", f"  {'stage':<14}{'operations':>10}   change of the picture in steps of 1/255"]
    for stage in result.stages:
        change = f"up to {stage.most:.1f}, {stage.mean:.1f} on average"
        lines.append(f"  {stage.name:<14}{stage.operations:>10}   {change}")
    lines += [f"  {'':<14}{result.operations:>10}   recorded before anything runs", ""]
    if result.kernels:
        compiled = counts["shaderc_compiles"]
        origin = f"{compiled} compiled now" if compiled else "none compiled: the cache had them"
        lines += wrapped("kernels", f"{result.distinct}, {origin}")
    else:
        lines += wrapped("kernels", f"{result.distinct}, run by NumPy operation by operation")
    lines += wrapped(
        "run",
        f"{_count(counts['dispatches'], 'dispatch')} in "
        f"{_count(counts['submissions'], 'submission')}",
    )
    ratio = counts["bytes_unfused"] / max(counts["bytes_moved"], 1)
    lines += wrapped(
        "memory",
        f"{binary(counts['bytes_moved'])} moved; with a kernel an operation "
        f"{binary(counts['bytes_unfused'])}, {ratio:.0f} times as much",
    )
    lines += wrapped(
        "time",
        f"{_milliseconds(result.first)} from pixels to pixels at first, "
        f"{_milliseconds(result.warm)} from then on",
    )
    faster = result.reference / result.warm
    relation = f"{faster:.1f} times" if faster >= 1 else f"1/{1 / faster:.1f}"
    lines += wrapped(
        "NumPy",
        f"{_milliseconds(result.reference)} in float32, {_milliseconds(result.noise)} of it for "
        f"the grain's random numbers: vkml has {relation} its speed",
    )
    lines += wrapped(
        "check",
        f"the two differ by at most {_count(result.difference, 'step')} of 255, in "
        f"{result.differing} of {result.picture.size} values"
        if result.difference
        else "the two give the same picture",
    )
    if photograph.texts:
        lines += wrapped("photo", f"{photograph.texts['Copyright']}")
    lines += ["", "  wrote", *(f"    {path}" for path in outputs)]
    return "\n".join(lines)


def _count(number: int, what: str) -> str:
    """A number with its noun: 1 dispatch, 2 dispatches."""
    plural = what if number == 1 else f"{what}es" if what.endswith("h") else f"{what}s"
    return f"{number} {plural}"


def _message(error: MemoryError) -> str:
    return error.message if isinstance(error, vkml.VkmlError) else str(error) or "out of memory"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"
