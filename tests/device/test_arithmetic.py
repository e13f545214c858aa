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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("source", ["bool", "uint8", "int32", "uint32", "int64", "uint64"])
def test_a_zero_that_the_driver_knows_is_still_a_float(source: str, dtype: str) -> None:
    """x ^ x is 0 to the driver's optimiser, which then takes 0 * inf and 0 / 0 for 0."""
    integers = vkml.tensor(numpy.array([5, 1, 7, 0]).astype(source), device="vulkan")
    other = numpy.array([numpy.inf, 0.0, -0.0, numpy.nan], dtype)
    zero, tensor = (integers ^ integers).astype(dtype), vkml.tensor(other, device="vulkan")
    made = (zero * tensor, tensor * zero, zero / tensor, zero + tensor, tensor - zero)
    vkml.realize(*made)
    none = numpy.zeros(4, dtype)
    with numpy.errstate(all="ignore"):
        wanted = (none * other, other * none, none / other, none + other, other - none)
    for got, want in zip(made, wanted, strict=True):
        numpy.testing.assert_array_equal(got.numpy(), want)
        number = ~numpy.isnan(want)
        assert (numpy.signbit(got.numpy()) == numpy.signbit(want))[number].all()


def test_lerp_between_values_whose_distance_overflows() -> None:
    most = numpy.float32(3.4028235e38)
    low, high = numpy.array([-most, -1.5e37, 2e38, -most]), numpy.array([most, most, -3e38, most])
    where = numpy.array([0.0, 0.0, 1.0, 0.5])
    operands = [vkml.tensor(x.astype(numpy.float32), device="vulkan") for x in (low, high, where)]
    got = vkml.lerp(*operands).numpy()
    numpy.testing.assert_array_equal(got, numpy.float32([-most, -1.5e37, -3e38, 0]))
