"""Rows without operands, and the cast."""

from __future__ import annotations

from .row import OpDef

ROWS = (
    OpDef("full", "source", 0, coerce="none", result="attribute", cost=0,
          doc="One value everywhere; the value is data, never part of a key."),
    OpDef("index", "source", 0, ("uint",), coerce="none", result="attribute",
          doc="The row-major number of each element, from 0."),
    OpDef("view", "view", 1, coerce="none", cost=0,
          doc="Another shape, strides and offset over the same storage."),
)  # fmt: skip
