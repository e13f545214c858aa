"""Comparison rows, what they decide (maximum, minimum, clip, where), and tests of float classes.

Floats are compared on their bit patterns: a nan is never equal, less or greater, both zeros are
equal, and subnormals keep their order on devices that flush them.
"""

from __future__ import annotations

import numpy

from . import reference
from .row import OpDef
from .texts import EVERY, families

NEAR = (-4.0, 4.0)

ROWS = (
    OpDef(
        "equal", "map", 2, EVERY, result="bool",
        glsl=families(
            "bool int uint", "{0} == {1}",
            float="vk_equal({0}, {1})", double="vk_equal_double({0}, {1})",
        ),
        cost={"float": 10, "double": 29},
        reference=numpy.equal, ranges=(NEAR, NEAR),
        doc="x == y. Both zeros are equal; a nan equals nothing.",
    ),
    OpDef(
        "not_equal", "map", 2, EVERY, result="bool",
        glsl=families(
            "bool int uint", "{0} != {1}",
            float="!vk_equal({0}, {1})", double="!vk_equal_double({0}, {1})",
        ),
        cost={"float": 11, "double": 30},
        reference=numpy.not_equal, ranges=(NEAR, NEAR),
        doc="x != y: true with a nan.",
    ),
    OpDef(
        "less", "map", 2, EVERY, result="bool",
        glsl=families(
            "int uint", "{0} < {1}", bool="!{0} && {1}",
            float="vk_less({0}, {1})", double="vk_less_double({0}, {1})",
        ),
        cost={"float": 13, "double": 38},
        reference=numpy.less, ranges=(NEAR, NEAR),
        doc="x < y: false with a nan.",
    ),
    OpDef(
        "less_equal", "map", 2, EVERY, result="bool",
        glsl=families(
            "int uint", "{0} <= {1}", bool="!{0} || {1}",
            float="vk_less_equal({0}, {1})", double="vk_less_equal_double({0}, {1})",
        ),
        cost={"float": 13, "double": 38},
        reference=numpy.less_equal, ranges=(NEAR, NEAR),
        doc="x <= y: false with a nan.",
    ),
    OpDef(
        "greater", "map", 2, EVERY, result="bool",
        glsl=families(
            "int uint", "{0} > {1}", bool="{0} && !{1}",
            float="vk_less({1}, {0})", double="vk_less_double({1}, {0})",
        ),
        cost={"float": 13, "double": 38},
        reference=numpy.greater, ranges=(NEAR, NEAR),
        doc="x > y: false with a nan.",
    ),
    OpDef(
        "greater_equal", "map", 2, EVERY, result="bool",
        glsl=families(
            "int uint", "{0} >= {1}", bool="{0} || !{1}",
            float="vk_less_equal({1}, {0})", double="vk_less_equal_double({1}, {0})",
        ),
        cost={"float": 13, "double": 38},
        reference=numpy.greater_equal, ranges=(NEAR, NEAR),
        doc="x >= y: false with a nan.",
    ),
    OpDef(
        "maximum", "map", 2, EVERY,
        glsl=families(
            "int uint", "max({0}, {1})", bool="{0} || {1}",
            float="vk_maximum({0}, {1})", double="vk_maximum_double({0}, {1})",
        ),
        cost={"float": 12, "double": 48},
        reference=numpy.maximum, ranges=(NEAR, NEAR),
        doc="The larger one; nan if either is nan. Which of 0 and -0 is not said.",
    ),
    OpDef(
        "minimum", "map", 2, EVERY,
        glsl=families(
            "int uint", "min({0}, {1})", bool="{0} && {1}",
            float="vk_minimum({0}, {1})", double="vk_minimum_double({0}, {1})",
        ),
        cost={"float": 12, "double": 48},
        reference=numpy.minimum, ranges=(NEAR, NEAR),
        doc="The smaller one; nan if either is nan. Which of 0 and -0 is not said.",
    ),
    OpDef(
        "clip", "map", 3, EVERY,
        glsl=families(
            "int uint", "min(max({0}, {1}), {2})", bool="({0} || {1}) && {2}",
            float="vk_clip({0}, {1}, {2})", double="vk_clip_double({0}, {1}, {2})",
        ),
        cost={"float": 24, "double": 96},
        reference=numpy.clip, ranges=(NEAR, (-2.0, 0.0), (0.0, 2.0)),
        doc="x, at least `low`, then at most `high` (which wins where low > high); nan if any of "
            "the three is nan.",
    ),
    OpDef(
        "where", "map", 3, EVERY, coerce="select",
        glsl=families(
            "bool int uint", "{0} ? {1} : {2}",
            float="vk_where({0}, {1}, {2})", double="vk_where_double({0}, {1}, {2})",
        ),
        cost={"double": 3},
        reference=numpy.where, ranges=((0.0, 1.0), NEAR, NEAR),
        doc="x where the condition holds (is not 0), else y; bits are copied, nan included.",
    ),
    OpDef(
        "isnan", "map", 1, EVERY, result="bool",
        glsl=families(
            "bool int uint", "false", float="vk_isnan({0})", double="vk_isnan_double({0})"
        ),
        cost={"float": 2, "double": 6},
        reference=numpy.isnan, ranges=(NEAR,),
        doc="Whether x is nan; false for integers and bools.",
    ),
    OpDef(
        "isinf", "map", 1, EVERY, result="bool",
        glsl=families(
            "bool int uint", "false", float="vk_isinf({0})", double="vk_isinf_double({0})"
        ),
        cost={"float": 2, "double": 4},
        reference=numpy.isinf, ranges=(NEAR,),
        doc="Whether x is an infinity; false for integers and bools.",
    ),
    OpDef(
        "isfinite", "map", 1, EVERY, result="bool",
        glsl=families(
            "bool int uint", "true", float="vk_isfinite({0})", double="vk_isfinite_double({0})"
        ),
        cost={"float": 2, "double": 3},
        reference=numpy.isfinite, ranges=(NEAR,),
        doc="Whether x is neither nan nor an infinity; true for integers and bools.",
    ),
    OpDef(
        "signbit", "map", 1, EVERY, result="bool",
        glsl=families(
            "bool uint", "false", int="{0} < 0",
            float="vk_signbit({0})", double="vk_signbit_double({0})",
        ),
        cost={"double": 2},
        reference=reference.signbit, ranges=(NEAR,),
        doc="Whether the sign bit is set: true for -0 and for a nan that carries it.",
    ),
)  # fmt: skip
