"""What bench/elementwise.py computes: each formula for vkml and for its peers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any
RATE, VOLATILITY = 0.02, 0.3
COEFFICIENTS = (0.125, -0.25, 0.375, -0.5, 0.625, -0.75, 0.875, -1.0, 1.125)
FACTORS = tuple(0.5 + n * 0.015625 for n in range(25))


@dataclass(frozen=True, slots=True)
class Workload:
    """One formula.

    inputs       how many arrays it reads
    outputs      how many it makes
    formulas     by library ("vkml", "numpy", "torch"): a function of the arrays that gives a tuple
    strings      NumExpr's expressions, empty where it lacks a function
    positive     whether inputs must be above 0
    broadcast    whether the last input may be one row
    layouts      "1-D", "rows" (rows x 1000, the last input one row), "square"
    functions    whether the driver's functions and vkml's differ, so that there are two floors
    tolerance    largest error allowed, relative to the largest magnitude of the result
    """

    name: str
    inputs: int
    outputs: int
    formulas: Mapping[str, Callable[..., tuple[Array, ...]]]
    strings: tuple[str, ...] = ()
    positive: bool = False
    layouts: tuple[str, ...] = ("1-D", "rows")
    functions: bool = False
    tolerance: float = 2e-6
    floor: str = ""
    names: tuple[str, ...] = field(default=("x", "y", "z"))


def _vkml() -> Any:
    import vkml

    return vkml


def _torch() -> Any:
    import torch

    return torch


def multiply_add(x: Array, y: Array, z: Array) -> tuple[Array]:
    return (x * y + z,)


def gelu_vkml(x: Array, y: Array, z: Array) -> tuple[Array]:
    return (_vkml().gelu(x, "tanh") * y + z,)


def gelu_numpy(x: Array, y: Array, z: Array) -> tuple[Array]:
    return (0.5 * x * (1.0 + np.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) * y + z,)


def gelu_torch(x: Array, y: Array, z: Array) -> tuple[Array]:
    return (_torch().nn.functional.gelu(x, approximate="tanh") * y + z,)


def swiglu_vkml(x: Array, y: Array) -> tuple[Array]:
    return (_vkml().silu(x) * y,)


def swiglu_numpy(x: Array, y: Array) -> tuple[Array]:
    return (x / (1.0 + np.exp(-x)) * y,)


def swiglu_torch(x: Array, y: Array) -> tuple[Array]:
    return (_torch().nn.functional.silu(x) * y,)


def _black_scholes(library: Any, erf: Any, x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    root = library.sqrt(z) * VOLATILITY
    high = (library.log(x / y) + z * (RATE + VOLATILITY * VOLATILITY / 2)) / root
    low = high - root
    discounted = y * library.exp(z * -RATE)
    call = x * (erf(high * math.sqrt(0.5)) * 0.5 + 0.5)
    call = call - discounted * (erf(low * math.sqrt(0.5)) * 0.5 + 0.5)
    return call, call - x + discounted


def black_scholes_vkml(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    vkml = _vkml()
    return _black_scholes(vkml, vkml.erf, x, y, z)


def black_scholes_numpy(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    from scipy.special import erf  # NumPy itself has no erf

    return _black_scholes(np, erf, x, y, z)


def black_scholes_torch(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    torch = _torch()
    return _black_scholes(torch, torch.erf, x, y, z)


def black_scholes_truth(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return _black_scholes(np, erf, x, y, z)


def polynomial(x: Array) -> tuple[Array]:
    p = x * COEFFICIENTS[0] + COEFFICIENTS[1]
    for coefficient in COEFFICIENTS[2:]:
        p = p * x + coefficient
    return (p,)


def chain(x: Array, y: Array) -> tuple[Array]:
    t = x
    for n, factor in enumerate(FACTORS):
        t = t * factor
        t = t + y if n % 2 == 0 else t - y
    return (t,)


def add(x: Array, y: Array) -> tuple[Array]:
    return (x + y,)


def add_transposed(x: Array, y: Array) -> tuple[Array]:
    return (x + y.T,)


def _horner() -> str:
    text = f"x * {COEFFICIENTS[0]} + {COEFFICIENTS[1]}"
    for coefficient in COEFFICIENTS[2:]:
        text = f"({text}) * x + {coefficient}"
    return text


def _nested() -> str:
    text = "x"
    for n, factor in enumerate(FACTORS):
        text = f"({text}) * {factor} {'+' if n % 2 == 0 else '-'} y"
    return text


def _all(function: Callable[..., tuple[Array, ...]]) -> dict[str, Any]:
    return dict.fromkeys(("vkml", "numpy", "torch", "truth"), function)


WORKLOADS = (
    Workload("x*y+z", 3, 1, _all(multiply_add), ("x * y + z",), floor="multiply_add"),
    Workload(
        "gelu(x)*y+z", 3, 1,
        {"vkml": gelu_vkml, "numpy": gelu_numpy, "torch": gelu_torch, "truth": gelu_numpy},
        ("0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x))) * y + z",),
        functions=True, floor="gelu",
    ),
    Workload(
        "silu(x)*y", 2, 1,
        {"vkml": swiglu_vkml, "numpy": swiglu_numpy, "torch": swiglu_torch, "truth": swiglu_numpy},
        ("x / (1 + exp(-x)) * y",), functions=True, floor="swiglu",
    ),
    Workload(
        "Black-Scholes", 3, 2,
        {
            "vkml": black_scholes_vkml, "numpy": black_scholes_numpy,
            "torch": black_scholes_torch, "truth": black_scholes_truth,
        },
        positive=True, functions=True, floor="black_scholes", tolerance=1e-5,
    ),
    Workload("polynomial of degree 8", 1, 1, _all(polynomial), (_horner(),), layouts=("1-D",),
             floor="polynomial"),
    Workload("50 operations", 2, 1, _all(chain), (_nested(),), floor="chain", tolerance=1e-5),
    Workload("x + bias", 2, 1, _all(add), ("x + y",), layouts=("rows",), floor="bias"),
    Workload("x + y.T", 2, 1, _all(add_transposed), (), layouts=("square",), floor="transpose"),
)  # fmt: skip
