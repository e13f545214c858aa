"""Verdicts: what a device's arithmetic really does, found once by small probe kernels.

A probe is an ordinary graph with the driver's plain operation, run on hard inputs and compared
with NumPy bit for bit. Results are kept on disk by device and driver version, and are part of
every kernel's key.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from . import counting
from .codegen.cache import KernelCache, default_folder
from .codegen.cache import Verdicts as VerdictStore
from .codegen.capture import LEAF, Entry, Graph
from .codegen.kernels import Kernels, Outlines
from .codegen.plan import plan
from .limits import Verdicts
from .shapes import contiguous

if TYPE_CHECKING:
    from .target import Device

__all__ = ["kernels_of", "outlines_of", "probe"]

PROBES = {
    "exact_division": ("divide", 2, numpy.divide),
    "exact_sqrt": ("sqrt", 1, numpy.sqrt),
    "exact_scaling": ("multiply", 2, numpy.multiply),
}
"""Verdict, and the operation that it is about: its row, operand count and NumPy's function."""


def kernels_of(device: Device, fast_math: bool) -> Kernels:
    """The kernels of a device, with its verdicts from disk or from probes run now."""
    folder = default_folder()
    cache = KernelCache(folder)
    asked = _asked(device)
    found = _remembered(device, asked)
    if found is None:
        found = {name: probe(device, Kernels(cache, asked), name) for name in PROBES}
        VerdictStore(folder).save(device.runtime.identity, asked.text(), found)
    return Kernels(cache, dataclasses.replace(asked, **found, fast_math=fast_math))


def outlines_of(device: Device, fast_math: bool) -> tuple[Outlines, bool]:
    """Kernels of a device that are never compiled, and whether its verdicts are known.

    Nothing runs: a device that was not probed yet counts as one that passes.
    """
    asked = _asked(device)
    found = _remembered(device, asked)
    verdicts = dict.fromkeys(PROBES, True) if found is None else found
    return (
        Outlines(dataclasses.replace(asked, **verdicts, fast_math=fast_math)),
        found is not None,
    )


def _asked(device: Device) -> Verdicts:
    """The float modes that a device offers, with no verdict yet."""
    limits = device.limits
    return Verdicts(
        rounding_rte32=limits.rounding_rte32,
        rounding_rte64=limits.rounding_rte64,
        signed_zero32=limits.signed_zero32,
        signed_zero64=limits.signed_zero64,
    )


def _remembered(device: Device, asked: Verdicts) -> dict[str, bool] | None:
    """The verdicts on disk, or None."""
    found = VerdictStore(default_folder()).load(device.runtime.identity, asked.text())
    return found if found is not None and set(found) == set(PROBES) else None


def probe(device: Device, kernels: Kernels, name: str) -> bool:
    """Whether the plain operation behind verdict `name` gives NumPy's bits on hard inputs."""
    op, arity, reference = PROBES[name]
    trial = Kernels(kernels.cache, dataclasses.replace(kernels.verdicts, **{name: True}))
    inputs = _hard_inputs(arity)
    size = inputs[0].size
    leaves = tuple(
        Entry(LEAF, (), "float32", contiguous((size,)), number) for number in range(arity)
    )
    graph = Graph(
        (*leaves, Entry(op, tuple(range(arity)), "float32", contiguous((size,)))), (arity,)
    )
    made = plan(graph, device.limits, trial, reads=(arity,))
    counting.add("regions_planned", len(made.partition.cuts))
    runtime = device.runtime
    buffers: list[Any] = [None] * len(made.program.slots)
    for number, slot in made.inputs:
        buffers[slot] = runtime.allocate(inputs[number].nbytes)
        runtime.upload(buffers[slot], inputs[number])
    for _, slot in made.outputs:
        buffers[slot] = runtime.allocate(4 * size)
    got = runtime.execute(made.program, buffers, ()).read(0).view(numpy.float32)
    with numpy.errstate(all="ignore"):
        want = reference(*inputs)
    same = got.view(numpy.uint32) == want.view(numpy.uint32)
    return bool((same | (numpy.isnan(got) & numpy.isnan(want))).all())


def _hard_inputs(arity: int) -> list[NDArray[numpy.float32]]:
    """Random bit patterns, results near and below the smallest normal number, and edges."""
    random = numpy.random.default_rng(12)
    edges = numpy.array(
        [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, 15.0, 165.0, 2.0**-126, 2.0**-149,
         2.0**-140, 3.4028235e38], numpy.float32,
    )  # fmt: skip
    bits = random.integers(0, 2**32, (2, 1 << 16), numpy.uint64).astype(numpy.uint32)
    wild = bits.view(numpy.float32)
    tame = random.uniform(1, 2, (2, 1 << 16)).astype(numpy.float32)
    tiny = numpy.stack([tame[0] * numpy.float32(2.0**-120), tame[1] * numpy.float32(2.0**10)])
    if arity == 1:
        subnormal = (bits[0] & 0x7FFFFF).view(numpy.float32)
        return [numpy.concatenate([edges, numpy.abs(wild[0]), tame[0], tiny[0], subnormal])]
    pairs = numpy.stack([numpy.repeat(edges, edges.size), numpy.tile(edges, edges.size)])
    return list(numpy.ascontiguousarray(numpy.concatenate([pairs, wild, tame, tiny], axis=1)))
