"""The bounded cache of recordings."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Sequence

from .heaps import Heaps
from .memory import Allocation
from .pipelines import Pipelines
from .prepared import Prepared
from .recorder import Recorder
from .recording import Commands, Recording
from .submission import Queue

__all__ = ["Recordings", "settle"]


class Recordings:
    """Makes, finds, bounds and destroys recordings. Used with the device's lock held.

    instances_a_binding   recordings of one program for the same buffers, so many in flight
    instances_a_program   from so many on, the least recently used one is recorded anew
    limit                 recordings in all
    read_limit            bytes of results that ride in a command buffer
    """

    def __init__(
        self,
        queue: Queue,
        commands: Commands,
        pipelines: Pipelines,
        heaps: Heaps,
        recorder: Recorder,
        alignment: int,
    ) -> None:
        self.queue = queue
        self.commands = commands
        self.pipelines = pipelines
        self.recorder = recorder
        self.limits = heaps.limits
        self.direct = heaps.kinds.direct
        self.alignment = alignment
        self.instances_a_binding = 3
        self.instances_a_program = 24
        self.limit = 1024
        self.read_limit = 1 << 28
        self.discarded: deque[list[Recording]] = deque()
        self._all: dict[int, tuple[weakref.ref[Prepared], Recording]] = {}
        self._retired: deque[Recording] = deque()

    def copies_reads(self, prepared: Prepared) -> bool:
        """Whether the program's command buffers copy its results to host memory.

        Not where the host reads tensors in place, and not beyond `read_limit` bytes, which would
        pin as much host memory: those are fetched when they are read.
        """
        if not prepared.reads:
            return False
        if any(prepared.slots[item.slot].role == "temporary" for item in prepared.reads):
            return True
        return not self.direct and sum(prepared.read_bytes) <= self.read_limit

    def idle(self, recordings: list[Recording]) -> Recording | None:
        """A recording of this binding that the device is done with, or None to record one.

        Waits for the oldest when there are as many as a binding may have.
        """
        for _ in range(2):
            completed = self.queue.completed
            for recording in recordings:
                if recording.value <= completed:
                    return recording
            if self.queue.refresh() == completed:
                break
        if len(recordings) < self.instances_a_binding:
            return None
        oldest = min(recordings, key=lambda item: item.value)
        self.queue.wait(oldest.value)
        return oldest

    def record(
        self, prepared: Prepared, key: tuple[int, ...], memory: Sequence[Allocation]
    ) -> Recording:
        """A recording of the program for the binding `key`; `memory` has one entry a slot."""
        self.retire()
        recording = self._reusable(prepared)
        try:
            self.recorder.fill(recording, prepared, memory, False)
        except BaseException:
            self._retired.append(recording)
            raise
        recording.key = key
        self._all[id(recording)] = (weakref.ref(prepared), recording)
        prepared.instances.append(recording)
        prepared.recordings.setdefault(key, []).append(recording)
        return recording

    def record_once(self, prepared: Prepared, memory: Sequence[Allocation]) -> Recording:
        """A recording with timestamps that is not kept for later executions."""
        self.retire()
        recording = Recording()
        try:
            self.recorder.fill(recording, prepared, memory, True)
        except BaseException:
            self._retired.append(recording)
            raise
        return recording

    def drop(self, recording: Recording) -> None:
        """Destroy a recording of `record_once` when it has ended and nobody asks for its times."""
        self._retired.append(recording)

    def retire(self) -> None:
        """Destroy what was dropped and is no longer in use; keep the cache within its bound."""
        while self.discarded:
            for recording in self.discarded.popleft():
                self._all.pop(id(recording), None)
                self._retired.append(recording)
        if len(self._all) > self.limit:
            order = sorted(self._all.values(), key=lambda entry: entry[1].value)
            for owner, recording in order[: max(len(self._all) - self.limit, self.limit // 4)]:
                prepared = owner()
                if prepared is not None:
                    self._forget(prepared, recording)
                    self._retired.append(recording)
        if self._retired:
            completed = self.queue.refresh()
            for _ in range(len(self._retired)):
                recording = self._retired.popleft()  # first: Ctrl-C may come, and never twice
                if recording.value <= completed and not _watched(recording):
                    self.commands.destroy(recording)
                else:
                    self._retired.append(recording)

    def close(self) -> None:
        """Destroy every recording; the device is idle."""
        while self.discarded:
            self._retired += self.discarded.popleft()
        for recording in itertools.chain((entry[1] for entry in self._all.values()), self._retired):
            self.commands.destroy(recording)
        self._all.clear()
        self._retired.clear()

    def _reusable(self, prepared: Prepared) -> Recording:
        """A new recording, or the program's least recently used one once it has many.

        Waits for that one: so many executions in flight are enough.
        """
        if len(prepared.instances) < self.instances_a_program:
            return Recording()
        found = min(prepared.instances, key=lambda item: item.value)
        self.queue.wait(found.value)
        settle(found)
        self._forget(prepared, found)
        return found

    def _forget(self, prepared: Prepared, recording: Recording) -> None:
        """Take a recording out of every list; Ctrl-C may have taken it out of some before."""
        self._all.pop(id(recording), None)
        if recording in prepared.instances:
            prepared.instances.remove(recording)
        same = prepared.recordings.get(recording.key, [])
        if recording in same:
            same.remove(recording)
        if not same:
            prepared.recordings.pop(recording.key, None)


def settle(recording: Recording) -> None:
    """Let the execution that still may read this recording's results take them now."""
    if recording.ticket is not None:
        execution = recording.ticket()
        recording.ticket = None
        if execution is not None:
            execution.keep()


def _watched(recording: Recording) -> bool:
    return recording.ticket is not None and recording.ticket() is not None
