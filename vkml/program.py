"""The contract between code generation and the runtime.

Code generation makes a Program: slots (byte buffers known only by number), steps over them, and
the scalars that change from run to run. A runtime executes it without knowing any operation. All
positions are bytes unless a name says elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

__all__ = [
    "Binding",
    "Dispatch",
    "HostKernel",
    "Merged",
    "Patch",
    "Program",
    "Range",
    "Segment",
    "Slot",
    "SpirvKernel",
]


@dataclass(frozen=True, slots=True, eq=False)
class SpirvKernel:
    """One compiled compute kernel; `digest` (of the SPIR-V) is its identity.

    Descriptor set 0: binding 0 is the parameter block (a uniform buffer of `parameter_bytes`),
    bindings 1 to `bindings` are storage buffers. A kernel with `segmented` set has one more
    storage buffer, the segment table, at binding `bindings + 1`. Specialisation constant 0 is the
    workgroup size along x; a Dispatch gives all constants in order, 32 bits each.
    """

    name: str
    digest: str
    spirv: bytes
    bindings: int
    parameter_bytes: int
    source: str
    title: str
    segmented: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class HostKernel:
    """One kernel of the `cpu` device: NumPy on byte windows, in the order of the bindings.

    `run(windows, scalars)` gets one writable uint8 array a binding and the values of the
    program's scalars; it writes its results through the windows.
    """

    name: str
    title: str
    run: Callable[[Sequence[NDArray[numpy.uint8]], Sequence[Any]], None]


@dataclass(frozen=True, slots=True)
class Slot:
    """One byte buffer of a program. `role` is "input", "output" or "temporary".

    The caller binds inputs and outputs; temporaries belong to the runtime, live for one execution
    and are all parts of one arena: `offset` is the temporary's place in it.
    """

    nbytes: int
    role: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Binding:
    """A window of a slot: `size` bytes from `offset`, aligned as the device's limits ask.

    `size` may reach past the slot's last byte up to the next multiple of 256: every allocation
    owns that padding.
    """

    slot: int
    offset: int
    size: int
    writes: bool


@dataclass(frozen=True, slots=True)
class Range:
    """Bytes `start` to `stop` of a slot."""

    slot: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Patch:
    """Scalar number `scalar`, packed by struct format `format` at byte `position`."""

    position: int
    scalar: int
    format: str


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One kernel run over `groups` workgroups.

    `parameters` is the parameter block with zeros where `patches` write scalars. `barriers` are
    byte ranges that earlier steps of this program wrote or read and that this step reads or
    overwrites: they must be finished and visible before it starts. No ranges, no wait.
    """

    kernel: SpirvKernel | HostKernel
    bindings: tuple[Binding, ...]
    parameters: bytes = b""
    patches: tuple[Patch, ...] = ()
    groups: tuple[int, int, int] = (1, 1, 1)
    constants: tuple[int, ...] = ()
    barriers: tuple[Range, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """One member of a Merged step: the same kernel over its own operands.

    `words` is the segment's row of the table behind its fixed first words (see Merged), with
    zeros where `patches` (positions within `words`) write scalars.
    """

    bindings: tuple[Binding, ...]
    groups: int
    words: bytes
    patches: tuple[Patch, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """Many small like regions in as few dispatches as their memory blocks allow.

    The kernel's bindings are whole memory blocks. The runtime groups segments whose operands lie
    in the same tuple of blocks; each group is one dispatch. A table row is uint32 words: the
    segment's first workgroup, then for each binding the start of the operand in its block in units
    of 16 bytes, then `Segment.words`. Rows are in the order of their first workgroup. The
    parameter block's first word receives the number of rows; the dispatch has the sum of the
    groups, folded to two dimensions (x at most `DeviceLimits.max_groups`) where it is more; the
    second word receives the number of groups along x. `constants` and `barriers` as in Dispatch.
    """

    kernel: SpirvKernel
    segments: tuple[Segment, ...]
    parameters: bytes = b""
    constants: tuple[int, ...] = ()
    barriers: tuple[Range, ...] = ()


class Program:
    """A whole schedule: what one call of `Device.execute` submits as one queue submission.

    slots         byte buffers by number; `arena_bytes` is what all temporaries need together
    steps         Dispatch and Merged steps in order
    scalars       how many scalar values an execution passes
    reads         ranges that the host reads after this execution (observed results)
    kernels       distinct kernels among the steps
    bytes_moved   bytes of device memory the steps read and write, once per element touched
    bytes_unfused the same for one kernel an operation
    prepared      the device's own state for this program; owned by the runtime
    """

    __slots__ = (
        "arena_bytes",
        "bytes_moved",
        "bytes_unfused",
        "kernels",
        "prepared",
        "reads",
        "scalars",
        "slots",
        "steps",
    )

    def __init__(
        self,
        slots: tuple[Slot, ...],
        steps: tuple[Dispatch | Merged, ...],
        scalars: int = 0,
        reads: tuple[Range, ...] = (),
        arena_bytes: int = 0,
        bytes_moved: int = 0,
        bytes_unfused: int = 0,
    ) -> None:
        self.slots = slots
        self.steps = steps
        self.scalars = scalars
        self.reads = reads
        self.arena_bytes = arena_bytes
        self.kernels = len({getattr(step.kernel, "digest", id(step.kernel)) for step in steps})
        self.bytes_moved = bytes_moved
        self.bytes_unfused = bytes_unfused
        self.prepared: Any = None
