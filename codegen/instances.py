"""Instances: an entry seen through a view, as one kernel computes it.

A kernel over one iteration shape may need an entry at its own place, shifted, transposed or
broadcast; each is an instance, computed once. `pull` collects the instances that some outputs
need, stopping at memory that exists.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from vkml.shapes import Layout, compose

from .capture import LEAF, VIEW, Graph

__all__ = ["Instance", "Pulled", "cost_of", "pull"]


EVERYWHERE = Layout((), ())
"""The layout of `full` instances: the same value at every place."""


class Instance(NamedTuple):
    """Entry `position` at the places that `layout` names among its own row-major elements.

    `moved`: reached through a view in which elements changed place; such an access keeps its
    general form however the extents happen to fall, so that one kernel serves all small shapes.
    """

    position: int
    layout: Layout
    moved: bool = False


@dataclass(slots=True)
class Pulled:
    """What some outputs need.

    body    computed instances in order, each with its operands: instances of body or loads
    loads   instances of entries whose memory exists: leaves and what `available` holds
    cost    scalar operations an element
    failed  an instance that strides cannot express, or None; then the rest is incomplete
    full    whether collecting stopped at the limit
    """

    body: dict[Instance, tuple[Instance, ...]] = field(default_factory=dict)
    loads: dict[Instance, None] = field(default_factory=dict)
    cost: int = 0
    failed: Instance | None = None
    full: bool = False


def cost_of(graph: Graph, position: int) -> int:
    """Scalar operations of one element of an entry."""
    return graph.costs[position]


def through(
    graph: Graph, position: int, layout: Layout, moved: bool = False
) -> Instance | None:
    """The instance behind views: `layout` over `position`, moved to the owner of the memory."""
    entry = graph.entries[position]
    if entry.op == "full":
        return Instance(position, EVERYWHERE)
    if entry.op != VIEW:
        return Instance(position, layout, moved)
    moved = moved or entry.moved
    if layout == graph.identity(position):
        return through(graph, entry.sources[0], entry.layout, moved)
    composed = compose(layout, entry.shape, entry.layout)
    return None if composed is None else through(graph, entry.sources[0], composed, moved)


def at_home(graph: Graph, instance: Instance) -> bool:
    """Whether an instance is its entry at its own place, seen through no view."""
    return not instance.moved and instance.layout == graph.identity(instance.position)


def operands_of(graph: Graph, instance: Instance) -> tuple[Instance | None, ...]:
    """The instances that computing `instance` reads; None where strides cannot express one."""
    entry = graph.entries[instance.position]
    sources = entry.sources[1:] if entry.op in ("assign", "update") else entry.sources
    return tuple(
        through(graph, source, instance.layout, instance.moved) for source in sources
    )


def pull(
    graph: Graph,
    outputs: Iterable[Instance],
    available: Container[int],
    limit: int | None = None,
    placed: Container[int] = (),
) -> Pulled:
    """Everything that computing `outputs` needs, at most `limit` computed instances.

    Entries in `available` are loads even where they compute something, except `outputs`
    themselves: those are registers. Those in `placed` are loads at their own place alone, and
    computed again where a view sees them: it was decided, and priced, that they are.
    """
    result = Pulled()
    wanted: dict[int, dict[Instance, None]] = {}
    queue: list[int] = []

    def want(instance: Instance) -> None:
        at = wanted.get(instance.position)
        if at is None:
            at = wanted[instance.position] = {}
            heapq.heappush(queue, -instance.position)
        at[instance] = None

    own = set(outputs)
    for instance in own:
        want(instance)
    found: list[tuple[Instance, tuple[Instance, ...]]] = []
    while queue:
        position = -heapq.heappop(queue)
        entry = graph.entries[position]
        for instance in wanted.pop(position):
            if instance not in own and (
                entry.op == LEAF
                or (
                    position in available
                    and not entry.is_source
                    and (position not in placed or at_home(graph, instance))
                )
            ):
                if compose(instance.layout, entry.shape, entry.layout) is None:
                    result.failed = instance
                    return result
                result.loads[instance] = None
                continue
            if limit is not None and len(found) >= limit:
                result.full = True
                return result
            operands: list[Instance] = []
            for operand in operands_of(graph, instance):
                if operand is None:
                    result.failed = instance
                    return result
                operands.append(operand)
                want(operand)
            found.append((instance, tuple(operands)))
            result.cost += cost_of(graph, position)
    result.body = dict(reversed(found))
    result.loads = dict(sorted(((load, None) for load in result.loads), key=_order))
    return result


def _order(item: tuple[Instance, None]) -> Instance:
    return item[0]
