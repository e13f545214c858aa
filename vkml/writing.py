"""Writing in place: new versions of an array, recorded and never run by themselves."""

from __future__ import annotations

from typing import Any, Self

from . import indexing, recording, shapes
from .applying import SCALARS, apply_node, leaf
from .errors import DeviceError, DTypeError, ShapeError
from .graph import Node, caller, rule_of
from .handle import Handle
from .ops import TABLE
from .recording import current
from .shapes import Layout
from .storage import Cell
from .target import watch
from .views import Views

__all__ = ["Writes"]


class Writes(Views):
    """A handle whose array can be written in place."""

    __slots__ = ()

    def __setitem__(self, key: Any, value: Any) -> None:
        spec = self._spec
        part = indexing.indexed(spec.layout, key)
        node = _operand(value, self)
        _write(self, part, node)

    def assign_(self, value: Any) -> Self:
        """Overwrite this array in place with `value` of the same shape, dtype and device.

        Makes a new version and runs nothing: what was recorded earlier keeps the old values,
        every handle and view of the array sees the new ones. Raises ShapeError, DTypeError or
        DeviceError on a mismatch, and ShapeError where the destination is not contiguous.
        """
        spec = self._spec
        node = _operand(value, self)
        given = node.rule.spec
        if not isinstance(value, Handle):
            node = _broadcast(node, spec.shape, "assign_")
            given = node.rule.spec
        if given.shape != spec.shape:
            raise ShapeError(f"assign_: expected shape {spec.shape}, got {given.shape}")
        if given.dtype is not spec.dtype:
            raise DTypeError(
                f"assign_: expected {spec.dtype.name}, got {given.dtype.name}; cast with "
                f".astype({spec.dtype!r})"
            )
        if not spec.layout.is_contiguous:
            raise ShapeError("assign_: the destination is not contiguous; use t[...] = value")
        _write(self, spec.layout, node)
        return self


def _operand(value: Any, like: Handle) -> Node:
    """A value to be stored in `like`: a tensor's node, or a constant of its dtype and device."""
    spec = like._spec
    if isinstance(value, Handle):
        node = value._latest()
        if node.rule.spec.device is not spec.device:
            raise DeviceError(
                f"assign: the value is on {value.device}, the array on {spec.device}; move it "
                f"with .to({str(spec.device)!r})"
            )
        return node
    if type(value) in SCALARS:
        return recording.full(value, (), spec.dtype, spec.device)
    return leaf(value, spec.device, spec.dtype)


def _broadcast(node: Node, shape: tuple[int, ...], name: str) -> Node:
    spec = node.rule.spec
    if spec.shape == shape:
        return node
    if shapes.broadcast_shapes(spec.shape, shape, name=name) != shape:
        raise ShapeError(f"{name}: {spec.shape} does not broadcast to {shape}")
    return recording.view(node, spec.layout.expanded(shape), ("broadcast_to", shape))


def _write(tensor: Handle, part: Layout, value: Node) -> None:
    """A new version of the tensor's array with the elements of `part` replaced."""
    node = current(tensor._node)
    spec = node.rule.spec
    owner = node.view_src or node
    if 0 in part.strides and any(
        stride == 0 and extent > 1 for stride, extent in zip(part.strides, part.shape, strict=True)
    ):
        raise ShapeError("assign: the destination is a broadcast view; call .copy() on it first")
    if value.rule.spec.dtype is not spec.dtype:
        value = apply_node(TABLE["astype"], (value,), spec.dtype)
    value = _broadcast(value, part.shape, "assign")
    cell = owner.cell
    if cell is None:
        cell = owner.cell = Cell(owner)
    whole = owner.rule.spec
    frame = caller()
    at = (frame and frame.f_code, frame.f_lasti if frame else 0)
    row, attributes = ("assign", ()) if part == whole.layout else ("update", (part,))
    rule = rule_of(TABLE[row], (whole, value.rule.spec), whole, attributes)
    made = Node(rule, (owner, value), *at)
    made.cell = cell
    cell.write(made)
    tensor._node = made if node.view_src is None else current(node)
    if made.serial >= watch.serial:
        recording.look(made)
