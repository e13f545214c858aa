"""vkml: lazy, NumPy-shaped arrays for any GPU with a Vulkan driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import counting as _counting
from . import dtypes as _dtypes
from . import graph as _graph
from . import random
from .array import Tensor
from .covering import coverage
from .creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_host,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tensor,
    tril,
    triu,
    zeros,
    zeros_like,
)  # fmt: skip
from .dtype_functions import astype, can_cast, finfo, iinfo, isdtype, result_type
from .dtypes import (
    DType,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)  # fmt: skip
from .errors import (
    ArgumentError,
    CompileError,
    DeviceError,
    DTypeError,
    ExpectationError,
    OutOfMemoryError,
    RangeError,
    ShapeError,
    UnsupportedError,
    VkmlError,
    VkmlWarning,
)  # fmt: skip
from .errors import IndexError as IndexError  # noqa: A004 - an attribute, not in __all__
from .functions import ELEMENTWISE, clip, elu, gelu, leaky_relu
from .limits import DeviceLimits
from .manipulation import (
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    realize,
    reshape,
    squeeze,
    synchronize,
)  # fmt: skip
from .target import Device, cpu, device, devices, eager, fast_math, is_eager, set_eager

if TYPE_CHECKING:
    from .report import Explanation

__version__ = "0.1.0"
bool = _dtypes.bool_  # noqa: A001 - the array API's name; not in __all__
e, inf, nan, newaxis, pi = 2.718281828459045, float("inf"), float("nan"), None, 3.141592653589793

_SHADOWING = frozenset(("abs", "pow", "round"))
globals().update({n: f for n, f in ELEMENTWISE.items() if n not in globals()})


def counters() -> dict[str, int]:
    """Every count that vkml keeps, by name; subtract two results for what lies between."""
    counts = _counting.snapshot()
    counts["nodes_recorded"] = _graph.recorded()
    counts["live_nodes"] = _counting.count_instances(_graph.Node)
    return counts


def explain(*tensors: Tensor) -> Explanation:
    """What runs for `tensors`, and why; computes nothing."""
    from .report import explain as made

    return made(*tensors)


def __dir__() -> list[str]:
    return sorted(globals())


__all__ = [
    *(n for n in ELEMENTWISE if n not in _SHADOWING and n not in ("clip", "elu", "leaky_relu")),
    "ArgumentError", "CompileError", "DType", "DTypeError", "Device", "DeviceError",
    "DeviceLimits", "ExpectationError", "OutOfMemoryError", "RangeError", "ShapeError", "Tensor",
    "UnsupportedError", "VkmlError", "VkmlWarning", "arange", "asarray", "astype",
    "broadcast_arrays", "broadcast_to", "can_cast", "clip", "counters", "coverage", "cpu",
    "device", "devices", "e", "eager", "elu", "empty", "empty_like", "expand_dims", "explain",
    "eye", "fast_math", "finfo", "flip", "float16", "float32", "float64", "from_host", "full",
    "full_like", "gelu", "iinfo", "inf", "int16", "int32", "int64", "int8", "is_eager", "isdtype",
    "leaky_relu", "linspace", "matrix_transpose", "meshgrid", "moveaxis", "nan", "newaxis",
    "ones", "ones_like", "permute_dims", "pi", "random", "realize", "reshape", "result_type",
    "set_eager", "squeeze", "synchronize", "tensor", "tril", "triu", "uint16", "uint32", "uint64",
    "uint8", "zeros", "zeros_like",
]  # fmt: skip
