"""Locks that a forked child finds free, whatever the parent's other threads were doing.

Only the thread that forks lives on in the child; a lock that another one held would stay held.
What such a lock guards may be half changed, but after a fork Vulkan accepts nothing, and all else
is changed in steps that leave it sound.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

__all__ = ["lock"]

_made: weakref.WeakSet[Any] = weakref.WeakSet()


def lock() -> threading.RLock:
    """A new re-entrant lock."""
    made = threading.RLock()
    _made.add(made)
    return made


def _after_fork() -> None:
    for made in list(_made):
        made._at_fork_reinit()  # as threading and logging renew theirs


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
