"""The lazy graph: Spec, Rule and Node.

A Node is immutable but for its realisation state: `storage` (bound memory), `computed` (that
memory has been written by submitted work), `cell` (the array's versions, from its first view or
write on), `requires_grad` of a leaf, and the release of `src` once it is computed. Results of
passes live in side tables by position. Nothing here recurses.
"""

from __future__ import annotations

import itertools
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from . import shapes
from .dtypes import DType
from .shapes import Layout
from .storage import Cell, Storage

if TYPE_CHECKING:
    from .ops import OpDef

__all__ = ["Node", "Rule", "Spec", "caller", "moves", "rule_of", "spec_of", "topological"]


class Spec:
    """Dtype, layout and device of a node's value; interned, so compared by identity."""

    __slots__ = ("device", "dtype", "id", "layout", "shape", "size")

    def __init__(self, number: int, layout: Layout, dtype: DType, device: Any) -> None:
        self.id = number
        self.layout = layout
        self.shape = layout.shape
        self.size = shapes.size_of(layout.shape)
        self.dtype = dtype
        self.device = device

    @property
    def nbytes(self) -> int:
        """Bytes of the elements, without gaps."""
        return self.size * self.dtype.itemsize


class Rule:
    """An operation with its operands' specs and its result's: what nodes of a kind share."""

    __slots__ = ("attributes", "id", "kind", "op", "spec")

    def __init__(self, number: int, op: OpDef, attributes: tuple[Any, ...], spec: Spec) -> None:
        self.id = number
        self.op = op
        self.kind = op.kind
        self.attributes = attributes
        self.spec = spec


_MEMO_LIMIT = 1 << 16
_numbers = itertools.count(1)
_specs: dict[tuple[Any, ...], Spec] = {}
_rules: dict[tuple[Any, ...], Rule] = {}
_serials = itertools.count(1)
next_serial = _serials.__next__


_looks = itertools.count()


def recorded() -> int:
    """How many nodes have been recorded since the process started."""
    return next_serial() - next(_looks) - 1


def spec_of(layout: Layout, dtype: DType, device: Any) -> Spec:
    """The interned Spec."""
    key = (layout, dtype, device)
    spec = _specs.get(key)
    if spec is None:
        if len(_specs) >= _MEMO_LIMIT:
            _specs.clear()
        spec = _specs[key] = Spec(next(_numbers), layout, dtype, device)
    return spec


def rule_of(
    op: OpDef, sources: tuple[Spec, ...], spec: Spec, attributes: tuple[Any, ...] = ()
) -> Rule:
    """The interned Rule; its `id` names operation, attributes, operand and result specs."""
    key = (op.name, attributes, spec, *sources)
    rule = _rules.get(key)
    if rule is None:
        if len(_rules) >= _MEMO_LIMIT:
            _rules.clear()
        rule = _rules[key] = Rule(next(_numbers), op, attributes, spec)
    return rule


class Node:
    """One value of the graph.

    rule        operation, attributes and specs
    src         operand nodes; () once released
    value       a Python scalar for `full`, else None
    view_src    for views the owner of the storage (never itself a view), else None
    serial      recording order; operands have smaller ones
    code, lasti the user's code object and instruction, resolved to a line only when shown
    """

    __slots__ = (
        "cell",
        "code",
        "computed",
        "lasti",
        "requires_grad",
        "rule",
        "serial",
        "src",
        "storage",
        "value",
        "view_src",
    )

    def __init__(
        self,
        rule: Rule,
        src: tuple[Node, ...],
        code: CodeType | None,
        lasti: int,
        value: Any = None,
        view_src: Node | None = None,
        requires_grad: bool = False,
    ) -> None:
        self.rule = rule
        self.src = src
        self.code = code
        self.lasti = lasti
        self.value = value
        self.view_src = view_src
        self.requires_grad = requires_grad
        self.storage: Storage | None = None
        self.computed = False
        self.cell: Cell | None = None
        self.serial = next_serial()

    @property
    def spec(self) -> Spec:
        """Dtype, layout and device of the value."""
        return self.rule.spec

    def where(self) -> tuple[str, int] | None:
        """File and line of the user's code that recorded the node."""
        return place_of(self.code, self.lasti)


def place_of(code: CodeType | None, lasti: int) -> tuple[str, int] | None:
    """File and line of an instruction of the user's code."""
    if code is None:
        return None
    for start, stop, line in code.co_lines():
        if start <= lasti < stop and line is not None:
            return code.co_filename, line
    return code.co_filename, code.co_firstlineno


_PACKAGE = __file__.rpartition("graph.py")[0]


def caller(depth: int = 1) -> FrameType | None:
    """The innermost frame outside this package, from `depth` frames above the caller's on."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def moves(node: Node) -> bool:
    """Whether the node is a view in which elements changed place: sliced, permuted, broadcast."""
    return node.rule.kind == "view" and bool(node.rule.attributes[0])


def serial_of(node: Node) -> int:
    """Sort key: recording order is a topological order."""
    return node.serial


def topological(roots: list[Node]) -> list[Node]:
    """Everything that `roots` need, operands first; computed nodes are leaves."""
    seen = set(roots)
    work = list(seen)
    while work:
        node = work.pop()
        if not node.computed:
            for source in node.src:
                if source not in seen:
                    seen.add(source)
                    work.append(source)
            owner = node.view_src  # not behind `src` where a view in between is computed already
            if owner is not None and owner not in seen:
                seen.add(owner)
                work.append(owner)
    return sorted(seen, key=serial_of)
