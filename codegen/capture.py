"""Graph: a recorded graph as pure data, the input of partitioning.

Positions are indices into `entries`; operands come before their users.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from vkml import dtypes
from vkml.ops import TABLE
from vkml.shapes import Layout, contiguous, size_of

__all__ = ["LEAF", "UPDATE", "VIEW", "Entry", "Graph"]

LEAF = "leaf"
VIEW = "view"
UPDATE = "update"


class Entry(NamedTuple):
    """One value.

    op        a row's name, or LEAF for memory that already holds its value
    sources   operand positions; a view has one, the owner of the storage that it views
    dtype     name of the result's dtype
    layout    leaf and view: over the storage; otherwise row-major
    storage   leaf: number of the storage (leaves of one storage share it), else -1
    part      update: the elements that are overwritten, over the owner's storage
    moved     view, or leaf that is one: elements changed place (sliced, permuted, broadcast)
    """

    op: str
    sources: tuple[int, ...]
    dtype: str
    layout: Layout
    storage: int = -1
    part: Layout | None = None
    moved: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self.layout.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return size_of(self.layout.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the elements without gaps."""
        return self.size * dtypes.by_name(self.dtype).itemsize

    @property
    def computes(self) -> bool:
        """Whether the entry is an operation or source rather than a leaf or view."""
        return self.op not in (LEAF, VIEW)

    @property
    def is_source(self) -> bool:
        """Whether the entry reads no memory: a value everywhere, or the element's number."""
        return self.op in ("full", "index")


@dataclass(frozen=True)
class Graph:
    """Entries in order; `roots` are observed or realised positions.

    `keep` holds the writes that are the newest version of their array: they stay in memory.
    `in_place` holds the writes ("assign", "update") whose old version nothing outside reads: they
    may overwrite their first operand's memory.
    """

    entries: tuple[Entry, ...]
    roots: tuple[int, ...]
    keep: frozenset[int] = frozenset()
    in_place: frozenset[int] = frozenset()

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """For each entry the position whose storage holds it: itself, or a view's owner."""
        return tuple(
            entry.sources[0] if entry.op == VIEW else position
            for position, entry in enumerate(self.entries)
        )

    @cached_property
    def consumers(self) -> tuple[tuple[int, ...], ...]:
        """For each entry the positions that name it as a source, in order."""
        users: list[list[int]] = [[] for _ in self.entries]
        for position, entry in enumerate(self.entries):
            for source in dict.fromkeys(entry.sources):
                users[source].append(position)
        return tuple(map(tuple, users))

    @cached_property
    def identities(self) -> tuple[Layout, ...]:
        """For each entry the row-major layout of its own elements."""
        return tuple(contiguous(entry.shape) for entry in self.entries)

    def identity(self, position: int) -> Layout:
        """The row-major layout of an entry's own elements."""
        return self.identities[position]

    @cached_property
    def costs(self) -> tuple[int, ...]:
        """For each entry the scalar operations of one element."""
        return tuple(
            TABLE[entry.op].price(dtypes.by_name(entry.dtype).register) for entry in self.entries
        )
