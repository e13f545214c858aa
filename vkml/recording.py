"""Recording: from an operation on tensors to a Node.

Each operator keeps a memo from its operands' interned specs to a Recipe: the result's rule, and the
casts and broadcasts that operands need first. A hit makes two objects and decides nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any, NamedTuple

import numpy

from . import dtypes, evaluate, shapes, target
from .dtypes import DType
from .errors import DeviceError, DTypeError, RangeError, UnsupportedError
from .graph import Node, Rule, Spec, caller, moves, rule_of, spec_of, topological
from .ops import TABLE, OpDef, infer
from .shapes import Layout, contiguous
from .storage import Cell
from .target import watch

__all__ = ["Recipe", "finish", "full", "recipe", "record", "scalar", "view"]

FULL, VIEW, CAST = TABLE["full"], TABLE["view"], TABLE["astype"]
_SCALARS = (bool, int, float)


class Recipe(NamedTuple):
    """How an operation is recorded for operands of known specs.

    `steps` has for each operand the rules that come first: a cast, a broadcasting view, or both.
    For a Python scalar its one rule is the `full` that holds it.
    """

    rule: Rule
    steps: tuple[tuple[Rule, ...], ...]


def recipe(row: OpDef, operands: tuple[Spec | type, ...], attribute: DType | None = None) -> Recipe:
    """The recipe of `row` for array specs and Python scalar types.

    Raises ShapeError, DTypeError, DeviceError or UnsupportedError, each with its remedy.
    """
    specs = [item for item in operands if isinstance(item, Spec)]
    device = specs[0].device
    for spec in specs[1:]:
        if spec.device is not device:
            raise DeviceError(
                f"{row.name}: operands live on {device} and {spec.device}; move one with "
                f".to({str(device)!r})"
            )
    own = _own_dtypes(row, operands, dtypes.int64 if device.limits.int64 else dtypes.int32)
    want = infer.coerced(row, own)
    result = infer.result_dtype(row, want, attribute)
    if device.name != "cpu":
        check_support(row, want, result, device)
    shape = shapes.broadcast_shapes(*(spec.shape for spec in specs), name=row.name)
    rules: list[tuple[Rule, ...]] = []
    sources: list[Spec] = []
    for item, dtype, target_dtype in zip(operands, own, want, strict=True):
        if not isinstance(item, Spec):
            spec = spec_of(Layout((), ()), target_dtype, device)
            rules.append((rule_of(FULL, (), spec),))
            sources.append(spec)
            continue
        steps: list[Rule] = []
        if dtype is not target_dtype:
            cast = spec_of(contiguous(item.shape), target_dtype, device)
            if device.name != "cpu":
                check_support(CAST, (dtype,), target_dtype, device)
            steps.append(rule_of(CAST, (item,), cast, (target_dtype.name,)))
            item = cast
        if item.shape != shape:
            wide = spec_of(item.layout.expanded(shape), target_dtype, device)
            steps.append(rule_of(VIEW, (item,), wide, (True, "broadcast_to", shape)))
            item = wide
        rules.append(tuple(steps))
        sources.append(item)
    attributes = (attribute.name,) if attribute is not None else ()
    spec = spec_of(contiguous(shape), result, device)
    return Recipe(rule_of(row, tuple(sources), spec, attributes), tuple(rules))


def _own_dtypes(
    row: OpDef, operands: tuple[Spec | type, ...], integer: DType
) -> tuple[DType, ...]:
    """Operand dtypes; a Python scalar takes that of the arrays where its kind allows.

    `integer` is what a Python integer is where it does not.
    """
    first = 1 if row.coerce == "select" else 0
    arrays = [item.dtype for item in operands[first:] if isinstance(item, Spec)]
    own: list[DType] = []
    for place, item in enumerate(operands):
        if isinstance(item, Spec):
            own.append(item.dtype)
        elif place < first:
            own.append(dtypes.bool_)
        else:
            base = arrays[0] if arrays else None
            for other in arrays[1:]:
                base = dtypes.promote(base, other) if base is not None else other
            kind = integer if item is int else dtypes.of(item)
            own.append(kind if base is None else dtypes.weak(base, kind))
    if not arrays and len(operands) > first:  # only scalars beside a condition
        common = own[first]
        for dtype in own[first + 1 :]:
            common = dtypes.promote(common, dtype)
        own[first:] = [common] * (len(own) - first)
    return tuple(own)


def check_support(
    row: OpDef, want: tuple[DType, ...], result: DType, device: Any, name: str = ""
) -> None:
    """Raise UnsupportedError where the device lacks a dtype, or the row a text for it.

    `name` is what the error calls the operation, where that is not the row's name.
    """
    for dtype in (*want, result):
        if (dtype.bits == 64 and dtype.kind != "float" and not device.limits.int64) or (
            dtype is dtypes.float64 and not device.limits.float64
        ):
            remedy = (
                "pass another dtype, or device=vkml.cpu"
                if row.kind == "source"
                else "compute on the processor: vkml.tensor(t.numpy(), device=vkml.cpu)"
            )
            raise UnsupportedError(f"{name or row.name}: {device} has no {dtype.name}; {remedy}")
    if row.kind == "map":
        infer.expression(row, want, result)


def scalar(value: Any, dtype: DType) -> Any:
    """`value` as `dtype` holds it: checked integers, floats rounded to the dtype's width.

    Raises RangeError for an integer out of range, DTypeError for a kind that does not fit.
    """
    return converter(dtype)(value)


@cache
def converter(dtype: DType) -> Callable[[Any], Any]:
    """What `scalar` does for one dtype."""
    if dtype.kind == "bool":
        return bool
    if dtype.kind == "float":
        if dtype.itemsize == 8:
            return real
        largest = float(numpy.finfo(dtype.numpy).max)
        kind = dtype.numpy.type
        exact = dtype.itemsize == 4  # packing to 32 bits rounds by itself

        def rounded(value: Any) -> float:
            number = value if value.__class__ is float else real(value)
            if (exact and -largest <= number <= largest) or number != number:
                return number
            with numpy.errstate(over="ignore"):
                return float(kind(number))

        return rounded
    info = numpy.iinfo(dtype.numpy)
    low, high = int(info.min), int(info.max)

    def whole(value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise DTypeError(
                f"{dtype.name}: expected an integer, got {value!r}; round it, as int({value!r})"
            ) from None
        if not low <= number <= high:
            raise RangeError(
                f"{dtype.name}: expected {low} to {high}, got {number}; cast the array to a wider "
                "dtype first"
            )
        return number

    return whole


def real(value: Any) -> float:
    """A number as a Python float. Raises RangeError past its range, DTypeError for no number."""
    try:
        return float(value)
    except OverflowError:
        raise RangeError(
            "float: an integer past 1.8e308 has no float; divide it down first"
        ) from None
    except (TypeError, ValueError):
        raise DTypeError(f"float: expected a number, got {value!r}") from None


def record(
    recipe: Recipe, operands: tuple[Any, ...], code: CodeType | None, lasti: int
) -> Node:
    """The node of an operation; operands are nodes and Python scalars, as the recipe was asked."""
    rule, steps = recipe
    sources = []
    needs = False
    for operand, rules in zip(operands, steps, strict=True):
        if operand.__class__ is not Node:
            first = rules[0]
            operand = Node(first, (), code, lasti, scalar(operand, first.spec.dtype))
        else:
            for step in rules:
                if step.kind == "view":
                    operand = Node(
                        step, (operand,), code, lasti, None, operand.view_src or operand,
                        operand.requires_grad,
                    )  # fmt: skip
                else:
                    operand = Node(step, (operand,), code, lasti, None, None, operand.requires_grad)
            needs = needs or operand.requires_grad
        sources.append(operand)
    needs = needs and rule.spec.dtype.kind == "float"
    return Node(rule, tuple(sources), code, lasti, None, None, needs)


def full(value: Any, shape: tuple[int, ...], dtype: DType, device: Any) -> Node:
    """A node of one value everywhere."""
    if device.name != "cpu":
        check_support(FULL, (), dtype, device)
    frame = caller()
    spec = spec_of(contiguous(shape), dtype, device)
    node = Node(
        rule_of(FULL, (), spec), (), frame and frame.f_code, frame.f_lasti if frame else 0,
        scalar(value, dtype),
    )  # fmt: skip
    return finish(node)


_SAME_ORDER = frozenset(("reshape", "squeeze", "unsqueeze"))


def view(base: Node, layout: Layout, what: tuple[Any, ...]) -> Node:
    """A view node: `layout` over the storage of `base`'s owner; `what` names the step taken."""
    owner = base.view_src or base
    if owner.cell is None:
        owner.cell = Cell(owner)
    spec = base.rule.spec
    frame = caller()
    node = Node(
        rule_of(
            VIEW, (spec,), spec_of(layout, spec.dtype, spec.device),
            (what[0] not in _SAME_ORDER or moves(base), *what),
        ),
        (base,), frame and frame.f_code, frame.f_lasti if frame else 0, None, owner,
        base.requires_grad,
    )  # fmt: skip
    node.cell = owner.cell
    if owner.computed:
        node.storage = owner.storage
        node.computed = True
        if not node.requires_grad:
            node.src = ()
    return node


def current(node: Node) -> Node:
    """The newest version of a node of an array that has been written in place."""
    cell = node.cell
    if cell is None:
        return node
    owner = node.view_src
    if owner is None:
        return cell.current
    if cell.current is owner:
        return node
    moved, *what = node.rule.attributes
    return view(cell.current, node.rule.spec.layout, ("index",) if moved else tuple(what))


def finish(node: Node) -> Node:
    """Every recorded node passes here (operators test `watch.serial` themselves)."""
    if node.serial >= watch.serial:
        look(node)
    return node


def look(node: Node) -> None:
    """Realize `node` in eager mode, or where too much work or memory hangs on it."""
    if target.is_eager():
        evaluate.realize([node])
    limits = node.rule.spec.device.limits
    if node.serial >= watch.due or watch.bytes > limits.pending_bytes:
        pending = 0 if node.computed else len(topological([node]))
        if 2 * pending >= limits.pending_nodes or watch.bytes > limits.pending_bytes:
            evaluate.realize([node])
            watch.bytes = 0
        watch.due = node.serial + limits.pending_nodes // 2
    watch.serial = 0 if target.eager_used() else watch.due


def uploaded(nbytes: int, limit: int) -> None:
    """Note bytes that pending work may keep alive; past `limit` the next node is looked at."""
    watch.bytes += nbytes
    if watch.bytes > limit:
        watch.serial = 0
