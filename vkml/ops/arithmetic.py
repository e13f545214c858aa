"""Arithmetic rows."""

from __future__ import annotations

import numpy

from .row import OpDef

NUMERIC = ("bool", "int", "uint", "float")

ROWS = (
    OpDef(
        "add", "map", 2, NUMERIC,
        glsl={
            "bool": "{0} || {1}", "int": "{0} + {1}", "uint": "{0} + {1}",
            "float": "{0} + {1}", "double": "{0} + {1}",
        },
        reference=numpy.add,
        doc="Sum. Integers wrap around.",
    ),
    OpDef(
        "multiply", "map", 2, NUMERIC,
        glsl={
            "bool": "{0} && {1}", "int": "{0} * {1}", "uint": "{0} * {1}",
            "float": "{0} * {1}", "double": "{0} * {1}",
        },
        reference=numpy.multiply,
        doc="Product. Integers wrap around.",
    ),
)  # fmt: skip
