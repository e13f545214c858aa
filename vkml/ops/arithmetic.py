"""Arithmetic rows: sums, products, quotients, roots, signs, and steps between floats."""

from __future__ import annotations

import numpy

from . import reference
from .row import OpDef
from .texts import EVERY, NUMBER, families

WIDE = (-1e6, 1e6)

ROWS = (
    OpDef(
        "add", "map", 2, EVERY,
        glsl=families("int uint float double", "{0} + {1}", bool="{0} || {1}"),
        reference=numpy.add, ranges=(WIDE, WIDE),
        doc="Sum. Integers wrap around; of two bools it is their logical or.",
    ),
    OpDef(
        "subtract", "map", 2, NUMBER,
        glsl=families("int uint float double", "{0} - {1}"),
        reference=numpy.subtract, ranges=(WIDE, WIDE),
        doc="Difference. Integers wrap around; two bools are refused, as NumPy does.",
    ),
    OpDef(
        "multiply", "map", 2, EVERY,
        glsl=families("int uint float double", "{0} * {1}", bool="{0} && {1}"),
        reference=numpy.multiply, ranges=(WIDE, WIDE),
        doc="Product. Integers wrap around; of two bools it is their logical and.",
    ),
    OpDef(
        "divide", "map", 2, ("float",), coerce="float",
        glsl=families("double", "{0} / {1}", float="vk_divide({0}, {1})"),
        reference=numpy.divide, ranges=(WIDE, WIDE),
        doc="Quotient, correctly rounded. Integers and bools become float32 first.",
    ),
    OpDef(
        "floor_divide", "map", 2, NUMBER,
        glsl=families(
            "int uint", "vk_integer_floor_divide({0}, {1})",
            long="vk_floor_divide_long({0}, {1})", ulong="vk_floor_divide_long({0}, {1})",
            float="vk_floor_divide({0}, {1})",
        ),
        cost={"int": 15, "uint": 15, "float": 105},
        reference=numpy.floor_divide, ranges=((-1e4, 1e4), (-50.0, 50.0)),
        doc="Quotient rounded towards minus infinity. Integers: x // 0 is 0 and the least value "
            "by -1 wraps around. Floats: x // 0 is an infinity or nan.",
    ),
    OpDef(
        "remainder", "map", 2, NUMBER,
        glsl=families(
            "int uint", "vk_integer_floor_modulo({0}, {1})",
            long="vk_remainder_long({0}, {1})", ulong="vk_remainder_long({0}, {1})",
            float="vk_remainder({0}, {1})",
        ),
        cost={"int": 18, "uint": 18, "float": 82},
        reference=numpy.remainder, ranges=((-1e4, 1e4), (-50.0, 50.0)),
        doc="Remainder of floor_divide: it has the divisor's sign. Integers: x % 0 is 0. Floats: "
            "x % 0 is nan.",
    ),
    OpDef(
        "pow", "map", 2, NUMBER,
        glsl=families(
            "int uint", "vk_integer_power({0}, {1})", long="vk_power_long({0}, {1})",
            ulong="vk_power_long({0}, {1})", float="vk_pow({0}, {1})",
        ),
        cost={"int": 30, "uint": 30, "float": 110},
        reference=reference.power, ranges=((0.0, 20.0), (-8.0, 8.0)), tolerance=4,
        doc="x to the power y. Integers wrap around; a negative exponent gives the power rounded "
            "towards zero (1 for 1, 1 or -1 for -1, else 0; also 0 for 0), where NumPy raises.",
    ),
    OpDef(
        "negative", "map", 1, NUMBER,
        glsl=families("int uint", "-{0}", float="vk_neg({0})", double="vk_neg_double({0})"),
        cost={"double": 3},
        reference=numpy.negative, ranges=(WIDE,),
        doc="Minus x. Integers wrap around, so the least value is its own negative.",
    ),
    OpDef(
        "positive", "map", 1, NUMBER, cost=0,
        glsl=families("int uint float double", "{0}"),
        reference=numpy.positive, ranges=(WIDE,),
        doc="x itself.",
    ),
    OpDef(
        "abs", "map", 1, EVERY,
        glsl=families(
            "bool uint", "{0}", int="{0} < 0 ? -{0} : {0}",
            float="vk_abs({0})", double="vk_abs_double({0})",
        ),
        cost={"double": 3},
        reference=numpy.abs, ranges=(WIDE,),
        doc="Absolute value. The least value of an integer dtype wraps to itself.",
    ),
    OpDef(
        "square", "map", 1, NUMBER,
        glsl=families("int uint float double", "{0} * {0}"),
        reference=numpy.square, ranges=((-1e3, 1e3),),
        doc="x times x. Integers wrap around.",
    ),
    OpDef(
        "sqrt", "map", 1, ("float",), coerce="float",
        glsl=families("double", "sqrt({0})", float="vk_sqrt({0})"),
        reference=numpy.sqrt, ranges=((0.0, 1e6),),
        doc="Square root, correctly rounded; nan below 0, -0 for -0.",
    ),
    OpDef(
        "rsqrt", "map", 1, ("float",), coerce="float",
        glsl={"float": "vk_rsqrt({0})"},
        cost=2,
        reference=reference.rsqrt, ranges=((1e-6, 1e6),), tolerance=2,
        doc="1 / sqrt(x); nan below 0, an infinity of its sign for a zero.",
    ),
    OpDef(
        "reciprocal", "map", 1, ("float",),
        glsl=families("double", "1.0lf / {0}", float="vk_reciprocal({0})"),
        reference=numpy.reciprocal, ranges=(WIDE,),
        doc="1 / x, correctly rounded. Integers are refused: NumPy gives their quotient, 0.",
    ),
    OpDef(
        "hypot", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_hypot({0}, {1})"},
        cost=40,
        reference=numpy.hypot, ranges=(WIDE, WIDE), tolerance=4,
        doc="sqrt(x*x + y*y) without overflow on the way; an infinity wins over nan.",
    ),
    OpDef(
        "sign", "map", 1, NUMBER,
        glsl={
            "int": "clamp({0}, -1, 1)", "long": "min(max({0}, -1l), 1l)",
            "uint": "min({0}, 1u)", "ulong": "min({0}, 1ul)",
            "float": "vk_sign({0})", "double": "vk_sign_double({0})",
        },
        cost={"float": 7, "double": 15},
        reference=numpy.sign, ranges=(WIDE,),
        doc="-1, 0 or 1; nan for nan, and 0 for both zeros.",
    ),
    OpDef(
        "copysign", "map", 2, ("float",), coerce="float",
        glsl={"float": "vk_copysign({0}, {1})", "double": "vk_copysign_double({0}, {1})"},
        cost={"float": 3, "double": 6},
        reference=numpy.copysign, ranges=(WIDE, WIDE),
        doc="The magnitude of x with the sign of y, zeros and nan included.",
    ),
    OpDef(
        "nextafter", "map", 2, ("float",),
        glsl={
            "float16": "vk_nextafter_half({0}, {1})", "float32": "vk_nextafter({0}, {1})",
            "double": "vk_nextafter_double({0}, {1})",
        },
        cost={"float": 24, "double": 98},
        reference=reference.nextafter, ranges=(WIDE, WIDE),
        doc="The next value of the dtype from x towards y, equal to both where they are. Integers "
            "are refused: how far the next value is depends on the dtype.",
    ),
    OpDef(
        "lerp", "map", 3, ("float",), coerce="float",
        glsl={"float": "vk_lerp({0}, {1}, {2})"},
        cost=7,
        reference=reference.lerp, ranges=((-1e3, 1e3), (-1e3, 1e3), (0.0, 1.0)),
        tolerance=2, scale="operands",
        doc="From a (t = 0) to b (t = 1) in a straight line, exact at both ends: "
            "a + t * (b - a) for t < 1/2, b - (1 - t) * (b - a) from there on. b - a may overflow.",
    ),
)  # fmt: skip
