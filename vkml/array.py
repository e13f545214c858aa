"""Tensor: the handle to a value in the graph."""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

import numpy
from numpy.typing import NDArray

from . import dtypes, evaluate, indexing, recording, shapes, target
from .dtypes import DType
from .errors import DeviceError, DTypeError, ShapeError, VkmlError
from .graph import Node, Spec, caller, rule_of, spec_of
from .ops import TABLE, OpDef
from .recording import current, finish, record, recipe, watch
from .shapes import Layout, contiguous
from .storage import Cell

__all__ = ["Tensor", "apply", "operator_method"]

_SCALAR_TYPES = frozenset((bool, int, float))
_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
"""Exponents that record another row, as NumPy does; nothing else looks at a value."""


class Tensor:
    """A lazy, NumPy-shaped array. Copying a Tensor copies a handle, never data.

    Operations build a graph; work happens when a value is observed (numpy, item, str, bool, …) or
    `realize()` is called. `Tensor()` is undefined: `defined()` is False and anything else raises.
    """

    __slots__ = ("__weakref__", "_grad", "_node")
    __array_priority__ = 1000
    __array_ufunc__ = None  # NumPy leaves `ndarray + tensor` to the reflected method

    _node: Node

    def __init__(self) -> None:
        self._grad: Tensor | None = None

    # ---- facts -------------------------------------------------------------------------------

    def defined(self) -> bool:
        """Whether the handle refers to a value."""
        return hasattr(self, "_node")

    @property
    def _spec(self) -> Spec:
        try:
            return self._node.rule.spec
        except AttributeError:
            raise VkmlError(
                "tensor: undefined (made by Tensor(), or a gradient that was never computed); "
                "check .defined() first"
            ) from None

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents, the outermost axis first."""
        return self._spec.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes between neighbours along each axis; 0 where an axis is broadcast."""
        spec = self._spec
        return tuple(stride * spec.dtype.itemsize for stride in spec.layout.strides)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._spec.size

    def numel(self) -> int:
        """Number of elements."""
        return self._spec.size

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._spec.shape)

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._spec.dtype

    @property
    def device(self) -> target.Device:
        """Where the tensor lives."""
        device: target.Device = self._spec.device
        return device

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, without gaps."""
        return self._spec.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._spec.dtype.itemsize

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return self._spec.layout.is_contiguous

    @property
    def T(self) -> Tensor:
        """All axes reversed. A view."""
        return self.transpose()

    @property
    def mT(self) -> Tensor:
        """The last two axes swapped. A view. Raises ShapeError below two axes."""
        if self.ndim < 2:
            raise ShapeError(f"mT: expected at least 2 axes, got {self.ndim}")
        return self.transpose(-2, -1)

    # ---- views -------------------------------------------------------------------------------

    def _viewed(self, layout: Layout, *what: Any) -> Tensor:
        return _wrap(finish(recording.view(current(self._node), layout, what)))

    def reshape(self, *shape: Any, copy: bool | None = None) -> Tensor:
        """The same elements in row-major order under another shape; one extent may be -1.

        A view wherever strides can express it, else a copy; `copy=False` raises ValueError
        (ShapeError) instead of copying, `copy=True` always copies.
        """
        spec = self._spec
        wanted = _shape(shape, "reshape")
        if wanted.count(-1) == 1:
            known = -shapes.size_of(wanted)
            if known == 0 or spec.size % known:
                raise ShapeError(f"reshape: {spec.shape} does not fit {wanted}")
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

    def permute(self, *axes: Any) -> Tensor:
        """Axes in the given order. A view."""
        order = _integers(axes, "permute")
        if not order and self.ndim:
            raise ShapeError(f"permute: expected {self.ndim} axes, got none")
        return self.permute_dims(order)

    def permute_dims(self, axes: Sequence[int]) -> Tensor:
        """Axes in the order of `axes`. A view. Raises ShapeError if it is no permutation."""
        spec = self._spec
        rank = len(spec.shape)
        order = tuple(shapes.normalize_axis(axis, rank, "permute_dims") for axis in axes)
        if sorted(order) != list(range(rank)):
            raise ShapeError(f"permute_dims: {tuple(axes)} is no permutation of {rank} axes")
        return self._viewed(spec.layout.permuted(order), "permute", order)

    def transpose(self, *axes: Any) -> Tensor:
        """All axes reversed; with a sequence, axes in that order; with two integers, those swapped.

        A view.
        """
        rank = len(self._spec.shape)
        order = _integers(axes, "transpose")
        if not order:
            return self.permute_dims(tuple(reversed(range(rank))))
        if len(axes) == 2:
            return self.swapaxes(*order)
        return self.permute_dims(order)

    def swapaxes(self, axis1: int, axis2: int) -> Tensor:
        """Two axes exchanged. A view."""
        rank = len(self._spec.shape)
        first = shapes.normalize_axis(axis1, rank, "swapaxes")
        second = shapes.normalize_axis(axis2, rank, "swapaxes")
        order = list(range(rank))
        order[first], order[second] = second, first
        return self.permute_dims(order)

    def squeeze(self, axis: int | Sequence[int] | None = None) -> Tensor:
        """Without axes of extent 1: all, or those named. A view. Other extents raise ShapeError."""
        spec = self._spec
        rank = len(spec.shape)
        if axis is None:
            gone = [n for n, extent in enumerate(spec.shape) if extent == 1]
        else:
            names = (axis,) if isinstance(axis, int) else tuple(axis)
            gone = [shapes.normalize_axis(name, rank, "squeeze") for name in names]
            for n in gone:
                if spec.shape[n] != 1:
                    raise ShapeError(f"squeeze: axis {n} has extent {spec.shape[n]}, not 1")
        return self._viewed(spec.layout.removed(gone), "squeeze", tuple(gone))

    def unsqueeze(self, axis: int) -> Tensor:
        """A new axis of extent 1 at position `axis` of the result. A view."""
        spec = self._spec
        place = shapes.normalize_axis(axis, len(spec.shape) + 1, "unsqueeze")
        return self._viewed(spec.layout.inserted(place), "unsqueeze", place)

    def expand_dims(self, axis: int = 0) -> Tensor:
        """The array API's name of `unsqueeze`."""
        return self.unsqueeze(axis)

    def slice(
        self, axis: int, start: int | None = None, stop: int | None = None, step: int = 1
    ) -> Tensor:
        """Elements start, start + step, … before stop along one axis, as Python slices. A view."""
        place = shapes.normalize_axis(axis, len(self._spec.shape), "slice")
        return self[(*(slice(None),) * place, slice(start, stop, step))]

    def flip(self, axis: int | Sequence[int] | None = None) -> Tensor:
        """Reversed along an axis, several, or all. A view."""
        rank = len(self._spec.shape)
        if axis is None:
            names: tuple[int, ...] = tuple(range(rank))
        else:
            given = (axis,) if isinstance(axis, int) else tuple(axis)
            names = tuple(shapes.normalize_axis(name, rank, "flip") for name in given)
        back = slice(None, None, -1)
        return self[tuple(back if n in names else slice(None) for n in range(rank))]

    def broadcast_to(self, *shape: Any) -> Tensor:
        """Stretched to `shape` by NumPy's rule, with stride 0. A view."""
        spec = self._spec
        wanted = _shape(shape, "broadcast_to")
        if shapes.broadcast_shapes(spec.shape, wanted, name="broadcast_to") != wanted:
            raise ShapeError(f"broadcast_to: {spec.shape} does not broadcast to {wanted}")
        return self._viewed(spec.layout.expanded(wanted), "broadcast_to", wanted)

    def __getitem__(self, key: Any) -> Tensor:
        return self._viewed(indexing.indexed(self._spec.layout, key), "index")

    def __setitem__(self, key: Any, value: Any) -> None:
        spec = self._spec
        part = indexing.indexed(spec.layout, key)
        node = _operand(value, self)
        _write(self, part, node)

    # ---- copies and casts --------------------------------------------------------------------

    def _copied(self) -> Tensor:
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
        return _wrap(finish(made))

    def contiguous(self) -> Tensor:
        """A row-major copy; the tensor itself when it already is contiguous."""
        return self if self.is_contiguous else self._copied()

    def copy(self) -> Tensor:
        """A copy with memory of its own."""
        return self._copied()

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
            return self if device is self.device else _moved(self, device)
        return self.astype(where)

    def to_device(self, device: object) -> Tensor:
        """On another device; the array API's name."""
        return self.to(target.device(device))

    def assign_(self, value: Any) -> Self:
        """Overwrite this array in place with `value` of the same shape, dtype and device.

        Makes a new version and runs nothing: what was recorded earlier keeps the old values,
        every handle and view of the array sees the new ones. Raises ShapeError, DTypeError or
        DeviceError on a mismatch, and ShapeError where the destination is not contiguous.
        """
        spec = self._spec
        node = _operand(value, self)
        given = node.rule.spec
        if not isinstance(value, Tensor):
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

    # ---- observation -------------------------------------------------------------------------

    def realize(self) -> Self:
        """Compute the value now, without downloading it; returns the tensor itself."""
        self._spec  # noqa: B018 - raises for an undefined handle
        evaluate.realize([self._latest()])
        return self

    def _latest(self) -> Node:
        self._spec  # noqa: B018
        node = current(self._node)
        if node is not self._node:
            self._node = node
        return node

    def numpy(self) -> NDArray[Any]:
        """The value as a fresh, writable NumPy array. One submission when it was not computed."""
        return evaluate.observe([self._latest()])[0]

    to_host = numpy

    def item(self) -> Any:
        """The value of a single-element tensor as a Python scalar. Raises ShapeError otherwise."""
        if self.size != 1:
            raise ShapeError(f"item: expected one element, got shape {self.shape}")
        return self.numpy().item()

    def tolist(self) -> Any:
        """The value as nested lists of Python scalars."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("numpy.asarray(tensor, copy=False): device memory is always copied")
        value = self.numpy()
        return value if dtype is None else value.astype(dtype, copy=False)

    def _single(self, what: str) -> Any:
        if self.size != 1:
            raise ShapeError(f"{what}: expected one element, got shape {self.shape}")
        return self.numpy().item()

    def __bool__(self) -> bool:
        return bool(self._single("bool"))

    def __int__(self) -> int:
        return int(self._single("int"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __complex__(self) -> complex:
        return complex(self._single("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in ("int", "uint"):
            raise DTypeError(f"index: expected an integer tensor, got {self.dtype.name}")
        return int(self._single("index"))

    def __len__(self) -> int:
        if not self.shape:
            raise DTypeError("len: a tensor of no axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """The items along the first axis from one download: NumPy scalars or arrays."""
        if not self.shape:
            raise DTypeError("iter: a tensor of no axes cannot be iterated over")
        return iter(self.numpy())

    def __contains__(self, value: Any) -> bool:
        return bool((self.numpy() == (value.numpy() if isinstance(value, Tensor) else value)).any())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if not self.defined():
            return "vkml.Tensor(undefined)"
        facts = f"shape={self.shape}, dtype={self.dtype.name}, device={self.device}"
        node = current(self._node)
        if not node.computed:
            return f"vkml.Tensor(not computed, {facts})"
        return f"vkml.Tensor({numpy.array2string(_shown(self), separator=', ')}, {facts})"

    def str(self) -> builtins.str:
        """The value as NumPy prints it; downloads only what is shown."""
        return builtins.str(_shown(self))

    def __str__(self) -> builtins.str:
        return "undefined" if not self.defined() else self.str()

    def __format__(self, form: builtins.str) -> builtins.str:
        return format(self.item(), form) if form else builtins.str(self)

    def __copy__(self) -> Tensor:
        return _wrap(self._node) if self.defined() else Tensor()

    # ---- automatic differentiation, as far as it exists ----------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to this tensor."""
        self._spec  # noqa: B018
        return current(self._node).requires_grad

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        self.set_requires_grad(on)

    def set_requires_grad(self, on: bool = True) -> Self:
        """Mark a leaf as trainable. DTypeError for other dtypes than floats, VkmlError for
        tensors that operations made.
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
        given = gradient._spec
        if given.shape != spec.shape:
            raise ShapeError(f"set_grad: expected shape {spec.shape}, got {given.shape}")
        if given.dtype is not spec.dtype:
            raise DTypeError(f"set_grad: expected {spec.dtype.name}, got {given.dtype.name}")
        if given.device is not spec.device:
            raise DeviceError(f"set_grad: expected {spec.device}, got {given.device}")
        self._grad = gradient.copy()


def _wrap(node: Node) -> Tensor:
    tensor = Tensor.__new__(Tensor)
    tensor._node = node
    tensor._grad = None
    return tensor


def _shape(arguments: tuple[Any, ...], name: str) -> tuple[int, ...]:
    return _integers(arguments, name)


def _integers(arguments: tuple[Any, ...], name: str) -> tuple[int, ...]:
    """Integers given one by one or as one sequence."""
    if len(arguments) == 1 and not hasattr(arguments[0], "__index__"):
        arguments = tuple(arguments[0])
    try:
        return tuple(operator.index(argument) for argument in arguments)
    except TypeError:
        raise DTypeError(f"{name}: expected integers, got {arguments!r}") from None


def _is_dtype(name: str) -> bool:
    try:
        dtypes.of(name)
    except DTypeError:
        return False
    return True


def _shown(tensor: Tensor) -> NDArray[Any]:
    """What printing shows; of a large array only the corners are downloaded."""
    options = numpy.get_printoptions()
    edge = options["edgeitems"]
    if tensor.size <= options["threshold"] or edge <= 0:
        return tensor.numpy()
    few = tensor
    for axis, extent in enumerate(tensor.shape):
        if extent > 2 * edge + 1:
            few = few.slice(axis, None, None, (extent - 1) // (2 * edge) or 1)
    return tensor.numpy()


def _moved(tensor: Tensor, device: target.Device) -> Tensor:
    from .creation import tensor as make

    return make(tensor.numpy(), device=device)


def _operand(value: Any, like: Tensor) -> Node:
    """A value to be stored in `like`: a tensor's node, or a constant of its dtype and device."""
    spec = like._spec
    if isinstance(value, Tensor):
        node = value._latest()
        if node.rule.spec.device is not spec.device:
            raise DeviceError(
                f"assign: the value is on {value.device}, the array on {spec.device}; move it "
                f"with .to({str(spec.device)!r})"
            )
        return node
    if type(value) in _SCALAR_TYPES:
        return recording.full(value, (), spec.dtype, spec.device)
    from .creation import tensor as make

    return make(value, dtype=spec.dtype, device=spec.device)._node


def _broadcast(node: Node, shape: tuple[int, ...], name: str) -> Node:
    spec = node.rule.spec
    if spec.shape == shape:
        return node
    if shapes.broadcast_shapes(spec.shape, shape, name=name) != shape:
        raise ShapeError(f"{name}: {spec.shape} does not broadcast to {shape}")
    return recording.view(node, spec.layout.expanded(shape), ("broadcast_to", shape))


def _write(tensor: Tensor, part: Layout, value: Node) -> None:
    """A new version of the tensor's array with the elements of `part` replaced."""
    node = current(tensor._node)
    spec = node.rule.spec
    owner = node.view_src or node
    if 0 in part.strides and any(
        stride == 0 and extent > 1 for stride, extent in zip(part.strides, part.shape, strict=True)
    ):
        raise ShapeError("assign: the destination is a broadcast view; call .copy() on it first")
    if value.rule.spec.dtype is not spec.dtype:
        value = apply(TABLE["astype"], (_wrap(value),), spec.dtype)._node
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


def apply(row: OpDef, operands: tuple[Any, ...], attribute: DType | None = None) -> Tensor:
    """Record `row` on tensors, NumPy arrays and Python scalars; at least one tensor."""
    nodes: list[Any] = []
    device: target.Device | None = None
    for operand in operands:
        if isinstance(operand, Tensor):
            nodes.append(operand._latest())
            device = device or operand.device
        else:
            nodes.append(operand)
    for place, operand in enumerate(nodes):
        if operand.__class__ is Node or type(operand) in _SCALAR_TYPES:
            continue
        if isinstance(operand, (numpy.ndarray, numpy.generic)):
            from .creation import tensor as make

            nodes[place] = make(operand, device=device)._node
        else:
            raise DTypeError(
                f"{row.name}: operand {place + 1}: expected a tensor, an array or a number, got "
                f"{type(operand).__name__}; make a tensor with vkml.tensor(...)"
            )
    if device is None:
        if not any(operand.__class__ is Node for operand in nodes):
            from .creation import tensor as make

            nodes[0] = make(nodes[0])._node
    specs = tuple(
        operand.rule.spec if operand.__class__ is Node else type(operand) for operand in nodes
    )
    key = (row.name, attribute, *specs)
    found = _recipes.get(key)
    if found is None:
        if len(_recipes) > 1 << 16:
            _recipes.clear()
        found = _recipes[key] = recipe(row, specs, attribute)
    frame = caller()
    node = record(
        found, tuple(nodes), frame and frame.f_code, frame.f_lasti if frame else 0
    )
    return _wrap(finish(node))


_recipes: dict[tuple[Any, ...], recording.Recipe] = {}


def operator_method(name: str, reflected: bool = False) -> Callable[[Tensor, Any], Tensor]:
    """A binary operator of Tensor: one memo look-up and two objects on the known path."""
    row = TABLE[name]
    memo: dict[Any, Any] = {}
    get_frame = sys._getframe

    def method(self: Tensor, other: Any) -> Tensor:
        a = self._node
        if a.cell is not None:
            a = self._latest()
        if other.__class__ is Tensor:
            b = other._node
            if b.cell is not None:
                b = other._latest()
            rule = memo.get((a.rule.spec, b.rule.spec))
            if rule is not None:
                frame = get_frame(1)
                node = Node(
                    rule, (a, b), frame.f_code, frame.f_lasti, None, None,
                    a.requires_grad or b.requires_grad,
                )  # fmt: skip
                if node.serial >= watch.serial:
                    recording.look(node)
                tensor = new(Tensor)
                tensor._node = node
                tensor._grad = None
                return tensor
            made = apply(row, (other, self) if reflected else (self, other))
            simple = made._node
            if simple.src == (a, b) and not simple.computed:
                memo[a.rule.spec, b.rule.spec] = simple.rule
            return made
        if isinstance(other, (Tensor, numpy.ndarray, numpy.generic)) or type(other) in _SCALAR_TYPES:
            if name == "pow" and not reflected and type(other) in _SCALAR_TYPES:
                chosen = _POWERS.get(other) if a.rule.spec.dtype.kind == "float" else None
                if chosen is not None and type(other) is not bool:
                    return apply(TABLE[chosen], (self,))
            return apply(row, (other, self) if reflected else (self, other))
        return NotImplemented

    new = Tensor.__new__
    method.__doc__ = row.doc
    return method


def _unary(name: str) -> Callable[[Tensor], Tensor]:
    row = TABLE[name]

    def method(self: Tensor) -> Tensor:
        return apply(row, (self,))

    method.__doc__ = row.doc
    return method


_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
_COMPARISONS = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal",
    "eq": "equal", "ne": "not_equal",
}  # fmt: skip
for _sign, _name in _BINARY.items():
    if _name in TABLE:
        setattr(Tensor, f"__{_sign}__", operator_method(_name))
        setattr(Tensor, f"__r{_sign}__", operator_method(_name, reflected=True))
for _sign, _name in _COMPARISONS.items():
    setattr(Tensor, f"__{_sign}__", operator_method(_name))
for _sign, _name in {
    "neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert",
}.items():  # fmt: skip
    setattr(Tensor, f"__{_sign}__", _unary(_name))
