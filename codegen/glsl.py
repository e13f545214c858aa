"""Statements and names of a kernel as GLSL text.

A kernel's text comes in sections, lists of lines that templates put into a skeleton: buffers,
what stands before the element loop, in it, and after it. Value number n of the region is the
variable xn everywhere; operand b is read from b_data, and output 0 written to out0_data.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vkml import dtypes
from vkml.codegen.expression import value_names
from vkml.codegen.kernel import (
    CONSTANT,
    LINEAR,
    SPLAT,
    STRIDED,
    VECTOR,
    Operand,
    Parameters,
    Region,
    Statement,
)
from vkml.codegen.wide import Wide, vector
from vkml.errors import UnsupportedError
from vkml.ops import TABLE

__all__ = ["FORMS", "Form", "Sections", "sections"]


@dataclass(frozen=True, slots=True)
class Form:
    """How a dtype stands in memory and in a register.

    type     GLSL type of the register
    unpack   the register from {word}, a uint that holds the element from bit {at} on; of a 64-bit
             element, {word} is the uvec2 of both words
    pack     {0} as a uint whose bits above the element are 0, or as a uvec2
    scalar   the register from a parameter: {0} is a uint, or the uvec2 of both words
    wrap     the result {0} of an operation, brought to what the dtype can hold
    precise  whether results are declared `precise`
    """

    type: str
    unpack: str
    pack: str
    scalar: str
    wrap: str = "{0}"
    precise: bool = False


FORMS: dict[str, Form] = {
    "bool": Form(
        "bool", "bitfieldExtract({word}, {at}, 8) != 0", "uint({0})", "{0} != 0"),
    "int8": Form(
        "int", "bitfieldExtract(int({word}), {at}, 8)", "(uint({0}) & 0xffu)", "int({0})",
        wrap="bitfieldExtract({0}, 0, 8)"),
    "int16": Form(
        "int", "bitfieldExtract(int({word}), {at}, 16)", "(uint({0}) & 0xffffu)", "int({0})",
        wrap="bitfieldExtract({0}, 0, 16)"),
    "int32": Form("int", "int({word})", "uint({0})", "int({0})"),
    "int64": Form(
        "int64_t", "int64_t(packUint2x32({word}))", "unpackUint2x32(uint64_t({0}))",
        "int64_t(packUint2x32({0}))"),
    "uint8": Form(
        "uint", "bitfieldExtract({word}, {at}, 8)", "{0}", "{0}",
        wrap="bitfieldExtract({0}, 0, 8)"),
    "uint16": Form(
        "uint", "bitfieldExtract({word}, {at}, 16)", "{0}", "{0}",
        wrap="bitfieldExtract({0}, 0, 16)"),
    "uint32": Form("uint", "{word}", "{0}", "{0}"),
    "uint64": Form(
        "uint64_t", "packUint2x32({word})", "unpackUint2x32({0})", "packUint2x32({0})"),
    "float16": Form(
        "float", "vk_half_value(bitfieldExtract({word}, {at}, 16))", "vk_half_bits({0})",
        "uintBitsToFloat({0})", wrap="vk_round_half({0})", precise=True),
    "float32": Form(
        "float", "uintBitsToFloat({word})", "floatBitsToUint({0})", "uintBitsToFloat({0})",
        precise=True),
    "float64": Form(
        "double", "packDouble2x32({word})", "unpackDouble2x32({0})", "packDouble2x32({0})",
        precise=True),
}  # fmt: skip
"""One row a dtype. Scalars come in register form: float16 as float32, narrow integers widened."""


@dataclass(slots=True)
class Sections:
    """The parts of a kernel that depend on the region, in lines of GLSL.

    values   a comment a value that is read or stored: its variable, its name, dtype and layout
    members  the parameters: single words, then arrays of uvec4
    row      the words of a segment's table row, behind its first workgroup
    buffers  storage buffers in the order of their bindings, which start at 1
    offsets  names of the uvec4s that receive the places of strided values, four each
    number   the element number that the offsets are of
    before   statements before the element loop
    body     statements in it, for element `e`
    after    statements after it
    """

    values: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    offsets: list[str] = field(default_factory=list)
    number: str = ""
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
            self._declare(self.made.before, dtype, number, _parameter(f"scalar_{number}", dtype))
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
            store = self._store_wide if output.layout == LINEAR else self._store_element
            store(n, f"x{output.value}", dtype)
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
            groups = range(-(-len(self.parameters.strided) // 4))
            made.members.append(f"uvec4 axis[{region.room}]")
            made.members += [f"uvec4 stride_{group}[{region.room}]" for group in groups]
            made.offsets += [f"offset_{group}" for group in groups]
            made.number = "first" if region.runs else "min(first + e, count - 1)"

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
        made, region, layout = self.made, self.region, operand.layout
        if layout in (VECTOR, SPLAT) and not region.runs:
            raise ValueError(f"operand {name}: layout {layout} is for regions with runs")
        itemsize = dtypes.by_name(operand.dtype).itemsize
        block, data, words = f"Operand_{name}", f"{name}_data", f"{name}_words"
        if layout in (LINEAR, VECTOR):
            wide = Wide(itemsize, region.elements)
            self._buffer(block, data, "readonly", wide.type)
            if layout == LINEAR:
                at = self._wide_place(f"start_{number}", wide)
            else:
                at = wide.scaled(f"({self._place(str(number), layout)}) / E")
            made.before += wide.load(words, data, at)
            word = wide.pair(words) if itemsize == 8 else wide.word(words)
            self._unpack(made.body, number, operand.dtype, word, "e")
            return
        self._buffer(block, data, "readonly", "uvec2" if itemsize == 8 else "uint")
        lines = made.body if layout == STRIDED else made.before
        if layout != CONSTANT:
            at = self._place(str(number), layout)
        elif region.segmented:
            at = f"start_{number} * {16 // itemsize}"
        else:
            at = f"start_{number}"
        if itemsize < 4:
            lines.append(f"uint {name}_at = {at};")
            at = f"{name}_at"
        word = f"{data}[{at}]" if itemsize >= 4 else f"{data}[{at} / {4 // itemsize}]"
        self._unpack(lines, number, operand.dtype, word, at)

    def _wide_place(self, start: str, wide: Wide) -> str:
        """The first vector of this thread in a linear buffer."""
        if not self.region.segmented:
            return wide.scaled(f"{start} + thread", brackets=True)
        steps = start if wide.lanes == 4 else f"{start} * {4 // wide.lanes}"
        return f"{steps} + {wide.scaled('thread')}"

    def _unpack(self, lines: list[str], number: int, dtype: str, word: str, at: str) -> None:
        """Declare a register from the word that holds element `at`."""
        text = FORMS[dtype].unpack.format(word=word, at=f"int({_bit(at, dtype)})")
        self._declare(lines, dtype, number, text)

    def _index(self, number: int, index: Operand) -> None:
        """The element number as a register."""
        dtype = index.dtype
        if index.layout == LINEAR:
            text = f"{_parameter(f'start_{number}', dtype)} + first + e"
        else:
            offset = self._place(str(number), index.layout).partition(" + ")[2]
            if dtypes.by_name(dtype).itemsize == 8:
                offset = f"{FORMS[dtype].type}(int64_t(int({offset})))"
            text = f"{_parameter(f'start_{number}', dtype)} + {offset}"
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

    def _store_wide(self, number: int, value: str, dtype: str) -> None:
        """Collect the elements of a thread in words; store whole vectors."""
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
            made.body.append(f"{wide.word(words)} |= {bits} << {_bit('e', dtype)};")
        made.after += wide.store(data, self._wide_place(f"start_out_{number}", wide), words)

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
        word, shift = f"{data}[{name} / {4 // itemsize}]", _bit(name, dtype)
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


def _parameter(name: str, dtype: str) -> str:
    """The register of a parameter of one or two words."""
    wide = dtypes.by_name(dtype).itemsize == 8
    return FORMS[dtype].scalar.format(f"uvec2({name}, {name}_high)" if wide else name)


def _bit(element: str, dtype: str) -> str:
    """The bit at which an element of fewer than 32 bits starts in its word."""
    bits = dtypes.by_name(dtype).bits
    return f"{bits} * ({element} % {32 // bits})" if bits < 32 else "0"
