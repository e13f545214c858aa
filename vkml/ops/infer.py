"""What a row makes of its operands' dtypes, and what it says about those that it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce

from vkml.dtypes import DType, bool_, by_name, float32, int32, int64, promote
from vkml.errors import DTypeError, UnsupportedError

from .row import OpDef

__all__ = ["accepts", "coerced", "expression", "result_dtype"]

_KINDS = {
    ("bool",): ("a bool dtype", bool_),
    ("float",): ("a float dtype", float32),
    ("int", "uint"): ("an integer dtype", int32),
    ("bool", "int", "uint"): ("a bool or integer dtype", int32),
    ("int", "uint", "float"): ("an integer or float dtype", int32),
}
"""What an error calls the kinds that a row accepts, and the dtype that its remedy casts to."""


def accepts(row: OpDef, dtype: DType) -> bool:
    """Whether `row` takes operands of `dtype`, after coercion."""
    return dtype.kind in row.accepts or dtype.name in row.accepts


def coerced(row: OpDef, dtypes: Sequence[DType]) -> tuple[DType, ...]:
    """The dtypes that operands of `dtypes` are cast to before `row` is applied.

    Raises DTypeError naming the operand that the row does not accept, or two that have no common
    dtype.
    """
    return _coerced(row, tuple(dtypes))


@cache
def _coerced(row: OpDef, dtypes: tuple[DType, ...]) -> tuple[DType, ...]:
    if len(dtypes) != row.arity:
        raise DTypeError(f"{row.name}: expected {row.arity} operands, got {len(dtypes)}")
    if row.coerce == "none" or not dtypes:
        for place in range(len(dtypes)):
            _check(row, dtypes, place, dtypes[place])
        return dtypes
    if row.coerce == "bool":
        return (bool_,) * len(dtypes)
    first = 1 if row.coerce == "select" else 0
    try:
        common = reduce(promote, dtypes[first:])
    except DTypeError as error:
        reason = error.message.partition(";")[0]
        remedy = int64 if row.coerce == "float" or accepts(row, int64) else float32
        raise DTypeError(
            f"{row.name}: {reason}; cast both with .astype({remedy!r})"
        ) from None
    if row.coerce == "float" and common.kind != "float":
        common = float32
    for place in range(first, len(dtypes)):
        _check(row, dtypes, place, common)
    return (bool_,) * first + (common,) * (len(dtypes) - first)


def _check(row: OpDef, dtypes: tuple[DType, ...], place: int, common: DType) -> None:
    """DTypeError if the row refuses `common` and the operand at `place` is one that brought it."""
    if accepts(row, common) or (dtypes[place] is not common and accepts(row, dtypes[place])):
        return
    found = _KINDS.get(row.accepts)
    expected, remedy = found or (f"{' or '.join(row.accepts)}", by_name(row.accepts[-1]))
    raise DTypeError(
        f"{row.name}: operand {place + 1}: expected {expected}, got {dtypes[place].name}; "
        f"cast with .astype({remedy!r})"
    )


def result_dtype(row: OpDef, coerced: Sequence[DType], attribute: DType | None = None) -> DType:
    """The dtype of the result of `row` for operands already coerced.

    `attribute` is the dtype among the operation's static attributes, for rows that have one.
    """
    if row.result == "same":
        return coerced[-1]
    if row.result == "attribute":
        if attribute is None:
            raise DTypeError(f"{row.name}: expected a dtype, got none")
        return attribute
    return by_name(row.result)


def expression(row: OpDef, coerced: Sequence[DType], result: DType) -> str:
    """The GLSL expression of `row` for operands already coerced.

    Raises UnsupportedError where there is none, with the remedies: most functions have no
    float64 form in GLSL.
    """
    source = coerced[-1] if coerced else result
    found = row.expression(source, result)
    if found is None:
        operand = f"operand {len(coerced)}: " if coerced else ""
        raise UnsupportedError(
            f"{row.name}: {operand}no Vulkan form for {source.name}; cast with "
            f".astype({float32!r}), or compute on the processor: "
            "vkml.tensor(t.numpy(), device=vkml.cpu)"
        )
    return found
