"""Replays programs: on a vkml device, and as NumPy with its views and eager writes."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

import vkml
from vkml import dtypes
from vkml.array import Tensor, apply
from vkml.dtypes import DType
from vkml.ops import TABLE, OpDef
from vkml.ops.infer import coerced, result_dtype
from vkml.ops.reference import threefry

from .generator import Step, numpy_view, vkml_view

__all__ = ["Mismatch", "Replay", "check_nodes", "check_row", "difference", "equal_values"]

Array = NDArray[Any]


class Mismatch(AssertionError):
    """A value that is not what it has to be."""


class Replay:
    """A program recorded on a device, step by step; `tensors[n]` is the handle of value n."""

    def __init__(self, steps: list[Step], device: Any) -> None:
        self.steps = steps
        self.device = device
        self.tensors: dict[int, Tensor] = {}

    def run(self) -> dict[int, Tensor]:
        for number in range(len(self.steps)):
            self.step(number)
        return self.tensors

    def step(self, number: int) -> None:
        step = self.steps[number]
        tensors, device = self.tensors, self.device
        operands = [tensors[n] if isinstance(n, int) else n[0] for n in step.sources]
        kind, data = step.kind, step.data
        if kind == "leaf":
            tensors[number] = vkml.tensor(data, device=device)
        elif kind == "full":
            shape, value, dtype = data
            tensors[number] = vkml.full(shape, value, dtype=dtype, device=device)
        elif kind == "arange":
            start, stop, size, dtype = data
            tensors[number] = vkml.arange(start, stop, size, dtype=dtype, device=device)
        elif kind == "random":
            seed, shape, dtype = data
            tensors[number] = vkml.random.default_rng(seed).random(shape, dtype, device)
        elif kind == "map":
            tensors[number] = apply(TABLE[data], tuple(operands))
        elif kind == "cast":
            tensors[number] = operands[0].astype(data)
        elif kind == "copy":
            tensors[number] = operands[0].copy()
        elif kind == "view":
            tensors[number] = vkml_view(operands[0], *data)
        elif kind == "assign":
            if operands[0].is_contiguous:
                operands[0].assign_(operands[1])
            else:
                operands[0][...] = operands[1]
        elif kind == "setitem":
            operands[0][data] = operands[1]
        elif kind == "realize":
            vkml.realize(*operands)
        else:
            assert kind == "drop"
            del tensors[step.sources[0]]


def equal_values(got: Array, want: Array) -> bool:
    """Equal shape, dtype and bits; of a nan sign and payload are the device's."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    return got.tobytes() == want.tobytes() or _same_or_nan(got, want)


def check_nodes(steps: list[Step], device: Any) -> dict[int, Array]:
    """Run a program eagerly, comparing each value with NumPy on the inputs that vkml computed.

    Returns the values of all handles that are left at the end.
    """
    replay = Replay(steps, device)
    state: dict[int, Array] = {}
    with vkml.eager():
        for number, step in enumerate(steps):
            inputs = [state[n] if isinstance(n, int) else n[0] for n in step.sources]
            replay.step(number)
            if step.kind in ("realize", "drop"):
                if step.kind == "drop":
                    del state[step.sources[0]]
                continue
            if step.kind in ("assign", "setitem"):
                target = state[step.sources[0]]
                value = numpy.asarray(inputs[1])
                if isinstance(step.sources[1], int):
                    value = TABLE["astype"].reference(value, target.dtype)  # type: ignore[misc]
                key = step.data if step.kind == "setitem" else Ellipsis
                key = key if key is Ellipsis or Ellipsis in key else (*key, Ellipsis)
                with numpy.errstate(all="ignore"):
                    target[key] = value.astype(target.dtype).copy()
                for other, tensor in replay.tensors.items():
                    if numpy.may_share_memory(state[other], target):
                        label = f"step {number} {step.kind}: value {other}"
                        _exact(label, tensor.numpy(), state[other])
                continue
            got = replay.tensors[number].numpy()
            tensor = replay.tensors[number]
            sources = [replay.tensors[n] for n in step.sources if isinstance(n, int)]
            shares = bool(sources) and share_memory(sources[0], tensor)
            state[number] = _checked(number, step, inputs, got, shares)
    return state


def share_memory(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are views of one array."""
    return one._node.cell is not None and one._node.cell is other._node.cell


def _exact(label: str, got: Array, want: Array) -> None:
    if not equal_values(got, want):
        raise Mismatch(f"{label}: {difference(got, want)}")


def _same_or_nan(got: Array, want: Array) -> bool:
    if got.dtype.kind != "f":
        return bool(numpy.array_equal(got, want))
    bits = numpy.dtype(f"u{got.dtype.itemsize}")
    a, b = numpy.ascontiguousarray(got), numpy.ascontiguousarray(want)
    return bool(((a.view(bits) == b.view(bits)) | (numpy.isnan(a) & numpy.isnan(b))).all())


def _checked(number: int, step: Step, inputs: list[Any], got: Array, shares: bool) -> Array:
    """Compare a value with what NumPy makes of its inputs; returns it, as a view of its base."""
    kind, data = step.kind, step.data
    label = f"step {number} {kind}"
    if kind == "view":
        label = f"{label} {data}"
        want = numpy_view(inputs[0], *data)
        if data[0] == "broadcast_to":  # NumPy's own is read-only
            want = numpy.lib.stride_tricks.as_strided(want, want.shape, want.strides)
        viewed = numpy.may_share_memory(want, inputs[0])
        if data[0] == "reshape" and got.size > 0 and viewed is not shares:
            how = "views" if shares else "copies"
            raise Mismatch(f"{label} of {inputs[0].shape}, {inputs[0].strides}: vkml alone {how}")
        _exact(label, got, want)
        return want if shares else got
    if kind == "cast" and inputs[0].dtype == data.numpy:
        return inputs[0]
    if kind == "map":
        row = TABLE[data]
        check_row(row, inputs, got, f"{label} {data}")
        return got
    with numpy.errstate(all="ignore"):
        if kind == "leaf":
            want = data
        elif kind == "copy":
            want = inputs[0]
        elif kind == "cast":
            want = TABLE["astype"].reference(inputs[0], data.numpy)  # type: ignore[misc]
        elif kind == "full":
            want = numpy.full(data[0], data[1], data[2].numpy)
        elif kind == "arange":
            want = numpy.arange(*data[:3]).astype(data[3].numpy)
        else:
            want = random_values(*data)
    _exact(label, got, want)
    return got


def random_values(seed: int, shape: tuple[int, ...], dtype: DType) -> Array:
    """What `default_rng(seed).random(shape, dtype)` draws first."""
    width = {2: 11, 4: 24, 8: 32}[dtype.itemsize]
    count = int(numpy.prod(shape, dtype=numpy.int64))
    with numpy.errstate(over="ignore"):
        index = numpy.arange(count, dtype=numpy.uint32)
        bits = threefry(seed & 0xFFFFFFFF, seed >> 32, 0, index) >> numpy.uint32(32 - width)
    return (bits * 2.0**-width).astype(dtype.numpy).reshape(shape)


def operand_dtypes(row: OpDef, operands: list[Any]) -> tuple[DType, ...]:
    """The coerced dtypes of arrays and Python scalars, as the documentation says."""
    first = 1 if row.coerce == "select" else 0
    arrays = [dtypes.of(x.dtype) for x in operands[first:] if isinstance(x, numpy.ndarray)]
    common = arrays[0]
    for dtype in arrays[1:]:
        common = dtypes.promote(common, dtype)
    own = [
        dtypes.of(x.dtype) if isinstance(x, numpy.ndarray)
        else dtypes.bool_ if place < first else common
        for place, x in enumerate(operands)
    ]  # fmt: skip
    return coerced(row, own)


def check_row(row: OpDef, operands: list[Any], got: Array, label: str) -> None:
    """Raise Mismatch unless `got` is the row's value for `operands`, within its tolerance."""
    wanted = operand_dtypes(row, operands)
    result = result_dtype(row, wanted)
    cast = TABLE["astype"].reference
    assert cast is not None
    assert row.reference is not None
    with numpy.errstate(all="ignore"):
        given = [
            numpy.asarray(x if isinstance(x, numpy.ndarray) else numpy.asarray(x, d.numpy))
            for x, d in zip(operands, wanted, strict=True)
        ]
        given = [cast(x, d.numpy) for x, d in zip(given, wanted, strict=True)]
        shape = numpy.broadcast_shapes(*(x.shape for x in given))
        given = [numpy.broadcast_to(x, shape) for x in given]
        if got.dtype != result.numpy or got.shape != shape:
            raise Mismatch(f"{label}: {got.dtype}{got.shape}, expected {result.numpy}{shape}")
        if row.tolerance == 0 or result.kind != "float":
            want = numpy.asarray(row.reference(*given)).astype(result.numpy)
            bad = ~_equal_elements(row, got, want)
        else:
            want = numpy.asarray(row.reference(*(x.astype(numpy.float64) for x in given)))
            bad = off_by(row, given, got, want) > row.tolerance
    if bad.any():
        place = tuple(int(n) for n in numpy.unravel_index(numpy.flatnonzero(bad)[0], bad.shape))
        raise Mismatch(
            f"{label}: {int(bad.sum())} of {bad.size} wrong; at {place} of "
            f"{[str(x[place]) for x in given]} ({wanted[-1].name}) got {got[place]!r}, "
            f"expected {want[place]!r}"
        )


def _equal_elements(row: OpDef, got: Array, want: Array) -> Array:
    same = numpy.asarray(got == want)
    if got.dtype.kind == "f":
        same &= numpy.signbit(got) == numpy.signbit(want)
        if row.name in ("maximum", "minimum", "clip"):  # which zero is not said
            same |= (got == 0) & (want == 0)
        same |= numpy.isnan(got) & numpy.isnan(want)
    return same


def off_by(row: OpDef, given: list[Array], got: Array, want: Array) -> Array:
    """How far `got` is from the float64 `want`: in units of the last place of its dtype.

    Of float16 it counts what is beyond the rounding from float32, in float32's units.
    """
    kind = got.dtype
    facts = numpy.finfo(kind)
    top = 2.0**facts.maxexp if facts.maxexp < 1024 else numpy.inf
    value = numpy.clip(got.astype(numpy.float64), -top, top)
    exact = numpy.clip(want, -top, top)
    scale = numpy.abs(exact)
    if row.scale == "operands":
        sizes = [numpy.abs(operand.astype(numpy.float64)) for operand in given]
        if row.name == "lerp":  # outside of [0, 1] it extrapolates
            sizes = [*sizes[:2], sizes[2] * sizes[0], sizes[2] * sizes[1]]
        for size in sizes:
            scale = numpy.fmax(scale, size)
    scale = numpy.where(numpy.isfinite(scale), scale, 0.0)
    if kind == numpy.float16:
        step = numpy.spacing(numpy.minimum(scale, float(facts.max)).astype(kind)).astype(float)
        fine = numpy.spacing(numpy.fmax(scale, 2.0**-126).astype(numpy.float32)).astype(float)
        error = numpy.fmax(numpy.abs(value - exact) - 0.5 * step, 0.0) / fine
    else:
        step = numpy.spacing(numpy.minimum(scale, float(facts.max)).astype(kind)).astype(float)
        error = numpy.abs(value - exact) / step
    error = numpy.where(value == exact, 0.0, error)
    error = numpy.where(numpy.isnan(value) & numpy.isnan(exact), 0.0, error)
    return numpy.where(numpy.isnan(value) != numpy.isnan(exact), numpy.inf, error)


def difference(got: Array, want: Array) -> str:
    """The first element that differs, in words."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"got {got.dtype}{got.shape}, expected {want.dtype}{want.shape}"
    a = numpy.ascontiguousarray(got).reshape(-1).view(f"V{got.dtype.itemsize}")
    b = numpy.ascontiguousarray(want).reshape(-1).view(f"V{want.dtype.itemsize}")
    wrong = [n for n in range(a.size) if a[n].tobytes() != b[n].tobytes()]
    if not wrong:
        return "no difference"
    place = numpy.unravel_index(wrong[0], got.shape)
    return (
        f"{len(wrong)} of {a.size} differ; at {tuple(int(n) for n in place)} got "
        f"{got[place]!r}, expected {want[place]!r}"
    )
