"""Rows without operands, views, and random bits."""

from __future__ import annotations

from . import reference
from .row import OpDef

ROWS = (
    OpDef(
        "full", "source", 0, coerce="none", result="attribute", cost=0,
        reference=reference.full,
        doc="One value everywhere; the value is data, never part of a key.",
    ),
    OpDef(
        "index", "source", 0, ("uint",), coerce="none", result="attribute",
        reference=reference.index,
        doc="The row-major number of each element, from 0.",
    ),
    OpDef(
        "view", "view", 1, coerce="none", cost=0,
        doc="Another shape, strides and offset over the same storage.",
    ),
    OpDef(
        "random_bits", "map", 4, ("uint32",), coerce="none", result="uint32",
        glsl={"uint": "vk_threefry({0}, {1}, {2}, {3})"},
        cost=139,
        reference=reference.threefry,
        doc="The first word of Threefry-2x32-20 for the key (seed_low, seed_high) and the counter "
            "(stream, index): 32 random bits, the same on every device. Source: Salmon, Moraes, "
            "Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3; SC 2011.",
    ),
)  # fmt: skip
