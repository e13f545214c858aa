"""Printing and sparse views: NumPy's text and values, and only the bytes that are needed."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import vkml
from tests.device.runtime_support import needs_vulkan

pytestmark = needs_vulkan


@pytest.fixture(autouse=True)
def _probed() -> None:
    """The probes of a device's first use are not what is counted here."""
    vkml.device().kernels  # noqa: B018


def counted(before: dict[str, int], name: str) -> int:
    return vkml.counters()[name] - before[name]


@pytest.mark.parametrize("shape", [(5,), (2000,), (300, 400), (3, 40, 50), (1001, 1, 7), (0, 3)])
@pytest.mark.parametrize("dtype", ["float32", "int16", "bool"])
def test_text_is_numpys_and_only_corners_are_downloaded(shape: Any, dtype: str) -> None:
    values = (numpy.random.default_rng(0).normal(size=shape) * 9).astype(dtype)
    tensor = vkml.tensor(values).copy()
    before = vkml.counters()
    assert str(tensor) == str(values)
    assert counted(before, "submissions") <= 1
    assert counted(before, "bytes_downloaded") <= min(values.nbytes, 6 ** len(shape) * 8)
    text = numpy.array2string(values, separator=", ")
    assert repr(tensor).startswith(f"vkml.Tensor({text}, shape=")
    with numpy.printoptions(edgeitems=1, threshold=3):
        assert str(tensor) == str(values)


def test_a_sparse_view_downloads_its_elements() -> None:
    values = numpy.arange(1 << 20, dtype=numpy.float32)
    tensor = vkml.tensor(values)
    before = vkml.counters()
    assert numpy.array_equal(tensor[::1000].numpy(), values[::1000])
    assert counted(before, "bytes_downloaded") == values[::1000].nbytes
    assert counted(before, "submissions") == 1
