"""DType rows and promotion.

Promotion follows the array API standard (2024.12) within a kind; across kinds
bool < int < float, and the float's width stays (int32 + float16 -> float16). Python scalars are
weak: they take the array's dtype if the kind fits, else the default of their own kind.
"""

from __future__ import annotations

from typing import Any

import numpy

from .errors import DTypeError

__all__ = ["ALL", "DType", "by_name", "of", "promote"]


class DType:
    """One element type. There is one object per type: compare with `is` or `==`.

    Attributes: `name`; `kind` ("bool", "int", "uint" or "float"); `itemsize` in bytes;
    `numpy`, the matching NumPy dtype in native byte order; `register`, the GLSL family
    that holds a value inside a kernel (see codegen.glsl); `bits`, the width.
    """

    __slots__ = ("bits", "itemsize", "kind", "name", "numpy", "register")

    def __init__(self, name: str, kind: str, itemsize: int, register: str) -> None:
        self.name = name
        self.kind = kind
        self.itemsize = itemsize
        self.bits = 8 * itemsize
        self.register = register
        self.numpy: numpy.dtype[Any] = numpy.dtype(name)

    def __repr__(self) -> str:
        return f"vkml.{'bool' if self.kind == 'bool' else self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (by_name, (self.name,))


bool_ = DType("bool", "bool", 1, "bool")
int8 = DType("int8", "int", 1, "int")
int16 = DType("int16", "int", 2, "int")
int32 = DType("int32", "int", 4, "int")
int64 = DType("int64", "int", 8, "long")
uint8 = DType("uint8", "uint", 1, "uint")
uint16 = DType("uint16", "uint", 2, "uint")
uint32 = DType("uint32", "uint", 4, "uint")
uint64 = DType("uint64", "uint", 8, "ulong")
float16 = DType("float16", "float", 2, "float")
float32 = DType("float32", "float", 4, "float")
float64 = DType("float64", "float", 8, "double")

ALL = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64,
)  # fmt: skip
INTEGERS = tuple(dtype for dtype in ALL if dtype.kind in ("int", "uint"))
FLOATS = (float16, float32, float64)

_BY_NAME = {dtype.name: dtype for dtype in ALL}
_BY_NUMPY = {dtype.numpy: dtype for dtype in ALL}
_BY_PYTHON = {bool: bool_, int: int64, float: float32}
_RANK = {"bool": 0, "uint": 1, "int": 1, "float": 2}


def by_name(name: str) -> DType:
    """The dtype called `name`, as in "float32"."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise DTypeError(f"{name!r} is no vkml dtype; there are {', '.join(_BY_NAME)}") from None


def of(value: object) -> DType:
    """The DType that `value` names: a DType, its name, a NumPy dtype or scalar type, a Python type.

    Raises DTypeError for anything else (complex, str, object and structured types included).
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, type) and value in _BY_PYTHON:
        return _BY_PYTHON[value]
    found = None
    if value is not None:  # NumPy reads None as float64
        try:
            found = _BY_NUMPY.get(numpy.dtype(value).newbyteorder("="))  # type: ignore[call-overload]
        except (TypeError, ValueError, SyntaxError):
            pass
    if found is None:
        given = value if isinstance(value, numpy.dtype) else repr(value)
        raise DTypeError(f"no vkml dtype for {given}; there are {', '.join(_BY_NAME)}")
    return found


def promote(a: DType, b: DType) -> DType:
    """The dtype that holds the result of combining arrays of dtypes `a` and `b`.

    uint64 with a signed integer has no common integer type: DTypeError, as the standard leaves
    it undefined; cast one of them.
    """
    if a is b:
        return a
    if a.kind == b.kind:
        return a if a.itemsize >= b.itemsize else b
    if _RANK[a.kind] != _RANK[b.kind]:
        return a if _RANK[a.kind] > _RANK[b.kind] else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    if unsigned.itemsize == 8:
        raise DTypeError(
            f"{a.name} and {b.name} have no common integer dtype; cast both with "
            ".astype(vkml.int64)"
        )
    return by_name(f"int{2 * unsigned.bits}")


def weak(dtype: DType, scalar: DType) -> DType:
    """The dtype of an array of `dtype` combined with a Python scalar that alone is a `scalar`."""
    return dtype if _RANK[dtype.kind] >= _RANK[scalar.kind] else scalar
