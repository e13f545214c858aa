"""Rows that make a new version of an array: they own no arithmetic."""

from __future__ import annotations

from .row import OpDef

ROWS = (
    OpDef("assign", "write", 2, coerce="none", cost=0,
          doc="The second operand's values, in the first operand's memory where nothing else "
              "reads that."),
    OpDef("update", "write", 2, coerce="none", cost=0,
          doc="The first operand with a strided part replaced by the second operand."),
)  # fmt: skip
