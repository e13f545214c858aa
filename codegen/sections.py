"""The text of a kernel in sections, which templates put into a skeleton.

Value number n of a region is the variable xn everywhere; operand b is read from b_data, and
output 0 written to out0_data.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vkml import dtypes
from vkml.codegen.expression import value_names
from vkml.codegen.glsl import FORMS, bit, parameter
from vkml.codegen.kernel import (
    CONSTANT,
    LINEAR,
    SPLAT,
    STRIDED,
    TILED,
    VECTOR,
    Operand,
    Parameters,
    Region,
    Statement,
)
from vkml.codegen.wide import Wide, vector
from vkml.errors import UnsupportedError
from vkml.ops import TABLE

__all__ = ["Sections", "sections"]


@dataclass(slots=True)
class Sections:
    """The parts of a kernel that depend on the region, in lines of GLSL.

    values   a comment a value that is read or stored: its variable, its name, dtype and layout
    members  the parameters: single words, then arrays of uvec4
    row      the words of a segment's table row, behind its first workgroup
    buffers  storage buffers in the order of their bindings, which start at 1
    shared   variables in shared memory
    offsets  how many uvec4s receive the places of strided values, four each
    fill     statements that fill a place of the tiles
    places   statements that read parameters, before any branch
    before   statements before the element loop
    body     statements in it, for element `e`
    after    statements after it
    """

    values: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)
    offsets: int = 0
    fill: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def sections(region: Region) -> Sections:
    """The text of a region, section by section.

    Raises UnsupportedError for an operation that has no text for its dtype.
    """
    return _Writer(region).written()


class _Writer:
    """Writes the sections of one region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.parameters = Parameters(region)
        self.made = Sections()

    def written(self) -> Sections:
        region = self.region
        self._parameters()
        names = iter(value_names(region))
        number = 0
        for operand in region.operands:
            name = next(names)
            self._describe(number, name, operand.dtype, operand.layout)
            self._load(number, name, operand)
            number += 1
        for dtype in region.scalars:
            self._describe(number, next(names), dtype, "scalar")
            lines = self.made.before if region.segmented else self.made.places
            self._declare(lines, dtype, number, parameter(f"scalar_{number}", dtype))
            number += 1
        for index in region.indices:
            self._describe(number, next(names), index.dtype, "element number")
            self._index(number, index)
            number += 1
        for statement in region.statements:
            self._statement(number, statement)
            number += 1
        for n, output in enumerate(region.outputs):
            dtype = region.dtype_of(output.value)
            self._describe(output.value, f"out{n}", dtype, output.layout)
            if output.layout == STRIDED:
                self._store_element(n, f"x{output.value}", dtype)
            else:
                self._store_wide(n, f"x{output.value}", dtype, output.layout)
        return self.made

    def _parameters(self) -> None:
        """Members of the parameter block, and the offsets that its strides give."""
        made, region = self.made, self.region
        if region.segmented:
            made.members += ["uint rows", "uint groups_x"]
            made.row += [f"start_{number}" for number in range(len(region.operands))]
            made.row += [f"start_out_{number}" for number in range(len(region.outputs))]
            made.row += self.parameters.row
            return
        made.members += [f"uint {name}" for name in self.parameters.words]
        if region.room:
            made.offsets = -(-len(self.parameters.strided) // 4)
            made.members.append(f"uvec4 axis[{region.room}]")
            made.members += [
                f"uvec4 stride_{group}[{region.room}]" for group in range(made.offsets)
            ]

    def _check(self, what: str, layout: str) -> None:
        """Refuse a layout that the region's iteration does not allow."""
        if layout in (VECTOR, SPLAT, TILED) and not self.region.runs:
            raise ValueError(f"{what}: a {layout} value needs a region with runs")
        if layout == LINEAR and self.region.tiled:
            raise ValueError(f"{what}: a {layout} value does not fit a tiled region")

    def _describe(self, number: int, name: str, dtype: str, layout: str) -> None:
        self.made.values.append(f"{f'x{number}':<5} {name:<5} {dtype:<8} {layout}")

    def _declare(self, lines: list[str], dtype: str, number: int, text: str) -> None:
        lines.append(f"{FORMS[dtype].type} x{number} = {text};")

    def _buffer(self, block: str, name: str, access: str, element: str) -> None:
        alone = not (self.region.aliased or self.region.segmented)
        words = ("restrict" if alone else "", access, "buffer", block)
        self.made.buffers.append(f"{' '.join(filter(None, words))} {{ {element} {name}[]; }}")

    def _place(self, name: str, layout: str) -> str:
        """The element at which strided value `name` starts, or its element `e`."""
        at = self.parameters.strided.index(name)
        group, component = divmod(at, 4)
        text = f"start_{name} + offset_{group}.{'xyzw'[component]}"
        if layout == STRIDED and self.region.runs:
            text += f" + e * stride_{group}[0].{'xyzw'[component]}"
        return text

    def _load(self, number: int, name: str, operand: Operand) -> None:
        """Read an operand into its register."""
        layout = operand.layout
        self._check(f"operand {name}", layout)
        if layout in (LINEAR, VECTOR):
            self._load_wide(number, name, operand)
        elif layout == TILED:
            self._load_tile(number, name, operand)
        else:
            self._load_element(number, name, operand)

    def _load_wide(self, number: int, name: str, operand: Operand) -> None:
        """Load the vectors of a thread; take elements from their words."""
        made, itemsize = self.made, dtypes.by_name(operand.dtype).itemsize
        wide = Wide(itemsize, self.region.elements)
        self._buffer(f"Operand_{name}", f"{name}_data", "readonly", wide.type)
        at = self._vector_place(str(number), operand.layout, wide)
        words = f"{name}_words"
        made.before += wide.load(words, f"{name}_data", at)
        word = wide.pair(words) if itemsize == 8 else wide.word(words)
        self._unpack(made.body, number, operand.dtype, word, bit("e", operand.dtype))

    def _load_element(self, number: int, name: str, operand: Operand) -> None:
        """Load one element, for the thread or, of a STRIDED operand, for each turn of the loop."""
        itemsize = self._element_buffer(name, operand.dtype)
        lines = self.made.body if operand.layout == STRIDED else self.made.before
        at = f"start_{number}"
        if operand.layout != CONSTANT:
            at = self._place(str(number), operand.layout)
        elif self.region.segmented:
            at += f" * {16 // itemsize}"
        word, position = self._element(lines, name, operand.dtype, at)
        self._unpack(lines, number, operand.dtype, word, position)

    def _load_tile(self, number: int, name: str, operand: Operand) -> None:
        """Fill a tile in shared memory with elements' bits; take elements from it."""
        made, dtype = self.made, operand.dtype
        itemsize = self._element_buffer(name, dtype)
        made.shared.append(f"{vector(max(1, itemsize // 4))} {name}_tile[TILE * (TILE + 1)]")
        word, position = self._element(made.fill, name, dtype, self._place(str(number), TILED))
        if itemsize < 4:
            word = f"bitfieldExtract({word}, int({position}), {8 * itemsize})"
        made.fill.append(f"{name}_tile[slot] = {word};")
        self._unpack(made.body, number, dtype, f"{name}_tile[slot + e * (TILE + 1)]", "0")

    def _element_buffer(self, name: str, dtype: str) -> int:
        """Declare the buffer of an operand that is read by element; the size of an element."""
        itemsize = dtypes.by_name(dtype).itemsize
        words = vector(max(1, itemsize // 4))
        self._buffer(f"Operand_{name}", f"{name}_data", "readonly", words)
        return itemsize

    def _element(self, lines: list[str], name: str, dtype: str, at: str) -> tuple[str, str]:
        """The word of the element at `at`, and the bit of it where the element starts."""
        itemsize = dtypes.by_name(dtype).itemsize
        if itemsize >= 4:
            return f"{name}_data[{at}]", "0"
        lines.append(f"uint {name}_at = {at};")
        return f"{name}_data[{name}_at / {4 // itemsize}]", bit(f"{name}_at", dtype)

    def _vector_place(self, name: str, layout: str, wide: Wide) -> str:
        """The first vector of this thread in a buffer of vectors."""
        start = f"start_{name}"
        if self.region.tiled:
            return wide.scaled(f"({self._place(name, layout)}) / E")
        if not self.region.segmented:
            if layout == VECTOR:
                place = wide.scaled(f"({self._place(name, layout)}) / E")
            else:
                place = wide.scaled(f"{start} + thread", brackets=True)
            self.made.places.append(f"uint at_{name} = {place};")
            return f"at_{name}"
        steps = start if wide.lanes == 4 else f"{start} * {4 // wide.lanes}"
        return f"{steps} + {wide.scaled('thread')}"

    def _unpack(self, lines: list[str], number: int, dtype: str, word: str, at: str) -> None:
        """Declare a register from the word that holds its bits from bit `at` on."""
        at = at if at == "0" else f"int({at})"
        text = FORMS[dtype].unpack.format(word=word, at=at)
        self._declare(lines, dtype, number, text)

    def _index(self, number: int, index: Operand) -> None:
        """The element number as a register."""
        dtype = index.dtype
        if index.layout == LINEAR:
            self._check("element number", LINEAR)
            text = f"{parameter(f'start_{number}', dtype)} + first + e"
        else:
            offset = self._place(str(number), index.layout).partition(" + ")[2]
            if dtypes.by_name(dtype).itemsize == 8:
                offset = f"{FORMS[dtype].type}(int64_t(int({offset})))"
            text = f"{parameter(f'start_{number}', dtype)} + {offset}"
        self._declare(self.made.body, dtype, number, text)

    def _statement(self, number: int, statement: Statement) -> None:
        """One operation."""
        source, result_dtype = dtypes.by_name(statement.source), dtypes.by_name(statement.dtype)
        text = TABLE[statement.op].expression(source, result_dtype)
        if text is None:
            raise UnsupportedError(f"{statement.op}: there is no kernel text for {source.name}")
        form = FORMS[statement.dtype]
        result = form.wrap.format(text.format(*(f"x{n}" for n in statement.arguments)))
        precise = "precise " if form.precise else ""
        self.made.body.append(f"{precise}{form.type} x{number} = {result};")

    def _store_wide(self, number: int, value: str, dtype: str, layout: str) -> None:
        """Collect the elements of a thread in words; store whole vectors."""
        self._check(f"output {number}", layout)
        made, itemsize = self.made, dtypes.by_name(dtype).itemsize
        data, words = f"out{number}_data", f"out{number}_words"
        wide = Wide(itemsize, self.region.elements)
        self._buffer(f"Output_{number}", data, "writeonly", wide.type)
        bits = FORMS[dtype].pack.format(value)
        if itemsize == 8:
            made.before.append(f"{wide.declaration(words)};")
            made.body.append(wide.put_pair(words, bits))
        elif itemsize == 4:
            made.before.append(f"{wide.declaration(words)};")
            made.body.append(f"{wide.word(words)} = {bits};")
        else:
            made.before.append(f"{wide.declaration(words)} = {wide.zero};")
            made.body.append(f"{wide.word(words)} |= {bits} << {bit('e', dtype)};")
        at = self._vector_place(f"out_{number}", layout, wide)
        made.after += wide.store(data, at, words)

    def _store_element(self, number: int, value: str, dtype: str) -> None:
        """Store an element at a place of its own; two threads may own bytes of one word."""
        made, itemsize = self.made, dtypes.by_name(dtype).itemsize
        data = f"out{number}_data"
        at = self._place(f"out_{number}", STRIDED)
        bits = FORMS[dtype].pack.format(value)
        everywhere = self.region.runs  # else the last thread has elements past the last one
        if itemsize >= 4:
            self._buffer(f"Output_{number}", data, "writeonly", vector(itemsize // 4))
            guard = "" if everywhere else "if (first + e < count) "
            made.body.append(f"{guard}{data}[{at}] = {bits};")
            return
        self._buffer(f"Output_{number}", data, "", "uint")
        name = f"out{number}_at"
        word, shift = f"{data}[{name} / {4 // itemsize}]", bit(name, dtype)
        mask = "0xffu" if itemsize == 1 else "0xffffu"
        stores = [
            f"atomicAnd({word}, ~({mask} << {shift}));",
            f"atomicOr({word}, {bits} << {shift});",
        ]
        made.body.append(f"uint {name} = {at};")
        if everywhere:
            made.body += stores
        else:
            made.body += ["if (first + e < count) {", *(f"    {line}" for line in stores), "}"]
