"""Rows without arithmetic: memory that exists, copies, and new versions of an array."""

from __future__ import annotations

import numpy

from .row import OpDef

ROWS = (
    OpDef("leaf", "leaf", 0, coerce="none", result="attribute", cost=0,
          doc="Memory that holds its value already."),
    OpDef("copy", "map", 1, coerce="none", cost=0, reference=numpy.copy,
          glsl=dict.fromkeys(("bool", "int", "uint", "long", "ulong", "float", "double"), "{0}"),
          doc="The same values, in memory of their own."),
    OpDef("assign", "write", 2, coerce="none", cost=0,
          doc="The second operand's values, in the first operand's memory where nothing else "
              "reads that."),
    OpDef("update", "write", 2, coerce="none", cost=0,
          doc="The first operand with a strided part replaced by the second operand."),
)  # fmt: skip
