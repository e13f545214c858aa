"""Merging sideways: like pieces share a step, and pieces that clash keep their order."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from vkml.codegen.kernel import LINEAR, Operand, Output, Region, Statement
from vkml.codegen.lower import Lowered, Piece
from vkml.codegen.merging import MergedPieces, merge
from vkml.codegen.steps import Planned
from vkml.limits import DeviceLimits
from vkml.program import Binding, Slot
from vkml.shapes import contiguous

SLOTS = [Slot(256, "input") for _ in range(6)]
LOWERED = Lowered((8,), (), (), (), (), (), (), (), 1)
REGIONS = tuple(
    Region(
        (Operand("float32", LINEAR),), (), (),
        (Statement(op, (0,), "float32", "float32"),), (Output(1, LINEAR),), 4, aliased=aliased,
    )
    for op in ("exp", "log")
    for aliased in (False, True)
)  # fmt: skip


def piece(region: Region, source: int, target: int) -> Planned:
    layout = contiguous((8,))
    return Planned(
        LOWERED,
        Piece(region, (8,), (layout,), (), (layout,)),
        (Binding(source, 0, 256, False), Binding(target, 0, 256, True)),
        (0, 0),
        (),
    )


planned = st.lists(
    st.builds(piece, st.sampled_from(REGIONS), st.integers(0, 5), st.integers(0, 5)), max_size=12
)


def clash(a: Planned, b: Planned) -> bool:
    """Whether one of them writes what the other touches."""
    return any(
        x.slot == y.slot and (x.writes or y.writes) for x in a.bindings for y in b.bindings
    )


@settings(max_examples=400)
@given(planned)
def test_pieces_that_clash_keep_their_order(pieces: list[Planned]) -> None:
    """A later one comes in a later step: within a step all run at once."""
    steps = merge(pieces, SLOTS, DeviceLimits())
    place = {}
    for number, step in enumerate(steps):
        for member in step.members if isinstance(step, MergedPieces) else (step,):
            place[id(member)] = number
    assert len(place) == len(pieces)
    for first, second in combinations(pieces, 2):
        if clash(first, second):
            assert place[id(first)] < place[id(second)]


def test_like_pieces_share_a_step() -> None:
    pieces = [piece(REGIONS[n % 2 * 2], n, n) for n in range(6)]
    steps = merge(pieces, SLOTS, DeviceLimits())
    assert [len(step.members) for step in steps if isinstance(step, MergedPieces)] == [3, 3]
    assert all(step.region.segmented for step in steps if isinstance(step, MergedPieces))
