"""GPU timestamps: how long each step of a profiled execution took."""

from __future__ import annotations

from . import constants as c
from .functions import Functions
from .loader import ffi
from .structures import address, check, make, out

__all__ = ["create_queries", "step_nanoseconds"]


def create_queries(vk: Functions, device: int, count: int) -> int:
    """A query pool with `count` timestamps."""
    place = out()
    information = make(
        "VkQueryPoolCreateInfo", queryType=c.VK_QUERY_TYPE_TIMESTAMP, queryCount=count
    )
    check(
        vk.vkCreateQueryPool(device, address(information), None, address(place)),
        "vkCreateQueryPool",
    )
    return int(place[0])


def step_nanoseconds(
    vk: Functions, device: int, queries: int, count: int, bits: int, period: float
) -> tuple[float, ...]:
    """Nanoseconds between each two neighbours of `count` timestamps that have been written.

    `bits` are valid in a timestamp, `period` is nanoseconds a tick.
    """
    stamps = ffi().new("uint64_t[]", count)
    check(
        vk.vkGetQueryPoolResults(
            device,
            queries,
            0,
            count,
            8 * count,
            address(stamps),
            8,
            c.VK_QUERY_RESULT_64_BIT | c.VK_QUERY_RESULT_WAIT_BIT,
        ),
        "vkGetQueryPoolResults",
    )
    mask = (1 << bits) - 1
    return tuple(
        ((stamps[index + 1] - stamps[index]) & mask) * period for index in range(count - 1)
    )
