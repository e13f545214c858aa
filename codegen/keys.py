"""Canonical keys: text that names a region or a graph, and decodes back to it.

A region key names everything in the kernel's text and nothing else; a graph key names operations,
wiring, dtypes, shapes and layouts, and no device: packs of kernels are made of them.
"""

from __future__ import annotations

import json
from typing import Any

from vkml.errors import VkmlError
from vkml.shapes import Layout

from .capture import Entry, Graph
from .kernel import Operand, Output, Region, Statement

__all__ = ["decode_graph", "decode_region", "graph_key", "region_key"]

REGION = "region/1"
GRAPH = "graph/1"


def _text(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def region_key(region: Region) -> str:
    """The canonical text of a region."""
    return _text([
        REGION,
        [[o.dtype, o.layout] for o in region.operands],
        region.scalars,
        [[i.dtype, i.layout] for i in region.indices],
        [[s.op, s.arguments, s.source, s.dtype] for s in region.statements],
        [[o.value, o.layout] for o in region.outputs],
        region.elements,
        region.room,
        [int(region.runs), int(region.unroll), int(region.aliased), int(region.segmented)],
    ])  # fmt: skip


def decode_region(text: str) -> Region:
    """The region that `text` names; raises VkmlError when it names none."""
    try:
        kind, operands, scalars, indices, statements, outputs, elements, room, flags = json.loads(
            text
        )
        if kind != REGION:
            raise ValueError(kind)
        return Region(
            tuple(Operand(*item) for item in operands),
            tuple(scalars),
            tuple(Operand(*item) for item in indices),
            tuple(Statement(op, tuple(args), src, dtype) for op, args, src, dtype in statements),
            tuple(Output(*item) for item in outputs),
            elements,
            room,
            *map(bool, flags),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise VkmlError(f"no region key: {error}") from None


def graph_key(graph: Graph) -> str:
    """The canonical text of a graph."""
    return _text([
        GRAPH,
        [[*entry[:-1], int(entry.moved)] for entry in graph.entries],
        graph.roots,
        sorted(graph.keep),
        sorted(graph.in_place),
    ])  # fmt: skip


def decode_graph(text: str) -> Graph:
    """The graph that `text` names; raises VkmlError when it names none."""
    try:
        kind, entries, roots, keep, in_place = json.loads(text)
        if kind != GRAPH:
            raise ValueError(kind)
        return Graph(
            tuple(
                Entry(
                    op, tuple(sources), dtype, _layout(layout), storage,
                    part and _layout(part), bool(moved),
                )
                for op, sources, dtype, layout, storage, part, moved in entries
            ),
            tuple(roots),
            frozenset(keep),
            frozenset(in_place),
        )
    except (ValueError, TypeError, KeyError) as error:
        raise VkmlError(f"no graph key: {error}") from None


def _layout(item: list[Any]) -> Layout:
    shape, strides, offset = item
    return Layout(tuple(shape), tuple(strides), offset)
