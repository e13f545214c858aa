"""Tensor: the handle to a value in the graph."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Self

import numpy

from . import dtypes, recording, target
from .applying import SCALARS, apply_node, leaf, tensor_of
from .dtypes import DType
from .errors import DeviceError, DTypeError, ShapeError, VkmlError
from .graph import Node
from .ops import TABLE, OpDef
from .recording import current
from .target import watch
from .writing import Writes

__all__ = ["Tensor", "apply", "binary", "unary"]

_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
"""Exponents that record another row, as NumPy does; nothing else looks at a value."""


def apply(row: OpDef, operands: tuple[Any, ...], attribute: DType | None = None) -> Tensor:
    """Record `row` on tensors, NumPy arrays and Python scalars."""
    return _wrap(apply_node(row, operands, attribute))


def binary(
    row: OpDef, *, reflected: bool = False, method: bool = False
) -> Callable[[Any, Any], Tensor]:
    """A function of two operands that records `row`, or with them exchanged.

    As a method it answers NotImplemented to operands that it does not know.

    On the known path (two tensors, or a tensor and a Python scalar, of specs seen before that need
    no cast or broadcast) it costs one memo look-up and the objects it makes.
    """
    memo: dict[Any, Any] = {}
    get_frame, new = sys._getframe, object.__new__

    def function(x1: Any, x2: Any, /) -> Tensor:
        if x1.__class__ is not Tensor:
            return apply(row, (x2, x1) if reflected else (x1, x2))
        a = x1._node
        if a.cell is not None:
            a = x1._latest()
        kind = x2.__class__
        if kind is Tensor:
            b = x2._node
            if b.cell is not None:
                b = x2._latest()
            rule = memo.get((a.rule.spec, b.rule.spec))
            if rule is None:
                made = apply(row, (x2, x1) if reflected else (x1, x2))
                _remember(memo, (a.rule.spec, b.rule.spec), made._node, (a, b), reflected)
                return made
            frame = get_frame(1)
            code, lasti = frame.f_code, frame.f_lasti
            needs = a.requires_grad or b.requires_grad
        elif kind in SCALARS:
            found = memo.get((a.rule.spec, kind))
            if found is None:
                made = apply(row, (x2, x1) if reflected else (x1, x2))
                _remember_scalar(memo, (a.rule.spec, kind), made._node, a, reflected)
                return made
            rule, full, convert = found
            frame = get_frame(1)
            code, lasti = frame.f_code, frame.f_lasti
            b = Node(full, (), code, lasti, convert(x2))
            needs = a.requires_grad
        elif method and not isinstance(x2, _OPERANDS):
            return NotImplemented  # type: ignore[no-any-return]
        else:
            return apply(row, (x2, x1) if reflected else (x1, x2))
        node = Node(rule, (b, a) if reflected else (a, b), code, lasti, None, None, needs)
        if node.serial >= watch.serial:
            recording.look(node)
        tensor = new(Tensor)
        tensor._node = node
        tensor._grad = None
        return tensor

    return function


def _remember(
    memo: dict[Any, Any], key: Any, node: Node, operands: tuple[Node, Node], reflected: bool
) -> None:
    """Keep the rule of an operation that took its operands as they were."""
    if node.src == (operands[::-1] if reflected else operands):
        _bounded(memo)[key] = node.rule


def _remember_scalar(
    memo: dict[Any, Any], key: Any, node: Node, operand: Node, reflected: bool
) -> None:
    """Keep the rules and the conversion of an operation on an array and a Python scalar."""
    if len(node.src) != 2 or (node.requires_grad and node.rule.spec.dtype.kind != "float"):
        return
    array, scalar = node.src[::-1] if reflected else node.src
    if array is operand and scalar.rule.op is recording.FULL:
        _bounded(memo)[key] = node.rule, scalar.rule, recording.converter(scalar.rule.spec.dtype)


def _bounded(memo: dict[Any, Any]) -> dict[Any, Any]:
    if len(memo) >= 1 << 14:
        memo.clear()
    return memo


def unary(row: OpDef) -> Callable[[Any], Tensor]:
    """A function of one operand that records `row`; cheap for specs seen before."""
    memo: dict[Any, Any] = {}
    get_frame, new = sys._getframe, object.__new__

    def function(x: Any, /) -> Tensor:
        if x.__class__ is not Tensor:
            return apply(row, (x,))
        a = x._node
        if a.cell is not None:
            a = x._latest()
        rule = memo.get(a.rule.spec)
        if rule is None:
            made = apply(row, (x,))
            if made._node.src == (a,):
                _bounded(memo)[a.rule.spec] = made._node.rule
            return made
        frame = get_frame(1)
        node = Node(rule, (a,), frame.f_code, frame.f_lasti, None, None, a.requires_grad)
        if node.serial >= watch.serial:
            recording.look(node)
        tensor = new(Tensor)
        tensor._node = node
        tensor._grad = None
        return tensor

    return function


class Tensor(Writes):
    """A lazy, NumPy-shaped array. Copying a Tensor copies a handle, never data.

    Operations build a graph; work happens when a value is observed (numpy, item, str, bool, …) or
    `realize()` is called. `Tensor()` is undefined: `defined()` is False and anything else raises.
    """

    __slots__ = ()

    def astype(self, dtype: object, copy: bool = False) -> Tensor:
        """Converted to `dtype`; the tensor itself when it has it already and `copy` is False."""
        wanted = dtypes.of(dtype)
        if wanted is self._spec.dtype:
            return self._copied() if copy else self
        return apply(TABLE["astype"], (self,), wanted)

    def to(self, where: object) -> Tensor:
        """Converted to a dtype, or moved to a device (a Device or its name)."""
        if isinstance(where, target.Device) or (isinstance(where, str) and not _is_dtype(where)):
            device = target.device(where)
            return self if device is self.device else _wrap(leaf(self.numpy(), device))
        return self.astype(where)

    def to_device(self, device: object) -> Tensor:
        """On another device; the array API's name."""
        return self.to(target.device(device))

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        self._spec  # noqa: B018
        return current(self._node).requires_grad

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        self.set_requires_grad(on)

    def set_requires_grad(self, on: bool = True) -> Self:
        """Mark a leaf as trainable.

        DTypeError for other dtypes than floats, VkmlError for tensors that operations made.
        """
        spec = self._spec
        if on and spec.dtype.kind != "float":
            raise DTypeError(
                f"requires_grad: expected a float dtype, got {spec.dtype.name}; cast with "
                ".astype(vkml.float32)"
            )
        node = current(self._node)
        if node.src or node.view_src is not None:
            raise VkmlError(
                "requires_grad: this tensor was made by an operation; set it on the leaves, or "
                "call .realize() to make this one a leaf"
            )
        node.requires_grad = bool(on)
        return self

    @property
    def grad(self) -> Tensor:
        """The accumulated gradient, or an undefined tensor when there is none."""
        self._spec  # noqa: B018
        return Tensor() if self._grad is None else self._grad

    def set_grad(self, gradient: Tensor) -> None:
        """Replace the gradient by a copy. Shape, dtype and device must match."""
        spec = self._spec
        given = tensor_of(gradient, "set_grad")._spec
        if given.shape != spec.shape:
            raise ShapeError(f"set_grad: expected shape {spec.shape}, got {given.shape}")
        if given.dtype is not spec.dtype:
            raise DTypeError(f"set_grad: expected {spec.dtype.name}, got {given.dtype.name}")
        if given.device is not spec.device:
            raise DeviceError(f"set_grad: expected {spec.device}, got {given.device}")
        self._grad = gradient.copy()  # type: ignore[assignment]

    def __pow__(self, exponent: Any) -> Tensor:
        """A power; 2, 0.5 and -1 of floats record square, sqrt and reciprocal, as NumPy does."""
        if exponent.__class__ in (int, float) and self.dtype.kind == "float":
            chosen = _POWERS.get(exponent)
            if chosen is not None:
                return apply(TABLE[chosen], (self,))
        return _power(self, exponent)

    __hash__ = Writes.__hash__

    __add__ = binary(TABLE["add"], method=True)
    __radd__ = binary(TABLE["add"], reflected=True, method=True)
    __sub__ = binary(TABLE["subtract"], method=True)
    __rsub__ = binary(TABLE["subtract"], reflected=True, method=True)
    __mul__ = binary(TABLE["multiply"], method=True)
    __rmul__ = binary(TABLE["multiply"], reflected=True, method=True)
    __truediv__ = binary(TABLE["divide"], method=True)
    __rtruediv__ = binary(TABLE["divide"], reflected=True, method=True)
    __floordiv__ = binary(TABLE["floor_divide"], method=True)
    __rfloordiv__ = binary(TABLE["floor_divide"], reflected=True, method=True)
    __mod__ = binary(TABLE["remainder"], method=True)
    __rmod__ = binary(TABLE["remainder"], reflected=True, method=True)
    __rpow__ = binary(TABLE["pow"], reflected=True, method=True)
    __and__ = binary(TABLE["bitwise_and"], method=True)
    __rand__ = binary(TABLE["bitwise_and"], reflected=True, method=True)
    __or__ = binary(TABLE["bitwise_or"], method=True)
    __ror__ = binary(TABLE["bitwise_or"], reflected=True, method=True)
    __xor__ = binary(TABLE["bitwise_xor"], method=True)
    __rxor__ = binary(TABLE["bitwise_xor"], reflected=True, method=True)
    __lshift__ = binary(TABLE["bitwise_left_shift"], method=True)
    __rlshift__ = binary(TABLE["bitwise_left_shift"], reflected=True, method=True)
    __rshift__ = binary(TABLE["bitwise_right_shift"], method=True)
    __rrshift__ = binary(TABLE["bitwise_right_shift"], reflected=True, method=True)
    __lt__ = binary(TABLE["less"], method=True)
    __le__ = binary(TABLE["less_equal"], method=True)
    __gt__ = binary(TABLE["greater"], method=True)
    __ge__ = binary(TABLE["greater_equal"], method=True)
    __eq__ = binary(TABLE["equal"], method=True)  # type: ignore[assignment]
    __ne__ = binary(TABLE["not_equal"], method=True)  # type: ignore[assignment]
    __neg__ = unary(TABLE["negative"])
    __pos__ = unary(TABLE["positive"])
    __abs__ = unary(TABLE["abs"])
    __invert__ = unary(TABLE["bitwise_invert"])


_power = binary(TABLE["pow"], method=True)
_OPERANDS = (Tensor, bool, int, float, numpy.ndarray, numpy.generic)


def _wrap(node: Node) -> Tensor:
    tensor = Tensor.__new__(Tensor)
    tensor._node = node
    tensor._grad = None
    return tensor


def _is_dtype(name: str) -> bool:
    try:
        dtypes.of(name)
    except DTypeError:
        return False
    return True
