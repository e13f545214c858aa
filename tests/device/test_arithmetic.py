"""Faults of drivers that the generated code has to avoid, each by a graph that met it."""

from __future__ import annotations

import numpy
import pytest

import vkml


@pytest.mark.parametrize("source", ["int8", "int16", "int32"])
def test_widened_integers_keep_their_sign(source: str) -> None:
    array = numpy.array([-87, -18, 5, -1, 0], source)
    wide = vkml.tensor(array, device="vulkan").astype(vkml.int64)
    absolute, third, half, real = vkml.abs(wide), wide // 3, wide >> 1, wide.astype(vkml.float32)
    vkml.realize(absolute, third, half, real)
    assert absolute.numpy().tolist() == [87, 18, 5, 1, 0]
    assert third.numpy().tolist() == [-29, -6, 1, -1, 0]
    assert half.numpy().tolist() == [-44, -9, 2, -1, 0]
    assert real.numpy().tolist() == [-87, -18, 5, -1, 0]
