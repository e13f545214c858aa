"""Storage and cells: the memory of a computed node, and the versions of a named array.

A Storage is memory. A Cell is the identity that handles and views of one array share: in-place
writes append a version to the cell and never change a recorded node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Node

__all__ = ["Cell", "Storage"]


class Storage:
    """A device buffer that nodes are bound to. Freed when its last node dies.

    `origin` says what computed it last (see vkml.evaluate); None where the host filled it.
    """

    __slots__ = ("buffer", "device", "nbytes", "origin")

    def __init__(self, buffer: Any, nbytes: int, device: Any) -> None:
        self.buffer = buffer
        self.nbytes = nbytes
        self.device = device
        self.origin: Any = None


class Cell:
    """The versions of one array that is written in place.

    `current` is the node of the newest version; `version` counts the writes. Handles and views
    find the newest version here; nodes recorded earlier keep reading the node that they were
    recorded with.
    """

    __slots__ = ("current", "version")

    def __init__(self, current: Node) -> None:
        self.current: Node = current
        self.version = 0

    def write(self, node: Node) -> None:
        """Make `node` the newest version."""
        self.current = node
        self.version += 1
