"""Realize: from pending nodes to one submission.

Topological order, key, plan (made on a miss), binding, one `execute`, and only then `computed`.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
from numpy.typing import NDArray

from . import config, covering, target
from .errors import DeviceError, OutOfMemoryError, VkmlError, in_words
from .graph import Node, place_of
from .signature import lock, signature
from .storage import Storage
from .target import Device

if TYPE_CHECKING:
    from .codegen.plan import Plan

__all__ = ["Origin", "observe", "planned", "realize"]

MAX_PLANS = 1024
_tables = config.flag("VKML_DEBUG") >= 2  # a table of kernels at every realize
MAX_RECORDED = 16
"""Places in the user's code from which one plan remembers its nodes' lines."""
MAX_QUOTED = 4
"""Roots whose lines an error names."""


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
        with lock:
            pending = [node for node in pending if not node.computed]
            if pending:
                _run(pending, ())


def observe(nodes: Sequence[Node], also: Sequence[Node] = ()) -> list[NDArray[Any]]:
    """The values of `nodes` as fresh, writable, C-contiguous arrays; one submission in all.

    `also` is computed in the same submission, and not downloaded.
    """
    with lock:
        pending = [node for node in (*nodes, *also) if not node.computed]
        reads = tuple(node for node in dict.fromkeys(nodes) if not node.computed)
        reads = tuple(node for node in reads if node.rule.spec.size)
        ticket = _run(pending, reads) if pending else None
    position = {node: n for n, node in enumerate(reads)}
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


def planned(
    pending: list[Node], reads: tuple[Node, ...] = ()
) -> tuple[Plan, list[Node], dict[Storage, int]]:
    """The plan of a realize, from the device's plans or made now."""
    device = _device_of(pending)
    key, ordered, storages = signature(pending, reads)
    mode = target.mode()
    plans: OrderedDict[Any, Plan] = device.plans
    found = plans.get((key, mode))
    if found is None:
        from .planning import make

        found = make(device, mode, key, ordered, storages, pending, reads)
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
    if _tables:
        from .codegen import debugging

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
    if not program.steps and not reads:
        _mark(bound, pending)
        return None
    before = runtime.last_executed()
    try:
        ticket = runtime.execute(program, buffers, scalars)
        _mark(bound, pending)
    except BaseException:  # an interrupt after the submission: what was written must not run again
        if runtime.last_executed() not in (before, -1):
            _mark(bound, pending)
        raise
    return ticket


def _mark(bound: list[Node], pending: list[Node]) -> None:
    """What a program that was submitted has computed: the only place that says so."""
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
