"""The table of operations as a page: `python -m vkml.ops.document` rewrites docs/ops.md."""

from __future__ import annotations

from pathlib import Path

from vkml.dtypes import ALL

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
)
from .infer import accepts
from .row import OpDef

__all__ = ["page"]

_THEMES = (
    ("Arithmetic", arithmetic.ROWS),
    ("Comparison, selection, classes of floats", comparison.ROWS),
    ("Logic, bits, shifts", logic.ROWS),
    ("Rounding", rounding.ROWS),
    ("Exponentials, logarithms, the error function", exponential.ROWS),
    ("Circular and hyperbolic functions", trigonometric.ROWS),
    ("Activations", activation.ROWS),
    ("Casts", casts.ROWS),
    ("Random bits", tuple(row for row in sources.ROWS if row.kind == "map")),
)

_HEAD = """\
# Operations

Written by `python -m vkml.ops.document` from the rows in `vkml/ops/`; a test keeps it so.

- **dtypes**: what operands may be once they have met. "→ float32" means that integers and bools
  are cast first; "→ bool" that every dtype is, as "is not 0". Narrow integers wrap around and
  float16 results are rounded after each operation, also within one kernel.
- **error**: the most that a float32 result is off, in units in the last place of the result, on
  every device; "exact" means the true value correctly rounded. A float16 result is that float32
  rounded once more. Values marked * are relative to the largest operand instead, for terms of
  opposite sign may cancel.
- **float64**: "all" devices that have the type, or only `cpu`; elsewhere the operation raises
  UnsupportedError and names the remedy.
"""


def _dtypes(row: OpDef) -> str:
    if row.coerce in ("bool", "float"):
        return {"bool": "any → bool", "float": "float; others → float32"}[row.coerce]
    kinds = {"int": "integer", "uint": "integer"}
    words = list(dict.fromkeys(kinds.get(kind, kind) for kind in row.accepts))
    if words == ["bool", "integer", "float"]:
        return "any"
    return ", ".join(words)


def _error(row: OpDef) -> str:
    if not any(dtype.kind == "float" and accepts(row, dtype) for dtype in ALL):
        return ""
    if row.tolerance == 0:
        return "exact"
    return f"{row.tolerance:g}" + ("*" if row.scale == "operands" else "")


def _double(row: OpDef) -> str:
    (double,) = (dtype for dtype in ALL if dtype.name == "float64")
    if not accepts(row, double):
        return ""
    return "cpu" if row.expression(double, double) is None else "all"


def page() -> str:
    """The text of docs/ops.md."""
    parts = [_HEAD]
    for theme, rows in _THEMES:
        lines = [
            f"\n## {theme}\n",
            "| operation | operands | dtypes | result | error | float64 | |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in rows:
            result = {"same": "as operands", "attribute": "as asked"}.get(row.result, row.result)
            doc = row.doc.replace("|", "\\|").replace("*", "\\*")
            cells = (row.name, str(row.arity), _dtypes(row), result, _error(row), _double(row), doc)
            lines.append("| " + " | ".join(cells) + " |")
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[2] / "docs" / "ops.md"
    path.write_text(page(), encoding="utf-8", newline="\n")
