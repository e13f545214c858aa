"""Views: other shapes, orders and parts of the same storage, as methods of a handle."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Self

import numpy
from numpy.typing import NDArray

from . import evaluate, indexing, recording, shapes
from .errors import ShapeError
from .graph import Node, caller, rule_of, spec_of
from .handle import Handle
from .ops import TABLE
from .recording import current, finish
from .shapes import Layout, contiguous

__all__ = ["Views", "integers"]


class Views(Handle):
    """A handle with the methods that give views, and copies where no view exists."""

    __slots__ = ()

    def _viewed(self, layout: Layout, *what: Any) -> Self:
        return self._wrap(finish(recording.view(current(self._node), layout, what)))

    def reshape(self, *shape: Any, copy: bool | None = None) -> Self:
        """The same elements in row-major order under another shape; one extent may be -1.

        A view wherever strides can express it, else a copy; `copy=False` raises ValueError
        (ShapeError) instead of copying, `copy=True` always copies.
        """
        spec = self._spec
        wanted = integers(shape, "reshape")
        if wanted.count(-1) == 1:
            known = -shapes.size_of(wanted)
            if known == 0 or spec.size % known:
                raise ShapeError(
                    f"reshape: {spec.shape} has {spec.size} elements: no -1 in {wanted} fits that"
                )
            wanted = tuple(spec.size // known if extent == -1 else extent for extent in wanted)
        if min(wanted, default=0) < 0 or shapes.size_of(wanted) != spec.size:
            raise ShapeError(
                f"reshape: {spec.shape} has {spec.size} elements, {wanted} has another number"
            )
        layout = None if copy else spec.layout.reshaped(wanted)
        if layout is None:
            if copy is False:
                raise ShapeError("reshape: no view of this layout exists; drop copy=False")
            return self._copied().reshape(wanted)
        return self._viewed(layout, "reshape", wanted)

    def permute(self, *axes: Any) -> Self:
        """Axes in the given order. A view."""
        order = integers(axes, "permute")
        if not order and self.ndim:
            raise ShapeError(f"permute: expected {self.ndim} axes, got none")
        return self.permute_dims(order)

    def permute_dims(self, axes: Sequence[int]) -> Self:
        """Axes in the order of `axes`. A view. Raises ShapeError if it is no permutation."""
        spec = self._spec
        rank = len(spec.shape)
        given = shapes.integers(axes, "permute_dims")
        order = tuple(shapes.normalize_axis(axis, rank, "permute_dims") for axis in given)
        if sorted(order) != list(range(rank)):
            raise ShapeError(
                f"permute_dims: {given} is no permutation of {rank} axes; name each axis once"
            )
        return self._viewed(spec.layout.permuted(order), "permute", order)

    def transpose(self, *axes: Any) -> Self:
        """All axes reversed; with a sequence, axes in that order; with two integers, those swapped.

        A view.
        """
        rank = len(self._spec.shape)
        order = integers(axes, "transpose")
        if not order:
            return self.permute_dims(tuple(reversed(range(rank))))
        if len(axes) == 2:
            return self.swapaxes(*order)
        return self.permute_dims(order)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged. A view."""
        rank = len(self._spec.shape)
        first = shapes.normalize_axis(axis1, rank, "swapaxes")
        second = shapes.normalize_axis(axis2, rank, "swapaxes")
        order = list(range(rank))
        order[first], order[second] = second, first
        return self.permute_dims(order)

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Self:
        """Without axes of extent 1: all, or those named. A view. Other extents raise ShapeError."""
        spec = self._spec
        rank = len(spec.shape)
        if axis is None:
            gone = [n for n, extent in enumerate(spec.shape) if extent == 1]
        else:
            gone = list(shapes.normalize_axes(axis, rank, "squeeze"))
            for n in gone:
                if spec.shape[n] != 1:
                    raise ShapeError(
                        f"squeeze: axis {n} of {spec.shape}: expected extent 1, got "
                        f"{spec.shape[n]}; t[..., 0] selects one element of an axis"
                    )
        return self._viewed(spec.layout.removed(gone), "squeeze", tuple(gone))

    def unsqueeze(self, axis: int) -> Self:
        """A new axis of extent 1 at position `axis` of the result. A view."""
        spec = self._spec
        place = shapes.normalize_axis(axis, len(spec.shape) + 1, "unsqueeze")
        return self._viewed(spec.layout.inserted(place), "unsqueeze", place)

    def expand_dims(self, axis: int = 0) -> Self:
        """The array API's name of `unsqueeze`."""
        return self.unsqueeze(axis)

    def slice(
        self, axis: int, start: int | None = None, stop: int | None = None, step: int = 1
    ) -> Self:
        """Elements start, start + step, … before stop along one axis, as Python slices. A view."""
        place = shapes.normalize_axis(axis, len(self._spec.shape), "slice")
        return self[(*(slice(None),) * place, slice(start, stop, step))]

    def flip(self, axis: int | Sequence[int] | None = None) -> Self:
        """Reversed along an axis, several, or all. A view."""
        rank = len(self._spec.shape)
        if axis is None:
            names: tuple[int, ...] = tuple(range(rank))
        else:
            names = shapes.normalize_axes(axis, rank, "flip")
        back = slice(None, None, -1)
        return self[tuple(back if n in names else slice(None) for n in range(rank))]

    def broadcast_to(self, *shape: Any) -> Self:
        """Stretched to `shape` by NumPy's rule, with stride 0. A view."""
        spec = self._spec
        wanted = integers(shape, "broadcast_to")
        if min(wanted, default=0) < 0:
            raise ShapeError(f"broadcast_to: expected extents of 0 and more, got shape {wanted}")
        if shapes.broadcast_shapes(spec.shape, wanted, name="broadcast_to") != wanted:
            raise ShapeError(f"broadcast_to: {spec.shape} does not broadcast to {wanted}")
        return self._viewed(spec.layout.expanded(wanted), "broadcast_to", wanted)

    def __getitem__(self, key: Any) -> Self:
        return self._viewed(indexing.indexed(self._spec.layout, key), "index")

    @property
    def T(self) -> Self:
        """All axes reversed. A view."""
        return self.transpose()

    @property
    def mT(self) -> Self:
        """The last two axes swapped. A view. Raises ShapeError below two axes."""
        if self.ndim < 2:
            raise ShapeError(f"mT: expected at least 2 axes, got {self.ndim}")
        return self.transpose(-2, -1)

    def _copied(self) -> Self:
        spec = self._spec
        node = current(self._node)
        frame = caller()
        rule = rule_of(
            TABLE["copy"], (spec,),
            spec_of(contiguous(spec.shape), spec.dtype, spec.device), ("copy",),
        )  # fmt: skip
        made = Node(
            rule, (node,), frame and frame.f_code, frame.f_lasti if frame else 0, None, None,
            node.requires_grad,
        )  # fmt: skip
        return self._wrap(finish(made))

    def numpy(self) -> NDArray[Any]:
        """The value as a fresh, writable NumPy array. One submission when it was not computed.

        A sparse view of a large array is gathered on the device first, and only its elements are
        downloaded.
        """
        layout = self._spec.layout
        low, high = layout.span
        apart = (high - low) * self.itemsize - 4 * self.nbytes
        if apart > 1 << 20 and not layout.is_contiguous:
            return evaluate.observe([self._copied()._node], (self._latest(),))[0]
        return super().numpy()

    to_host = numpy

    def _printed(self, separator: str) -> str:
        """The value in NumPy's form; of a large array only the corners are downloaded."""
        options = numpy.get_printoptions()
        edge = options["edgeitems"]
        if self.size <= options["threshold"] or edge < 1:
            return super()._printed(separator)
        parts = [
            [slice(0, edge), slice(extent - edge, extent)] if extent > 2 * edge + 1
            else [slice(None)]
            for extent in self.shape
        ]  # fmt: skip
        corners = [self[key]._copied()._node for key in itertools.product(*parts)]
        values = iter(evaluate.observe(corners, (self._latest(),)))
        # The shape that NumPy would abbreviate, with a middle that it leaves out.
        shown = numpy.zeros([min(n, 2 * edge + 1) for n in self.shape], self.dtype.numpy)
        for key in itertools.product(*parts):
            place = tuple(
                slice(-edge, None) if part.start else part for part in key
            )
            shown[place] = next(values)
        return numpy.array2string(shown, separator=separator, threshold=0)

    def contiguous(self) -> Self:
        """A row-major copy; the tensor itself when it already is contiguous."""
        return self if self.is_contiguous else self._copied()

    def copy(self) -> Self:
        """A copy with memory of its own."""
        return self._copied()


def integers(arguments: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """Integers given one by one or as one sequence."""
    return shapes.integers(arguments[0] if len(arguments) == 1 else arguments, name)
