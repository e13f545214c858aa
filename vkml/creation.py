"""Creation: tensors from values, shapes and ranges."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from . import dtypes, recording, shapes, target
from .applying import tensor_of
from .array import Tensor, _wrap, apply
from .dtypes import DType
from .errors import (
    ArgumentError,
    DTypeError,
    OutOfMemoryError,
    RangeError,
    ShapeError,
    UnsupportedError,
)
from .graph import Node, caller, rule_of, spec_of
from .ops import TABLE
from .shapes import contiguous
from .uploading import default_integer, host_array, upload

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_host", "full", "full_like",
    "linspace", "meshgrid", "ones", "ones_like", "tensor", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip


def tensor(
    data: Any, dtype: object = None, device: object = None, requires_grad: bool = False
) -> Tensor:
    """A tensor from nested sequences, scalars, arrays or tensors; copies at once.

    Python floats become float32, ints int64 (int32 where the device has none), bools bool; a NumPy
    array keeps its dtype. Raises DTypeError for a dtype that does not exist here, UnsupportedError
    for one that the device lacks, ShapeError for ragged sequences.
    """
    place = target.device(device)
    wanted = None if dtype is None else dtypes.of(dtype)
    if isinstance(data, Tensor):
        made = data.to(place) if data.device is not place else data.copy()
        made = made if wanted is None else made.astype(wanted)
    else:
        made = _wrap(upload(host_array(data, wanted, place), place))
    if requires_grad:
        made.realize().set_requires_grad()
    return made


def asarray(
    obj: Any, dtype: object = None, device: object = None, copy: bool | None = None
) -> Tensor:
    """As `tensor`, but a Tensor that already fits is returned as it is unless `copy` is True.

    Raises ArgumentError when `copy` is False and data would have to be copied.
    """
    if isinstance(obj, Tensor) and not copy:
        place = obj.device if device is None else target.device(device)
        if place is obj.device and (dtype is None or dtypes.of(dtype) is obj.dtype):
            return obj
    if copy is False:
        raise ArgumentError("asarray: copy=False, but the data must be copied; drop copy=False")
    return tensor(obj, dtype, device)


def from_host(buffer: Any, shape: Sequence[int], dtype: object, device: object = None) -> Tensor:
    """A tensor of `shape` and `dtype` from bytes, bytearray, memoryview or array; copies at once.

    Raises ShapeError when the number of bytes is another one, DTypeError for anything that is no
    buffer of consecutive bytes.
    """
    kind = dtypes.of(dtype)
    try:
        data = numpy.frombuffer(buffer, numpy.uint8)
    except (TypeError, ValueError):
        raise DTypeError(
            f"from_host: expected consecutive bytes, got {type(buffer).__name__}; give bytes or a "
            "contiguous array, or use vkml.tensor(...)"
        ) from None
    form = _form(shape, "from_host")
    expected = shapes.size_of(form) * kind.itemsize
    if data.size != expected:
        raise ShapeError(
            f"from_host: {form} of {kind.name} takes {expected} bytes, got {data.size}"
        )
    return _wrap(upload(data.view(kind.numpy).reshape(form), target.device(device)))


def full(
    shape: Any, fill_value: Any, dtype: object = None, device: object = None
) -> Tensor:
    """One value everywhere; nothing is stored until it is needed in memory."""
    if isinstance(fill_value, numpy.generic):
        dtype = dtypes.of(fill_value.dtype) if dtype is None else dtype
        fill_value = fill_value.item()
    if not isinstance(fill_value, (bool, int, float)):
        raise DTypeError(
            f"full: expected a number, got {type(fill_value).__name__}; an array is stretched by "
            "vkml.broadcast_to(...)"
        )
    kind = dtypes.of(type(fill_value)) if dtype is None else dtypes.of(dtype)
    place = target.device(device)
    kind = default_integer(kind, place) if dtype is None else kind
    return _wrap(recording.full(fill_value, _form(shape, "full"), kind, place))


def zeros(shape: Any, dtype: object = None, device: object = None) -> Tensor:
    """Zeros of `shape`; float32 unless `dtype` says otherwise."""
    return full(shape, 0, dtypes.float32 if dtype is None else dtype, device)


def ones(shape: Any, dtype: object = None, device: object = None) -> Tensor:
    """Ones of `shape`; float32 unless `dtype` says otherwise."""
    return full(shape, 1, dtypes.float32 if dtype is None else dtype, device)


def empty(shape: Any, dtype: object = None, device: object = None) -> Tensor:
    """A tensor to be written; reads as zeros, so that a program gives the same bits each time."""
    return zeros(shape, dtype, device)


def full_like(x: Tensor, fill_value: Any, dtype: object = None, device: object = None) -> Tensor:
    """One value everywhere, with the shape, dtype and device of `x`."""
    x = tensor_of(x, "full_like")
    return full(x.shape, fill_value, dtype or x.dtype, device or x.device)


def zeros_like(x: Tensor, dtype: object = None, device: object = None) -> Tensor:
    """Zeros with the shape, dtype and device of `x`."""
    return full_like(x, 0, dtype, device)


def ones_like(x: Tensor, dtype: object = None, device: object = None) -> Tensor:
    """Ones with the shape, dtype and device of `x`."""
    return full_like(x, 1, dtype, device)


def empty_like(x: Tensor, dtype: object = None, device: object = None) -> Tensor:
    """As `zeros_like`; see `empty`."""
    return full_like(x, 0, dtype, device)


def index(shape: tuple[int, ...], device: target.Device) -> Tensor:
    """The row-major number of each element, as uint32. Raises UnsupportedError past 2**32."""
    if shapes.size_of(shape) > 2**32:
        raise UnsupportedError(f"index: {shape} has more than 2**32 elements; build it in parts")
    frame = caller()
    spec = spec_of(contiguous(shape), dtypes.uint32, device)
    rule = rule_of(TABLE["index"], (), spec)
    node = Node(rule, (), frame and frame.f_code, frame.f_lasti if frame else 0)
    return _wrap(recording.finish(node))


def arange(
    start: Any, stop: Any = None, step: Any = 1, *, dtype: object = None, device: object = None
) -> Tensor:
    """start, start + step, … before stop. Integers stay integers, anything else is float32.

    Computed in the dtype of the result as start + number * step, as NumPy does. Raises ValueError
    (ArgumentError) for a step of 0.
    """
    if stop is None:
        start, stop = 0, start
    start, stop, step = _bound(start), _bound(stop), _bound(step)
    if step == 0:
        raise ArgumentError("arange: step is 0; give one that leads from start to stop")
    place = target.device(device)
    kind = dtypes.of(
        (float if float in map(type, (start, stop, step)) else int) if dtype is None else dtype
    )
    kind = default_integer(kind, place) if dtype is None else kind
    _check(kind, place, "arange")
    count = max(0, math.ceil((stop - start) / step))
    numbers = index((count,), place)
    if kind.kind == "float":
        first = float(kind.numpy.type(start))
        second = float(kind.numpy.type(start + step))
        delta = float(kind.numpy.type(kind.numpy.type(second) - kind.numpy.type(first)))
        return numbers.astype(kind) * delta + first
    if kind.kind == "bool":
        if count > 2:
            raise DTypeError("arange: no more than two bool elements; pass an integer dtype")
        return (numbers * int(step) + int(start)).astype(kind)
    wide = numbers.astype(kind)
    first, delta = int(start), int(start + step) - int(start)
    if delta != 1:
        wide = wide * delta
    return wide + first if first != 0 else wide


def _bound(value: Any) -> int | float:
    """A start, stop or step as a Python number: an int where it is whole by type."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    if isinstance(value, str):
        raise DTypeError(f"arange: expected a number, got {value!r}")
    number = recording.real(value)
    if not math.isfinite(number):
        raise RangeError(f"arange: expected finite numbers, got {number}")
    return number


def linspace(
    start: float, stop: float, num: int, *, dtype: object = None, device: object = None,
    endpoint: bool = True,
) -> Tensor:  # fmt: skip
    """`num` evenly spaced numbers, computed in float64 on the host and rounded once."""
    kind = dtypes.float32 if dtype is None else dtypes.of(dtype)
    (count,) = _form(num, "linspace")
    first, last = recording.real(start), recording.real(stop)
    place = target.device(device)
    _check(kind, place, "linspace")
    try:
        values = numpy.linspace(first, last, count, endpoint=endpoint).astype(kind.numpy)
    except MemoryError:
        raise OutOfMemoryError(f"linspace: no host memory for {count} numbers") from None
    return _wrap(upload(values, place))


def eye(
    n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: object = None,
    device: object = None,
) -> Tensor:  # fmt: skip
    """Ones on diagonal `k`, zeros elsewhere; float32 unless `dtype` says otherwise."""
    place = target.device(device)
    height, width = _form((n_rows, n_rows if n_cols is None else n_cols), "eye")
    rows = arange(height, dtype=dtypes.int32, device=place).unsqueeze(1)
    columns = arange(width, dtype=dtypes.int32, device=place)
    (diagonal,) = shapes.integers(k, "eye")
    on = apply(TABLE["equal"], (apply(TABLE["add"], (rows, diagonal)), columns))
    return on.astype(dtypes.float32 if dtype is None else dtype)


def tril(x: Tensor, k: int = 0) -> Tensor:
    """The last two axes with everything above diagonal `k` set to zero."""
    return _triangle(x, k, lower=True)


def triu(x: Tensor, k: int = 0) -> Tensor:
    """The last two axes with everything below diagonal `k` set to zero."""
    return _triangle(x, k, lower=False)


def _triangle(x: Tensor, k: int, lower: bool) -> Tensor:
    name = "tril" if lower else "triu"
    x = tensor_of(x, name)
    if x.ndim < 2:
        raise ShapeError(f"{name}: expected 2 axes or more, got {x.ndim}; .unsqueeze(0) adds one")
    (diagonal,) = shapes.integers(k, name)
    rows = arange(x.shape[-2], dtype=dtypes.int32, device=x.device).unsqueeze(1) + diagonal
    columns = arange(x.shape[-1], dtype=dtypes.int32, device=x.device)
    keep = apply(TABLE["less_equal" if lower else "greater_equal"], (columns, rows))
    zero = False if x.dtype.kind == "bool" else 0
    return apply(TABLE["where"], (keep, x, zero))


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    """Coordinate arrays of the grid spanned by one-dimensional tensors. Views."""
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing: expected 'xy' or 'ij', got {indexing!r}")
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[0], order[1] = 1, 0
    for number, array in enumerate(arrays):
        if tensor_of(array, "meshgrid", number + 1).ndim != 1:
            raise ShapeError(
                f"meshgrid: operand {number + 1}: expected one axis, got shape {array.shape}; "
                ".reshape(-1) flattens it"
            )
    shape = [0] * len(arrays)
    for number, axis in enumerate(order):
        shape[axis] = arrays[number].size
    result = []
    for number, axis in enumerate(order):
        form = [1] * len(arrays)
        form[axis] = arrays[number].size
        result.append(arrays[number].reshape(form).broadcast_to(shape))
    return result


def _check(kind: DType, place: target.Device, name: str) -> None:
    """UnsupportedError where the device lacks the dtype."""
    if place.name != "cpu":
        recording.check_support(TABLE["full"], (), kind, place, name)


def _form(shape: Any, name: str) -> tuple[int, ...]:
    form = shapes.integers(shape, name)
    if min(form, default=0) < 0:
        raise ShapeError(f"{name}: expected extents of 0 and more, got shape {form}")
    shapes.size_of(form)
    return form
