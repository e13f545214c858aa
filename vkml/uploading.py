"""Host data to leaves: any array-like to a C-contiguous NumPy array, and that to device memory."""

from __future__ import annotations

from typing import Any

import numpy

from . import dtypes, recording
from .dtypes import DType
from .errors import DTypeError, RangeError, ShapeError
from .graph import Node, caller, rule_of, spec_of
from .ops import TABLE
from .ops.reference import cast
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
        raise ShapeError(
            f"tensor: the nested sequences are ragged; give each the same length ({error})"
        ) from None
    if array.dtype == object:
        items = array.reshape(-1).tolist()
        if items and all(type(item) is int for item in items):
            raise RangeError("tensor: a Python integer fits no integer dtype; give floats instead")
        found = dict.fromkeys(type(item).__name__ for item in items) or {"object": None}
        raise DTypeError(
            f"tensor: expected numbers, got {', '.join(list(found)[:3])}; give numbers, sequences "
            "of numbers, or an array of them"
        )
    if array.dtype.kind not in "biuf":
        names = ", ".join(kind.name for kind in dtypes.ALL)
        remedy = "; take the parts .real and .imag" if array.dtype.kind == "c" else ""
        raise DTypeError(f"tensor: no vkml dtype for {array.dtype}; there are {names}{remedy}")
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
                raise RangeError(
                    f"tensor: expected {info.min} to {info.max} for {kind.name}, got "
                    f"{array.min()} to {array.max()}; choose a wider dtype"
                )
        with numpy.errstate(all="ignore"):
            array = cast(array, kind.numpy)  # as .astype does it on the device
    return numpy.ascontiguousarray(array).reshape(array.shape)


def upload(array: Any, place: Device) -> Node:
    """A leaf with the array's bytes on the device."""
    kind = dtypes.of(array.dtype)
    if place.name != "cpu":
        recording.check_support(TABLE["full"], (kind,), kind, place, "tensor")
    spec = spec_of(contiguous(tuple(array.shape)), kind, place)
    frame = caller()
    node = Node(
        rule_of(TABLE["leaf"], (), spec), (), frame and frame.f_code, frame.f_lasti if frame else 0
    )
    runtime = place.runtime
    nbytes = max(array.nbytes, 1)
    buffer = runtime.allocate(nbytes, for_upload=True)
    if array.nbytes:
        runtime.upload(buffer, array)
    node.storage = Storage(buffer, nbytes, place)
    node.computed = True
    recording.uploaded(nbytes, place.limits.pending_bytes)
    return node
