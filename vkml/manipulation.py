"""Functions of the array namespace that change shape or time, not values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import evaluate, shapes, target
from .applying import tensor_of
from .array import Tensor
from .errors import ShapeError

__all__ = [
    "broadcast_arrays", "broadcast_to", "expand_dims", "flip", "matrix_transpose", "moveaxis",
    "permute_dims", "realize", "reshape", "squeeze", "synchronize",
]  # fmt: skip


def reshape(x: Tensor, shape: Sequence[int], copy: bool | None = None) -> Tensor:
    """See Tensor.reshape."""
    return tensor_of(x, "reshape").reshape(shape, copy=copy)


def permute_dims(x: Tensor, axes: Sequence[int]) -> Tensor:
    """See Tensor.permute_dims."""
    return tensor_of(x, "permute_dims").permute_dims(axes)


def matrix_transpose(x: Tensor) -> Tensor:
    """The last two axes swapped. A view."""
    return tensor_of(x, "matrix_transpose").mT


def moveaxis(x: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Axes moved to new places, the others in their order. A view."""
    rank = tensor_of(x, "moveaxis").ndim
    old = shapes.normalize_axes(source, rank, "moveaxis")
    new = shapes.normalize_axes(destination, rank, "moveaxis")
    if len(old) != len(new):
        raise ShapeError(f"moveaxis: {len(old)} sources and {len(new)} destinations")
    order = [axis for axis in range(rank) if axis not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return x.permute_dims(order)


def squeeze(x: Tensor, axis: int | Sequence[int]) -> Tensor:
    """See Tensor.squeeze."""
    return tensor_of(x, "squeeze").squeeze(axis)


def expand_dims(x: Tensor, axis: int = 0) -> Tensor:
    """See Tensor.unsqueeze."""
    return tensor_of(x, "expand_dims").unsqueeze(axis)


def flip(x: Tensor, axis: int | Sequence[int] | None = None) -> Tensor:
    """See Tensor.flip."""
    return tensor_of(x, "flip").flip(axis)


def broadcast_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """See Tensor.broadcast_to."""
    return tensor_of(x, "broadcast_to").broadcast_to(shape)


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    """Views of all arrays in their common shape."""
    for place, array in enumerate(arrays, 1):
        tensor_of(array, "broadcast_arrays", place)
    shape = shapes.broadcast_shapes(*(array.shape for array in arrays), name="broadcast_arrays")
    return [array.broadcast_to(shape) for array in arrays]


def realize(*tensors: Tensor) -> None:
    """Compute all tensors in one submission, without downloading anything."""
    evaluate.realize(
        [tensor_of(tensor, "realize", place)._latest() for place, tensor in enumerate(tensors, 1)]
    )


def synchronize(device: Any = None) -> None:
    """Block until a device (the default one) has finished all submitted work."""
    target.device(device).runtime.synchronize()
