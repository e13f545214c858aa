"""Rounding rows. Integers and, where NumPy takes them, bools are whole already."""

from __future__ import annotations

from . import reference
from .row import OpDef
from .texts import EVERY, NUMBER, families

TENS = (-50.0, 50.0)

ROWS = (
    OpDef(
        "floor", "map", 1, EVERY,
        glsl=families(
            "bool int uint", "{0}", float="vk_floor({0})", double="vk_floor_double({0})"
        ),
        cost={"float": 13, "double": 41},
        reference=reference.floor, ranges=(TENS,),
        doc="The largest whole number not above x. The sign of zero stays.",
    ),
    OpDef(
        "ceil", "map", 1, EVERY,
        glsl=families("bool int uint", "{0}", float="vk_ceil({0})", double="vk_ceil_double({0})"),
        cost={"float": 13, "double": 40},
        reference=reference.ceil, ranges=(TENS,),
        doc="The smallest whole number not below x; -0 between -1 and 0.",
    ),
    OpDef(
        "trunc", "map", 1, EVERY,
        glsl=families(
            "bool int uint", "{0}", float="vk_trunc({0})", double="vk_trunc_double({0})"
        ),
        cost={"float": 10, "double": 26},
        reference=reference.trunc, ranges=(TENS,),
        doc="x without its fraction; the sign stays, on zero too.",
    ),
    OpDef(
        "round", "map", 1, NUMBER,
        glsl=families("int uint", "{0}", float="vk_round({0})", double="vk_round_double({0})"),
        cost={"float": 23, "double": 61},
        reference=reference.round_half_even, ranges=(TENS,),
        doc="The nearest whole number, ties to the even one; the sign stays, on zero too.",
    ),
)  # fmt: skip
