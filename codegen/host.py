"""Host kernels: a piece run statement by statement with NumPy, for the `cpu` device.

The same statements in the same order as the generated kernel; values are rounded to their dtype
after each, as the kernel does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from vkml import dtypes
from vkml.errors import VkmlError
from vkml.ops import TABLE
from vkml.program import HostKernel
from vkml.shapes import Layout

from .expression import expression
from .lower import Piece

__all__ = ["host_kernel", "view_bytes"]


def view_bytes(window: NDArray[numpy.uint8], dtype: str, layout: Layout) -> NDArray[Any]:
    """The elements that `layout` names in a byte window, as an array over the same memory."""
    kind = dtypes.by_name(dtype).numpy
    flat = window[: window.size // kind.itemsize * kind.itemsize].view(kind)
    low, high = layout.span
    if low < 0 or high > flat.size:  # as_strided would read and write other memory
        raise VkmlError(f"internal: elements {low} to {high} of a window of {flat.size}")
    return as_strided(
        flat[layout.offset :], layout.shape, tuple(s * kind.itemsize for s in layout.strides)
    )


def host_kernel(
    piece: Piece, starts: Sequence[int], scalars: Sequence[int]
) -> HostKernel:
    """The kernel of one piece.

    `starts` are the first elements of loads and outputs within their windows; `scalars` are the
    numbers of the region's scalars among the program's.
    """
    region = piece.region
    layouts = [
        Layout(layout.shape, layout.strides, start)
        for layout, start in zip((*piece.loads, *piece.outputs), starts, strict=True)
    ]
    first_output = len(region.operands)

    def run(windows: Sequence[NDArray[numpy.uint8]], values: Sequence[Any]) -> None:
        known: list[Any] = [
            view_bytes(windows[n], operand.dtype, layouts[n])
            for n, operand in enumerate(region.operands)
        ]
        known += [
            numpy.asarray(values[number]).astype(dtypes.by_name(dtype).numpy)
            for number, dtype in zip(scalars, region.scalars, strict=True)
        ]
        known += [
            _numbers(layout, index.dtype)
            for index, layout in zip(region.indices, piece.indices, strict=True)
        ]
        with numpy.errstate(all="ignore"):
            for statement in region.statements:
                row = TABLE[statement.op]
                result_type = dtypes.by_name(statement.dtype).numpy
                reference: Callable[..., Any] | None = row.reference
                assert reference is not None, f"{statement.op} has no reference"
                arguments = [known[n] for n in statement.arguments]
                if row.tolerance:  # NumPy's last bit hangs on strides: give it one kind of array
                    arguments = [
                        numpy.asarray(numpy.broadcast_to(argument, piece.shape), order="C")
                        for argument in arguments
                    ]
                if row.result == "attribute":
                    result = reference(*arguments, result_type)
                else:
                    result = reference(*arguments)
                known.append(numpy.asarray(result).astype(result_type, copy=False))
        results = [known[output.value] for output in region.outputs]
        if region.aliased:
            results = [numpy.array(result) for result in results]
        for n, (output, result) in enumerate(zip(region.outputs, results, strict=True)):
            dtype = region.dtype_of(output.value)
            target = view_bytes(windows[first_output + n], dtype, layouts[first_output + n])
            target[...] = result

    return HostKernel("host_map", expression(region), run)


def _numbers(layout: Layout, dtype: str) -> NDArray[Any]:
    """The element numbers of a layout."""
    total: NDArray[Any] = numpy.full((1,) * len(layout.shape), layout.offset, numpy.int64)
    for axis, (extent, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
        form = [1] * len(layout.shape)
        form[axis] = extent
        total = total + (numpy.arange(extent, dtype=numpy.int64) * stride).reshape(form)
    return numpy.broadcast_to(total, layout.shape).astype(dtypes.by_name(dtype).numpy)
