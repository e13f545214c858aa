"""The array API's functions about dtypes."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy

from . import dtypes
from .array import Tensor
from .dtypes import DType
from .errors import DTypeError

__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]

_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int",),
    "unsigned integer": ("uint",),
    "integral": ("int", "uint"),
    "real floating": ("float",),
    "complex floating": (),
    "numeric": ("int", "uint", "float"),
}


def astype(x: Tensor, dtype: object, /, *, copy: bool = True) -> Tensor:
    """`x` converted to `dtype`; with `copy=False` a tensor of that dtype is returned as it is."""
    return x.astype(dtype, copy=copy)


def can_cast(from_: Any, to: object, /) -> bool:
    """Whether every value of `from_` (a dtype or a tensor) is kept by promotion to `to`."""
    source = from_.dtype if isinstance(from_, Tensor) else dtypes.of(from_)
    target = dtypes.of(to)
    try:
        return dtypes.promote(source, target) is target
    except DTypeError:
        return False


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype of combining tensors, dtypes and Python scalars, which are weak.

    Raises DTypeError where there is no common dtype, or nothing but scalars.
    """
    strong = [
        item.dtype if isinstance(item, Tensor) else dtypes.of(item)
        for item in arrays_and_dtypes
        if not isinstance(item, (bool, int, float))
    ]
    if not strong:
        raise DTypeError("result_type: expected a tensor or a dtype among the arguments")
    found = reduce(dtypes.promote, strong)
    for item in arrays_and_dtypes:
        if isinstance(item, (bool, int, float)):
            found = dtypes.weak(found, dtypes.of(type(item)))
    return found


def isdtype(dtype: object, kind: Any, /) -> bool:
    """Whether `dtype` is of `kind`: a dtype, a kind's name as in "integral", or a tuple of both."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, item) for item in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return dtypes.of(dtype).kind in _KINDS[kind]
    return dtypes.of(dtype) is dtypes.of(kind)


def finfo(type: Any, /) -> Any:
    """NumPy's finfo of a float dtype or tensor: bits, eps, max, min, smallest_normal."""
    return numpy.finfo((type.dtype if isinstance(type, Tensor) else dtypes.of(type)).numpy)


def iinfo(type: Any, /) -> Any:
    """NumPy's iinfo of an integer dtype or tensor: bits, max, min."""
    return numpy.iinfo((type.dtype if isinstance(type, Tensor) else dtypes.of(type)).numpy)
