"""The element-wise functions of the array namespace, made from the op table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .array import Tensor, apply, binary, unary
from .errors import ArgumentError, DTypeError
from .ops import TABLE, OpDef

__all__ = ["ELEMENTWISE", "gelu"]

_NOT_PUBLIC = frozenset(("astype", "copy", "random_bits", "gelu_erf", "gelu_tanh"))


def _function(row: OpDef) -> Callable[..., Tensor]:
    if row.arity == 1:
        function: Callable[..., Tensor] = unary(row)
    elif row.arity == 2:
        function = binary(row)
    else:

        def function(*operands: Any) -> Tensor:
            if len(operands) != row.arity:
                raise DTypeError(f"{row.name}: expected {row.arity} operands, got {len(operands)}")
            return apply(row, operands)

    function.__name__ = function.__qualname__ = row.name
    function.__module__ = "vkml"
    function.__doc__ = row.doc
    return function


ELEMENTWISE: dict[str, Callable[..., Tensor]] = {
    name: _function(row)
    for name, row in TABLE.items()
    if row.kind == "map" and name not in _NOT_PUBLIC
}


def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    """Gaussian error linear unit x * Phi(x); `approximate="tanh"` is the usual tanh formula."""
    if approximate not in ("none", "tanh"):
        raise ArgumentError(f"gelu: approximate: expected 'none' or 'tanh', got {approximate!r}")
    return apply(TABLE["gelu_tanh" if approximate == "tanh" else "gelu_erf"], (x,))


def clip(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """X limited to [min, max]; a bound that is None does not limit. NaN stays."""
    if min is None and max is None:
        return apply(TABLE["positive"], (x,))
    if min is None:
        return apply(TABLE["minimum"], (x, max))
    if max is None:
        return apply(TABLE["maximum"], (x, min))
    return apply(TABLE["clip"], (x, min, max))


def leaky_relu(x: Tensor, negative_slope: float = 0.01) -> Tensor:
    """X where x > 0, else negative_slope * x."""
    return apply(TABLE["leaky_relu"], (x, negative_slope))


def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """X where x > 0, else alpha * (exp(x) - 1)."""
    return apply(TABLE["elu"], (x, alpha))
