"""What the rows compute, in NumPy, where NumPy has no function of its own for it.

Composites of float operations run in float64 and round once at the end, so that the `cpu` device
is at least as near to the true value as any other. Invalid values and overflow are left to the
caller's `numpy.errstate`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

__all__: list[str] = []

Array = NDArray[Any]


def wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` evaluated in float64, its result in the operands' common dtype."""

    @functools.wraps(function)
    def in_double(*operands: Any) -> Any:
        arrays = [numpy.asarray(operand) for operand in operands]
        result = function(*(array.astype(numpy.float64) for array in arrays))
        return result.astype(numpy.result_type(*arrays))

    return in_double


def whole(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`function` for floats; integers and bools, which are whole already, stay as they are."""

    @functools.wraps(function)
    def of_floats(x: Any) -> Any:
        x = numpy.asarray(x)
        return function(x) if x.dtype.kind == "f" else x.copy()

    return of_floats


floor = whole(numpy.floor)
ceil = whole(numpy.ceil)
trunc = whole(numpy.trunc)
round_half_even = whole(numpy.rint)

_erf = numpy.frompyfunc(math.erf, 1, 1)
_erfc = numpy.frompyfunc(math.erfc, 1, 1)


@wide
def erf(x: Array) -> Array:
    """The error function, by the C library's."""
    return numpy.asarray(_erf(x), numpy.float64)


@wide
def erfc(x: Array) -> Array:
    """1 - erf(x), by the C library's."""
    return numpy.asarray(_erfc(x), numpy.float64)


@wide
def rsqrt(x: Array) -> Array:
    """1 / sqrt(x)."""
    return numpy.asarray(1.0 / numpy.sqrt(x))


def signbit(x: Any) -> Any:
    """The sign bit; false for bools and unsigned integers."""
    x = numpy.asarray(x)
    return numpy.signbit(x) if x.dtype.kind == "f" else x < 0


def power(x: Any, y: Any) -> Any:
    """Powers; of integers to a negative power the true power rounded towards zero."""
    x, y = numpy.asarray(x), numpy.asarray(y)
    if x.dtype.kind != "i":
        return numpy.power(x, y)
    odd = (y & 1) != 0
    inverse = numpy.where(x == 1, 1, numpy.where(x == -1, numpy.where(odd, -1, 1), 0))
    return numpy.where(y < 0, inverse, numpy.power(x, numpy.maximum(y, 0))).astype(x.dtype)


@wide
def lerp(a: Array, b: Array, t: Array) -> Array:
    """From a to b in a straight line, exact at both ends."""
    way = b - a
    return numpy.asarray(numpy.where(t < 0.5, a + t * way, b - (1.0 - t) * way))


def relu(x: Any) -> Any:
    """The operand above 0, else 0; nan stays."""
    x = numpy.asarray(x)
    return numpy.where(x <= 0, x.dtype.type(0), x)


@wide
def leaky_relu(x: Array, slope: Array) -> Array:
    """The operand above 0, else x * slope."""
    return numpy.where(x > 0.0, x, x * slope)


@wide
def elu(x: Array, alpha: Array) -> Array:
    """The operand above 0, else alpha * (exp(x) - 1)."""
    return numpy.where(x > 0.0, x, alpha * numpy.expm1(x))


def _sigmoid(x: Array) -> Array:
    small = numpy.exp(-numpy.abs(x))
    return numpy.asarray(numpy.where(x >= 0.0, 1.0, small) / (1.0 + small))


def _gate(x: Array, weight: Array) -> Array:
    """The product, where the weight falls faster than x grows: -0 at -inf."""
    return numpy.where(x == -numpy.inf, -0.0, x * weight)


@wide
def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return _sigmoid(x)


@wide
def silu(x: Array) -> Array:
    """The product of x and sigmoid(x)."""
    return _gate(x, _sigmoid(x))


@wide
def softplus(x: Array) -> Array:
    """log(1 + exp(x))."""
    return numpy.asarray(numpy.logaddexp(x, 0.0))


@wide
def gelu_erf(x: Array) -> Array:
    """Product of x and the normal distribution's share below x."""
    return _gate(x, 0.5 * numpy.asarray(_erfc(-x * math.sqrt(0.5)), numpy.float64))


@wide
def gelu_tanh(x: Array) -> Array:
    """(1 + tanh(u)) / 2 is sigmoid(2 u), which does not cancel."""
    return _gate(x, _sigmoid(math.sqrt(8.0 / math.pi) * (x + 0.044715 * x * x * x)))


def cast(values: Any, dtype: Any) -> Any:
    """`values` as NumPy dtype `dtype`, by the rules of `casts`."""
    values, dtype = numpy.asarray(values), numpy.dtype(dtype)
    if dtype.kind == "b":
        return values != 0
    if values.dtype.kind != "f" or dtype.kind == "f":
        return values.astype(dtype)
    limits = numpy.iinfo(dtype)
    whole_values = numpy.trunc(values.astype(numpy.float64))
    below = whole_values <= float(limits.min)
    above = whole_values >= float(limits.max)  # of 64 bits: the power of two above the limit
    inside = numpy.where(below | above | numpy.isnan(values), 0.0, whole_values).astype(dtype)
    saturated = numpy.where(above, dtype.type(limits.max), inside)
    return numpy.where(below, dtype.type(limits.min), saturated)


def full(shape: Sequence[int], dtype: Any, value: Any) -> Array:
    """An array of `shape` that holds `value` everywhere."""
    return numpy.full(tuple(shape), value, dtype)


def index(shape: Sequence[int], dtype: Any) -> Array:
    """The row-major number of each element of an array of `shape`."""
    return numpy.arange(math.prod(shape)).reshape(tuple(shape)).astype(dtype)


_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA


def threefry2x32(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Array, Array]:
    """Threefry-2x32 with 20 rounds: two uint32 words for a key and a counter of two words each."""
    words = [numpy.asarray(word, numpy.uint32) for word in key]
    keys = (*words, words[0] ^ words[1] ^ numpy.uint32(_PARITY))
    x0 = numpy.asarray(counter[0], numpy.uint32) + keys[0]
    x1 = numpy.asarray(counter[1], numpy.uint32) + keys[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x0 = x0 + x1
            left, right = numpy.uint32(rotation), numpy.uint32(32 - rotation)
            x1 = (x1 << left | x1 >> right) ^ x0
        x0 = x0 + keys[(group + 1) % 3]
        x1 = x1 + keys[(group + 2) % 3] + numpy.uint32(group + 1)
    return x0, x1


def threefry(seed_low: Any, seed_high: Any, stream: Any, index: Any) -> Any:
    """The first word of Threefry-2x32-20 for the key (seed_low, seed_high)."""
    return threefry2x32((seed_low, seed_high), (stream, index))[0]


def nextafter(x: Array, y: Array) -> Array:
    """numpy.nextafter, with y where both are equal: NumPy before 2.5 kept float16's -0.0 there."""
    return numpy.where(x == y, y, numpy.nextafter(x, y))
