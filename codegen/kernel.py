"""Region: what one kernel computes, as pure data.

A Region holds no shape and no value: extents, strides, starts and scalars are parameters, so one
kernel serves all shapes. It is the whole input of the text renderer and of the region key.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from vkml import dtypes

__all__ = [
    "AXIS_ROOM",
    "CONSTANT",
    "LINEAR",
    "SPLAT",
    "STRIDED",
    "TILED",
    "VECTOR",
    "Operand",
    "Output",
    "Region",
    "Statement",
]

LINEAR = "linear"  # element i of the iteration is element start + i: wide loads, no coordinates
VECTOR = "vector"  # consecutive along the innermost axis, each run aligned: wide loads
SPLAT = "splat"  # one element for a whole run along the innermost axis
CONSTANT = "constant"  # one element for the whole iteration
STRIDED = "strided"  # every element at a place of its own
TILED = "tiled"  # transposed against the output: through a shared-memory tile

AXIS_ROOM = (0, 8, 32)
"""How many axes the parameter block of a region has room for; the rank itself is a constant."""


@dataclass(frozen=True, slots=True)
class Operand:
    """An array that the region reads: its dtype name and layout class."""

    dtype: str
    layout: str


@dataclass(frozen=True, slots=True)
class Statement:
    """One operation on values: operands, then scalars, then indices, then earlier statements.

    `source` is the dtype of the coerced operands (it picks the text), `dtype` the result's.
    """

    op: str
    arguments: tuple[int, ...]
    source: str
    dtype: str


@dataclass(frozen=True, slots=True)
class Output:
    """A value that is stored.

    LINEAR into memory of its own, STRIDED into part of another array; VECTOR as STRIDED, but each
    run along the innermost axis is consecutive and aligned: whole vectors.
    """

    value: int
    layout: str


@dataclass(frozen=True, slots=True)
class Region:
    """One map kernel.

    With a TILED operand, a workgroup computes a square tile over axis 0 and axis 1, the axis along
    which the tiled operands are consecutive: `runs` holds, no value is LINEAR, and `count` is the
    number of tiles.

    operands    arrays read, one binding each
    scalars     dtype names of the scalar parameters
    indices     dtype name and layout (LINEAR or STRIDED) of each element-number value
    statements  operations in order
    outputs     what is stored, one binding each, after the operands
    elements    consecutive elements a thread
    room        axes that the parameter block has room for, one of AXIS_ROOM; 0: no coordinates
    runs        the innermost extent is a multiple of `elements`: coordinates once a thread
    unroll      whether the element loop is unrolled
    aliased     an output may be the memory of an operand (in place)
    segmented   operands are starts in whole memory blocks, from a segment table
    """

    operands: tuple[Operand, ...]
    scalars: tuple[str, ...]
    indices: tuple[Operand, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[Output, ...]
    elements: int
    room: int = 0
    runs: bool = False
    unroll: bool = True
    aliased: bool = False
    segmented: bool = False

    @property
    def tiled(self) -> bool:
        """Whether an operand goes through shared memory: tiles instead of a linear iteration."""
        return any(operand.layout == TILED for operand in self.operands)

    @property
    def first_statement(self) -> int:
        """The value number of the first statement's result."""
        return len(self.operands) + len(self.scalars) + len(self.indices)

    def dtype_of(self, value: int) -> str:
        """The dtype name of value number `value`."""
        for group in (self.operands, self.scalars, self.indices, self.statements):
            if value < len(group):
                item = group[value]
                return item if isinstance(item, str) else item.dtype
            value -= len(group)
        raise IndexError(value)


@dataclass(frozen=True)
class Parameters:
    """Where each parameter of a region stands in its block, in 32-bit words.

    The block is std140: single words first, then one uvec4 an axis (extent, multiplier, shift, 0),
    then for each group of four strided values one uvec4 of strides an axis. Axis 0 is the
    innermost. A segmented region keeps only the number of rows and of groups along x in the block;
    `count`, starts and scalars are words of its table rows instead.
    """

    region: Region

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The names of the single words, in order.

        "count"; "start_N" of operand, index or output N (elements; in steps of `elements` for
        LINEAR); "scalar_N" and for 64-bit dtypes "scalar_N_high".
        """
        region = self.region
        names = ["count"]
        names += [f"start_{n}" for n in range(len(region.operands))]
        first_index = len(region.operands) + len(region.scalars)
        for n, index in enumerate(region.indices, first_index):
            names.append(f"start_{n}")
            if dtypes.by_name(index.dtype).itemsize == 8:
                names.append(f"start_{n}_high")
        names += [f"start_out_{n}" for n in range(len(region.outputs))]
        for n, dtype in enumerate(region.scalars, len(region.operands)):
            names.append(f"scalar_{n}")
            if dtypes.by_name(dtype).itemsize == 8:
                names.append(f"scalar_{n}_high")
        return tuple(names)

    @cached_property
    def row(self) -> tuple[str, ...]:
        """The words of `words` that a segment's table row has behind its starts of memory."""
        region = self.region
        memory = {f"start_{n}" for n in range(len(region.operands))}
        memory |= {f"start_out_{n}" for n in range(len(region.outputs))}
        return tuple(name for name in self.words if name not in memory)

    @cached_property
    def strided(self) -> tuple[str, ...]:
        """Names of the values that have strides, in order: "0" of value 0, "out_0" of output 0."""
        region = self.region
        first_index = len(region.operands) + len(region.scalars)
        return (
            *(str(n) for n, item in enumerate(region.operands) if item.layout in _COORDINATES),
            *(
                str(n)
                for n, item in enumerate(region.indices, first_index)
                if item.layout in _COORDINATES
            ),
            *(f"out_{n}" for n, item in enumerate(region.outputs) if item.layout in _COORDINATES),
        )

    @property
    def axes_at(self) -> int:
        """The word at which the axes begin."""
        return -(-len(self.words) // 4) * 4

    def strides_at(self, group: int) -> int:
        """The word at which the strides of the strided values 4 * group… begin."""
        return self.axes_at + 4 * self.region.room * (1 + group)

    @property
    def nbytes(self) -> int:
        """Size of the block in bytes."""
        if self.region.segmented:
            return 16
        groups = -(-len(self.strided) // 4)
        room = self.region.room
        return 4 * (self.axes_at + (4 * room * (1 + groups) if room else 0))


_COORDINATES = frozenset((VECTOR, SPLAT, STRIDED, TILED))
