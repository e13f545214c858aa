"""Where scalars land in parameter memory."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vkml.errors import DeviceError
from vkml.program import Patch
from vkml.runtime.vulkan.parameters import Launch, plan_parameters
from vkml.runtime.vulkan.pipelines import Layout, Pipeline

PIPELINE = Pipeline(1, Layout(1, 2, 3))


def launch(parameters: bytes, patches: tuple[Patch, ...], **more: Any) -> Launch:
    return Launch(0, PIPELINE, (), (1, 1, 1), parameters, patches, (), 0, **more)


def written(launches: list[Launch], scalars: list[Any], alignment: int = 64) -> tuple[Any, bytes]:
    plan = plan_parameters(launches, alignment)
    memory = bytearray(plan.image)
    if plan.pack is not None:
        plan.pack(memory, scalars)
    return plan, bytes(memory)


def test_blocks_are_aligned_and_at_least_sixteen_bytes() -> None:
    plan, memory = written([launch(b"abc", ()), launch(b"", ()), launch(b"d" * 65, ())], [])
    assert plan.blocks == ((0, 16), (64, 16), (128, 65))
    assert memory[:3] == b"abc"
    assert memory[128:193] == b"d" * 65
    assert plan.pack is None


def test_tables_have_places_of_their_own() -> None:
    plan, memory = written(
        [launch(bytes(8), (), table=bytes(32), table_patches=(Patch(8, 0, "<I"),))], [77]
    )
    assert plan.tables == ((64, 32),)
    assert memory[72:76] == struct.pack("<I", 77)


@given(st.data())
def test_every_patch_lands_and_nothing_else_changes(data: st.DataObject) -> None:
    formats: dict[str, tuple[st.SearchStrategy[Any], int]] = {
        "<f": (st.floats(width=32), 4),
        "<i": (st.integers(-(2**31), 2**31 - 1), 4),
        "<q": (st.integers(-(2**63), 2**63 - 1), 8),
        "B": (st.integers(0, 255), 1),
        "<d": (st.floats(), 8),
    }
    scalars: list[Any] = []
    launches = []
    expected = []
    for _ in range(data.draw(st.integers(1, 4))):
        content = bytearray(data.draw(st.binary(min_size=64, max_size=96)))
        patches = []
        at = 0
        while at < 48:
            at += data.draw(st.integers(0, 20))
            name = data.draw(st.sampled_from(sorted(formats)))
            values, size = formats[name]
            if at + size > len(content):
                break
            patches.append(Patch(at, len(scalars), name))
            content[at : at + size] = bytes(size)
            scalars.append(data.draw(values))
            at += size
        order = data.draw(st.permutations(patches))
        launches.append(launch(bytes(content), tuple(order)))
        for patch in patches:
            layout = "<" + patch.format.lstrip("<")
            struct.pack_into(layout, content, patch.position, scalars[patch.scalar])
        expected.append(bytes(content))
    plan, memory = written(launches, scalars)
    for (start, size), content in zip(plan.blocks, expected, strict=True):
        assert memory[start : start + size] == content


def test_one_scalar_in_many_places() -> None:
    patches = tuple(Patch(4 * index, 1, "<I") for index in range(4))
    assert written([launch(bytes(16), patches)], [1, 2])[1] == struct.pack("<4I", 2, 2, 2, 2)


def test_a_format_that_is_none() -> None:
    with pytest.raises(DeviceError, match="patch format"):
        plan_parameters([launch(bytes(16), (Patch(0, 0, ">f"),))], 64)
