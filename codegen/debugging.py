"""What VKML_DEBUG tells on standard error, and what VKML_DUMP_DIR receives.

Both are read when vkml is imported. While they are off, their whole price is one test of `active`
where a kernel is new, and one of `level` a realize.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vkml import config
from vkml.errors import VkmlError, warn
from vkml.program import Dispatch, SpirvKernel

from .expression import operand_name
from .keys import decode_region

if TYPE_CHECKING:
    from .kernel import Region
    from .kernels import Kernels
    from .plan import Plan

__all__ = ["active", "dump_failed", "level", "new_kernels", "realized", "why"]

VERSIONS = ("code generator", "compiler", "device's verdicts")
"""What the lines of an index key before the region's are about."""

Known = tuple[tuple[str, ...], "Region"]
"""A kernel that there was before: its versions, and its region."""

WHY, TABLE, GLSL, SPIRV = 1, 2, 3, 4

level = config.flag("VKML_DEBUG")
folder = config.text("VKML_DUMP_DIR")
active = level > 0 or folder is not None

_TITLE = 60
_log = logging.getLogger("vkml")
_unwritable = False


class _StandardError(logging.Handler):
    """Writes to what sys.stderr is at the time: notebooks and tests exchange it."""

    def emit(self, record: logging.LogRecord) -> None:
        with contextlib.suppress(OSError, ValueError):  # it was closed: no reason to fail
            sys.stderr.write(f"vkml: {self.format(record)}\n")


if level > 0 and not _log.handlers:  # a program that has set up its own logging keeps it
    _log.addHandler(_StandardError())
    _log.setLevel(logging.DEBUG)
    _log.propagate = False


def new_kernels(
    kernels: Kernels,
    fresh: Sequence[tuple[Region, SpirvKernel]],
    compiled: Sequence[Region],
    where: Callable[[Region], str] | None,
) -> None:
    """Tell of kernels that this process did not have before; `compiled` are not from the disk."""
    here: tuple[str, ...] = ()
    known: list[Known] = []
    if level >= WHY and compiled:
        here = _versions(kernels.index_key(compiled[0]))[0]
        known = [(here, region) for region in kernels.known if region not in compiled]
        known += [item for item in _on_disk(kernels) if item[0] != here or item[1] not in compiled]
    for region, kernel in fresh:
        if level >= WHY and region in compiled:
            place = "" if where is None else where(region).rpartition("\n")[2].strip()
            _log.info(
                "compiled %s because %s: %s%s",
                kernel.name, why(region, here, known), kernel.title,
                f"  [{place}]" if place else "",
            )  # fmt: skip
        if level >= GLSL:
            _log.info("GLSL of %s\n%s", kernel.name, kernels.source(region).rstrip())
        if level >= SPIRV:
            from .disassembly import disassemble

            _log.info("SPIR-V of %s\n%s", kernel.name, disassemble(kernel.spirv).rstrip())
        if folder is not None:
            _dump(f"{kernel.name}.comp", kernels.source(region).encode())
            _dump(f"{kernel.name}.spv", kernel.spirv)


def dump_failed(name: str, text: str) -> None:
    """Keep the text of a kernel that did not compile, as failed_NAME.comp."""
    if folder is not None:
        _dump(f"failed_{name}.comp", text.encode())


def realized(plan: Plan) -> None:
    """Tell what one realize runs: for each dispatch the kernel, groups x threads, the shape."""
    program = plan.program
    _log.info(
        "realize: %d dispatch%s, %d bytes moved, %d unfused",
        len(program.steps), "" if len(program.steps) == 1 else "es",
        program.bytes_moved, program.bytes_unfused,
    )  # fmt: skip
    for number, (step, members) in enumerate(zip(program.steps, plan.members, strict=True), 1):
        shape = "x".join(map(str, plan.planned[members[0]].lowered.shape)) or "()"
        if not isinstance(step, Dispatch):
            amount = f"{len(members)} merged"
        elif plan.kernels is None:
            amount = ""
        else:
            amount = f"{step.groups[0] * step.groups[1] * step.groups[2]} x {step.constants[0]}"
        title = step.kernel.title
        if len(title) > _TITLE:
            title = f"{title[: _TITLE - 1]}…"
        _log.info("  %2d  %s  %-12s  %-12s  %s", number, step.kernel.name, amount, shape, title)


def why(region: Region, here: tuple[str, ...], known: Iterable[Known]) -> str:
    """What in the key of `region` is new, against the most alike of the kernels known before.

    `here` are the versions that it was made under.
    """
    best: list[str] | None = None
    changed: list[str] | None = None
    for versions, other in known:
        if other == region:
            names = [
                name for name, old, new in zip(VERSIONS, versions, here, strict=True) if old != new
            ]
            changed = names if changed is None or len(names) < len(changed) else changed
            continue
        differences = _differences(region, other)
        if differences is not None and (best is None or len(differences) < len(best)):
            best = differences
    if changed:
        return f"the {' and the '.join(changed)} changed"
    return " and ".join(best[:3]) if best else "the expression is new"


def _versions(index_key: str) -> tuple[tuple[str, ...], str]:
    """The versions in an index key, and the region key behind them."""
    *versions, region = index_key.split("\n", len(VERSIONS))
    return tuple(versions), region


def _on_disk(kernels: Kernels) -> Iterator[Known]:
    """Every kernel of the cache folder that this version of vkml can read."""
    for entry in kernels.cache.entries():
        versions, key = _versions(entry.index_key)
        if len(versions) == len(VERSIONS):
            with contextlib.suppress(VkmlError):
                yield versions, decode_region(key)


def _differences(region: Region, known: Region) -> list[str] | None:
    """What differs from `known`; None where it computes something else."""
    ops = [(item.op, item.arguments) for item in region.statements]
    if (
        ops != [(item.op, item.arguments) for item in known.statements]
        or [item.value for item in region.outputs] != [item.value for item in known.outputs]
        or len(region.scalars) != len(known.scalars)
        or len(region.operands) != len(known.operands)
    ):
        return None
    pairs: list[tuple[str, object, object]] = []
    for number, (new, old) in enumerate(zip(region.operands, known.operands, strict=True)):
        name = operand_name(number)
        pairs.append((f"the dtype of {name}", new.dtype, old.dtype))
        pairs.append((f"the layout of {name}", new.layout, old.layout))
    for number, (out, was) in enumerate(zip(region.outputs, known.outputs, strict=True)):
        pairs.append((f"the layout of out{number}", out.layout, was.layout))
    types = [dict.fromkeys(item.dtype for item in part.statements) for part in (region, known)]
    pairs.append(("the dtypes", " ".join(types[0]), " ".join(types[1])))
    pairs.append(("the scalars", " ".join(region.scalars), " ".join(known.scalars)))
    pairs.append(("in place", region.aliased, known.aliased))
    pairs.append(("merged", region.segmented, known.segmented))
    follow = [  # what follows from the layouts, told where they are the same
        ("the vector width", region.elements, known.elements),
        ("the number of axes that it has room for", region.room, known.room),
        ("made of whole runs", region.runs, known.runs),
        ("unrolled", region.unroll, known.unroll),
    ]
    found = [_difference(*pair) for pair in pairs if pair[1] != pair[2]]
    return found or [_difference(*pair) for pair in follow if pair[1] != pair[2]]


def _difference(what: str, new: object, old: object) -> str:
    if isinstance(new, bool):
        return f"it is {what}" if new else f"it is not {what}"
    verbs = ("are", "were") if what.endswith("s") else ("is", "was")
    return f"{what} {verbs[0]} {new}, {verbs[1]} {old}"


def _dump(name: str, data: bytes) -> None:
    """Write a file whole or not at all; a folder that cannot be written to is told of once."""
    global _unwritable
    if _unwritable or folder is None:
        return
    target = Path(folder).expanduser() / name
    temporary = target.with_name(f".{name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        os.replace(temporary, target)
    except OSError as error:
        _unwritable = True
        warn(
            f"VKML_DUMP_DIR: {target.parent} cannot be written to ({error.strerror}); kernels are "
            "not dumped"
        )
