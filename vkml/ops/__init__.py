"""THE op table. A new operation is one row in one of these files, and its golden shader."""

from __future__ import annotations

from . import (
    activation,
    arithmetic,
    casts,
    comparison,
    exponential,
    logic,
    rounding,
    sources,
    trigonometric,
    writes,
)
from .row import OpDef

__all__ = ["TABLE", "OpDef"]

TABLE: dict[str, OpDef] = {
    row.name: row
    for rows in (
        arithmetic.ROWS,
        comparison.ROWS,
        logic.ROWS,
        rounding.ROWS,
        exponential.ROWS,
        trigonometric.ROWS,
        activation.ROWS,
        casts.ROWS,
        sources.ROWS,
        writes.ROWS,
    )
    for row in rows
}
