"""Division by an extent through a multiplication: right for every number below 2^31."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vkml.codegen.division import LIMIT, magic

NUMBERS = st.integers(0, LIMIT - 1)
EXTENTS = st.one_of(
    st.integers(1, LIMIT - 1),
    st.integers(1, 70_000),
    st.builds(lambda n, off: max(1, (1 << n) + off), st.integers(1, 30), st.integers(-2, 2)),
)


def on_the_device(number: int, multiplier: int, shift: int) -> int:
    """What vk_quotient computes in 32-bit words."""
    return ((number << 1 & 0xFFFFFFFF) * multiplier >> 32) >> shift


@given(NUMBERS, EXTENTS)
@example(LIMIT - 1, 1)
@example(LIMIT - 1, LIMIT - 1)
@example(LIMIT - 2, LIMIT - 1)
@example(LIMIT - 1, 1 << 30)
def test_quotients(number: int, extent: int) -> None:
    multiplier, shift = magic(extent)
    assert 0 < multiplier < 1 << 32
    assert 0 <= shift < 32
    assert on_the_device(number, multiplier, shift) == number // extent


@given(EXTENTS, st.integers(0, LIMIT - 1))
def test_quotients_beside_multiples(extent: int, quotient: int) -> None:
    """A wrong multiplier shows first just below a large multiple of the extent."""
    multiplier, shift = magic(extent)
    multiple = min(quotient, (LIMIT - 1) // extent) * extent
    for number in (multiple - 1, multiple, multiple + 1):
        if 0 <= number < LIMIT:
            assert on_the_device(number, multiplier, shift) == number // extent


def test_every_small_extent_at_its_hardest_numbers() -> None:
    extents = numpy.arange(1, 1 << 17, dtype=numpy.uint64)
    pairs = numpy.array([magic(int(extent)) for extent in extents], dtype=numpy.uint64)
    multipliers, shifts = pairs.T
    last = numpy.uint64(LIMIT - 1)
    for number in (last, last // extents * extents, last // extents * extents - numpy.uint64(1)):
        got = (numpy.uint64(2) * number * multipliers >> numpy.uint64(32)) >> shifts
        assert (got == number // extents).all()


@pytest.mark.parametrize("extent", [0, -1, LIMIT])
def test_extents_out_of_range(extent: int) -> None:
    with pytest.raises(ValueError, match="extent"):
        magic(extent)
