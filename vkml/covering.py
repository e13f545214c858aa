"""Coverage: which operations ran with which dtype, rank, layout class and kind of region."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from . import config

if TYPE_CHECKING:
    from .codegen.plan import Plan

__all__ = ["coverage", "enabled", "record"]

_seen: dict[tuple[str, str, int, str, str], int] = {}
enabled = config.text("VKML_COVERAGE") is not None


def record(plan: Plan) -> None:
    """Count each operation of a plan that is about to run."""
    for item in plan.planned:
        region = item.piece.region
        classes = "+".join(sorted({operand.layout for operand in region.operands})) or "none"
        for statement in region.statements:
            key = (statement.op, statement.dtype, len(item.lowered.shape), classes, "map")
            _seen[key] = _seen.get(key, 0) + 1


def coverage() -> list[dict[str, object]]:
    """What has run since the process started, one dict a combination, while recording is on.

    Recording is on where VKML_COVERAGE names a file, which receives the same list as JSON at exit.
    Keys: op, dtype, rank, layouts (classes of the region's operands), region, count.
    """
    names = ("op", "dtype", "rank", "layouts", "region")
    return [
        {**dict(zip(names, key, strict=True)), "count": count}
        for key, count in sorted(_seen.items())
    ]


def _write() -> None:
    import json  # at exit only
    from pathlib import Path

    path = config.text("VKML_COVERAGE")
    if path is not None:
        Path(path).write_text(json.dumps(coverage(), indent=1) + "\n")


if enabled:
    atexit.register(_write)
