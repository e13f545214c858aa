"""The array API's functions about dtypes."""

from __future__ import annotations

import numpy
import pytest

import vkml


def test_kinds_and_promotion():
    x = vkml.ones(3, dtype=vkml.int16, device="cpu")
    assert vkml.isdtype(vkml.int8, "signed integer")
    assert vkml.isdtype("uint8", ("real floating", "unsigned integer"))
    assert not vkml.isdtype(vkml.float16, "integral")
    assert vkml.isdtype(vkml.float16, vkml.float16)
    assert vkml.result_type(x, vkml.uint8) is vkml.int16
    assert vkml.result_type(x, vkml.float16, 1.5) is vkml.float16
    assert vkml.result_type(x, 1.5) is vkml.float32
    assert vkml.can_cast(vkml.int8, vkml.int16)
    assert not vkml.can_cast(x, vkml.uint64)
    with pytest.raises(vkml.DTypeError):
        vkml.result_type(1, 2.0)


def test_limits_are_numpys_and_astype_copies():
    x = vkml.ones(3, device="cpu")
    assert vkml.finfo(x).eps == numpy.finfo(numpy.float32).eps
    assert vkml.iinfo(vkml.int8).max == 127
    assert vkml.astype(x, vkml.float32, copy=False) is x
    assert vkml.astype(x, vkml.float32) is not x
    assert vkml.astype(x, vkml.int8).dtype is vkml.int8
