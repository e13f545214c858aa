"""What a region computes, as array expressions: the title of its kernel."""

from __future__ import annotations

from vkml.codegen.kernel import Region, Statement

__all__ = ["LIMIT", "expression", "operand_name", "value_names"]

LIMIT = 480
"""Characters of a title; a longer one ends in an ellipsis."""

_INLINE = 56
"""A longer operand text is given a name of its own."""

_ATOM = 20
_SIGNS: dict[str, tuple[str, int]] = {
    "logical_or": ("|", 3),
    "logical_xor": ("^", 4),
    "logical_and": ("&", 5),
    "bitwise_or": ("|", 3),
    "bitwise_xor": ("^", 4),
    "bitwise_and": ("&", 5),
    "equal": ("==", 1),
    "not_equal": ("!=", 1),
    "less": ("<", 1),
    "less_equal": ("<=", 1),
    "greater": (">", 1),
    "greater_equal": (">=", 1),
    "bitwise_left_shift": ("<<", 6),
    "bitwise_right_shift": (">>", 6),
    "add": ("+", 7),
    "subtract": ("-", 7),
    "multiply": ("*", 8),
    "divide": ("/", 8),
    "floor_divide": ("//", 8),
    "remainder": ("%", 8),
    "pow": ("**", 11),
}
"""Sign and binding strength, as in Python; comparisons never chain."""

_PREFIXES: dict[str, tuple[str, int]] = {
    "negative": ("-", 9),
    "bitwise_invert": ("~", 9),
    "logical_not": ("~", 9),
}


def operand_name(number: int) -> str:
    """The name of operand `number`: a to z, then a1 to z1, and so on."""
    turn, letter = divmod(number, 26)
    return chr(ord("a") + letter) + (str(turn) if turn else "")


def value_names(region: Region) -> list[str]:
    """The values before the first statement: operands a, b…, scalars s0…, element numbers i0."""
    return [
        *(operand_name(n) for n in range(len(region.operands))),
        *(f"s{n}" for n in range(len(region.scalars))),
        *(f"i{n}" for n in range(len(region.indices))),
    ]


def expression(region: Region) -> str:
    """The region in array terms, as "t3 = a + b; out0 = sqrt(t3 * t3)".

    A value that is used twice, or whose text grows long, is named once and not repeated; its
    name carries its value number, which is also its number in the kernel. At most LIMIT long.
    """
    uses = [0] * (region.first_statement + len(region.statements))
    for statement in region.statements:
        for argument in statement.arguments:
            uses[argument] += 1
    for output in region.outputs:
        uses[output.value] += 1

    texts = [(name, _ATOM) for name in value_names(region)]
    lines: list[str] = []
    length = 0
    for number, statement in enumerate(region.statements, region.first_statement):
        if length > LIMIT:
            break
        text, strength = _apply(statement, [texts[n] for n in statement.arguments])
        if uses[number] > 1 or len(text) > _INLINE:
            lines.append(f"t{number} = {text}")
            length += len(lines[-1])
            text, strength = f"t{number}", _ATOM
        texts.append((text, strength))
    else:
        lines += [f"out{n} = {texts[output.value][0]}" for n, output in enumerate(region.outputs)]
    title = "; ".join(lines)
    return title if len(title) <= LIMIT else title[: LIMIT - 1].rstrip() + "…"


def _apply(statement: Statement, arguments: list[tuple[str, int]]) -> tuple[str, int]:
    """The text of one operation on texts, and how strongly it binds."""
    if statement.op == "astype":
        return f"{_bracketed(arguments[0], _ATOM)}.astype({statement.dtype})", _ATOM
    if statement.op in _PREFIXES:
        sign, strength = _PREFIXES[statement.op]
        return sign + _bracketed(arguments[0], strength), strength
    if statement.op in _SIGNS:
        sign, strength = _SIGNS[statement.op]
        tight = strength in (1, 11)  # neither a == b == c nor (-a) ** b without brackets
        left = _bracketed(arguments[0], strength + tight)
        right = _bracketed(arguments[1], strength + 1)
        return f"{left} {sign} {right}", strength
    return f"{statement.op}({', '.join(text for text, _ in arguments)})", _ATOM


def _bracketed(operand: tuple[str, int], strength: int) -> str:
    """The operand's text, in brackets where it binds less than `strength`."""
    text, own = operand
    return text if own >= strength else f"({text})"
