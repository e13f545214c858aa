"""Applying an operation to anything that a user may pass: the general path of recording."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy

from . import recording, target
from .dtypes import DType
from .errors import DTypeError
from .graph import Node, caller
from .handle import Handle
from .ops import OpDef
from .recording import finish, recipe, record
from .target import Device
from .uploading import host_array, upload

__all__ = ["SCALARS", "apply_node", "leaf", "tensor_of"]

_T = TypeVar("_T")

SCALARS = frozenset((bool, int, float))
"""Python types that take the dtype of the arrays beside them."""


def tensor_of(value: _T, name: str, place: int = 1) -> _T:
    """`value` if it is a tensor; raises DTypeError naming the operand if not."""
    if isinstance(value, Handle):
        return value
    raise DTypeError(
        f"{name}: operand {place}: expected a tensor, got {type(value).__name__}; make one with "
        "vkml.tensor(...)"
    )


def leaf(data: Any, device: Device | None, dtype: DType | None = None) -> Node:
    """A leaf with the values of `data`, on `device` or the default one."""
    place = target.device(device)
    return upload(host_array(data, dtype, place), place)


def apply_node(row: OpDef, operands: tuple[Any, ...], attribute: DType | None = None) -> Node:
    """Record `row` on handles, nodes, NumPy arrays and Python scalars."""
    nodes: list[Any] = []
    device: Device | None = None
    for operand in operands:
        if isinstance(operand, Handle):
            nodes.append(operand._latest())
            device = device or operand.device
        else:
            nodes.append(operand)
    for place, operand in enumerate(nodes):
        if operand.__class__ is Node or type(operand) in SCALARS:
            continue
        if isinstance(operand, (numpy.ndarray, numpy.generic)):
            nodes[place] = leaf(operand, device)
        else:
            raise DTypeError(
                f"{row.name}: operand {place + 1}: expected a tensor, an array or a number, got "
                f"{type(operand).__name__}; make a tensor with vkml.tensor(...)"
            )
    if device is None:
        if not any(operand.__class__ is Node for operand in nodes):
            nodes[0] = leaf(nodes[0], None)
    specs = tuple(
        operand.rule.spec if operand.__class__ is Node else type(operand) for operand in nodes
    )
    key = (row.name, attribute, *specs)
    found = _recipes.get(key)
    if found is None:
        if len(_recipes) > 1 << 16:
            _recipes.clear()
        found = _recipes[key] = recipe(row, specs, attribute)
    frame = caller()
    node = record(
        found, tuple(nodes), frame and frame.f_code, frame.f_lasti if frame else 0
    )
    return finish(node)


_recipes: dict[tuple[Any, ...], recording.Recipe] = {}
