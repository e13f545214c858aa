"""Shapes, broadcasting and strided layouts. Strides and offsets here count elements.

A Layout maps coordinates to element numbers of a storage. Views compose into one Layout over the
root storage; what strides cannot express (a reshape of a transposed array) gives None, and the
caller copies.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .errors import DTypeError, IndexError, ShapeError

__all__ = [
    "MAX_ELEMENTS",
    "Layout",
    "broadcast_shapes",
    "compose",
    "contiguous",
    "integers",
    "normalize_axes",
    "normalize_axis",
    "size_of",
]

MAX_ELEMENTS = 2**48
"""More elements than this in one shape is refused before anything is allocated."""


class Layout(NamedTuple):
    """Element (c0, c1, …) of an array is element `offset + sum(c * strides)` of its storage."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps (whatever the offset)."""
        expected = 1
        for extent, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if extent == 0:
                return True
            if extent != 1 and stride != expected:
                return False
            expected *= extent
        return True

    @property
    def span(self) -> tuple[int, int]:
        """The first element touched and the one after the last; (0, 0) when there is none."""
        low = high = self.offset
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if extent == 0:  # the offset of an empty view may lie past the end of its memory
                return 0, 0
            if stride > 0:
                high += (extent - 1) * stride
            else:
                low += (extent - 1) * stride
        return low, high + 1

    def permuted(self, axes: Sequence[int]) -> Layout:
        """Axes in the order of `axes`, a permutation of range(ndim)."""
        return Layout(
            tuple(self.shape[axis] for axis in axes),
            tuple(self.strides[axis] for axis in axes),
            self.offset,
        )

    def sliced(self, axis: int, start: int, count: int, step: int) -> Layout:
        """`count` elements along `axis`, from `start`, `step` apart (any sign)."""
        shape, strides = list(self.shape), list(self.strides)
        offset = self.offset + (start * strides[axis] if count else 0)
        shape[axis] = count
        strides[axis] *= step
        return Layout(tuple(shape), tuple(strides), offset)

    def inserted(self, axis: int) -> Layout:
        """A new axis of extent 1 at position `axis`."""
        return Layout(
            (*self.shape[:axis], 1, *self.shape[axis:]),
            (*self.strides[:axis], 0, *self.strides[axis:]),
            self.offset,
        )

    def removed(self, axes: Sequence[int]) -> Layout:
        """Without `axes`, whose extent is 1."""
        kept = [axis for axis in range(len(self.shape)) if axis not in axes]
        return self.permuted(kept)

    def expanded(self, shape: tuple[int, ...]) -> Layout:
        """Broadcast to `shape`; new and stretched axes get stride 0. The caller checked it fits."""
        lead = len(shape) - len(self.shape)
        strides = (0,) * lead + tuple(
            stride if old == new else 0
            for old, new, stride in zip(self.shape, shape[lead:], self.strides, strict=True)
        )
        return Layout(shape, strides, self.offset)

    def reshaped(self, shape: tuple[int, ...]) -> Layout | None:
        """The same elements in row-major order under another shape, or None if strides can't."""
        if 0 in shape:
            return Layout(shape, contiguous(shape).strides, self.offset)
        axes = [
            (extent, stride)
            for extent, stride in zip(self.shape, self.strides, strict=True)
            if extent != 1
        ]
        merged: list[tuple[int, int]] = []
        for extent, stride in axes:
            if merged and merged[-1][1] == extent * stride:
                merged[-1] = (merged[-1][0] * extent, stride)
            else:
                merged.append((extent, stride))
        strides: list[int] = []
        place = len(merged) - 1
        room, step = merged[place] if merged else (1, 1)
        for extent in reversed(shape):
            if extent == 1:
                strides.append(step)
                continue
            while room == 1 and place > 0:
                place -= 1
                room, step = merged[place]
            if room % extent:
                return None
            strides.append(step)
            room //= extent
            step *= extent
        return Layout(shape, tuple(reversed(strides)), self.offset)


def size_of(shape: Sequence[int]) -> int:
    """The number of elements of `shape`; raises ShapeError past MAX_ELEMENTS."""
    size = math.prod(shape)
    if size > MAX_ELEMENTS:
        raise ShapeError(f"shape {tuple(shape)} has {size} elements; at most {MAX_ELEMENTS}")
    return size


@lru_cache(maxsize=4096)
def contiguous(shape: tuple[int, ...]) -> Layout:
    """The row-major layout of `shape`."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return Layout(shape, tuple(strides), 0)


def broadcast_shapes(*shapes: tuple[int, ...], name: str = "broadcast") -> tuple[int, ...]:
    """The common shape by NumPy's rule; raises ShapeError naming the operands and the axis."""
    rank = max(map(len, shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, extent in enumerate(shape, rank - len(shape)):
            if extent != 1:
                if result[axis] not in (1, extent):
                    listed = " and ".join(map(str, shapes))
                    raise ShapeError(
                        f"{name}: shapes {listed} do not broadcast: axis {axis - rank} has "
                        f"extents {result[axis]} and {extent}; reshape one or insert axes of "
                        "extent 1"
                    )
                result[axis] = extent
    size_of(result)
    return tuple(result)


def integers(items: Any, name: str) -> tuple[int, ...]:
    """One integer, or a sequence of them, as a tuple; raises DTypeError for anything else."""
    try:
        return (operator.index(items),)
    except TypeError:
        pass
    try:
        return tuple(operator.index(item) for item in items)
    except TypeError:
        raise DTypeError(f"{name}: expected integers, got {items!r}") from None


def normalize_axis(axis: int, rank: int, name: str) -> int:
    """`axis` counted from 0; raises IndexError naming the range, DTypeError for no integer."""
    try:
        number = operator.index(axis)
    except TypeError:
        raise DTypeError(f"{name}: expected an integer for an axis, got {axis!r}") from None
    if not -rank <= number < rank:
        raise IndexError(f"{name}: axis {number} is out of range for an array of {rank} axes")
    return number + rank if number < 0 else number


def normalize_axes(axes: Any, rank: int, name: str) -> tuple[int, ...]:
    """One axis or a sequence, counted from 0; as `normalize_axis`, and ShapeError for a repeat."""
    found = tuple(normalize_axis(axis, rank, name) for axis in integers(axes, name))
    if len(set(found)) != len(found):
        raise ShapeError(f"{name}: {axes} names one axis twice; name each axis once")
    return found


def compose(view: Layout, shape: tuple[int, ...], under: Layout) -> Layout | None:
    """`view` over the row-major elements of `shape`, applied to an array laid out as `under`.

    `under.shape` equals `shape`. Returns the layout from `view`'s coordinates straight to `under`'s
    storage, or None where strides cannot express it.
    """
    if 0 in view.shape:
        return Layout(view.shape, (0,) * len(view.shape), under.offset)
    axes: list[list[int]] = []  # extent, stride in the row-major order, stride in the storage
    linear = contiguous(shape).strides
    for extent, row, stride in zip(shape, linear, under.strides, strict=True):
        if extent == 1:
            continue
        if axes and axes[-1][2] == extent * stride:
            axes[-1] = [axes[-1][0] * extent, row, stride]
        else:
            axes.append([extent, row, stride])
    rest, offset = view.offset, under.offset
    low: list[int] = []
    for extent, row, stride in axes:
        place = rest // row
        if place >= extent:
            return None
        rest -= place * row
        offset += place * stride
        low.append(place)
    if rest:
        return None
    high = low.copy()
    strides: list[int] = []
    for extent, step in zip(view.shape, view.strides, strict=True):
        if extent == 1 or step == 0:
            strides.append(0)
            continue
        number = next((n for n, axis in enumerate(axes) if abs(step) >= axis[1]), None)
        if number is None or step % axes[number][1]:
            return None
        _, row, stride = axes[number]
        move = step // row
        strides.append(move * stride)
        if move > 0:
            high[number] += (extent - 1) * move
        else:
            low[number] += (extent - 1) * move
    if any(low[n] < 0 or high[n] >= axes[n][0] for n in range(len(axes))):
        return None
    return Layout(view.shape, tuple(strides), offset)
