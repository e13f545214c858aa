"""What compiled kernels must not contain, looked for in the SPIR-V words themselves.

A float operation without NoContraction may be fused or reassociated by a driver, most GLSL
functions are inexact in their own way on each device, and a constant 0, infinity or nan as an
operand invites a driver's algebra.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from vkml.errors import CompileError

__all__ = ["ALLOWED_FUNCTIONS", "Module", "parse", "scan"]

MAGIC = 0x07230203
EXT_INST_IMPORT, EXT_INST = 11, 12
TYPE_FLOAT, TYPE_VECTOR, CONSTANT, DECORATE, MEMBER_DECORATE = 22, 23, 43, 71, 72
NAME, MEMBER_NAME = 5, 6
NO_CONTRACTION = 42

ARITHMETIC = {
    127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem",
    141: "OpFMod", 142: "OpVectorTimesScalar", 143: "OpMatrixTimesScalar",
    144: "OpVectorTimesMatrix", 145: "OpMatrixTimesVector", 146: "OpMatrixTimesMatrix",
    147: "OpOuterProduct", 148: "OpDot",
}  # fmt: skip
"""Float operations that must carry NoContraction."""

FOLDED = {156: "OpIsNan", 157: "OpIsInf"}
"""Tests that drivers fold away."""

ALLOWED_FUNCTIONS = {
    5: "SAbs", 31: "Sqrt", 38: "UMin", 39: "SMin", 41: "UMax", 42: "SMax", 44: "UClamp",
    45: "SClamp", 59: "PackDouble2x32", 65: "UnpackDouble2x32", 73: "FindILsb", 74: "FindSMsb",
    75: "FindUMsb",
}  # fmt: skip
"""GLSL.std.450 functions that give the same bits everywhere, and Sqrt, which a probe judges."""


@dataclass(slots=True)
class Module:
    """Instructions of a SPIR-V module as (opcode, operand words), and its debug names by id."""

    instructions: list[tuple[int, tuple[int, ...]]]
    names: dict[int, str] = field(default_factory=dict)

    def members(self, block: str) -> dict[str, int]:
        """Byte offsets of the members of the struct called `block`, by member name."""
        (struct_id,) = (number for number, name in self.names.items() if name == block)
        names: dict[int, str] = {}
        offsets: dict[int, int] = {}
        for opcode, words in self.instructions:
            if opcode == MEMBER_NAME and words[0] == struct_id:
                names[words[1]] = _string(words[2:])
            elif opcode == MEMBER_DECORATE and words[0] == struct_id and words[2] == 35:
                offsets[words[1]] = words[3]
        return {names[number]: offset for number, offset in offsets.items()}


def parse(spirv: bytes) -> Module:
    """The instructions of a module. Raises CompileError for bytes that are no SPIR-V."""
    if len(spirv) < 20 or len(spirv) % 4 or struct.unpack_from("<I", spirv)[0] != MAGIC:
        raise CompileError("these bytes are no SPIR-V module")
    words = struct.unpack(f"<{len(spirv) // 4}I", spirv)
    module = Module([])
    at = 5
    while at < len(words):
        length, opcode = words[at] >> 16, words[at] & 0xFFFF
        if not length or at + length > len(words):
            raise CompileError(f"SPIR-V: an instruction at word {at} has {length} words")
        operands = words[at + 1 : at + length]
        module.instructions.append((opcode, operands))
        if opcode == NAME:
            module.names[operands[0]] = _string(operands[1:])
        at += length
    return module


def scan(spirv: bytes) -> list[str]:
    """Every fault of a kernel, a line each that names the function; empty when there is none."""
    module = parse(spirv)
    return list(_faults(module))


def _faults(module: Module) -> Iterator[str]:
    protected = {
        words[0]
        for opcode, words in module.instructions
        if opcode == DECORATE and words[1] == NO_CONTRACTION
    }
    floats: dict[int, int] = {}
    constants: dict[int, str] = {}
    imports: dict[int, str] = {}
    function = ""
    for opcode, words in module.instructions:
        if opcode == 54:  # OpFunction
            function = module.names.get(words[1], "").split("(")[0]
        elif opcode == TYPE_FLOAT:
            floats[words[0]] = words[1]
        elif opcode == CONSTANT and words[0] in floats:
            special = _special(words[2:], floats[words[0]])
            if special:
                constants[words[1]] = special
        elif opcode == EXT_INST_IMPORT:
            imports[words[0]] = _string(words[1:])
        elif opcode == EXT_INST and imports[words[2]] == "GLSL.std.450":
            if words[3] not in ALLOWED_FUNCTIONS:
                yield f"{function}: GLSL function number {words[3]} is not one of the allowed"
        elif opcode in FOLDED:
            yield f"{function}: {FOLDED[opcode]} may be folded away"
        elif opcode in ARITHMETIC:
            if words[1] not in protected:
                yield f"{function}: {ARITHMETIC[opcode]} %{words[1]} without NoContraction"
            for operand in words[2:]:
                if operand in constants:
                    yield f"{function}: {ARITHMETIC[opcode]} with the constant {constants[operand]}"


def _special(words: tuple[int, ...], width: int) -> str | None:
    """The name of a float constant that drivers do algebra with, or None."""
    value = struct.unpack("<d" if width == 64 else "<f", struct.pack(f"<{len(words)}I", *words))[0]
    return repr(value) if value == 0 or value - value != 0 else None


def _string(words: tuple[int, ...]) -> str:
    return struct.pack(f"<{len(words)}I", *words).split(b"\0", 1)[0].decode("utf-8")
