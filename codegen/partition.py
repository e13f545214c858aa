"""Partition: which values are stored, and which kernels compute them.

Four linear passes over a Graph: decide what is stored where views are in the way (recompute or
store, by price); give stored values levels, so that what a kernel reads lies on a lower level;
group the outputs of one shape and level that share work; cut groups that exceed a device's limits.
Each decision is kept as a value that explain shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from vkml import dtypes
from vkml.limits import DeviceLimits
from vkml.shapes import Layout, size_of

from .capture import LEAF, UPDATE, VIEW, Graph
from .cutting import cut, fits
from .instances import Instance, pull

__all__ = ["Cut", "Decision", "Partition", "partition"]

CLOSURE_LIMIT = 256
"""Instances of one value behind a view that may be repeated; past it the value is stored."""
MOST_OPERANDS = 3
"""Arrays that one operation reads: what is behind the views of them all has to fit one kernel."""

FREE_COST = 64
"""Operations of a value made of element numbers and scalars alone that are always repeated where
it is needed: a kernel of its own costs a dispatch, and its building most of the first run."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a value is stored or recomputed: its position, the choice, the reason and both prices.

    Prices are bytes of memory traffic; operations are counted as the bytes that move meanwhile.
    """

    position: int
    stored: bool
    reason: str
    recompute_bytes: int = 0
    store_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Cut:
    """One kernel to be: the positions it stores, over one iteration shape.

    `update` is the write whose strided part it fills, or None.
    """

    outputs: tuple[int, ...]
    shape: tuple[int, ...]
    level: int
    update: int | None = None


@dataclass(frozen=True, slots=True)
class Partition:
    """Kernels in order, the positions that get memory, and the decisions.

    What is behind a view was counted before the positions in `placed` got memory: views compute
    them again, or a kernel would bind more than was counted.
    """

    cuts: tuple[Cut, ...]
    stored: frozenset[int]
    decisions: tuple[Decision, ...]
    placed: frozenset[int] = frozenset()


def partition(graph: Graph, limits: DeviceLimits, fuse: bool = True) -> Partition:
    """Cut `graph` into kernels for a device; `fuse=False` gives every operation its own."""
    decisions: list[Decision] = []
    stored = _must_store(graph, decisions)
    if fuse:
        _decide_views(graph, limits, stored, decisions)
        _decide_parts(graph, limits, stored, decisions)
    else:
        for position, entry in enumerate(graph.entries):
            if entry.computes and not entry.is_source and position not in stored:
                stored.add(position)
                decisions.append(Decision(position, True, "eager"))
    seen = frozenset(stored)
    levels = _levels(graph, stored)
    if fuse:
        _decide_crossings(graph, limits, stored, levels, decisions)
    placed = stored - seen
    cuts: list[Cut] = []
    available: set[int] = set()
    for level, shape, outputs, update in _groups(graph, stored, placed, levels, fuse):
        if update is not None:
            cuts.append(Cut((), shape, level, update))
            available.add(update)
            continue
        for piece, reason in cut(graph, outputs, available, placed, limits):
            for position in piece:
                if position not in stored:
                    stored.add(position)
                    placed.add(position)
                    decisions.append(Decision(position, True, reason))
            cuts.append(Cut(piece, shape, level))
            available.update(piece)
    return Partition(tuple(cuts), frozenset(stored), tuple(decisions), frozenset(placed))


def _must_store(graph: Graph, decisions: list[Decision]) -> set[int]:
    """Roots, the owners of root views, and writes."""
    stored: set[int] = set()
    for root in graph.roots:
        owner = graph.owners[root]
        if graph.entries[owner].computes and owner not in stored:
            stored.add(owner)
            decisions.append(Decision(owner, True, "observed"))
    for position, entry in enumerate(graph.entries):
        if (position in graph.keep or entry.op == UPDATE) and position not in stored:
            stored.add(position)
            decisions.append(Decision(position, True, "write"))
        if entry.op == UPDATE:
            old = graph.owners[entry.sources[0]]
            if graph.entries[old].computes and old not in stored:
                stored.add(old)
                decisions.append(Decision(old, True, "partly overwritten"))
    return stored


def _mapped_uses(graph: Graph, position: int) -> tuple[dict[Layout, int], bool]:
    """The views through which operations use an entry, with a use's place; and direct use."""
    views: dict[Layout, int] = {}
    direct = False
    for user in graph.consumers[position]:
        if graph.entries[user].op == VIEW:
            if graph.consumers[user]:
                views[graph.entries[user].layout] = user
        else:
            direct = True
    return views, direct


def _decide_views(
    graph: Graph, limits: DeviceLimits, stored: set[int], decisions: list[Decision]
) -> None:
    """For every value used through views: repeat its work at each use, or store it once."""
    room = max(1, (limits.max_storage_buffers - 1) // MOST_OPERANDS)
    for position, entry in enumerate(graph.entries):
        if not entry.computes or entry.is_source or position in stored:
            continue
        views, direct = _mapped_uses(graph, position)
        if not views:
            continue
        closures = [
            pull(graph, [Instance(position, view)], stored, CLOSURE_LIMIT) for view in views
        ]
        if any(closure.failed is not None for closure in closures):
            reason = "a view that strides cannot carry through"
        elif any(closure.full for closure in closures):
            reason = "too much work behind a view"
        elif any(len(closure.loads) > room for closure in closures):
            reason = "too many arrays behind a view"
        else:
            uses = [size_of(view.shape) for view in views]
            work = sum(c.cost * size for c, size in zip(closures, uses, strict=True))
            here = closures[0].cost * entry.size
            itemsize = dtypes.by_name(entry.dtype).itemsize
            recompute = (work + (here if direct else 0)) // limits.operations_a_byte
            store = here // limits.operations_a_byte + entry.nbytes + limits.dispatch_bytes
            store += sum(min(size * itemsize, entry.nbytes) for size in uses)
            if all(c.cost <= FREE_COST and not c.loads for c in closures):
                decisions.append(Decision(position, False, "reads nothing", recompute, store))
                continue
            if recompute <= store:
                decisions.append(Decision(position, False, "cheap to repeat", recompute, store))
                continue
            stored.add(position)
            decisions.append(Decision(position, True, "dear to repeat", recompute, store))
            continue
        stored.add(position)
        decisions.append(Decision(position, True, reason))


def _decide_parts(
    graph: Graph, limits: DeviceLimits, stored: set[int], decisions: list[Decision]
) -> None:
    """Store what a partial write writes where the kernel that fills the part cannot compute it."""
    for entry in graph.entries:
        if entry.op != UPDATE:
            continue
        position = graph.owners[entry.sources[1]]
        value = graph.entries[position]
        if not value.computes or value.is_source or position in stored:
            continue
        closure = pull(
            graph, [Instance(position, graph.identity(position))], stored, CLOSURE_LIMIT
        )
        if closure.full or not fits(graph, closure, 1, limits):
            stored.add(position)
            decisions.append(Decision(position, True, "limits of one kernel"))


def _levels(graph: Graph, stored: set[int]) -> list[int]:
    """The level of each entry: above everything stored that it reads at other places.

    Values that are not stored move up to the lowest level that uses them, so that they are
    computed where they are needed.
    """
    levels = [0] * len(graph.entries)
    elsewhere = [0] * len(graph.entries)  # the level of what reads the entry at other places
    for position, entry in enumerate(graph.entries):
        for place, source in enumerate(entry.sources):
            owner = graph.owners[source]
            if entry.op == "assign" and place == 0:
                continue
            apart = source != owner or entry.op in (UPDATE, VIEW)
            if owner in stored and graph.entries[owner].part is not None:
                apart = True
            level = elsewhere[owner] if apart else levels[owner]
            levels[position] = max(levels[position], level)
            elsewhere[position] = max(elsewhere[position], elsewhere[owner])
        if entry.computes and position in stored:
            elsewhere[position] = levels[position] + 1
    for position in range(len(graph.entries) - 1, -1, -1):
        if graph.entries[position].op != LEAF and position not in stored:
            users = [levels[user] for user in graph.consumers[position]]
            if users:
                levels[position] = max(levels[position], min(users))
    return levels


def _decide_crossings(
    graph: Graph,
    limits: DeviceLimits,
    stored: set[int],
    levels: list[int],
    decisions: list[Decision],
) -> None:
    """For every value used on several levels: store it at the lowest, or repeat it on each."""
    for position, entry in enumerate(graph.entries):
        if not entry.computes or entry.is_source or position in stored:
            continue
        later = {
            levels[user]
            for user in graph.consumers[position]
            if graph.entries[user].op != VIEW and levels[user] > levels[position]
        }
        if not later:
            continue
        closure = pull(graph, [Instance(position, graph.identity(position))], stored, 64)
        repeat = closure.cost * entry.size // limits.operations_a_byte
        repeat += sum(graph.entries[load.position].nbytes for load in closure.loads)
        store = entry.nbytes * (1 + len(later)) // max(len(later), 1)
        if closure.failed is None and not closure.full and repeat <= store:
            decisions.append(Decision(position, False, "cheap on each level", repeat, store))
            continue
        stored.add(position)
        decisions.append(Decision(position, True, "used on several levels", repeat, store))


def _groups(
    graph: Graph, stored: set[int], placed: set[int], levels: list[int], fuse: bool
) -> list[tuple[int, tuple[int, ...], list[int], int | None]]:
    """Outputs that one kernel may hold: one shape, one level, and work or arrays in common.

    Each is (level, shape, outputs, None) or, for a partial write, (level, shape, [], position);
    lower levels first.
    """
    groups: dict[int, list[int]] = {}
    parent: dict[int, int] = {}
    owner_of: dict[tuple[object, ...], int] = {}

    def find(item: int) -> int:
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    for position in sorted(stored):
        entry = graph.entries[position]
        if not entry.computes or entry.part is not None:
            continue
        parent[position] = position
        if not fuse:
            continue
        own = [Instance(position, graph.identity(position))]
        pulled = pull(graph, own, stored, None, placed)
        full_size = [
            load
            for load in pulled.loads
            if size_of(load.layout.shape) and 0 not in load.layout.strides
        ]
        for instance in (*pulled.body, *full_size):
            if graph.entries[instance.position].is_source:
                continue
            key = (instance, entry.shape, levels[position])
            other = owner_of.setdefault(key, position)
            if other != position:
                parent[find(position)] = find(other)
            if (
                instance.position in stored
                and instance.position != position
                and instance.layout == graph.identity(instance.position)
            ):  # read from memory here although the same level computes it: one kernel
                if levels[instance.position] == levels[position]:
                    parent[find(position)] = find(instance.position)
    for position in parent:
        groups.setdefault(find(position), []).append(position)
    found: list[tuple[int, tuple[int, ...], list[int], int | None]] = [
        (levels[outputs[0]], graph.entries[outputs[0]].shape, sorted(outputs), None)
        for outputs in groups.values()
    ]
    for position in sorted(stored):
        part = graph.entries[position].part
        if part is not None:
            found.append((levels[position], part.shape, [], position))
    found.sort(key=lambda item: item[0])
    return found
