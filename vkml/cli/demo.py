"""`vkml demo`: a photograph through the darkroom, and what that took, a line a stage."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy

import vkml

from . import photographs
from .development import Result, measure
from .photographs import Photograph, Unusable
from .terminal import binary, heading, wrapped

__all__ = ["add_arguments", "run"]

FAILED, USAGE = 1, 2


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
        image = options.image
        photograph = photographs.sample() if image is None else photographs.read(image)
        folder = _folder(options.out)
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
