"""Kernels of random regions on the device, bit for bit against NumPy.

Layout classes, dtypes, element numbers, starts, strides of either sign, tails and foreign bytes
around outputs: everything that the text of a kernel does with memory.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

import numpy
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from vkml import dtypes
from vkml.codegen.division import magic
from vkml.codegen.expression import expression
from vkml.codegen.kernel import (
    CONSTANT,
    LINEAR,
    SPLAT,
    STRIDED,
    TILED,
    VECTOR,
    Operand,
    Output,
    Parameters,
    Region,
    Statement,
)
from vkml.codegen.render import render
from vkml.codegen.shaderc import Source, compile_kernels
from vkml.limits import Verdicts
from vkml.program import Binding, Dispatch, Merged, Program, Range, Segment, Slot, SpirvKernel
from vkml.runtime import Device, open_device, select

WORKGROUP = 64
SEEDS = 60  # the first operand goes through every dtype and, then, layout
Array = NDArray[numpy.generic]
SPECIAL = (0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e-40, 6e-8, 65504.0, 3e38)


@pytest.fixture(scope="module")
def device() -> Device:
    name = select(None)
    if name == "cpu":
        pytest.skip("no Vulkan device")
    return open_device(name)


def verdicts_of(device: Device) -> Verdicts:
    limits = device.limits
    return Verdicts(rounding_rte32=limits.rounding_rte32, signed_zero32=limits.signed_zero32)


@dataclass
class Case:
    """A region with its data: words of its block, memory of each binding, and what comes out."""

    region: Region
    shape: tuple[int, ...]
    words: dict[str, bytes]
    strides: dict[str, tuple[int, ...]]
    memory: list[Array]
    expected: list[Array]
    tile: int = 0

    @property
    def count(self) -> int:
        return int(numpy.prod(self.shape))

    def block(self) -> bytes:
        """The parameter block."""
        parameters = Parameters(self.region)
        block = bytearray(parameters.nbytes)
        for at, name in enumerate(parameters.words):
            block[4 * at : 4 * at + 4] = self.words[name]
        if self.region.room:
            for axis, extent in enumerate(reversed(self.shape)):
                at = 4 * parameters.axes_at + 16 * axis
                struct.pack_into("<3I", block, at, extent, *magic(extent))
                for n, name in enumerate(parameters.strided):
                    at = 4 * parameters.strides_at(n // 4) + 16 * axis + 4 * (n % 4)
                    struct.pack_into("<i", block, at, self.strides[name][-1 - axis])
        return bytes(block)


@dataclass
class Maker:
    """Makes a random case; `kind` is "linear", "strided", "runs" or "tiled"."""

    kind: str
    seed: int
    words: dict[str, bytes] = field(default_factory=dict)
    strides: dict[str, tuple[int, ...]] = field(default_factory=dict)
    memory: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)

    def case(self) -> Case:
        self.random = random.Random(f"{self.kind} {self.seed}")
        self.numbers = numpy.random.default_rng([len(self.kind), self.seed])
        names = self.random.sample([dtype.name for dtype in dtypes.ALL], self.random.randint(0, 2))
        names.insert(0, dtypes.ALL[self.seed % len(dtypes.ALL)].name)
        widest = max(dtypes.by_name(name).itemsize for name in names)
        self.elements = max(4, min(16, 16 // widest))
        self.runs = self.kind in ("runs", "tiled")
        self.shape = self._shape()
        operands = tuple(self._operand(n, names) for n in range(self.random.randint(1, 5)))
        if self.kind == "tiled" and not any(item.layout == TILED for item in operands):
            return Maker(self.kind, self.seed + 1000).case()
        scalars = tuple(self._scalar(names) for _ in range(self.random.randint(0, 2)))
        indices = tuple(self._index() for _ in range(self.random.randint(0, 2)))
        statements = tuple(self._statement() for _ in range(self.random.randint(0, 5)))
        targets: list[Array] = []
        outputs = tuple(self._output(n, targets) for n in range(self.random.randint(1, 3)))
        region = Region(
            operands, scalars, indices, statements, outputs, self.elements,
            room=self.random.choice((8, 32)) if self.strides else 0,
            runs=self.runs and bool(self.strides),
            unroll=self.random.random() < 0.7,
        )  # fmt: skip
        case = Case(region, self.shape, self.words, self.strides, self.memory, targets)
        case.tile = self.random.choice((16, 32)) if region.tiled else 0
        self.words["count"] = struct.pack("<I", groups_of(case) if case.tile else case.count)
        return case

    def _shape(self) -> tuple[int, ...]:
        shape = [self.random.randint(1, 7) for _ in range(self.random.randint(2, 5))]
        if self.kind == "tiled":
            shape[-2] = self.random.randint(1, 70)
        shape[-1] = self.random.randint(1, 500)
        if self.runs:
            shape[-1] = self.elements * self.random.randint(1, 20)
        return tuple(shape)

    def _data(self, dtype: str, size: int) -> Array:
        if dtype == "bool":
            return self.numbers.integers(0, 2, size).astype(bool)
        kind = numpy.dtype(dtype)
        if kind.kind != "f":
            raw = self.numbers.integers(0, 256, size * kind.itemsize, dtype=numpy.uint8)
            return raw.view(kind)
        data = self.numbers.standard_normal(size) * 10.0 ** self.numbers.integers(-6, 4, size)
        special = self.numbers.random(size) < 0.2
        data[special] = self.numbers.choice(numpy.array(SPECIAL), special.sum())
        with numpy.errstate(over="ignore"):
            return data.astype(kind)

    def _placed(self, layout: str) -> tuple[tuple[int, ...], int, int]:
        """Strides, start and size of memory for an operand."""
        step = self.elements if layout == VECTOR else 1
        strides = [step * self.random.choice((0, 1, 2, 3, -1, -2)) for _ in self.shape]
        if layout in (SPLAT, VECTOR):
            strides[-1] = int(layout == VECTOR)
        low, high = span(self.shape, strides)
        start = -low + step * self.random.randint(0, 5)
        return tuple(strides), start, start + high + 1

    def _operand(self, number: int, names: list[str]) -> Operand:
        options = {
            "linear": (LINEAR, LINEAR, CONSTANT),
            "strided": (LINEAR, STRIDED, STRIDED, CONSTANT),
            "runs": (LINEAR, STRIDED, VECTOR, SPLAT, CONSTANT),
            "tiled": (TILED, TILED, STRIDED, VECTOR, SPLAT, CONSTANT),
        }[self.kind]  # fmt: skip
        dtype, layout = self.random.choice(names), self.random.choice(options)
        if number == 0:
            dtype, layout = names[0], options[self.seed // len(dtypes.ALL) % len(options)]
        strides = tuple(numpy.cumprod((1, *self.shape[:0:-1]))[::-1])
        start = self.random.randint(0, 3)
        first = start * self.elements
        size = first + int(numpy.prod(self.shape))
        if layout == CONSTANT:
            strides, first, size = (0,) * len(self.shape), start, start + 1
        elif layout != LINEAR:
            strides, start, size = self._placed(layout)
            first = start
            self.strides[str(number)] = strides
        data = self._data(dtype, size)
        self.words[f"start_{number}"] = struct.pack("<I", start)
        self.memory.append(data)
        self.values.append(numpy.array(window(data, first, self.shape, strides)))
        return Operand(dtype, layout)

    def _scalar(self, names: list[str]) -> str:
        dtype = self.random.choice(names)
        value = self._data(dtype, 1)[0]
        wide = {"float16": "<f4", "bool": "<u4"}.get(dtype)
        kind = numpy.dtype(dtype)
        wide = wide or (f"<{kind.kind}4" if kind.itemsize < 4 else dtype)
        self._word(f"scalar_{len(self.values)}", numpy.array(value).astype(wide).tobytes())
        self.values.append(numpy.full(self.shape, value))
        return dtype

    def _word(self, name: str, content: bytes) -> None:
        self.words[name], self.words[f"{name}_high"] = content[:4], content[4:]

    def _index(self) -> Operand:
        number, dtype = len(self.values), self.random.choice(("uint32", "uint64"))
        start = self.random.choice((0, 7, 2**32 - 3, 2**40 + 5))
        linear = self.kind == "linear" or (self.kind != "tiled" and self.random.random() < 0.5)
        places = numpy.arange(numpy.prod(self.shape), dtype=numpy.int64).reshape(self.shape)
        if not linear:
            strides = tuple(self.random.choice((0, 1, 3, 100, -1)) for _ in self.shape)
            self.strides[str(number)] = strides
            axes = numpy.indices(self.shape).reshape(len(strides), -1)
            places = (numpy.array(strides) @ axes).reshape(self.shape)
        self._word(f"start_{number}", struct.pack("<Q", start))
        self.values.append((numpy.uint64(start) + places.astype(numpy.uint64)).astype(dtype))
        return Operand(dtype, LINEAR if linear else STRIDED)

    def _statement(self) -> Statement:
        first = self.random.randrange(len(self.values))
        dtype = self.values[first].dtype
        alike = [n for n, value in enumerate(self.values) if value.dtype == dtype]
        second, name = self.random.choice(alike), self.random.choice(("add", "multiply"))
        with numpy.errstate(all="ignore"):
            self.values.append(getattr(numpy, name)(self.values[first], self.values[second]))
        return Statement(name, (first, second), dtype.name, dtype.name)

    def _output(self, number: int, targets: list[Array]) -> Output:
        value = self.random.randrange(len(self.values))
        dtype = self.values[value].dtype.name
        strides = tuple(int(n) for n in numpy.cumprod((1, *self.shape[:0:-1]))[::-1])
        start = self.random.randint(0, 3)
        first = start * self.elements
        size = first + int(numpy.prod(self.shape))
        layout = LINEAR
        if self.kind != "linear" and (self.kind == "tiled" or self.random.random() < 0.5):
            layout = self.random.choice((STRIDED, VECTOR)) if self.runs else STRIDED
            strides, start, size = self._apart(layout == VECTOR)
            first = start
            self.strides[f"out_{number}"] = strides
        data = self._data(dtype, size + 3 * (layout != LINEAR))
        self.words[f"start_out_{number}"] = struct.pack("<I", start)
        self.memory.append(data)
        target = data.copy()
        window(target, first, self.shape, strides)[...] = self.values[value]
        targets.append(target)
        return Output(value, layout)

    def _apart(self, aligned: bool) -> tuple[tuple[int, ...], int, int]:
        """Strides, start and size of memory whose places are all different."""
        axes = list(range(len(self.shape)))
        self.random.shuffle(axes)
        step, strides = self.random.randint(1, 3), [0] * len(axes)
        if aligned:
            axes.remove(len(self.shape) - 1)
            strides[-1], step = 1, self.shape[-1] + self.elements * self.random.randint(0, 1)
        for axis in axes:
            strides[axis] = step * self.random.choice((1, -1))
            step *= self.shape[axis]
        low, high = span(self.shape, strides)
        start = -low + (self.elements if aligned else 1) * self.random.randint(0, 5)
        return tuple(strides), start, start + high + 1


def span(shape: tuple[int, ...], strides: list[int]) -> tuple[int, int]:
    """The least and the greatest element that is touched, from the start."""
    reach = [stride * (extent - 1) for stride, extent in zip(strides, shape, strict=True)]
    return sum(min(0, n) for n in reach), sum(max(0, n) for n in reach)


def window(data: Array, first: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    return as_strided(data[first:], shape, [data.itemsize * stride for stride in strides])


def groups_of(case: Case) -> int:
    if case.tile:
        *others, rows, columns = case.shape
        tiles = -(-columns // case.tile) * -(-rows // case.tile)
        return tiles * int(numpy.prod(others, dtype=int))
    return -(-case.count // (case.region.elements * WORKGROUP))


def kernels_of(regions: list[Region], verdicts: Verdicts) -> list[SpirvKernel]:
    texts = [render(region, verdicts, title=expression(region), key="test") for region in regions]
    found = compile_kernels([Source(expression(r), t) for r, t in zip(regions, texts, strict=True)])
    return [
        SpirvKernel(
            f"test_{n}", str(hash(text)), spirv, len(region.operands) + len(region.outputs),
            Parameters(region).nbytes, text, expression(region), region.segmented,
        )
        for n, (region, text, spirv) in enumerate(zip(regions, texts, found, strict=True))
        if isinstance(spirv, bytes)
    ]  # fmt: skip


def padded(nbytes: int) -> int:
    return -(-nbytes // 256) * 256


def run(device: Device, kernel: SpirvKernel, case: Case) -> list[Array]:
    """The memory of the outputs after one dispatch."""
    inputs = len(case.region.operands)
    slots = tuple(
        Slot(data.nbytes, "input" if n < inputs else "output") for n, data in enumerate(case.memory)
    )
    bindings = tuple(
        Binding(n, 0, padded(slot.nbytes), n >= inputs) for n, slot in enumerate(slots)
    )
    groups = groups_of(case)
    wide = (groups + 1) // 2 if groups > 3 else groups  # folded, so some groups have no work
    constants = (WORKGROUP, *((len(case.shape),) if case.region.room else ()))
    if case.tile:
        constants = (*constants, case.tile)
    step = Dispatch(kernel, bindings, case.block(), (), (wide, -(-groups // wide), 1), constants)
    reads = tuple(Range(n, 0, slot.nbytes) for n, slot in enumerate(slots) if n >= inputs)
    buffers = [device.allocate(slot.nbytes) for slot in slots]
    for buffer, data in zip(buffers, case.memory, strict=True):
        device.upload(buffer, data.view(numpy.uint8))
    ticket = device.execute(Program(slots, (step,), reads=reads), buffers, ())
    return [ticket.read(n).view(target.dtype) for n, target in enumerate(case.expected)]


def same(got: Array, expected: Array) -> bool:
    """Equal bits, but for the bits of a nan."""
    bits = f"u{expected.itemsize}"
    equal = got.view(bits) == expected.view(bits)
    return bool((equal | ((got != got) & (expected != expected))).all())


@pytest.mark.parametrize("kind", ["linear", "strided", "runs", "tiled"])
def test_regions(kind: str, device: Device) -> None:
    cases = [Maker(kind, seed).case() for seed in range(SEEDS)]
    kernels = kernels_of([case.region for case in cases], verdicts_of(device))
    assert len(kernels) == len(cases)
    for case, kernel in zip(cases, kernels, strict=True):
        results = run(device, kernel, case)
        for n, (got, expected) in enumerate(zip(results, case.expected, strict=True)):
            assert same(got, expected), f"output {n} over {case.shape}:\n{kernel.source}"


def test_generator_reaches_every_layout_and_dtype() -> None:
    regions = [
        Maker(kind, seed).case().region
        for kind in ("linear", "strided", "runs", "tiled")
        for seed in range(SEEDS)
    ]
    loaded = {(o.layout, o.dtype) for region in regions for o in region.operands}
    layouts = (LINEAR, VECTOR, SPLAT, CONSTANT, STRIDED, TILED)
    assert loaded >= {(layout, dtype.name) for layout in layouts for dtype in dtypes.ALL}
    stored = {(o.layout, region.dtype_of(o.value)) for region in regions for o in region.outputs}
    assert stored >= {(layout, d.name) for layout in (LINEAR, VECTOR, STRIDED) for d in dtypes.ALL}


PAIRS = [("float32", "uint8"), ("float64", "int16"), ("bool", "bool")]


@pytest.mark.parametrize("dtypes_of", PAIRS, ids="-".join)
def test_segments(dtypes_of: tuple[str, str], device: Device) -> None:
    """Many members of different sizes in one dispatch; each finds its own row and elements."""
    first, second = dtypes_of
    elements = max(4, min(16, 16 // max(dtypes.by_name(name).itemsize for name in dtypes_of)))
    region = Region(
        (Operand(first, LINEAR), Operand(second, LINEAR), Operand(first, CONSTANT)),
        (second,),
        (Operand("uint64", LINEAR),),
        (Statement("add", (0, 2), first, first), Statement("multiply", (1, 3), second, second)),
        tuple(Output(value, LINEAR) for value in (5, 6, 4)),
        elements,
        segmented=True,
    )
    (kernel,) = kernels_of([region], verdicts_of(device))
    maker = Maker("linear", 0)
    maker.random, maker.numbers = random.Random(1), numpy.random.default_rng(1)
    slots: list[Slot] = []
    buffers, segments, reads, expected = [], [], [], []
    for number in range(37):
        count = maker.random.choice((1, 3, 255, 256, 257, 4000)) + number
        maker.shape, maker.words, maker.values = (count,), {}, [numpy.empty(0)] * 3
        start = maker.random.choice((0, 2**33 + 1))
        maker._word("start_4", struct.pack("<Q", start))
        maker.words["count"] = struct.pack("<I", count)
        maker._scalar([second])
        data = [maker._data(first, count), maker._data(second, count), maker._data(first, 1)]
        with numpy.errstate(all="ignore"):
            expected += [data[0] + data[2], data[1] * maker.values[3]]
        expected.append(numpy.uint64(start) + numpy.arange(count, dtype=numpy.uint64))
        bindings = []
        for n, array in enumerate((*data, *expected[-3:])):
            bindings.append(Binding(len(slots), 0, padded(array.nbytes), n >= 3))
            slots.append(Slot(array.nbytes, "output" if n >= 3 else "input"))
            buffers.append(device.allocate(array.nbytes))
            if n < 3:
                device.upload(buffers[-1], array.view(numpy.uint8))
            else:
                reads.append(Range(len(slots) - 1, 0, array.nbytes))
        row = b"".join(maker.words[name] for name in Parameters(region).row)
        segments.append(Segment(tuple(bindings), -(-count // (elements * WORKGROUP)), row))
    step = Merged(kernel, tuple(segments), bytes(16), (WORKGROUP,))
    ticket = device.execute(Program(tuple(slots), (step,), reads=tuple(reads)), buffers, ())
    for n, wanted in enumerate(expected):
        assert same(ticket.read(n).view(wanted.dtype), wanted), f"member {n // 3}, output {n % 3}"
