"""Process-wide counters: one vocabulary for every count that vkml reports."""

from __future__ import annotations

import gc
from collections.abc import Callable

from . import locks

__all__ = ["NAMES", "add", "snapshot"]

NAMES = (
    "nodes_recorded",
    "regions_planned",
    "kernels",
    "kernels_generated",
    "shaderc_compiles",
    "pipelines_created",
    "dispatches",
    "submissions",
    "transfers",
    "bytes_moved",
    "bytes_unfused",
    "bytes_uploaded",
    "bytes_downloaded",
    "live_nodes",
    "live_bytes",
)

_lock = locks.lock()
_totals = dict.fromkeys(NAMES, 0)
_before_snapshot: list[Callable[[], None]] = []


def add(name: str, amount: int = 1) -> None:
    """Add `amount` to the counter `name` (negative amounts only for `live_bytes`)."""
    with _lock:
        _totals[name] += amount


def add_many(amounts: dict[str, int]) -> None:
    """Add several amounts under one lock."""
    with _lock:
        for name, amount in amounts.items():
            _totals[name] += amount


def on_snapshot(function: Callable[[], None]) -> None:
    """Call `function` before each snapshot: it adds what it could not count as it happened."""
    _before_snapshot.append(function)


def forget_snapshot(function: Callable[[], None]) -> None:
    """Stop calling `function`; one that is not called is no error."""
    if function in _before_snapshot:
        _before_snapshot.remove(function)


def snapshot() -> dict[str, int]:
    """All counters as a new dict.

    `kernels` adds up the distinct kernels of each submission. `live_nodes` and `live_bytes` are
    states, the others totals since the process started: subtract two snapshots. `nodes_recorded`
    and `live_nodes` belong to the graph and are filled in by `vkml.counters()`.
    """
    for function in list(_before_snapshot):
        function()
    with _lock:
        return dict(_totals)


def count_instances(cls: type) -> int:
    """How many objects of exactly `cls` are alive; walks the collector's lists (milliseconds)."""
    return sum(1 for item in gc.get_objects() if type(item) is cls)
