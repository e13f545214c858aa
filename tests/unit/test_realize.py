"""Graphs on the cpu device that once gave wrong values or none: each is a shape of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy
import pytest

import vkml
from vkml import evaluate
from vkml.codegen.host import view_bytes
from vkml.errors import VkmlError
from vkml.limits import narrowed
from vkml.shapes import Layout
from vkml.signature import signature


def tensor(array: object) -> vkml.Tensor:
    return vkml.tensor(array, device=vkml.cpu)


def test_arrays_without_elements_are_computed() -> None:
    empty = tensor(numpy.zeros((0, 3), numpy.float32))
    added = empty + 1
    vkml.realize(added, added.T)
    assert added.numpy().shape == (0, 3)
    assert vkml.arange(0, device=vkml.cpu).numpy().shape == (0,)


def test_the_offset_of_an_empty_view_may_lie_past_the_end() -> None:
    empty = tensor(numpy.zeros((0, 129, 127), numpy.float32))
    part = empty[:, 100, 50:]
    assert (part * 2).numpy().shape == (0, 77)
    assert part.numpy().shape == (0, 77)


def test_a_view_of_a_view_that_is_computed_before_it() -> None:
    summed = tensor(numpy.arange(6.0, dtype=numpy.float32).reshape(2, 3)) + 1
    row = summed[1]
    back = row[::-1]
    row.realize()
    assert back.numpy().tolist() == [6, 5, 4]


def test_a_constant_that_is_in_memory() -> None:
    threes = vkml.full((3,), 3, vkml.int64, vkml.cpu)
    threes.realize()
    assert (threes + vkml.flip(threes) * threes).tolist() == [12] * 3
    threes[1:] = 1
    assert (threes * 2).tolist() == [6, 2, 2]


def test_a_write_in_place_beside_a_reader_through_two_views() -> None:
    target = tensor(numpy.arange(6, dtype=numpy.float32))
    memory = target._latest().storage
    reader = target[1:][::2] + 1
    target[3:] = 0
    target.realize()
    assert target._latest().storage is not memory  # the reader has yet to see it
    target[0] = 7
    vkml.realize(target, reader)
    assert reader.tolist() == [2, 4, 6]
    assert target.tolist() == [7, 1, 2, 0, 0, 0]


def test_views_between_are_no_readers() -> None:
    """A view that only another view keeps alive sees nothing that a write would take away."""
    target = tensor(numpy.arange(6, dtype=numpy.float32))
    target[3:] = 0
    between = target[1:]
    reader = between[::2] + 1
    target[0] = 7
    pending = [target._latest(), reader._latest()]
    assert signature(pending, ())[0][-1] == ()
    del between
    assert len(signature(pending, ())[0][-1]) == 2
    vkml.realize(target, reader)
    assert reader.tolist() == [2, 1, 1]
    assert target.tolist() == [7, 1, 2, 0, 0, 0]


def test_a_stored_value_read_elsewhere_through_one_that_is_not() -> None:
    array = numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4)
    tripled = tensor(array) * 3
    stored = tripled[0].astype(vkml.uint32)
    between = vkml.floor(stored)
    shifted = vkml.exp(between[:, 3::-3] * 0.01)
    between[...] = stored
    vkml.realize(tripled, stored, between, shifted)
    want = numpy.exp((array[0] * 3).astype(numpy.uint32)[:, ::-3] * numpy.float32(0.01))
    numpy.testing.assert_allclose(shifted.numpy(), want, rtol=1e-6)


def test_a_partial_write_is_not_redone_over_the_whole_one_after_it() -> None:
    array = numpy.linspace(-1, 1, 51, dtype=numpy.float32).reshape(17, 3)
    lowest = vkml.minimum(vkml.asin(tensor(array)), -2.5)
    whole = lowest.astype(vkml.int64)
    target = +lowest
    target[:, 1::-1] = tensor(numpy.zeros((17, 2), numpy.float32))
    slope = vkml.sinh(whole)
    target.assign_(vkml.maximum(lowest, slope))
    vkml.realize(lowest, whole, slope, target)
    assert target.numpy().tolist() == lowest.numpy().tolist() == [[-2.5] * 3] * 17


def test_the_reference_is_the_same_for_every_layout() -> None:
    generator = numpy.random.default_rng(1)
    array = generator.normal(size=(40, 63)).astype(numpy.float32)

    def computed() -> numpy.ndarray:
        flipped = vkml.flip(tensor(array))
        return vkml.tanh(vkml.exp2(flipped)[:, 3:50] * 0.3).numpy()

    with vkml.eager():
        want = computed()
    assert computed().tobytes() == want.tobytes()


def test_a_host_kernel_never_leaves_its_window() -> None:
    window = numpy.zeros(256, numpy.uint8)
    assert view_bytes(window, "float32", Layout((8, 8), (8, 1))).shape == (8, 8)
    with pytest.raises(VkmlError, match="elements 0 to 65 of a window of 64"):
        view_bytes(window, "float32", Layout((65,), (1,)))
    with pytest.raises(VkmlError, match="elements -1 to 1 of a window of 64"):
        view_bytes(window, "float32", Layout((2,), (-1,)))


@pytest.fixture
def four_arrays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The cpu device, as one whose kernels bind four arrays and have few statements."""
    runtime = vkml.cpu.runtime
    limits = narrowed(runtime.limits, "max_storage_buffers=4,region_budget=64")
    monkeypatch.setattr(runtime, "limits", limits)
    vkml.cpu.plans.clear()
    yield
    vkml.cpu.plans.clear()


@pytest.mark.usefixtures("four_arrays")
def test_what_lies_behind_two_views_fits_one_kernel() -> None:
    array = numpy.arange(4, dtype=numpy.float32)
    one, two, three, four = (tensor(array * n) for n in (1, 2, 3, 4))
    both = vkml.flip(one + two) * vkml.flip(three - four)
    assert both.numpy().tolist() == [-27, -12, -3, 0]


@pytest.mark.usefixtures("four_arrays")
def test_what_a_partial_write_writes_is_cut_like_anything_else() -> None:
    arrays = [tensor(numpy.full(3, n, numpy.float32)) for n in range(9)]
    target = tensor(numpy.zeros(6, numpy.float32))
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    target[::2] = total
    made, _, _ = evaluate.planned([target._latest()])
    assert max(len(step.bindings) for step in made.program.steps) <= 4
    assert target.numpy().tolist() == [36, 0] * 3


@pytest.mark.usefixtures("four_arrays")
def test_random_numbers_bind_no_array_for_the_seed() -> None:
    with vkml.eager():
        drawn = vkml.random.default_rng(7).random((5,), device=vkml.cpu)
    again = vkml.random.default_rng(7).random((5,), device=vkml.cpu)
    assert drawn.tolist() == again.tolist()


@pytest.mark.usefixtures("four_arrays")
def test_views_do_not_read_what_cutting_has_put_into_memory() -> None:
    def powers() -> vkml.Tensor:
        one = tensor(numpy.float32(0.4))
        numbers = vkml.arange(0, -66, -2, dtype=vkml.float32, device=vkml.cpu)
        differ = vkml.not_equal(numbers, one).permute(0)
        return vkml.pow(numbers, vkml.logaddexp(differ, one).astype(vkml.int64))

    made, _, _ = evaluate.planned([powers()._latest()])
    assert len(made.program.steps) > 1
    assert max(len(step.bindings) for step in made.program.steps) <= 4
    with vkml.eager():
        want = powers().numpy()
    assert powers().numpy().tobytes() == want.tobytes()
