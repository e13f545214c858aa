"""Explanation: what runs for some tensors, as data. `vkml.explain` makes it; docs/explain.md.

Numbers of operations, regions, kernels and dispatches count from 1 within a part. Sizes are bytes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from .codegen.edges import Edge

__all__ = [
    "Array", "Dispatch", "Edge", "Explanation", "Kernel", "Operation", "Part", "Place", "Region",
]  # fmt: skip

Place = tuple[str, int]
"""A file of the user's and a line number."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A recorded operation, with the user's line that recorded it."""

    number: int
    op: str
    dtype: str
    shape: tuple[int, ...]
    where: Place | None


@dataclass(frozen=True, slots=True)
class Array:
    """What one binding of a kernel holds.

    name    as in the kernel: a, b… are read, out0, out1… written
    layout  how the kernel walks over it: its layout class
    shape   of the whole array; `nbytes` are those that the dispatch touches
    memory  "given" (computed or uploaded before), "kept", "temporary" or "in place"
    where   the user's line that made its value
    """

    binding: int
    name: str
    dtype: str
    layout: str
    shape: tuple[int, ...]
    nbytes: int
    memory: str
    where: Place | None


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One run of a kernel over `shape`, in the order of the submission.

    regions  numbers of the regions that it computes, or computes a part of
    merged   how many like pieces it computes at once; `arrays` are those of the first
    groups   workgroups along x, y and z; (0, 0, 0) for `cpu`
    """

    number: int
    kernel: int
    regions: tuple[int, ...]
    shape: tuple[int, ...]
    groups: tuple[int, int, int]
    workgroup: int
    bytes_moved: int
    merged: int
    arrays: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One generated kernel.

    name        as the driver knows it, and its file in VKML_DUMP_DIR; None before it is compiled
    expression  what it computes, in array terms
    elements    consecutive elements a thread
    glsl        its text; None for `cpu`, which runs NumPy
    lines       (line of `glsl`, user's place) of each statement, lines counted from 0
    """

    number: int
    name: str | None
    expression: str
    elements: int
    glsl: str | None
    lines: tuple[tuple[int, Place], ...]


@dataclass(frozen=True, slots=True)
class Region:
    """Operations that are computed together, and what of them is stored."""

    number: int
    kind: str
    shape: tuple[int, ...]
    operations: tuple[int, ...]
    outputs: tuple[int, ...]
    dispatches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One submission: what ran, or would run, for one or more of the tensors.

    edges     what became of each value on its way from one operation to another, by number
    in_place  operations that overwrite memory which exists
    totals    counts by the names that `vkml.counters()` uses
    """

    device: str
    device_name: str
    computed: bool
    operations: tuple[Operation, ...]
    edges: tuple[Edge, ...]
    regions: tuple[Region, ...]
    kernels: tuple[Kernel, ...]
    dispatches: tuple[Dispatch, ...]
    in_place: tuple[int, ...]
    totals: dict[str, int]


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """What ran, or would run, for some tensors; `print` shows it, `to_dict` is for programs.

    parts  one a submission: one for all tensors that are not computed, one for each earlier one
    notes  what the explanation could not tell, a line each
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    @property
    def totals(self) -> dict[str, int]:
        """The counts of all parts, by the names that `vkml.counters()` uses."""
        names = ("regions_planned", "kernels", "dispatches", "submissions", "bytes_moved")
        return {
            name: sum(part.totals[name] for part in self.parts)
            for name in (*names, "bytes_unfused")
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values that `json` can write."""
        return {
            "schema": 1,
            "totals": self.totals,
            "parts": [dataclasses.asdict(part) for part in self.parts],
            "notes": list(self.notes),
        }

    def text(self, full: bool = False) -> str:
        """As `str`; `full=True` shows every kernel whole, with the functions of the library."""
        from .typeset import typeset

        return typeset(self, full)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()
