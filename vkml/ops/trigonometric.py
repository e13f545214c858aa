"""Circular and hyperbolic rows. Arguments and results are radians."""

from __future__ import annotations

import numpy

from .row import OpDef

TURNS = (-100.0, 100.0)
UNIT = (-1.0, 1.0)
TENS = (-10.0, 10.0)

ROWS = (
    OpDef(
        "sin", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_sin({0})"},
        cost=48,
        reference=numpy.sin, ranges=(TURNS,), tolerance=4,
        doc="Sine, exact range reduction for every x; nan for an infinity.",
    ),
    OpDef(
        "cos", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_cos({0})"},
        cost=45,
        reference=numpy.cos, ranges=(TURNS,), tolerance=4,
        doc="Cosine, exact range reduction for every x; nan for an infinity.",
    ),
    OpDef(
        "tan", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_tan({0})"},
        cost=55,
        reference=numpy.tan, ranges=(TURNS,), tolerance=4,
        doc="Tangent, exact range reduction for every x; nan for an infinity.",
    ),
    OpDef(
        "asin", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_asin({0})"},
        cost=48,
        reference=numpy.arcsin, ranges=(UNIT,), tolerance=4,
        doc="Inverse sine, from -pi/2 to pi/2; nan outside [-1, 1].",
    ),
    OpDef(
        "acos", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_acos({0})"},
        cost=45,
        reference=numpy.arccos, ranges=(UNIT,), tolerance=4,
        doc="Inverse cosine, from 0 to pi; nan outside [-1, 1].",
    ),
    OpDef(
        "atan", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_atan({0})"},
        cost=44,
        reference=numpy.arctan, ranges=(TENS,), tolerance=4,
        doc="Inverse tangent, from -pi/2 to pi/2.",
    ),
    OpDef(
        "atan2", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_atan2({0}, {1})"},
        cost=60,
        reference=numpy.arctan2, ranges=(TENS, TENS),
        tolerance=4,
        doc="The angle of the point (x2, x1), from -pi to pi; signed zeros tell the side.",
    ),
    OpDef(
        "sinh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_sinh({0})"},
        cost=44,
        reference=numpy.sinh, ranges=((-88.0, 88.0),),
        tolerance=4, doc="Hyperbolic sine.",
    ),
    OpDef(
        "cosh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_cosh({0})"},
        cost=41,
        reference=numpy.cosh, ranges=((-88.0, 88.0),),
        tolerance=4, doc="Hyperbolic cosine.",
    ),
    OpDef(
        "tanh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_tanh({0})"},
        cost=45,
        reference=numpy.tanh, ranges=(TENS,), tolerance=4,
        doc="Hyperbolic tangent.",
    ),
    OpDef(
        "asinh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_asinh({0})"},
        cost=74,
        reference=numpy.arcsinh, ranges=((-1e6, 1e6),),
        tolerance=4, doc="Inverse hyperbolic sine.",
    ),
    OpDef(
        "acosh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_acosh({0})"},
        cost=64,
        reference=numpy.arccosh, ranges=((1.0, 1e6),),
        tolerance=4, doc="Inverse hyperbolic cosine; nan below 1.",
    ),
    OpDef(
        "atanh", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_atanh({0})"},
        cost=72,
        reference=numpy.arctanh, ranges=(UNIT,), tolerance=4,
        doc="Inverse hyperbolic tangent; an infinity for 1 and -1, nan outside.",
    ),
)  # fmt: skip
