"""The plan key of a realize: structure, specs and storage identities, and no value.

It also decides which writes may take over the memory of the version before them, since a plan with
and a plan without that are two.
"""

from __future__ import annotations

import sys
from operator import attrgetter
from typing import Any

from . import locks
from .graph import Node
from .storage import Storage

__all__ = ["lock", "newest_writes", "signature"]

_by_serial = attrgetter("serial")
lock = locks.lock()
"""Held while nodes are looked at together, planned and executed."""


def signature(
    pending: list[Node], reads: tuple[Node, ...]
) -> tuple[tuple[Any, ...], list[Node], dict[Storage, int]]:
    """The key, the nodes that it names in order, and the storages that exist by number.

    Operands come before their users: recording order is a topological order. Constants (`full`)
    are numbered where they are used first and never walked: half of the nodes of usual code.
    """
    position: dict[Node, int] = dict.fromkeys(pending, 0)
    work = list(position)
    for node in work:  # grows as it goes
        if node.computed:
            continue
        owner = node.view_src
        if owner is None:
            for source in node.src:
                if (source.value is None or source.computed) and source not in position:
                    position[source] = 0
                    work.append(source)
        elif owner not in position:
            position[owner] = 0
            work.append(owner)
    work.sort(key=_by_serial)
    ordered: list[Node] = []
    storages: dict[Storage, int] = {}
    key: list[Any] = []
    append, place = key.append, ordered.append
    writes = False
    number = 0
    constants: dict[Node, int] = {}
    for node in work:
        rule = node.rule
        if node.computed:
            storage: Any = node.storage
            append(-rule.spec.id)
            append(storages.setdefault(storage, len(storages)))
        elif node.view_src is not None:
            append(rule.id)
            append(position[node.view_src])
        else:
            sources = []
            for source in node.src:
                if source.value is None or source.computed:
                    sources.append(position[source])
                    continue
                known = constants.get(source)
                if known is None:
                    known = constants[source] = number
                    place(source)
                    number += 1
                    append(source.rule.id)
                sources.append(known)
            append(rule.id)
            key += sources
            if node.value is not None:
                constants[node] = number
            elif rule.kind == "write":
                writes = True
        position[node] = number
        place(node)
        number += 1
    append("roots")
    for node in pending:
        append(position[node])
    if reads:
        append("reads")
        for node in reads:
            append(position[node])
    if writes:
        node = source = pending[0]  # the counts below must not see what the loops looked at last
        del work
        append(newest_writes(ordered))
        append(_replaceable(ordered, pending, position, constants))
    return tuple(key), ordered, storages


def newest_writes(ordered: list[Node]) -> tuple[int, ...]:
    """Writes that are the newest version of their array."""
    return tuple(
        number
        for number, node in enumerate(ordered)
        if node.rule.kind == "write"
        and not node.computed
        and (node.cell is None or node.cell.current is node)
    )


def _references(nodes: list[Node]) -> list[int]:
    """References to each node, where a list and two dicts hold them all."""
    return [sys.getrefcount(node) for node in nodes]


def _baseline() -> int:
    """What `_references` reports for a node that only a list and two dicts hold."""

    class Probe:
        pass

    items: list[Any] = [Probe()]
    held = dict.fromkeys(items), dict.fromkeys(items)
    count = _references(items)[0]
    del held
    return count


def _only_below() -> int:
    """What `sys.getrefcount` says of a local variable that else only another node's `src` holds."""

    class Probe:
        pass

    src = (Probe(),)
    base = src[0]
    return sys.getrefcount(base)


_ONLY_BELOW = _only_below()
_BASELINE = _baseline()


def _count_between(view: Node, owner: Node, expected: dict[Node, int]) -> None:
    """Add the references to its owner that views between them make, where nobody holds those."""
    while view.src:
        base = view.src[0]
        if base in expected:
            expected[base] += 1
            return
        if sys.getrefcount(base) > _ONLY_BELOW:
            return
        expected[owner] += 1
        view = base


def _replaceable(
    ordered: list[Node],
    roots: list[Node],
    position: dict[Node, int],
    constants: dict[Node, int],
) -> tuple[int, ...]:
    """Writes whose old version nobody outside this realize can read any more.

    What somebody else holds (more references than `ordered`, `position` or `constants`, the count
    made here and operands make) and is not kept in memory may be computed again later: everything
    that it reads is visible.
    """
    expected = dict.fromkeys(ordered, _BASELINE)
    references = _references(ordered)  # before any variable here holds a node
    for node in ordered:
        owner = node.view_src
        if owner is not None and owner in expected:
            expected[owner] += 1
            if not node.computed:
                _count_between(node, owner, expected)
        elif not node.computed:
            for source in node.src:
                expected[source] += 1
    observed = set(roots)
    kept = {node for node in roots if not node.requires_grad}
    visible: set[Node] = set()
    storages: set[Storage] = set()
    for node, count in zip(reversed(ordered), reversed(references), strict=True):
        write = node.rule.kind == "write" and not node.computed
        if write and (node.cell is None or node.cell.current is node):
            kept.add(node)
        outside = node not in observed and count > expected[node]
        if node.computed:
            if (outside or node in visible) and node.storage is not None:
                storages.add(node.storage)
        elif node not in kept and (outside or node in visible):
            visible.update(node.src)
            if node.view_src is not None:
                visible.add(node.view_src)
    result = []
    first: dict[Node, Node] = {}  # pending write -> what its array was before all pending writes
    for number, node in enumerate(ordered):
        if node.rule.kind == "write" and not node.computed:
            old = node.src[0]
            old = first[node] = first.get(old, old)
            if old.computed and old.storage not in storages:
                result.append(number)
    return tuple(result)
