"""Cutting: one group of outputs into kernels that keep a device's limits.

The computed instances of the group are a sequence; a kernel is an interval of it. Each interval is
grown until the statement budget, the storage blocks or the parameter block would overflow, then
ended in its last quarter where the fewest values are alive, since those go through memory.
"""

from __future__ import annotations

from collections.abc import Container

from vkml.errors import UnsupportedError
from vkml.limits import DeviceLimits

from .capture import Graph
from .instances import Instance, Pulled, at_home, cost_of, pull

__all__ = ["cut", "fits"]

PARAMETER_WORDS_A_BLOCK = 2 + 4 * 8  # starts, and strides over eight axes
ELEMENTS = 4  # a thread, at least


def statements(cost: int, scalars: int, limits: DeviceLimits) -> int:
    """What a driver has to compile, in statements.

    The loop over elements is unrolled within a budget only. A scalar is a value that lives
    through the whole kernel, which costs more than the statement that uses it: 2048 additions of
    2048 scalars took llvmpipe 12 s, 2048 statements without them 0.1 s.
    """
    return max(min(ELEMENTS * cost, limits.unroll_budget), cost) + ELEMENTS * scalars


def fits(graph: Graph, pulled: Pulled, outputs: int, limits: DeviceLimits) -> bool:
    """Whether one kernel may hold what was pulled."""
    scalars = sum(graph.entries[item.position].op == "full" for item in pulled.body)
    words = 8 + 2 * scalars + PARAMETER_WORDS_A_BLOCK * (len(pulled.loads) + outputs)
    budget = max(limits.region_budget, ELEMENTS)
    text = statements(pulled.cost, scalars, limits)
    return refusal(len(pulled.loads) + outputs, text, words, limits, budget) is None


def refusal(arrays: int, text: int, words: int, limits: DeviceLimits, budget: int) -> str | None:
    """Which limit one kernel would pass with so many arrays, statements and parameter words."""
    if arrays > limits.max_storage_buffers:
        return f"a kernel may bind {limits.max_storage_buffers} arrays"
    if text > budget:
        return f"a kernel may have {budget} statements"
    if 4 * words > limits.max_uniform_range:
        return f"a kernel's parameters may take {limits.max_uniform_range} bytes"
    return None


def cut(
    graph: Graph,
    outputs: list[int],
    available: Container[int],
    placed: Container[int],
    limits: DeviceLimits,
) -> list[tuple[tuple[int, ...], str]]:
    """The outputs of each kernel, in order, and why it ends there.

    Values between kernels become outputs of theirs.
    """
    wanted = [Instance(p, graph.identity(p)) for p in outputs]
    pulled = pull(graph, wanted, available, None, placed)
    if fits(graph, pulled, len(outputs), limits):
        return [(tuple(outputs), "")]
    body = list(pulled.body.items())
    number = {instance: index for index, (instance, _) in enumerate(body)}
    final = set(outputs)
    last_use = [0] * len(body)
    for index, (_, operands) in enumerate(body):
        for operand in operands:
            if operand in number:
                last_use[number[operand]] = index
    needs: dict[Instance, frozenset[Instance]] = {}
    for instance, operands in body:
        needs[instance] = (
            frozenset((instance,))
            if _storable(graph, instance, final)
            else frozenset().union(*(needs.get(op, frozenset((op,))) for op in operands))
        )
    pieces: list[tuple[tuple[int, ...], str]] = []
    start = 0
    while start < len(body):
        stop, reason = _grow(graph, body, needs, number, last_use, final, start, limits)
        piece = tuple(
            instance.position
            for index, (instance, _) in enumerate(body[start:stop], start)
            if _storable(graph, instance, final)
            and (instance.position in final or last_use[index] >= stop)
        )
        if piece:
            pieces.append((piece, reason))
        start = stop
    return pieces


def _storable(graph: Graph, instance: Instance, final: set[int]) -> bool:
    """Whether a value can go through memory: at its own place, and not just data anyway."""
    if graph.entries[instance.position].is_source:
        return instance.position in final
    return at_home(graph, instance)


def _grow(
    graph: Graph,
    body: list[tuple[Instance, tuple[Instance, ...]]],
    needs: dict[Instance, frozenset[Instance]],
    number: dict[Instance, int],
    last_use: list[int],
    final: set[int],
    start: int,
    limits: DeviceLimits,
) -> tuple[int, str]:
    """Where the interval that begins at `start` ends, and which limit ends it."""
    cost = scalars = 0
    loads: set[Instance] = set()
    alive: set[int] = set()
    widths: list[int] = []  # values alive behind each member
    for index in range(start, len(body)):
        instance, operands = body[index]
        cost += cost_of(graph, instance.position)
        scalars += graph.entries[instance.position].op == "full"
        if _storable(graph, instance, final):
            alive.add(index)
        for operand in operands:
            place = number.get(operand, -1)
            if place < start:
                loads |= needs.get(operand, frozenset((operand,)))
            elif last_use[place] <= index and operand.position not in final:
                alive.discard(place)
        words = 8 + 2 * scalars + PARAMETER_WORDS_A_BLOCK * (len(loads) + len(alive))
        arrays, text = len(loads) + len(alive), statements(cost, scalars, limits)
        reason = refusal(arrays, text, words, limits, limits.region_budget)
        if reason is not None and index > start:
            first = (3 * len(widths)) // 4
            best = min(range(first, len(widths)), key=lambda place: (widths[place], -place))
            return start + best + 1, reason
        if len(loads) + 1 > limits.max_storage_buffers:
            raise UnsupportedError(
                f"{graph.entries[instance.position].op}: needs {len(loads) + 1} storage buffers, "
                f"the device has {limits.max_storage_buffers}; realize the operands first"
            )
        widths.append(len(alive))
    return len(body), ""
