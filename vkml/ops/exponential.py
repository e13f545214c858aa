"""Exponentials, logarithms and the error function."""

from __future__ import annotations

import numpy

from . import reference
from .row import OpDef

ROWS = (
    OpDef(
        "exp", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_exp({0})"},
        cost=25,
        reference=numpy.exp, ranges=((-87.0, 88.0),), tolerance=4,
        doc="e to the power x.",
    ),
    OpDef(
        "exp2", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_exp2({0})"},
        cost=21,
        reference=numpy.exp2, ranges=((-125.0, 127.0),),
        tolerance=4, doc="2 to the power x, exact for whole x.",
    ),
    OpDef(
        "expm1", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_expm1({0})"},
        cost=27,
        reference=numpy.expm1, ranges=((-10.0, 88.0),),
        tolerance=4, doc="exp(x) - 1 without cancellation near 0.",
    ),
    OpDef(
        "log", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_log({0})"},
        cost=38,
        reference=numpy.log, ranges=((1e-30, 1e30),), tolerance=4,
        doc="Natural logarithm; -inf for a zero, nan below.",
    ),
    OpDef(
        "log1p", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_log1p({0})"},
        cost=42,
        reference=numpy.log1p, ranges=((-0.999, 1e6),),
        tolerance=4, doc="log(1 + x) without cancellation near 0; -inf for -1, nan below.",
    ),
    OpDef(
        "log2", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_log2({0})"},
        cost=36,
        reference=numpy.log2, ranges=((1e-30, 1e30),),
        tolerance=4, doc="Logarithm to the base 2; -inf for a zero, nan below.",
    ),
    OpDef(
        "log10", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_log10({0})"},
        cost=40,
        reference=numpy.log10, ranges=((1e-30, 1e30),),
        tolerance=4, doc="Logarithm to the base 10; -inf for a zero, nan below.",
    ),
    OpDef(
        "logaddexp", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_logaddexp({0}, {1})"},
        cost=73,
        reference=numpy.logaddexp,
        ranges=((-50.0, 50.0), (-50.0, 50.0)), tolerance=4, scale="operands",
        doc="log(exp(x) + exp(y)) without overflow on the way.",
    ),
    OpDef(
        "erf", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_erf({0})"},
        cost=58,
        reference=reference.erf, ranges=((-5.0, 5.0),),
        tolerance=4, doc="The error function.",
    ),
    OpDef(
        "erfc", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_erfc({0})"},
        cost=91,
        reference=reference.erfc, ranges=((-5.0, 10.0),),
        tolerance=4, doc="1 - erf(x) without cancellation.",
    ),
)  # fmt: skip
