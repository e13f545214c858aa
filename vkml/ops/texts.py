"""Words that the rows share: dtype kinds, and one GLSL text for several register families."""

from __future__ import annotations

__all__ = ["EVERY", "INTEGER", "LOGIC", "NUMBER", "families"]

EVERY = ("bool", "int", "uint", "float")
NUMBER = ("int", "uint", "float")
INTEGER = ("int", "uint")
LOGIC = ("bool", "int", "uint")


def families(names: str, text: str, **others: str) -> dict[str, str]:
    """`text` for each register family in `names`, and `others` for the families they name."""
    return dict.fromkeys(names.split(), text) | others
