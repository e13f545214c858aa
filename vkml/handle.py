"""Handle: what a tensor is and how its value is observed. Tensor adds views and operations."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any, Self

import numpy
from numpy.typing import NDArray

from . import evaluate, target
from .dtypes import DType
from .errors import ArgumentError, DTypeError, ShapeError, UnsupportedError, VkmlError
from .graph import Node, Spec
from .recording import current

__all__ = ["Handle"]


class _Undefined:
    """The node of an undefined handle: whatever is asked of it raises VkmlError."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise VkmlError(
            "tensor: undefined (made by Tensor(), or a gradient that was never computed); "
            "check .defined() first"
        )


_UNDEFINED: Any = _Undefined()


class Handle:
    """A reference to a node: facts without work, and the observers that make work happen."""

    __slots__ = ("__weakref__", "_grad", "_node")
    __array_priority__ = 1000
    __array_ufunc__ = None  # NumPy leaves `ndarray + tensor` to the reflected method

    _node: Node
    _grad: Self | None

    def __init__(self, *data: Any) -> None:
        if data:
            raise DTypeError("Tensor: takes no data; make a tensor with vkml.tensor(...)")
        self._node = _UNDEFINED
        self._grad = None

    def _wrap(self, node: Node) -> Self:
        """Another handle of the same class."""
        made = object.__new__(type(self))
        made._node = node
        made._grad = None
        return made

    # ---- facts -------------------------------------------------------------------------------

    def defined(self) -> bool:
        """Whether the handle refers to a value."""
        return self._node is not _UNDEFINED

    @property
    def _spec(self) -> Spec:
        return self._node.rule.spec

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
        return self._single("item")

    def tolist(self) -> Any:
        """The value as nested lists of Python scalars."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ArgumentError("asarray: copy=False, but device memory is always copied")
        value = self.numpy()
        return value if dtype is None else value.astype(dtype, copy=False)

    def _single(self, what: str) -> Any:
        if self.size != 1:
            raise ShapeError(
                f"{what}: expected one element, got shape {self.shape}; select one, as in t[0]"
            )
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
        return bool((self.numpy() == (value.numpy() if isinstance(value, Handle) else value)).any())

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if not self.defined():
            return "vkml.Tensor(undefined)"
        facts = f"shape={self.shape}, dtype={self.dtype.name}, device={self.device}"
        node = current(self._node)
        if not node.computed:
            return f"vkml.Tensor(not computed, {facts})"
        return f"vkml.Tensor({self._printed(', ')}, {facts})"

    def str(self) -> builtins.str:
        """The value as NumPy prints it; downloads only what is shown."""
        return self._printed(" ")

    def __str__(self) -> builtins.str:
        return "undefined" if not self.defined() else self.str()

    def __format__(self, form: builtins.str) -> builtins.str:
        return format(self.item(), form) if form else builtins.str(self)

    def __copy__(self) -> Self:
        return self._wrap(self._node)

    def __deepcopy__(self, memo: Any) -> Self:
        raise UnsupportedError("deepcopy: tensors are not copied this way; take .copy()")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise UnsupportedError(
            "pickle: tensors are not pickled; take .numpy(), and vkml.tensor(...) on the other side"
        )

    def _printed(self, separator: builtins.str) -> builtins.str:
        """The value in NumPy's form."""
        return numpy.array2string(self.numpy(), separator=separator)
