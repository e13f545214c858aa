"""Activation rows. Each is one function of the library, accurate where a chain of rows is not."""

from __future__ import annotations

from . import reference
from .row import OpDef
from .texts import NUMBER

TENS = (-20.0, 20.0)

ROWS = (
    OpDef(
        "relu", "map", 1, NUMBER,
        glsl={
            "int": "max({0}, 0)", "long": "max({0}, 0l)", "uint": "{0}",
            "float": "vk_relu({0})", "double": "vk_relu_double({0})",
        },
        cost={"float": 4, "double": 11},
        reference=reference.relu, ranges=(TENS,),
        doc="x where it is above 0, else 0 (never -0); nan stays.",
    ),
    OpDef(
        "leaky_relu", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_leaky_relu({0}, {1})"},
        cost=2,
        reference=reference.leaky_relu, ranges=(TENS, (0.0, 1.0)),
        doc="x where it is above 0, else x * slope.",
    ),
    OpDef(
        "elu", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_elu({0}, {1})"},
        cost=30,
        reference=reference.elu, ranges=(TENS, (0.0, 2.0)), tolerance=4,
        doc="x where it is above 0, else alpha * (exp(x) - 1).",
    ),
    OpDef(
        "sigmoid", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_sigmoid({0})"},
        cost=38,
        reference=reference.sigmoid, ranges=((-100.0, 30.0),), tolerance=4,
        doc="1 / (1 + exp(-x)).",
    ),
    OpDef(
        "silu", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_silu({0})"},
        cost=40,
        reference=reference.silu, ranges=((-100.0, 30.0),), tolerance=4,
        doc="x * sigmoid(x); -0, its limit, for -inf.",
    ),
    OpDef(
        "softplus", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_softplus({0})"},
        cost=48,
        reference=reference.softplus, ranges=((-100.0, 30.0),), tolerance=4,
        doc="log(1 + exp(x)), without a threshold.",
    ),
    OpDef(
        "gelu_erf", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_gelu_erf({0})"},
        cost=80,
        reference=reference.gelu_erf, ranges=((-14.0, 20.0),), tolerance=4,
        doc="x * (1 + erf(x / sqrt(2))) / 2; -0, its limit, for -inf.",
    ),
    OpDef(
        "gelu_tanh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_gelu_tanh({0})"},
        cost=74,
        reference=reference.gelu_tanh, ranges=((-10.0, 20.0),), tolerance=4,
        doc="x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2, the usual approximation of "
            "gelu_erf; -0, its limit, for -inf.",
    ),
)  # fmt: skip
