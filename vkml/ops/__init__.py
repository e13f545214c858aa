"""THE op table. A new operation is one row in one of these files, and its golden shader."""

from __future__ import annotations

from . import arithmetic, sources
from .row import OpDef

__all__ = ["TABLE", "OpDef"]

TABLE: dict[str, OpDef] = {
    row.name: row
    for rows in (arithmetic.ROWS, sources.ROWS)
    for row in rows
}  # fmt: skip
