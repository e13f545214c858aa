"""Titles: a region in array terms."""

from __future__ import annotations

import pytest

from vkml.codegen.expression import LIMIT, expression, operand_name
from vkml.codegen.kernel import LINEAR, Operand, Output, Region, Statement


def region(
    operands: int, *statements: tuple, outputs: tuple[int, ...], scalars: int = 0
) -> Region:
    return Region(
        tuple(Operand("float32", LINEAR) for _ in range(operands)),
        ("float32",) * scalars,
        (),
        tuple(Statement(op, arguments, "float32", "float32") for op, *arguments in statements),
        tuple(Output(value, LINEAR) for value in outputs),
        4,
    )


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (region(2, ("add", 0, 1), outputs=(2,)), "out0 = a + b"),
        (region(1, outputs=(0,)), "out0 = a"),
        (
            region(
                2, ("multiply", 0, 0), ("multiply", 1, 1), ("add", 2, 3), ("sqrt", 4), outputs=(5,)
            ),
            "out0 = sqrt(a * a + b * b)",
        ),
        (
            region(2, ("add", 0, 2), ("multiply", 3, 1), outputs=(4,), scalars=1),
            "out0 = (a + s0) * b",
        ),
        (region(3, ("subtract", 1, 2), ("subtract", 0, 3), outputs=(4,)), "out0 = a - (b - c)"),
        (region(3, ("subtract", 0, 1), ("subtract", 3, 2), outputs=(4,)), "out0 = a - b - c"),
        (region(3, ("divide", 1, 2), ("multiply", 0, 3), outputs=(4,)), "out0 = a * (b / c)"),
        (region(2, ("negative", 0), ("pow", 2, 1), outputs=(3,)), "out0 = (-a) ** b"),
        (region(2, ("pow", 0, 1), ("negative", 2), outputs=(3,)), "out0 = -a ** b"),
        (region(2, ("add", 0, 1), ("negative", 2), outputs=(3,)), "out0 = -(a + b)"),
        (region(3, ("less", 0, 1), ("equal", 3, 2), outputs=(4,)), "out0 = (a < b) == c"),
        (region(2, ("add", 0, 1), ("astype", 2), outputs=(3,)), "out0 = (a + b).astype(float32)"),
        (region(2, ("add", 0, 1), ("maximum", 2, 0), outputs=(3,)), "out0 = maximum(a + b, a)"),
        (
            region(2, ("add", 0, 1), ("multiply", 2, 2), ("sqrt", 2), outputs=(3, 4)),
            "t2 = a + b; out0 = t2 * t2; out1 = sqrt(t2)",
        ),
        (
            region(1, ("exp", 0), ("negative", 1), outputs=(1, 2)),
            "t1 = exp(a); out0 = t1; out1 = -t1",
        ),
    ],
)  # fmt: skip
def test_titles(made: Region, text: str) -> None:
    assert expression(made) == text


def test_names_of_many_operands() -> None:
    names = [operand_name(number) for number in range(60)]
    assert names[:3] == ["a", "b", "c"]
    assert names[25:28] == ["z", "a1", "b1"]
    assert names[52] == "a2"
    assert len(set(names)) == 60


def test_shared_values_are_not_repeated() -> None:
    """A value used twice at each of 60 levels would be 2^60 texts."""
    steps = [("multiply", n, n) for n in range(60)]
    text = expression(region(1, *steps, outputs=(60,)))
    assert text.startswith("t1 = a * a; t2 = t1 * t1; t3 = ")
    assert len(text) <= LIMIT


def test_length_is_bounded() -> None:
    steps = [("maximum", n, 0) for n in range(1, 5000)]
    text = expression(region(2, *steps, outputs=(5000,)))
    assert len(text) <= LIMIT
    assert text.endswith("…")
    assert max(map(len, text.split("; "))) < 100
