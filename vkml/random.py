"""Counter-based random numbers: equal seed and position give equal bits on every device.

A generator numbers its draws; element i of draw s is a function of (seed, s, i) alone, computed
inside the kernel that uses it. A new seed compiles nothing.
"""

from __future__ import annotations

import os
from typing import Any

import numpy

from . import dtypes, locks, shapes, target
from .array import Tensor, apply
from .creation import _check, _form, index
from .dtypes import DType
from .errors import DTypeError, RangeError
from .ops import TABLE
from .recording import real

__all__ = ["Generator", "default_rng", "integers", "normal", "random", "seed", "uniform"]


class Generator:
    """A stream of random tensors. `default_rng(seed)` makes one."""

    def __init__(self, seed: int | None = None) -> None:
        number = int.from_bytes(os.urandom(8), "little") if seed is None else _whole(seed, "seed")
        if not 0 <= number < 2**64:
            raise RangeError(f"seed: expected 0 <= seed < 2**64, got {number}")
        self._seed = number
        self._draws = 0
        self._lock = locks.lock()

    def _bits(self, shape: Any, device: object) -> Tensor:
        place = target.device(device)
        form = _form(shape, "random")
        with self._lock:
            stream = self._draws
            self._draws += 1
        words = (self._seed & 0xFFFFFFFF, self._seed >> 32, stream & 0xFFFFFFFF)
        return apply(TABLE["random_bits"], (*words, index(form, place)))

    def random(self, shape: Any = (), dtype: object = None, device: object = None) -> Tensor:
        """Uniform in [0, 1): multiples of 2**-24 (2**-11 for float16, 2**-32 for float64)."""
        kind = _float(dtype)
        _check(kind, target.device(device), "random")
        width = {2: 11, 4: 24, 8: 32}[kind.itemsize]
        bits = self._bits(shape, device)
        if width < 32:
            bits = bits >> (32 - width)
        return bits.astype(kind) * 2.0**-width

    def uniform(
        self, low: float = 0.0, high: float = 1.0, shape: Any = (), dtype: object = None,
        device: object = None,
    ) -> Tensor:  # fmt: skip
        """Uniform in [low, high)."""
        low, high = _number(low), _number(high)
        return self.random(shape, dtype, device) * (high - low) + low

    def normal(
        self, loc: float = 0.0, scale: float = 1.0, shape: Any = (), dtype: object = None,
        device: object = None,
    ) -> Tensor:  # fmt: skip
        """Normal with mean `loc` and deviation `scale`, by Box and Muller (1958)."""
        kind = _float(dtype)
        if kind is dtypes.float64:
            raise DTypeError("normal: no float64; draw float32 and cast with .astype(...)")
        radius = 1.0 - self.random(shape, dtypes.float32, device)  # in (0, 1]
        angle = self.random(shape, dtypes.float32, device) * 6.283185307179586
        log, sqrt, cos = (TABLE[name] for name in ("log", "sqrt", "cos"))
        normal = apply(sqrt, (apply(log, (radius,)) * -2.0,)) * apply(cos, (angle,))
        result = normal * _number(scale) + _number(loc)
        return result.astype(kind)

    def integers(
        self, low: int, high: int | None = None, shape: Any = (), dtype: object = None,
        device: object = None,
    ) -> Tensor:  # fmt: skip
        """Integers in [low, high), or [0, low); the range is at most 2**32 wide.

        A value is floor(bits * range / 2**32): its bias is below range / 2**32. Needs a device
        with 64-bit integers.
        """
        low, high = (0, low) if high is None else (low, high)
        low, high = _whole(low, "integers"), _whole(high, "integers")
        kind = dtypes.int64 if dtype is None else dtypes.of(dtype)
        if kind.kind not in ("int", "uint"):
            raise DTypeError(f"integers: expected an integer dtype, got {kind.name}")
        span = high - low
        if not 0 < span <= 2**32:
            raise RangeError(
                f"integers: expected low < high and at most 2**32 between them, got [{low}, {high})"
            )
        limits = numpy.iinfo(kind.numpy)
        if low < limits.min or high - 1 > limits.max:
            raise RangeError(
                f"integers: [{low}, {high}) is more than {kind.name} holds; pass a wider dtype"
            )
        _check(dtypes.uint64, target.device(device), "integers")
        bits = self._bits(shape, device).astype(dtypes.uint64)
        return (bits * span >> 32).astype(kind) + low


def _number(value: object) -> float:
    """A parameter of a distribution: a tensor as it is, anything else as a float."""
    return value if isinstance(value, Tensor) else real(value)  # type: ignore[return-value]


def _whole(value: Any, name: str) -> int:
    (number,) = shapes.integers(value, name)
    return number


def _float(dtype: object) -> DType:
    kind = dtypes.float32 if dtype is None else dtypes.of(dtype)
    if kind.kind != "float":
        raise DTypeError(f"random: expected a float dtype, got {kind.name}")
    return kind


_default = Generator()


def default_rng(seed: int | None = None) -> Generator:
    """A generator of its own; without a seed, one from the system's entropy."""
    return Generator(seed)


def seed(number: int) -> None:
    """Restart the module's own generator."""
    global _default
    _default = Generator(number)


def random(shape: Any = (), dtype: object = None, device: object = None) -> Tensor:
    """Uniform in [0, 1), from the module's own generator."""
    return _default.random(shape, dtype, device)


def uniform(
    low: float = 0.0, high: float = 1.0, shape: Any = (), dtype: object = None,
    device: object = None,
) -> Tensor:  # fmt: skip
    """Uniform in [low, high), from the module's own generator."""
    return _default.uniform(low, high, shape, dtype, device)


def normal(
    loc: float = 0.0, scale: float = 1.0, shape: Any = (), dtype: object = None,
    device: object = None,
) -> Tensor:  # fmt: skip
    """Normal, from the module's own generator."""
    return _default.normal(loc, scale, shape, dtype, device)


def integers(
    low: int, high: int | None = None, shape: Any = (), dtype: object = None, device: object = None
) -> Tensor:
    """Integers in [low, high) or [0, low), from the module's own generator."""
    return _default.integers(low, high, shape, dtype, device)
