"""Barriers and temporaries of random programs, checked pair by pair in another way."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vkml.codegen.schedule import GRAIN, bindings_of, place_temporaries, with_barriers
from vkml.program import Binding, Dispatch, HostKernel, Merged, Segment, Slot

KERNEL = HostKernel("nothing", "nothing", lambda windows, scalars: None)
ROLES = ("input", "output", "temporary")
Step = Dispatch | Merged


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[Slot], list[Step]]:
    """Slots of few sizes, and steps that read and write aligned windows of them."""
    slots = [
        Slot(GRAIN * draw(st.integers(1, 4)) - draw(st.sampled_from((0, 4))), role)
        for role in draw(st.lists(st.sampled_from(ROLES), min_size=1, max_size=5))
    ]

    def binding() -> Binding:
        slot = draw(st.integers(0, len(slots) - 1))
        grains = -(-slots[slot].nbytes // GRAIN)
        start = draw(st.integers(0, grains - 1))
        stop = draw(st.integers(start + 1, grains))
        return Binding(slot, GRAIN * start, GRAIN * (stop - start), draw(st.booleans()))

    def bindings() -> tuple[Binding, ...]:
        return tuple(binding() for _ in range(draw(st.integers(1, 3))))

    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 10))):
        if draw(st.booleans()):
            steps.append(Dispatch(KERNEL, bindings()))
        else:
            parts = [Segment(bindings(), 1, b"") for _ in range(draw(st.integers(1, 3)))]
            steps.append(Merged(KERNEL, tuple(parts), b"", (64,)))  # type: ignore[arg-type]
    return slots, steps


def place(slots: list[Slot], slot: int, start: int, stop: int) -> tuple[int, int, int]:
    """Bytes of a slot as (memory, start, stop); temporaries lie in one memory, the arena."""
    if slots[slot].role == "temporary":
        return -1, slots[slot].offset + start, slots[slot].offset + stop
    return slot, start, stop


def meet(a: tuple[int, int, int], b: tuple[int, int, int]) -> tuple[int, int, int] | None:
    start, stop = max(a[1], b[1]), min(a[2], b[2])
    return (a[0], start, stop) if a[0] == b[0] and start < stop else None


def unordered(slots: list[Slot], steps: list[Step]) -> list[tuple[int, int]]:
    """Pairs of steps of which one writes what the other touches, with no barrier between them."""
    found = []
    for first, second in combinations(range(len(steps)), 2):
        for a in bindings_of(steps[first]):
            for b in bindings_of(steps[second]):
                if not (a.writes or b.writes):
                    continue
                common = meet(
                    place(slots, a.slot, a.offset, a.offset + a.size),
                    place(slots, b.slot, b.offset, b.offset + b.size),
                )
                if common is None:
                    continue
                waits = [
                    place(slots, wait.slot, wait.start, wait.stop)
                    for step in steps[first + 1 : second + 1]
                    for wait in step.barriers
                ]
                if not any(meet(wait, common) == common for wait in waits):
                    found.append((first, second))
    return found


@settings(max_examples=300)
@given(programs())
def test_every_hazard_is_ordered(program: tuple[list[Slot], list[Step]]) -> None:
    """Read after write, write after read and write after write, arena and merged steps included."""
    slots, steps = program
    placed, _ = place_temporaries(slots, steps)
    ordered = with_barriers(placed, steps, {})
    assert [bindings_of(step) for step in ordered] == [bindings_of(step) for step in steps]
    assert unordered(list(placed), list(ordered)) == []


@settings(max_examples=300)
@given(programs())
def test_nothing_waits_without_a_hazard(program: tuple[list[Slot], list[Step]]) -> None:
    """Every range that is waited for was touched earlier, and clashes with the step that waits."""
    slots, steps = program
    placed, _ = place_temporaries(slots, steps)

    def touched(step: Step) -> list[tuple[bool, tuple[int, int, int]]]:
        return [
            (item.writes, place(list(placed), item.slot, item.offset, item.offset + item.size))
            for item in bindings_of(step)
        ]

    ordered = with_barriers(placed, steps, {})
    for number, step in enumerate(ordered):
        earlier = [item for before in ordered[:number] for item in touched(before)]
        for wait in step.barriers:
            waited = place(list(placed), wait.slot, wait.start, wait.stop)
            assert any(
                old == waited and (wrote or writes) and meet(old, new) is not None
                for wrote, old in earlier
                for writes, new in touched(step)
            )


@settings(max_examples=300)
@given(programs())
def test_temporaries_that_live_together_lie_apart(program: tuple[list[Slot], list[Step]]) -> None:
    slots, steps = program
    placed, total = place_temporaries(slots, steps)
    lives: dict[int, tuple[int, int]] = {}
    for number, step in enumerate(steps):
        for item in bindings_of(step):
            if slots[item.slot].role == "temporary":
                lives[item.slot] = (lives.get(item.slot, (number, 0))[0], number)
    for a, b in combinations(lives, 2):
        if lives[a][0] <= lives[b][1] and lives[b][0] <= lives[a][1]:
            first, second = (
                place(list(placed), slot, 0, -(-slots[slot].nbytes // GRAIN) * GRAIN)
                for slot in (a, b)
            )
            assert meet(first, second) is None
    for slot in lives:
        assert placed[slot].offset % GRAIN == 0
        assert placed[slot].offset + placed[slot].nbytes <= total


def test_memory_of_temporaries_is_used_again() -> None:
    slots = [Slot(GRAIN, "temporary") for _ in range(6)]
    steps = [
        Dispatch(KERNEL, (Binding(n, 0, GRAIN, False), Binding(n + 1, 0, GRAIN, True)))
        for n in range(5)
    ]
    assert place_temporaries(slots, steps)[1] == 2 * GRAIN


@pytest.mark.parametrize("kind", ["read after write", "write after read", "write after write"])
def test_the_checker_sees_a_missing_barrier(kind: str) -> None:
    first, second = kind.startswith("read"), kind.endswith("read")
    slots = [Slot(2 * GRAIN, "input")]
    steps = [
        Dispatch(KERNEL, (Binding(0, 0, 2 * GRAIN, not second),)),
        Dispatch(KERNEL, (Binding(0, GRAIN, GRAIN, not first),)),
    ]
    assert unordered(slots, steps) == [(0, 1)]
    ordered = with_barriers(slots, steps, {})
    assert unordered(slots, list(ordered)) == []
    apart = [steps[0], Dispatch(KERNEL, (Binding(0, 2 * GRAIN, GRAIN, True),))]
    assert unordered(slots, apart) == []
    assert not any(step.barriers for step in with_barriers(slots, apart, {}))
