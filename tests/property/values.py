"""Values that programs run on: every special one of a dtype, and random ones."""

from __future__ import annotations

import random
from typing import Any

import numpy
from numpy.typing import NDArray

from vkml import dtypes
from vkml.dtypes import DType

__all__ = ["edges", "scalar_of", "special"]


def edges(dtype: DType) -> NDArray[Any]:
    """Special values: both zeros, infinities, nan, subnormals, extremes, neighbours of one."""
    if dtype.kind == "bool":
        return numpy.array([False, True])
    if dtype.kind != "float":
        limits = numpy.iinfo(dtype.numpy)
        values = (0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, -1, -2, -7, -64, limits.max, limits.max - 1,
                  limits.min, limits.min + 1, 2**24 + 1, 2**31, 2**53 + 1)  # fmt: skip
        return numpy.array([v for v in values if limits.min <= v <= limits.max], dtype.numpy)
    facts = numpy.finfo(dtype.numpy)
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 100.0, 65504.0, 255.5, float(facts.tiny),
                float(facts.smallest_subnormal), 3 * float(facts.smallest_subnormal),
                float(facts.max), numpy.inf, numpy.nan]  # fmt: skip
    if dtype.itemsize > 2:
        positive += [2.0**31, 2.0**32, 2.0**63, 16777217.0, 1e30, 88.8, 1e-30]
    signs = numpy.array(positive, dtype.numpy)
    beside = numpy.nextafter(dtype.numpy.type(1), numpy.array([0, 2], dtype.numpy))
    return numpy.concatenate([signs, -signs, beside])


def special(
    generator: numpy.random.Generator, dtype: DType, shape: tuple[int, ...], wild: bool = True
) -> NDArray[Any]:
    """An array of `shape`: special values, values near 1 to 100, and, if `wild`, any bits."""
    size = int(numpy.prod(shape, dtype=numpy.int64))
    if dtype.kind == "bool":
        return generator.integers(0, 2, size).astype(bool).reshape(shape)
    if dtype.kind == "float":
        spread = generator.choice((0.5, 3.0, 50.0))
        tame = (generator.normal(size=size) * spread).astype(dtype.numpy)
    else:
        low = 0 if dtype.kind == "uint" else -100
        tame = generator.integers(low, 120, size).astype(dtype.numpy)
    share = 0.5 if wild else 0.1
    chosen = generator.random(size) < share * 0.6
    result = numpy.where(chosen, generator.choice(edges(dtype), size), tame)
    if wild:
        bits = generator.integers(0, 256, size * dtype.itemsize, dtype=numpy.uint8)
        with numpy.errstate(invalid="ignore"):  # C libraries take pow(1, signalling nan) for nan
            any_bits = bits.view(dtype.numpy) + dtype.numpy.type(0)
        result = numpy.where(generator.random(size) < 0.3, any_bits, result)
    return result.astype(dtype.numpy).reshape(shape)


def scalar_of(rng: random.Random, dtype: DType) -> Any:
    """A Python scalar that combines with arrays of `dtype` without changing it."""
    if dtype is dtypes.bool_:
        return rng.choice((False, True))
    if dtype.kind == "float":
        return rng.choice(
            (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3, 0, 1e-5, 1e-40, 1e30, float("inf"),
             float("-inf"), float("nan"), True)
        )  # fmt: skip
    limits = numpy.iinfo(dtype.numpy)
    return rng.choice((0, 1, 2, 3, 7, 31, True, int(limits.max), int(limits.min)))
