"""Host data to leaves: any array-like to a C-contiguous NumPy array, and that to device memory."""

from __future__ import annotations

from typing import Any

import numpy

from . import dtypes, recording
from .dtypes import DType
from .errors import DTypeError, ShapeError
from .graph import Node, caller, rule_of, spec_of
from .ops import TABLE
from .shapes import contiguous
from .storage import Storage
from .target import Device

__all__ = ["default_integer", "host_array", "upload"]


def default_integer(kind: DType, device: Device) -> DType:
    """int64 becomes int32 on a device without 64-bit integers, where the user named none."""
    return dtypes.int32 if kind is dtypes.int64 and not device.limits.int64 else kind


def host_array(data: Any, wanted: DType | None, place: Device) -> Any:
    """A C-contiguous NumPy array in native byte order, of a dtype that exists here."""
    explicit = isinstance(data, (numpy.ndarray, numpy.generic)) or hasattr(data, "__array__")
    if not explicit and hasattr(data, "__dlpack__"):
        data, explicit = numpy.from_dlpack(data), True
    try:
        array = numpy.asarray(data)
    except ValueError as error:
        raise ShapeError(f"tensor: the nested sequences are ragged: {error}") from None
    except OverflowError:
        raise
    if array.dtype == object:
        flat = [] if array.ndim == 0 else array.ravel().tolist()
        if flat and all(type(item) is int for item in flat):
            raise OverflowError("tensor: a Python integer is out of bounds for every integer dtype")
        raise DTypeError(
            f"tensor: cannot make an array of {type(data).__name__}; give numbers, sequences of "
            "numbers, or an array"
        )
    kind = wanted
    if kind is None:
        if explicit:
            kind = dtypes.of(array.dtype)
        elif array.size == 0 and array.dtype == numpy.float64:
            kind = dtypes.float32
        else:
            plain = dtypes.float32 if array.dtype.kind == "f" else dtypes.of(array.dtype)
            kind = default_integer(plain, place)
            if kind is dtypes.int32:
                wanted = kind
    if array.dtype != kind.numpy:
        if wanted is not None and kind.kind in ("int", "uint") and array.dtype.kind in "iu":
            info = numpy.iinfo(kind.numpy)
            if not explicit and array.size and (array.min() < info.min or array.max() > info.max):
                raise OverflowError(f"tensor: a value is out of bounds for {kind.name}")
        with numpy.errstate(all="ignore"):
            array = array.astype(kind.numpy)
    return numpy.ascontiguousarray(array).reshape(array.shape)


def upload(array: Any, place: Device) -> Node:
    """A leaf with the array's bytes on the device."""
    kind = dtypes.of(array.dtype)
    if place.name != "cpu":
        recording.check_support(TABLE["full"], (kind,), kind, place)
    spec = spec_of(contiguous(tuple(array.shape)), kind, place)
    frame = caller()
    node = Node(
        rule_of(TABLE["leaf"], (), spec), (), frame and frame.f_code, frame.f_lasti if frame else 0
    )
    runtime = place.runtime
    nbytes = max(array.nbytes, 1)
    buffer = runtime.allocate(nbytes)
    if array.nbytes:
        runtime.upload(buffer, array)
    node.storage = Storage(buffer, nbytes, place)
    node.computed = True
    recording.uploaded(nbytes, place.limits.pending_bytes)
    return node
