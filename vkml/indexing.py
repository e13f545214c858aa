"""Basic indexing: integers, slices, None and Ellipsis as one strided layout."""

from __future__ import annotations

import operator
from typing import Any

from .errors import IndexError, UnsupportedError
from .shapes import Layout

__all__ = ["indexed"]


def indexed(layout: Layout, key: Any) -> Layout:
    """The part of `layout` that `key` selects.

    Raises IndexError for an index out of range or too many indices, UnsupportedError for masks
    and integer arrays.
    """
    items = key if isinstance(key, tuple) else (key,)
    rank = len(layout.shape)
    used = sum(item is not None and item is not Ellipsis for item in items)
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("index: an index can have only one ellipsis ('...')")
    if used > rank:
        raise IndexError(f"index: {used} indices for an array of {rank} axes")
    if not any(item is Ellipsis for item in items):
        items = (*items, Ellipsis)
    shape: list[int] = []
    strides: list[int] = []
    offset = layout.offset
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        if item is Ellipsis:
            for _ in range(rank - used):
                shape.append(layout.shape[axis])
                strides.append(layout.strides[axis])
                axis += 1
            continue
        extent, stride = layout.shape[axis], layout.strides[axis]
        if isinstance(item, slice):
            start, stop, step = _slice(item, extent)
            count = len(range(start, stop, step))
            offset += start * stride if count else 0
            shape.append(count)
            strides.append(stride * step)
        else:
            offset += _integer(item, extent, axis) * stride
        axis += 1
    return Layout(tuple(shape), tuple(strides), offset)


def _slice(item: slice, extent: int) -> tuple[int, int, int]:
    try:
        return item.indices(extent)
    except TypeError:
        raise IndexError(
            f"index: slice bounds must be integers or None, got {item.start!r}:{item.stop!r}"
            f":{item.step!r}"
        ) from None
    except ValueError:
        raise IndexError("index: the step of a slice cannot be 0") from None


def _integer(item: Any, extent: int, axis: int) -> int:
    if isinstance(item, bool) or not hasattr(item, "__index__") or getattr(item, "ndim", False):
        raise UnsupportedError(
            f"index: {type(item).__name__} at axis {axis}: only integers, slices, None and ... "
            "select here; take .numpy() to use masks and index arrays"
        )
    number = operator.index(item)
    if not -extent <= number < extent:
        raise IndexError(f"index: {number} is out of bounds for axis {axis} with extent {extent}")
    return number + extent if number < 0 else number
