"""Planning a realize: its nodes as a pure Graph, and the Plan that code generation makes of it.

Imported when the first plan is made: a program whose plans are known, or that only records, never
pays for the code generator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from . import counting
from .codegen.capture import LEAF, VIEW, Entry, Graph
from .codegen.lower import Lowered
from .codegen.plan import Plan, plan
from .errors import quoted
from .graph import Node, moves
from .shapes import contiguous
from .signature import lock, newest_writes, signature
from .storage import Storage
from .target import Device, Mode, mode

__all__ = ["capture", "make", "outlined"]

MAX_QUOTED = 4
"""Lines of the user's that an error names for one kernel."""


def capture(
    ordered: list[Node], pending: Sequence[Node], storages: dict[Storage, int],
    replaceable: tuple[int, ...] = (),
) -> Graph:  # fmt: skip
    """The nodes as a pure Graph."""
    position = {node: number for number, node in enumerate(ordered)}
    entries = []
    for node in ordered:
        spec = node.rule.spec
        if node.computed:
            assert node.storage is not None
            entry = Entry(
                LEAF, (), spec.dtype.name, spec.layout, storages[node.storage], None, moves(node)
            )
        elif node.view_src is not None:
            entry = Entry(
                VIEW, (position[node.view_src],), spec.dtype.name, spec.layout, -1, None,
                moves(node),
            )  # fmt: skip
        else:
            part = node.rule.attributes[0] if node.rule.op.name == "update" else None
            entry = Entry(
                node.rule.op.name, tuple(position[source] for source in node.src),
                spec.dtype.name, contiguous(spec.shape), -1, part,
            )  # fmt: skip
        entries.append(entry)
    return Graph(
        tuple(entries), tuple(position[node] for node in pending),
        frozenset(newest_writes(ordered)), frozenset(replaceable),
    )  # fmt: skip


def make(
    device: Device, force: Mode, key: tuple[Any, ...], ordered: list[Node],
    storages: dict[Storage, int], pending: Sequence[Node], reads: Sequence[Node],
) -> Plan:  # fmt: skip
    """The plan of a realize that no plan is known for."""

    def where(lowered: Lowered) -> str:
        return _quoted(ordered[position] for position in lowered.positions)

    made = plan(
        _graph(key, ordered, storages, pending), device.limits, device.kernels,
        fuse=not force.eager, reads=[ordered.index(node) for node in reads], where=where,
    )  # fmt: skip
    counting.add("regions_planned", len(made.partition.cuts))
    return made


def _graph(
    key: tuple[Any, ...], ordered: list[Node], storages: dict[Storage, int],
    pending: Sequence[Node],
) -> Graph:  # fmt: skip
    replaceable = key[-1] if isinstance(key[-1], tuple) else ()
    return capture(ordered, pending, storages, replaceable)


def outlined(pending: list[Node]) -> tuple[Plan, list[Node], bool]:
    """The plan that realizing `pending` would run, and its nodes; compiles and keeps nothing.

    False as the third says that the device's verdicts, and with them details of the text, are
    not known before something has run there.
    """
    device: Device = pending[0].rule.spec.device
    with lock:
        key, ordered, storages = signature(pending, ())
        force = mode()
        found = device.plans.get((key, force))
        if found is not None:
            return found, ordered, True
        graph = _graph(key, ordered, storages, pending)
        outlines, known = device.outlines()
        return plan(graph, device.limits, outlines, fuse=not force.eager), ordered, known


def _quoted(nodes: Iterable[Node]) -> str:
    """The user's lines that recorded nodes, the last few."""
    places = list(dict.fromkeys(at for at in (node.where() for node in nodes) if at is not None))
    lines = [quoted(place) for place in places[-MAX_QUOTED:]]
    if len(places) > MAX_QUOTED:
        lines.insert(0, f"{len(places) - MAX_QUOTED} lines before these")
    return "\n           ".join(lines)
