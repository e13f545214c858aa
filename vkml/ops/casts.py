"""The cast row, and its GLSL text for each pair of dtypes.

One rule for every device, NumPy's wherever NumPy's is defined: floats lose their fraction on the
way to an integer, saturate at the ends of its dtype, and nan becomes 0; integers wrap around;
integers and wider floats are rounded to the nearest float, ties to even; anything becomes the
bool "is not 0", so nan is true.
"""

from __future__ import annotations

from vkml.dtypes import DType

from . import reference
from .row import OpDef
from .texts import EVERY

__all__ = ["cast_text"]

_TYPES = {"int": "int", "uint": "uint", "long": "int64_t", "ulong": "uint64_t"}
_TRUTH = {
    "int": "{0} != 0", "uint": "{0} != 0u", "long": "{0} != 0l", "ulong": "{0} != 0ul",
    "float": "vk_float_to_bool({0})", "double": "vk_double_to_bool({0})",
}  # fmt: skip
_SATURATED = {
    "int8": "clamp({0}, -128, 127)", "int16": "clamp({0}, -32768, 32767)",
    "uint8": "min({0}, 255u)", "uint16": "min({0}, 65535u)",
}  # fmt: skip
"""A float cast to 32 bits, saturated once more: the caller's wrapping then changes nothing."""


def cast_text(source: DType, target: DType) -> str | None:
    """The GLSL expression that makes a register of `target` from register {0} of `source`.

    The result is not yet wrapped to a narrow integer or rounded to float16: the caller does that
    to every result of such a dtype.
    """
    before, after = source.register, target.register
    if before == after:
        return "{0}"
    if after == "bool":
        return _TRUTH[before]
    if before == "int" and after == "long":
        return "vk_int_to_long({0})"
    if before in ("bool", *_TYPES) and after in _TYPES:
        return f"{_TYPES[after]}({{0}})"
    if before == "double" and target.name == "float16":
        return "vk_double_to_half({0})"
    converted = f"vk_{before}_to_{after}({{0}})"
    return _SATURATED.get(target.name, "{0}").format(converted)


ROWS = (
    OpDef(
        "astype", "map", 1, EVERY, coerce="none", result="attribute",
        form=cast_text,
        cost={"bool": 2, "int": 12, "uint": 12, "float": 12, "double": 8},
        reference=reference.cast, ranges=((-300.0, 300.0),),
        doc="The same value in another dtype. Floats to integers lose their fraction, saturate, "
            "and nan gives 0; integers wrap around; bool is true for what is not 0.",
    ),
)  # fmt: skip
