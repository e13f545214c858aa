"""An Explanation as text for a terminal of 80 columns; only kernels may be wider."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from .codegen.edges import FUSED
from .errors import quoted, short_path
from .explanation import Array, Dispatch, Edge, Explanation, Kernel, Part, Place

__all__ = ["size", "typeset"]

WIDTH = 80
MOST_EDGES = 16
"""Kinds of edges that are listed; all edges are in `Explanation.parts`."""
LONGEST_CHAIN = 12
"""Operations of a chain of fused ones that are named."""
MOST_DISPATCHES = 16
MOST_LINES = 160
"""Lines of one kernel that are shown."""
MOST_KERNELS = 8
"""Kernels whose text is shown."""


def typeset(explanation: Explanation, full: bool) -> str:
    """The text of an explanation; `full` shows every kernel whole."""
    blocks: list[str] = []
    for part in explanation.parts:
        blocks += ["\n".join(lines) for lines in _part(part, full) if lines]
    blocks += ["\n".join(_wrapped(f"note: {note}", "", "  ")) for note in explanation.notes]
    return "\n\n".join(blocks)


def _part(part: Part, full: bool) -> Iterable[list[str]]:
    """The blocks of one submission."""
    yield _summary(part)
    yield _edges(part)
    if len(part.dispatches) > 1:
        yield _dispatches(part)
    shown = part.kernels if full else part.kernels[:MOST_KERNELS]
    for kernel in shown:
        yield from _kernel(part, kernel, full)
    if len(shown) < len(part.kernels):
        yield [f"… and {len(part.kernels) - len(shown)} more kernels"]


def _summary(part: Part) -> list[str]:
    totals = part.totals
    moved, unfused = totals["bytes_moved"], totals["bytes_unfused"]
    lines = [
        f"{counted(len(part.operations), 'operation')} in {counted(totals['kernels'], 'kernel')}, "
        f"{counted(totals['dispatches'], 'dispatch')}, "
        f"{counted(totals['submissions'], 'submission')}"
        + (", as it ran" if part.computed else "; not computed yet"),
        f"{part.device}, {part.device_name}" if part.device != part.device_name else part.device,
    ]
    ratio = f", {unfused / moved:.1f} times as much" if moved and unfused > moved else ""
    lines.append(f"moves {size(moved)}; one kernel an operation: {size(unfused)}{ratio}")
    for number in part.in_place:
        operation = part.operations[number - 1]
        lines.append(f"in place: {_named(part, operation.number)}")
    return lines


def _edges(part: Part) -> list[str]:
    """What became of each value: the plainly fused ones together, others one by one."""
    if not part.edges:
        return []
    plain = [edge for edge in part.edges if edge.reason.startswith(FUSED)]
    groups: dict[tuple[int, str, str], list[Edge]] = {}
    for edge in part.edges:
        if not edge.reason.startswith(FUSED):
            groups.setdefault((edge.producer, edge.verdict, edge.reason), []).append(edge)
    lines = ["values between operations"]
    if plain:
        lines += _row("fused", f"{len(plain)} in registers: {_chains(part, plain)}")
    rows: Counter[tuple[str, str, str]] = Counter()
    for found in groups.values():
        edge = found[0]
        users = Counter(_named(part, edge.consumer) for edge in found)
        uses = ", ".join(map(_times, users, users.values()))
        text = f"{_named(part, edge.producer)} -> {uses}"
        rows[edge.verdict, text, edge.reason + _price(edge)] += 1
    for (verdict, text, reason), count in list(rows.items())[:MOST_EDGES]:
        lines += _row(verdict, _times(text, count)) + _row("", reason)
    if len(rows) > MOST_EDGES:
        lines += _row("", f"… and {len(rows) - MOST_EDGES} more")
    return lines


def _chains(part: Part, found: Sequence[Edge]) -> str:
    """Edges by the names of their operations, those in a row joined: `mul -> add -> exp`."""
    chains: list[list[int]] = []
    growing: dict[int, list[int]] = {}  # by their last operation
    for edge in found:
        chain = growing.pop(edge.producer, None)
        if chain is None:
            chain = [edge.producer]
            chains.append(chain)
        chain.append(edge.consumer)
        growing.setdefault(edge.consumer, chain)
    texts: Counter[str] = Counter()
    for chain in chains:
        names = [part.operations[number - 1].op for number in chain]
        if len(names) > LONGEST_CHAIN:
            names[LONGEST_CHAIN // 2 : -LONGEST_CHAIN // 2] = ["…"]
        texts[" -> ".join(names)] += 1
    shown = list(map(_times, texts, texts.values()))[:MOST_EDGES]
    more = f", and {len(texts) - MOST_EDGES} more" if len(texts) > MOST_EDGES else ""
    return ", ".join(shown) + more


def _times(text: str, count: int) -> str:
    return text if count == 1 else f"{count} x {text}"


def _price(edge: Edge) -> str:
    if not (edge.recompute_bytes or edge.store_bytes) or edge.reason == "observed":
        return ""
    return f": {size(edge.recompute_bytes)} against {size(edge.store_bytes)} to store"


def _dispatches(part: Part) -> list[str]:
    lines = ["dispatches"]
    rows: list[tuple[str, int, int]] = []  # text, first and last number
    for dispatch in part.dispatches:
        text = f"kernel {dispatch.kernel} {_run(part, dispatch)}"
        if rows and rows[-1][0] == text:
            rows[-1] = (text, rows[-1][1], dispatch.number)
        else:
            rows.append((text, dispatch.number, dispatch.number))
    for text, first, last in rows[:MOST_DISPATCHES]:
        lines += _row(str(first) if first == last else f"{first} to {last}", text)
    if len(rows) > MOST_DISPATCHES:
        lines += _row("", f"… and {len(part.dispatches) - rows[MOST_DISPATCHES][1] + 1} more")
    return lines


def _run(part: Part, dispatch: Dispatch) -> str:
    """What one dispatch does, in a line."""
    operations = sum(len(part.regions[number - 1].operations) for number in dispatch.regions)
    words = f"over {_shape(dispatch.shape)}"
    if dispatch.merged > 1:
        words = f"for {dispatch.merged} merged regions, the first over {_shape(dispatch.shape)}"
    words += f", {counted(operations, 'operation')}"
    if dispatch.workgroup:
        count = dispatch.groups[0] * dispatch.groups[1] * dispatch.groups[2]
        words += f", {count} x {dispatch.workgroup} threads"
    return f"{words}, {size(dispatch.bytes_moved)}"


def _kernel(part: Part, kernel: Kernel, full: bool) -> Iterable[list[str]]:
    runs = [dispatch for dispatch in part.dispatches if dispatch.kernel == kernel.number]
    title = f"kernel {kernel.number}"
    if kernel.name is not None:
        title += f"  {kernel.name}"
    head = [title]
    if kernel.glsl is None:  # else it opens the text
        for line in kernel.expression.split("; "):
            head += _wrapped(line, "  ", "      ")
    if len(part.dispatches) == 1:
        head += _wrapped(_run(part, runs[0]), "  ", "      ")
    yield head
    yield _arrays(runs[0].arrays)
    if kernel.glsl is not None:
        yield _code(kernel, full)


def _arrays(arrays: Sequence[Array]) -> list[str]:
    """A table of the bindings, the user's line at the end of each row."""
    rows = [("", "array", "dtype", "shape", "access", "bytes", "memory")]
    rows += [
        (
            str(array.binding), array.name, array.dtype, _shape(array.shape), array.layout,
            size(array.nbytes), array.memory,
        )
        for array in arrays
    ]  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row, place in zip(rows, (None, *(array.where for array in arrays)), strict=True):
        cells = [
            text.rjust(width) if column in (0, 5) else text.ljust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = "  " + "  ".join(cells)
        lines.append(f"{line}  {_place(place)}".rstrip() if place else line.rstrip())
    return lines


_FUNCTION = re.compile(r"^\w+ (vk_\w+)\(.*\) \{$")


def _code(kernel: Kernel, full: bool) -> list[str]:
    """The GLSL, indented; before statements the user's line at the margin."""
    assert kernel.glsl is not None
    places = dict(kernel.lines)
    code = list(enumerate(kernel.glsl.splitlines()))
    if not full:
        code = _without_functions(code)
    lines: list[str] = []
    before: Place | None = None
    for number, text in code:
        place = places.get(number, before)
        if place is not None and place != before:
            lines.append(f"> {quoted(place)}")
            before = place
        lines.append(f"  {text}".rstrip())
    if not full and len(lines) > MOST_LINES:
        hidden = len(lines) - MOST_LINES
        lines[MOST_LINES // 2 : -MOST_LINES // 2] = [f"  … {hidden} lines, not shown here"]
    return lines


def _without_functions(code: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines of a kernel without its functions, whose names a comment tells instead."""
    names: list[str] = []
    kept: list[tuple[int, str]] = []
    place = 0
    inside = False
    for number, text in code:
        function = _FUNCTION.match(text)
        if function is not None:
            inside = True
            names.append(function[1])
            while kept and kept[-1][1].startswith("//"):  # what is said about the function
                kept.pop()
            place = place or len(kept)
        if not inside and (text or not kept or kept[-1][1]):
            kept.append((number, text))
        inside = inside and text != "}"
    if names:
        comment = _wrapped(
            f"functions, not shown here: {', '.join(dict.fromkeys(names))}", "// ", "// "
        )
        kept[place:place] = [(-1, line) for line in (*comment, "")]
    return kept


def _named(part: Part, number: int) -> str:
    """An operation with its line, as `exp (demo.py:12)`."""
    operation = part.operations[number - 1]
    return operation.op + (f" ({_place(operation.where)})" if operation.where else "")


def _place(place: Place | None) -> str:
    if place is None:
        return ""
    path = short_path(place[0])
    return f"{path if len(path) <= 24 else '…' + path[-23:]}:{place[1]}"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "()"


def _row(label: str, text: str) -> list[str]:
    return _wrapped(text, f"  {label:<10}", " " * 12)


def _wrapped(text: str, first: str, following: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=following, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def counted(count: int, noun: str) -> str:
    """`1 dispatch`, `2 dispatches`."""
    plural = noun + ("es" if noun.endswith("ch") else "s")
    return f"{count} {noun if count == 1 else plural}"


def size(nbytes: int) -> str:
    """A number of bytes with three digits: 512 B, 1.23 kB, 45.6 MB."""
    amount, unit = float(nbytes), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    if unit == "B":
        return f"{nbytes} B"
    return f"{amount:.{2 if amount < 10 else 1 if amount < 100 else 0}f} {unit}"
