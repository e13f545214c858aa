"""Statements and names of a kernel as GLSL text.

A kernel's text comes in sections, lists of lines that templates put into a skeleton: buffers,
what stands before the element loop, in it, and after it. Value number n of the region is the
variable xn everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vkml import dtypes
from vkml.codegen.expression import value_names
from vkml.codegen.kernel import (
    CONSTANT,
    LINEAR,
    Operand,
    Parameters,
    Region,
    Statement,
)
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
        "float", "vk_unpack_half(bitfieldExtract({word}, {at}, 16))", "vk_pack_half({0})",
        "uintBitsToFloat({0})", wrap="vk_round_half({0})", precise=True),
    "float32": Form(
        "float", "uintBitsToFloat({word})", "floatBitsToUint({0})", "uintBitsToFloat({0})",
        precise=True),
    "float64": Form(
        "double", "packDouble2x32({word})", "unpackDouble2x32({0})", "packDouble2x32({0})",
        precise=True),
}  # fmt: skip
"""One row a dtype. Scalars of float16 are passed as float32, those of narrow integers widened."""


@dataclass(slots=True)
class Sections:
    """The parts of a kernel that depend on the region, in lines of GLSL.

    values    a line a value that is read or stored: name in the kernel, in the title, dtype, place
    members   declarations of the parameter block
    buffers   storage buffers in the order of their bindings, which start at 1
    before    statements before the element loop
    body      statements in it, for element `e`
    after     statements after it
    """

    values: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    buffers: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wide:
    """The elements of one thread as whole vectors: `vectors` of `lanes` 32-bit words."""

    itemsize: int
    elements: int

    @property
    def lanes(self) -> int:
        return min(4, self.itemsize * self.elements // 4)

    @property
    def vectors(self) -> int:
        return self.itemsize * self.elements // (4 * self.lanes)

    @property
    def type(self) -> str:
        return _vector(self.lanes)

    def declaration(self, name: str) -> str:
        return f"{self.type} {name}" + (f"[{self.vectors}]" if self.vectors > 1 else "")

    @property
    def zero(self) -> str:
        vector = f"{self.type}(0)"
        if self.vectors == 1:
            return vector
        return f"{self.type}[]({', '.join([vector] * self.vectors)})"

    def each(self, line: str) -> str:
        """`line` for every vector: {index} stands for "[v]", {plus} for " + v"."""
        if self.vectors == 1:
            return line.format(index="", plus="")
        loop = f"[[unroll]] for (uint v = 0; v < {self.vectors}; ++v) "
        return loop + line.format(index="[v]", plus=" + v")

    def vector(self, name: str) -> str:
        """The vector that holds element `e`."""
        if self.vectors == 1:
            return name
        return f"{name}[e / {self.elements // self.vectors}]"

    def word(self, name: str) -> str:
        """The word that holds element `e` (the low one of a 64-bit element)."""
        if self.lanes == 1:
            return name
        a_word = 4 // self.itemsize
        position = "e" if a_word == 1 else f"e / {a_word}"
        if self.vectors > 1:
            position += " % 4"
        return f"{self.vector(name)}[{position}]"

    def pair(self, name: str) -> str:
        """The two words of 64-bit element `e` as a uvec2."""
        if self.lanes == 2:
            return name
        return f"vk_pair({self.vector(name)}, e % 2)"


def sections(region: Region) -> Sections:
    """The text of a region, section by section."""
    made = Sections()
    parameters = Parameters(region)
    made.members += [f"uint {name}" for name in parameters.words]
    names = value_names(region)
    for number, operand in enumerate(region.operands):
        made.values.append(_value(f"x{number}", names[number], operand.dtype, operand.layout))
        _load(made, region, number, names[number], operand)
    for number, dtype in enumerate(region.scalars, len(region.operands)):
        made.values.append(_value(f"x{number}", names[number], dtype, "scalar"))
        form = FORMS[dtype]
        made.before.append(f"{form.type} x{number} = {_parameter(f'scalar_{number}', dtype)};")
    first_index = len(region.operands) + len(region.scalars)
    for number, index in enumerate(region.indices, first_index):
        made.values.append(_value(f"x{number}", names[number], index.dtype, "element number"))
        _index(made, number, index)
    for number, statement in enumerate(region.statements, region.first_statement):
        made.body.append(_statement(number, statement))
    for number, output in enumerate(region.outputs):
        dtype = region.dtype_of(output.value)
        made.values.append(_value(f"x{output.value}", f"out{number}", dtype, output.layout))
        _store(made, region, number, dtype, output.layout)
    return made


def _value(variable: str, name: str, dtype: str, place: str) -> str:
    return f"{variable:<5} {name:<5} {dtype:<8} {place}"


def _vector(lanes: int) -> str:
    return "uint" if lanes == 1 else f"uvec{lanes}"


def _parameter(name: str, dtype: str) -> str:
    """The register of a parameter of one or two words."""
    wide = dtypes.by_name(dtype).itemsize == 8
    return FORMS[dtype].scalar.format(f"uvec2({name}, {name}_high)" if wide else name)


def _buffer(region: Region, block: str, name: str, access: str, element: str) -> str:
    restrict = "" if region.aliased else "restrict "
    return f"{restrict}{access}buffer {block} {{ {element} {name}[]; }}"


def _load(made: Sections, region: Region, number: int, name: str, operand: Operand) -> None:
    """Read an operand into its register x`number`."""
    form, itemsize = FORMS[operand.dtype], dtypes.by_name(operand.dtype).itemsize
    block, data, words = f"Operand_{name}", f"{name}_data", f"{name}_words"
    if operand.layout == LINEAR:
        wide = Wide(itemsize, region.elements)
        made.buffers.append(_buffer(region, block, data, "readonly ", wide.type))
        at = _scaled(f"start_{number} + thread", wide.vectors)
        if wide.vectors > 1:
            made.before.append(f"{wide.declaration(words)};")
            made.before.append(wide.each(f"{words}{{index}} = {data}[{at}{{plus}}];"))
        else:
            made.before.append(f"{wide.type} {words} = {data}[{at}];")
        word = wide.pair(words) if itemsize == 8 else wide.word(words)
        text = form.unpack.format(word=word, at=_bit("e", itemsize))
        made.body.append(f"{form.type} x{number} = {text};")
    elif operand.layout == CONSTANT:
        made.buffers.append(
            _buffer(region, block, data, "readonly ", "uvec2" if itemsize == 8 else "uint")
        )
        text = _element(form, itemsize, data, f"start_{number}")
        made.before.append(f"{form.type} x{number} = {text};")
    else:
        raise NotImplementedError(operand.layout)


def _element(form: Form, itemsize: int, data: str, at: str) -> str:
    """The register of the element at `at`, a name, of a buffer of words or 64-bit pairs."""
    word = f"{data}[{at}]" if itemsize >= 4 else f"{data}[{at} / {4 // itemsize}]"
    return form.unpack.format(word=word, at=_bit(at, itemsize))


def _scaled(text: str, factor: int) -> str:
    return text if factor == 1 else f"({text}) * {factor}"


def _bit(element: str, itemsize: int) -> str:
    """The bit at which an element starts in its word."""
    return f"{8 * itemsize} * int({element} % {4 // itemsize})" if itemsize < 4 else "0"


def _index(made: Sections, number: int, index: Operand) -> None:
    """The element number as the register x`number`."""
    form = FORMS[index.dtype]
    start = _parameter(f"start_{number}", index.dtype)
    made.body.append(f"{form.type} x{number} = {start} + first + e;")


def _statement(number: int, statement: Statement) -> str:
    """One operation: a declaration of x`number`."""
    row = TABLE[statement.op]
    picks = statement.dtype if statement.op == "cast" else statement.source
    text = row.text(dtypes.by_name(picks).register)
    if text is None:
        raise NotImplementedError(f"{statement.op} has no text for {picks}")
    form = FORMS[statement.dtype]
    result = form.wrap.format(text.format(*(f"x{n}" for n in statement.arguments)))
    return f"{'precise ' if form.precise else ''}{form.type} x{number} = {result};"


def _store(made: Sections, region: Region, number: int, dtype: str, layout: str) -> None:
    """Write the value of output `number`."""
    form, itemsize = FORMS[dtype], dtypes.by_name(dtype).itemsize
    block, data, words = f"Output_{number}", f"out{number}_data", f"out{number}_words"
    bits = form.pack.format(f"x{region.outputs[number].value}")
    if layout != LINEAR:
        raise NotImplementedError(layout)
    wide = Wide(itemsize, region.elements)
    made.buffers.append(_buffer(region, block, data, "writeonly ", wide.type))
    if itemsize < 4:
        made.before.append(f"{wide.declaration(words)} = {wide.zero};")
        shift = f"{8 * itemsize} * (e % {4 // itemsize})"
        made.body.append(f"{wide.word(words)} |= {bits} << {shift};")
    else:
        made.before.append(f"{wide.declaration(words)};")
        if itemsize == 4:
            made.body.append(f"{wide.word(words)} = {bits};")
        elif wide.lanes == 2:
            made.body.append(f"{words} = {bits};")
        else:
            made.body.append(f"vk_set_pair({wide.vector(words)}, e % 2, {bits});")
    at = _scaled(f"start_out_{number} + thread", wide.vectors)
    made.after.append(wide.each(f"{data}[{at}{{plus}}] = {words}{{index}};"))
