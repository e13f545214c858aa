"""Hand-written kernels and programs for the tests of the runtime."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

from vkml.program import (
    Binding,
    Dispatch,
    Merged,
    Patch,
    Program,
    Range,
    Segment,
    Slot,
    SpirvKernel,
)
from vkml.runtime import discover, open_device

WORKGROUP = 64
AXPY = """#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) uniform P { uint n; float a; } p;
layout(set = 0, binding = 1) readonly buffer X { float x[]; };
layout(set = 0, binding = 2) readonly buffer Y { float y[]; };
layout(set = 0, binding = 3) writeonly buffer Z { float z[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    precise float t = p.a * x[i];
    precise float r = t + y[i];
    if (i < p.n) z[i] = r;
}
"""
ADD = """#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) uniform P { uint n; uint a; uint b; uint c; } p;
layout(set = 0, binding = 1) buffer X { uint x[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < p.n) x[i] = x[i] * p.a + p.b + p.c;
}
"""
MIX = """#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) uniform P { uint n; uint a; uint b; } p;
layout(set = 0, binding = 1) readonly buffer X { uint x[]; };
layout(set = 0, binding = 2) writeonly buffer Y { uint y[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < p.n) y[i] = x[i] * p.a + p.b + 1;
}
"""
CONSTANTS = """#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FIRST = 1;
layout(constant_id = 2) const uint SECOND = 2;
layout(set = 0, binding = 1) buffer X { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] = FIRST * 1000 + SECOND; }
"""
# y = x * factor + constant of the segment; operands are offsets into whole memory blocks
SEGMENTED = """#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) uniform P { uint rows; uint along; } p;
layout(set = 0, binding = 1) readonly buffer X { uint x[]; };
layout(set = 0, binding = 2) buffer Y { uint y[]; };
layout(set = 0, binding = 3) readonly buffer T { uint t[]; };
const uint ROW = 6;
void main() {
    uint group = gl_WorkGroupID.y * p.along + gl_WorkGroupID.x;
    uint row = 0;
    for (uint i = 1; i < p.rows; i++) if (t[i * ROW] <= group) row = i;
    uint at = row * ROW;
    uint i = (group - t[at]) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (i < t[at + 3]) y[t[at + 2] * 4 + i] = x[t[at + 1] * 4 + i] * t[at + 4] + t[at + 5];
}
"""


@functools.cache
def spirv(source: str) -> bytes:
    done = subprocess.run(
        ["glslc", "--target-env=vulkan1.2", "-fshader-stage=compute", "-O0", "-", "-o", "-"],
        input=source.encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@functools.cache
def kernel(
    name: str, source: str, bindings: int, parameter_bytes: int, segmented: bool = False
) -> SpirvKernel:
    code = spirv(source)
    digest = hashlib.sha256(code).hexdigest()
    return SpirvKernel(
        name, digest, code, bindings, parameter_bytes, source, f"title of {name}", segmented
    )


def axpy_kernel() -> SpirvKernel:
    return kernel("axpy", AXPY, 3, 8)


def axpy(
    n: int,
    x: int,
    y: int,
    z: int,
    scalar: int = 0,
    barriers: tuple[Range, ...] = (),
    workgroup: int = WORKGROUP,
) -> Dispatch:
    """Slot z = scalar number `scalar` * slot x + slot y, n float32 elements each."""
    nbytes = 4 * n
    return Dispatch(
        axpy_kernel(),
        (
            Binding(x, 0, nbytes, False),
            Binding(y, 0, nbytes, False),
            Binding(z, 0, nbytes, True),
        ),
        struct.pack("<If", n, 0),
        (Patch(4, scalar, "<f"),),
        (-(-n // workgroup), 1, 1),
        (workgroup,),
        barriers,
    )


def add(
    n: int,
    slot: int,
    constants: tuple[int, int, int],
    patches: tuple[Patch, ...] = (),
    barriers: tuple[Range, ...] = (),
    offset: int = 0,
) -> Dispatch:
    """Slot = slot * constants[0] + constants[1] + constants[2], in place on n uint32."""
    return Dispatch(
        kernel("add", ADD, 1, 16),
        (Binding(slot, offset, 4 * n, True),),
        struct.pack("<4I", n, *constants),
        patches,
        (-(-n // WORKGROUP), 1, 1),
        (WORKGROUP,),
        barriers,
    )


def mix(
    n: int,
    x: tuple[int, int],
    y: tuple[int, int],
    factor: int,
    scalar: int,
    barriers: tuple[Range, ...] = (),
) -> Dispatch:
    """At byte y[1] of slot y[0]: what is at byte x[1] of slot x[0], * factor + scalar + 1."""
    return Dispatch(
        kernel("mix", MIX, 2, 12),
        (Binding(x[0], x[1], 4 * n, False), Binding(y[0], y[1], 4 * n, True)),
        struct.pack("<3I", n, factor, 0),
        (Patch(8, scalar, "<I"),),
        (-(-n // WORKGROUP), 1, 1),
        (WORKGROUP,),
        barriers,
    )


def axpy_program(n: int, reads: bool = True) -> Program:
    """z = a * x + y over three slots."""
    nbytes = 4 * n
    return Program(
        (Slot(nbytes, "input"), Slot(nbytes, "input"), Slot(nbytes, "output")),
        (axpy(n, 0, 1, 2),),
        1,
        (Range(2, 0, nbytes),) if reads else (),
        bytes_moved=3 * nbytes,
        bytes_unfused=5 * nbytes,
    )


def segment(
    x: tuple[int, int], y: tuple[int, int], n: int, factor: int, constant: int, scalar: int = -1
) -> Segment:
    """One member: n uint32 at byte x[1] of slot x[0] to byte y[1] of slot y[0]."""
    return Segment(
        (Binding(x[0], x[1], 4 * n, False), Binding(y[0], y[1], 4 * n, True)),
        -(-n // WORKGROUP),
        struct.pack("<3I", n, factor, constant),
        () if scalar < 0 else (Patch(8, scalar, "<I"),),
    )


def merged(segments: list[Segment], barriers: tuple[Range, ...] = ()) -> Merged:
    return Merged(
        kernel("segmented", SEGMENTED, 2, 8, True), tuple(segments), b"", (WORKGROUP,), barriers
    )


def fresh_device(copies: bool = False, **limits: int) -> Any:
    """A Vulkan device of its own, with `limits` changed; close it."""
    from vkml.runtime.vulkan.device import VulkanDevice
    from vkml.runtime.vulkan.instance import instance
    from vkml.runtime.vulkan.physical import inspect

    owner = instance()
    info = next(item for item in discover() if item.type != "cpu")
    for handle in owner.physical_devices():
        found = inspect(owner, handle)
        if found.uuid == info.uuid:
            narrow = dataclasses.replace(found.limits, **limits)
            return VulkanDevice(owner, dataclasses.replace(found, limits=narrow), info, copies)
    raise AssertionError("the device is gone")


@contextmanager
def silent_validation() -> Iterator[None]:
    """Fails when the validation layer, if it is on, says anything inside the block."""
    from vkml.runtime.vulkan.instance import validation_messages

    messages = validation_messages()
    before = len(messages)
    yield
    said = messages[before:]
    assert said == [], "\n".join(said[:3])


def layer_installed() -> bool:
    """Whether the Khronos validation layer can be loaded here."""
    from vkml.runtime.vulkan import instance

    return have_vulkan() and instance.LAYER in instance._layers()


def have_vulkan() -> bool:
    return any(info.type != "cpu" for info in discover())


def __getattr__(name: str) -> Any:
    if name == "needs_vulkan":  # not before a test module asks: a look starts Vulkan
        return pytest.mark.skipif(not have_vulkan(), reason="no Vulkan device")
    raise AttributeError(name)


def floats(n: int, seed: int = 0) -> Any:
    return numpy.random.default_rng(seed).standard_normal(n).astype(numpy.float32)


def triple(factor: float) -> float:
    """In a worker process: 2 * factor + factor."""
    device = open_device("vulkan")
    x = device.allocate(64)
    device.upload(x, numpy.full(16, factor, numpy.float32))
    ticket = device.execute(axpy_program(16), [x, x, device.allocate(64)], [2.0])
    return float(ticket.read(0).view(numpy.float32)[0])
