"""Edges: what became of each value between the operation that makes it and one that uses it.

A plan says it all already; here it is turned round, from kernels to values, for whoever asks why
something was stored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .capture import UPDATE

if TYPE_CHECKING:
    from .lower import Lowered
    from .plan import Plan

__all__ = ["FUSED", "Edge", "edges", "kernels_of"]

FUSED = "one kernel"
"""The reason of an edge that nothing stood in the way of."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A value on its way from operation `producer` to operation `consumer` (graph positions).

    verdict  "fused": it stays in a register; "repeated": fused, but computed more than once;
             "stored": it goes through memory
    reason   what decided
    view     whether the consumer sees it through a view
    prices   bytes of memory traffic of computing it again where it is used, and of storing it;
             operations count as the bytes that move meanwhile
    """

    producer: int
    consumer: int
    verdict: str
    reason: str
    view: bool
    recompute_bytes: int
    store_bytes: int


def kernels_of(plan: Plan) -> list[Lowered]:
    """The kernels of a plan in order, each once, however many pieces it runs in."""
    return list({id(item.lowered): item.lowered for item in plan.planned}.values())


def edges(plan: Plan) -> list[Edge]:
    """Every edge between two operations, by consumer; constants and element numbers are none."""
    graph, entries = plan.graph, plan.graph.entries
    decisions = {decision.position: decision for decision in plan.partition.decisions}
    made: dict[int, list[int]] = {}  # position -> the kernels that compute it
    loaded: list[set[int]] = []
    times: Counter[int] = Counter()
    for number, lowered in enumerate(kernels_of(plan)):
        loaded.append({load.position for load in lowered.loads})
        if any(entries[position].op == UPDATE for position in lowered.positions):
            continue  # the copy that comes before a partial write
        times.update(lowered.positions)
        outputs = [access.position for _, access in lowered.outputs]
        for position in dict.fromkeys((*lowered.positions, *outputs)):
            made.setdefault(position, []).append(number)
    found = []
    for consumer, entry in enumerate(entries):
        if not entry.computes:
            continue
        for place, source in enumerate(dict.fromkeys(entry.sources)):
            producer = graph.owners[source]
            value = entries[producer]
            if not value.computes or value.is_source or (entry.op == "assign" and place == 0):
                continue
            decision = decisions.get(producer)
            places = made.get(consumer, ())
            recompute = decision.recompute_bytes if decision else 0
            store = decision.store_bytes if decision else 0
            reason = decision.reason if decision else ""
            if not places:
                verdict, reason = "fused", "nothing to compute"
            elif entry.op == UPDATE and place == 0:
                verdict = "stored"
            elif any(producer in loaded[number] for number in places):
                verdict = "stored"
            elif decision is not None and not decision.stored:
                verdict = "repeated" if times[producer] > 1 else "fused"
            else:
                verdict = "fused"
                reason = f"{FUSED}; stored as well: {reason}" if reason else FUSED
                store = store or 2 * value.nbytes
            found.append(
                Edge(producer, consumer, verdict, reason, source != producer, recompute, store)
            )
    return found
