"""Division of element numbers by an extent: one multiplication and shifts on the device."""

from __future__ import annotations

__all__ = ["LIMIT", "magic"]

LIMIT = 1 << 31
"""Element numbers and extents are below this."""


def magic(extent: int) -> tuple[int, int]:
    """`(multiplier, shift)` with n // extent == (2 * n * multiplier >> 32) >> shift.

    Both fit a uint32; holds for 0 <= n < LIMIT and 1 <= extent < LIMIT. With
    multiplier = ceil(2^(31 + shift) / extent), 2^shift >= extent, the product is too large by
    less than n * 2^shift < 2^(31 + shift), so the quotient never reaches the next integer
    (Granlund and Montgomery, Division by invariant integers using multiplication, 1994). Doubling
    n leaves room for extent 1, whose multiplier would need 33 bits otherwise.
    """
    if not 0 < extent < LIMIT:
        raise ValueError(f"extent {extent} is outside 1 to {LIMIT - 1}")
    shift = (extent - 1).bit_length()
    return -(-(1 << (31 + shift)) // extent), shift
