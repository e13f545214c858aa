"""`vkml.explain`: from plans to explanations. Nothing runs, and nothing is allocated."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from . import evaluate, planning
from .codegen.capture import UPDATE, Graph
from .codegen.edges import edges, kernels_of
from .codegen.expression import expression, value_names
from .codegen.kernel import Region as KernelRegion
from .codegen.kernels import Kernels
from .codegen.lower import Lowered
from .codegen.plan import Plan, Planned
from .errors import DTypeError
from .explanation import (
    Array,
    Dispatch,
    Explanation,
    Kernel,
    Operation,
    Part,
    Place,
    Region,
)  # fmt: skip
from .graph import Node
from .handle import Handle
from .program import Dispatch as DispatchStep
from .shapes import Layout, size_of
from .target import Device

__all__ = ["Explanation", "explain"]

_DEFINITION = re.compile(r"^\s+(?:precise )?\w+ x(\d+) = ")
"""A line of a kernel that computes a value; the number is the value's in the region."""


def explain(*tensors: Handle) -> Explanation:
    """What runs for `tensors`, and why: regions, edges, kernels, dispatches.

    Tensors that are not computed are explained as one realize of them all would run them;
    computed ones as they ran, with the lines of the first run of this code. Computes, compiles and
    allocates nothing. Raises DTypeError for what is no tensor.
    """
    if not tensors:
        raise DTypeError("explain: expected at least one tensor, got none")
    pending: dict[Device, dict[Node, None]] = {}
    ran: dict[tuple[int, tuple[int, int]], tuple[Plan, evaluate.Origin, Device]] = {}
    notes: list[str] = []
    for number, tensor in enumerate(tensors, 1):
        if not isinstance(tensor, Handle):
            raise DTypeError(
                f"explain: operand {number}: expected a tensor, got {type(tensor).__name__}"
            )
        node = tensor._latest()
        device = node.rule.spec.device
        if not node.computed:
            pending.setdefault(device, {})[node] = None
        elif node.storage is None or node.storage.origin is None:
            notes.append(f"tensor {number} was uploaded: nothing ran for it")
        elif (plan := node.storage.origin.plan()) is None:
            notes.append(
                f"tensor {number} is computed; its plan is forgotten, {evaluate.MAX_PLANS} newer "
                "ones were made since"
            )
        else:
            origin = node.storage.origin
            ran[id(plan), origin.root] = plan, origin, device
    parts = [_part(plan, origin.places(), device, True) for plan, origin, device in ran.values()]
    for device, nodes in pending.items():
        plan, ordered, known = planning.outlined(list(nodes))
        part = _part(plan, [node.where() for node in ordered], device, False)
        parts.append(part)
        if not known and _depends_on_verdicts(plan, part):
            notes.append(
                f"{device} has not been tried out yet: division and square root are shown as for "
                "a device that rounds them correctly"
            )
    return Explanation(tuple(parts), tuple(notes))


def _part(plan: Plan, places: Sequence[Place | None], device: Device, computed: bool) -> Part:
    """The explanation of one plan; `places` are the user's lines of its graph's nodes."""
    builder = _Builder(plan, places)
    builder.steps()
    program = plan.program
    numbers = builder.numbers
    return Part(
        device=device.name,
        device_name=device.info.name,
        computed=computed,
        operations=builder.operations,
        edges=tuple(
            dataclasses.replace(
                edge, producer=numbers[edge.producer], consumer=numbers[edge.consumer]
            )
            for edge in edges(plan)
        ),
        regions=builder.regions(),
        kernels=tuple(builder.kernels.values()),
        dispatches=tuple(builder.dispatches),
        in_place=tuple(numbers[position] for position, _ in plan.in_place),
        totals={
            "regions_planned": len(plan.partition.cuts),
            "kernels": len(builder.kernels),
            "dispatches": len(program.steps),
            "submissions": int(bool(program.steps)),
            "bytes_moved": program.bytes_moved,
            "bytes_unfused": program.bytes_unfused,
        },
    )


class _Builder:
    """One plan, turned into what an explanation says about it."""

    def __init__(self, plan: Plan, places: Sequence[Place | None]) -> None:
        self.plan = plan
        self.graph: Graph = plan.graph
        self.places: Sequence[Place | None] = places or [None] * len(plan.graph.entries)
        positions = [
            position
            for position, entry in enumerate(self.graph.entries)
            if entry.computes and not entry.is_source
        ]
        self.numbers = {position: number for number, position in enumerate(positions, 1)}
        self.operations = tuple(
            Operation(
                number, self.graph.entries[position].op, self.graph.entries[position].dtype,
                self.graph.entries[position].shape, self.places[position],
            )
            for position, number in self.numbers.items()
        )  # fmt: skip
        self.kernels: dict[KernelRegion, Kernel] = {}
        self.dispatches: list[Dispatch] = []
        self.lowered = kernels_of(plan)
        self.region = {id(lowered): number for number, lowered in enumerate(self.lowered, 1)}
        self.runs: dict[int, list[int]] = {}  # number of a region -> its dispatches

    def steps(self) -> None:
        """Every step of the program as a dispatch, and its kernel."""
        steps = zip(self.plan.program.steps, self.plan.members, strict=True)
        for number, (step, members) in enumerate(steps, 1):
            items = [self.plan.planned[member] for member in members]
            region = items[0].piece.region
            if isinstance(step, DispatchStep):
                groups = step.groups
            else:
                region = dataclasses.replace(region, segmented=True)
                groups = (sum(segment.groups for segment in step.segments), 1, 1)
            if region not in self.kernels:
                name = step.kernel.name if getattr(step.kernel, "spirv", None) else None
                self.kernels[region] = self._kernel(region, items[0].lowered, name)
            inside = tuple(dict.fromkeys(self.region[id(item.lowered)] for item in items))
            for region_number in inside:
                self.runs.setdefault(region_number, []).append(number)
            host = self.plan.kernels is None
            self.dispatches.append(
                Dispatch(
                    number, self.kernels[region].number, inside, _over(items[0]),
                    (0, 0, 0) if host else groups, step.constants[0] if step.constants else 0,
                    sum(map(_moved, items)), len(items), self._arrays(items[0]),
                )
            )  # fmt: skip

    def _kernel(self, region: KernelRegion, lowered: Lowered, name: str | None) -> Kernel:
        source = self.plan.kernels
        glsl = None if source is None else source.source(region)
        made = [
            position
            for position in lowered.positions
            if position in self.numbers and self.graph.entries[position].op != "assign"
        ]
        lines = []
        inside = False
        for line, text in enumerate((glsl or "").splitlines()):
            inside = inside or text == "void main() {"
            match = _DEFINITION.match(text) if inside else None
            value = -1 if match is None else int(match[1]) - region.first_statement
            place = self.places[made[value]] if 0 <= value < len(made) else None
            if place is not None:
                lines.append((line, place))
        return Kernel(
            len(self.kernels) + 1, name, expression(region), region.elements, glsl, tuple(lines)
        )

    def _arrays(self, item: Planned) -> tuple[Array, ...]:
        """What the bindings of one piece hold."""
        region, lowered, piece = item.piece.region, item.lowered, item.piece
        names = [
            *value_names(region)[: len(region.operands)],
            *(f"out{number}" for number in range(len(region.outputs))),
        ]
        kinds = [*(o.layout for o in region.operands), *(o.layout for o in region.outputs)]
        accesses = [*lowered.loads, *(access for _, access in lowered.outputs)]
        layouts = [*piece.loads, *piece.outputs]
        arrays = []
        for number, (access, binding) in enumerate(zip(accesses, item.bindings, strict=True)):
            role = self.plan.program.slots[binding.slot].role
            memory = {"input": "in place" if binding.writes else "given", "output": "kept"}
            arrays.append(
                Array(
                    number + 1, names[number], access.dtype, kinds[number],
                    self.graph.entries[access.position].shape,
                    access.itemsize * _elements(layouts[number]), memory.get(role, role),
                    self.places[access.position],
                )
            )  # fmt: skip
        return tuple(arrays)

    def regions(self) -> tuple[Region, ...]:
        """The regions that run, in order."""
        found = []
        for number, lowered in enumerate(self.lowered, 1):
            outputs = [access.position for _, access in lowered.outputs]
            copies = any(
                self.graph.entries[position].op == UPDATE for position in lowered.positions
            )
            inside = dict.fromkeys(
                self.numbers[position]
                for position in (*lowered.positions, *outputs)
                if position in self.numbers
            )
            found.append(
                Region(
                    number, "copy" if copies else "map", lowered.shape,
                    () if copies else tuple(inside),
                    tuple(self.numbers[at] for at in outputs if at in self.numbers),
                    tuple(self.runs[number]),
                )
            )  # fmt: skip
        return tuple(found)


def _over(item: Planned) -> tuple[int, ...]:
    """The iteration of a piece: the region's own shape, unless the piece is only a part of it."""
    whole, piece = item.lowered.shape, item.piece.shape
    return whole if size_of(whole) == size_of(piece) else piece


def _elements(layout: Layout) -> int:
    """Distinct elements that a layout touches."""
    extents = zip(layout.shape, layout.strides, strict=True)
    return size_of([n if stride or n == 0 else 1 for n, stride in extents])


def _moved(item: Planned) -> int:
    """Bytes that one piece reads and writes, once per element touched."""
    loads = {
        (access.position, layout): access.itemsize * _elements(layout)
        for access, layout in zip(item.lowered.loads, item.piece.loads, strict=True)
    }
    outputs = zip(item.lowered.outputs, item.piece.outputs, strict=True)
    return sum(loads.values()) + sum(
        access.itemsize * _elements(layout) for (_, access), layout in outputs
    )


def _depends_on_verdicts(plan: Plan, part: Part) -> bool:
    """Whether the text would be another for a device that rounds division or roots wrongly."""
    if plan.kernels is None:
        return False
    verdicts = dataclasses.replace(plan.kernels.verdicts, exact_division=False, exact_sqrt=False)
    other = Kernels(plan.kernels.cache, verdicts)
    regions = [item.piece.region for item in plan.planned]
    return any(
        other.source(region) != plan.kernels.source(region) for region in dict.fromkeys(regions)
    )
