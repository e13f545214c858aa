"""Realize: from pending nodes to one submission.

Topological order, key, plan (made on a miss), binding, one `execute`, and only then `computed`.
"""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from . import counting, covering, locks, target
from .codegen import debugging
from .codegen.capture import LEAF, VIEW, Entry, Graph
from .codegen.lower import Lowered
from .codegen.plan import Plan, plan
from .errors import DeviceError, OutOfMemoryError, VkmlError, in_words, quoted
from .graph import Node, moves, place_of, topological
from .shapes import contiguous
from .storage import Storage
from .target import Device

__all__ = ["Origin", "capture", "observe", "outlined", "planned", "realize"]

MAX_PLANS = 1024
MAX_RECORDED = 16
"""Places in the user's code from which one plan remembers its nodes' lines."""
MAX_QUOTED = 4
"""Lines of the user's that an error names for one kernel."""
_lock = locks.lock()


class Origin(NamedTuple):
    """What computed a storage, for explain: its plan, while that is remembered, and which lines.

    The plans of a device hold the lines, once for each place that records the first root: one
    look-up a realize, nothing a node, and no memory that a storage keeps alive. `root` is that
    place, the key in `Plan.recorded`.
    """

    plan: weakref.ref[Plan]
    root: tuple[int, int]

    def places(self) -> list[tuple[str, int] | None]:
        """File and line of every node of the plan's graph; empty when they were forgotten."""
        plan = self.plan()
        known = None if plan is None else plan.recorded.get(self.root)
        return [] if known is None else list(map(place_of, *known[1:]))


def _origin(made: Plan, ordered: list[Node], root: Node) -> Origin:
    """The origin of what a plan computes from here on, made once a plan and place."""
    key = (id(root.code), root.lasti)  # the code object is kept alive by the value
    known = made.recorded.get(key)
    if known is None:
        if len(made.recorded) >= MAX_RECORDED:
            made.recorded.clear()
        codes: list[CodeType | None] = [node.code for node in ordered]
        known = Origin(weakref.ref(made), key), codes, [node.lasti for node in ordered]
        made.recorded[key] = known
    origin: Origin = known[0]
    return origin


def realize(roots: Sequence[Node]) -> None:
    """Compute `roots` and what they need in one submission; computed nodes cost nothing."""
    pending = [node for node in roots if not node.computed]
    if pending:
        with _lock:
            pending = [node for node in pending if not node.computed]
            if pending:
                _run(pending, ())


def observe(nodes: Sequence[Node]) -> list[NDArray[Any]]:
    """The values of `nodes` as fresh, writable, C-contiguous arrays; one submission in all."""
    with _lock:
        pending = [node for node in nodes if not node.computed]
        ticket = _run(pending, tuple(dict.fromkeys(pending))) if pending else None
    position = {node: n for n, node in enumerate(dict.fromkeys(pending))}
    result = []
    for node in nodes:
        layout, kind = node.rule.spec.layout, node.rule.spec.dtype.numpy
        low, high = layout.span
        if node.rule.spec.size == 0:
            result.append(numpy.empty(layout.shape, kind))
            continue
        if node in position and ticket is not None:
            data = ticket.read(position[node])
        else:
            storage = node.storage
            assert storage is not None
            data = storage.device.runtime.download(
                storage.buffer, low * kind.itemsize, (high - low) * kind.itemsize
            )
        flat = data.view(kind)
        if layout.is_contiguous:
            result.append(flat.reshape(layout.shape))
        else:
            strides = tuple(stride * kind.itemsize for stride in layout.strides)
            view = numpy.lib.stride_tricks.as_strided(
                flat[layout.offset - low :], layout.shape, strides
            )
            try:
                result.append(numpy.array(view, order="C"))
            except MemoryError:
                raise OutOfMemoryError(
                    f"numpy: no host memory for {in_words(node.rule.spec.nbytes)}, {kind} of shape "
                    f"{layout.shape}; take a part of it"
                ) from None
    return result


def _signature(
    pending: list[Node], reads: tuple[Node, ...]
) -> tuple[tuple[Any, ...], list[Node], dict[Storage, int]]:
    """The plan key of a realize: structure, specs and storage identities, and no value."""
    ordered = topological(pending)
    position: dict[Node, int] = {}
    storages: dict[Storage, int] = {}
    key: list[Any] = []
    writes = False
    for number, node in enumerate(ordered):
        position[node] = number
        rule = node.rule
        if node.computed:
            storage: Any = node.storage
            key.append(-rule.spec.id)
            key.append(storages.setdefault(storage, len(storages)))
        else:
            key.append(rule.id)
            if node.view_src is not None:
                key.append(position[node.view_src])
            else:
                for source in node.src:
                    key.append(position[source])
                if rule.kind == "write":
                    writes = True
    key.append("roots")
    for node in pending:
        key.append(position[node])
    if reads:
        key.append("reads")
        for node in reads:
            key.append(position[node])
    if writes:
        node = source = pending[0]  # the counts below must not see what the loop looked at last
        key.append(_kept(ordered))
        key.append(_replaceable(ordered, pending, position))
    return tuple(key), ordered, storages


def _kept(ordered: list[Node]) -> tuple[int, ...]:
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


_BASELINE = _baseline()


def _replaceable(
    ordered: list[Node], roots: list[Node], position: dict[Node, int]
) -> tuple[int, ...]:
    """Writes whose old version nobody outside this realize can read any more.

    What somebody else holds (more references than `ordered`, `position`, the count made here and
    operands make) and is not kept in memory may be computed again later: everything that it reads
    is visible.
    """
    expected = dict.fromkeys(ordered, _BASELINE)
    references = _references(ordered)  # before any variable here holds a node
    for node in ordered:
        for source in node.src if not node.computed else ():
            expected[source] += 1
        if node.view_src is not None and node.view_src in expected:
            expected[node.view_src] += 1
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
        frozenset(_kept(ordered)), frozenset(replaceable),
    )  # fmt: skip


def planned(
    pending: list[Node], reads: tuple[Node, ...] = ()
) -> tuple[Plan, list[Node], dict[Storage, int]]:
    """The plan of a realize, from the device's plans or made now."""
    device = _device_of(pending)
    key, ordered, storages = _signature(pending, reads)
    mode = target.mode()
    plans: OrderedDict[Any, Plan] = device.plans
    found = plans.get((key, mode))
    if found is None:
        replaceable = key[-1] if isinstance(key[-1], tuple) else ()
        graph = capture(ordered, pending, storages, replaceable)

        def where(lowered: Lowered) -> str:
            return _quoted(ordered[position] for position in lowered.positions)

        found = plan(
            graph, device.limits, device.kernels, fuse=not mode.eager,
            reads=[ordered.index(node) for node in reads if node.rule.spec.size], where=where,
        )  # fmt: skip
        counting.add("regions_planned", len(found.partition.cuts))
        plans[key, mode] = found
        if len(plans) > MAX_PLANS:
            plans.popitem(last=False)
    return found, ordered, storages


def _device_of(pending: list[Node]) -> Device:
    """The one device of all roots; operations have seen to the rest of the graph."""
    device: Device = pending[0].rule.spec.device
    for node in pending:
        if node.rule.spec.device is not device:
            raise DeviceError(
                f"realize: tensors live on {device} and {node.rule.spec.device}; realize those of "
                "each device on their own"
            )
    return device


def outlined(pending: list[Node]) -> tuple[Plan, list[Node], bool]:
    """The plan that realizing `pending` would run, and its nodes; compiles and keeps nothing.

    False as the third says that the device's verdicts, and with them details of the text, are
    not known before something has run there.
    """
    device = _device_of(pending)
    with _lock:
        key, ordered, storages = _signature(pending, ())
        mode = target.mode()
        found = device.plans.get((key, mode))
        if found is not None:
            return found, ordered, True
        replaceable = key[-1] if isinstance(key[-1], tuple) else ()
        graph = capture(ordered, pending, storages, replaceable)
        outlines, known = device.outlines()
        return plan(graph, device.limits, outlines, fuse=not mode.eager), ordered, known


def _quoted(nodes: Iterable[Node]) -> str:
    """The user's lines that recorded nodes, the last few."""
    places = list(dict.fromkeys(at for at in (node.where() for node in nodes) if at is not None))
    lines = [quoted(place) for place in places[-MAX_QUOTED:]]
    if len(places) > MAX_QUOTED:
        lines.insert(0, f"{len(places) - MAX_QUOTED} lines before these")
    return "\n           ".join(lines)


def _run(pending: list[Node], reads: tuple[Node, ...]) -> Any:
    """Run `pending`; an error names the line that recorded what failed."""
    try:
        return _execute(pending, reads)
    except VkmlError as error:
        error.at(node.where() for node in pending[:MAX_QUOTED])
        raise


def _execute(pending: list[Node], reads: tuple[Node, ...]) -> Any:
    """Plan, bind, execute, mark."""
    device: Device = pending[0].rule.spec.device
    made, ordered, storages = planned(pending, reads)
    if covering.enabled:
        covering.record(made)
    if debugging.level >= debugging.TABLE:
        debugging.realized(made)
    origin = _origin(made, ordered, pending[0])
    runtime = device.runtime
    program = made.program
    buffers: list[Any] = [None] * len(program.slots)
    known = list(storages)
    for number, slot in made.inputs:
        buffers[slot] = known[number].buffer
    bound: list[Node] = []
    for position, slot in made.outputs:
        nbytes = program.slots[slot].nbytes
        node = ordered[position]
        node.storage = Storage(runtime.allocate(nbytes), nbytes, device)
        node.storage.origin = origin
        buffers[slot] = node.storage.buffer
        bound.append(node)
    for position, number in made.in_place:
        ordered[position].storage = known[number]
        known[number].origin = origin
        bound.append(ordered[position])
    scalars = [ordered[position].value for position in made.scalars]
    ticket = runtime.execute(program, buffers, scalars) if program.steps or reads else None
    for node in bound:
        node.computed = True
        if not node.requires_grad:
            node.src = ()
    for node in pending:
        if not node.computed:  # a view: its owner is computed now, or was
            owner = node.view_src
            if owner is None or owner.storage is None:
                raise VkmlError(f"{node.rule.op.name}: not computed by its own realize")
            node.storage = owner.storage
            node.computed = True
            if not node.requires_grad:
                node.src = ()
    return ticket
