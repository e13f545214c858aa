"""How each dtype stands in a kernel: one table."""

from __future__ import annotations

from dataclasses import dataclass

from vkml import dtypes

__all__ = ["FORMS", "Form", "bit", "parameter"]


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


def parameter(name: str, dtype: str) -> str:
    """The register of a parameter of one or two words."""
    wide = dtypes.by_name(dtype).itemsize == 8
    return FORMS[dtype].scalar.format(f"uvec2({name}, {name}_high)" if wide else name)


def bit(element: str, dtype: str) -> str:
    """The bit at which an element of fewer than 32 bits starts in its word."""
    bits = dtypes.by_name(dtype).bits
    return f"{bits} * ({element} % {32 // bits})" if bits < 32 else "0"
