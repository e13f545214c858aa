"""Logical and bitwise rows, and shifts."""

from __future__ import annotations

import numpy

from .row import OpDef
from .texts import INTEGER, LOGIC, families

ROWS = (
    OpDef(
        "logical_and", "map", 2, ("bool",), coerce="bool", result="bool",
        glsl={"bool": "{0} && {1}"}, reference=numpy.logical_and,
        doc="Whether both are true (not 0; nan is true).",
    ),
    OpDef(
        "logical_or", "map", 2, ("bool",), coerce="bool", result="bool",
        glsl={"bool": "{0} || {1}"}, reference=numpy.logical_or,
        doc="Whether one or both are true (not 0; nan is true).",
    ),
    OpDef(
        "logical_xor", "map", 2, ("bool",), coerce="bool", result="bool",
        glsl={"bool": "{0} ^^ {1}"}, reference=numpy.logical_xor,
        doc="Whether just one is true (not 0; nan is true).",
    ),
    OpDef(
        "logical_not", "map", 1, ("bool",), coerce="bool", result="bool",
        glsl={"bool": "!{0}"}, reference=numpy.logical_not,
        doc="Whether x is false (0).",
    ),
    OpDef(
        "bitwise_and", "map", 2, LOGIC,
        glsl=families("int uint", "{0} & {1}", bool="{0} && {1}"), reference=numpy.bitwise_and,
        doc="Bits that both have.",
    ),
    OpDef(
        "bitwise_or", "map", 2, LOGIC,
        glsl=families("int uint", "{0} | {1}", bool="{0} || {1}"), reference=numpy.bitwise_or,
        doc="Bits that one or both have.",
    ),
    OpDef(
        "bitwise_xor", "map", 2, LOGIC,
        glsl=families("int uint", "{0} ^ {1}", bool="{0} ^^ {1}"), reference=numpy.bitwise_xor,
        doc="Bits that just one has.",
    ),
    OpDef(
        "bitwise_invert", "map", 1, LOGIC,
        glsl=families("int uint", "~{0}", bool="!{0}"), reference=numpy.invert,
        doc="Every bit flipped; logical not for bools.",
    ),
    OpDef(
        "bitwise_left_shift", "map", 2, INTEGER,
        glsl=families(
            "int uint", "vk_integer_shift_left({0}, {1})",
            long="vk_shift_left_long({0}, {1})", ulong="vk_shift_left_long({0}, {1})",
        ),
        cost={"int": 4, "uint": 4},
        reference=numpy.left_shift,
        doc="x * 2**y, wrapping around; 0 where y is negative or at least the dtype's width.",
    ),
    OpDef(
        "bitwise_right_shift", "map", 2, INTEGER,
        glsl=families(
            "int uint", "vk_integer_shift_right({0}, {1})",
            long="vk_shift_right_long({0}, {1})", ulong="vk_shift_right_long({0}, {1})",
        ),
        cost={"int": 4, "uint": 4},
        reference=numpy.right_shift,
        doc="x / 2**y rounded down; where y is negative or at least the dtype's width, 0, or -1 "
            "for a negative x.",
    ),
)  # fmt: skip
