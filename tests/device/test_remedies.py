"""Remedies of refusals, pasted as they stand in the message: they run, for every operation."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

import vkml
from vkml import dtypes, errors
from vkml.dtypes import DType

ROOT = Path(__file__).resolve().parents[2]
REMEDY = re.compile(r"\.astype\(vkml\.\w+\)|vkml\.tensor\(t\.numpy\(\), device=vkml\.cpu\)")
NAMES = (*vkml.functions.ELEMENTWISE, "gelu")
WITHOUT_DOUBLE = ("exp", "log", "sin", "tanh", "pow", "erf", "gelu", "sigmoid")


def kinds_of(arity: int) -> Iterator[tuple[DType, ...]]:
    """Operand dtypes: all pairs for two operands, else one dtype for all."""
    if arity == 2:
        yield from itertools.product(dtypes.ALL, repeat=2)
    else:
        yield from ((kind,) * arity for kind in dtypes.ALL)


def arity_of(name: str) -> int:
    return 1 if name == "gelu" else vkml.ops.TABLE[name].arity


@pytest.mark.parametrize("device", ["cpu", "vulkan"])
def test_every_remedy_runs(device: str) -> None:
    """Each remedy of each refusal of each function, once a message."""
    seen: dict[str, int] = {}
    unsupported = set()
    results = []
    for name in NAMES:
        function = getattr(vkml, name)
        for kinds in kinds_of(arity_of(name)):
            given = [vkml.tensor(numpy.ones(3, kind.numpy), device=device) for kind in kinds]
            try:
                function(*given)
                continue
            except (errors.DTypeError, errors.UnsupportedError) as error:
                message = error.message
                if isinstance(error, errors.UnsupportedError):
                    unsupported.add(name)
            if message in seen:
                continue
            remedies = REMEDY.findall(message)
            seen[message] = len(remedies)
            assert remedies, message
            for remedy in remedies:
                code = f"t{remedy}" if remedy.startswith(".") else remedy
                treated = [eval(code, {"vkml": vkml, "t": t}) for t in given]
                results.append(function(*treated))
    for place in (vkml.cpu, vkml.device(device)):
        vkml.realize(*(result for result in results if result.device is place))
    assert any("expected a float dtype" not in message for message in seen)
    if device == "cpu":
        assert not unsupported
    else:
        assert unsupported.issuperset(WITHOUT_DOUBLE)
    assert len(results) >= len(seen) > 20


def test_the_remedy_of_two_devices_runs() -> None:
    t = vkml.tensor([1.0, 2.0])
    here = vkml.tensor([3.0, 4.0], device=vkml.cpu)
    with pytest.raises(errors.DeviceError, match="add: operands live on") as caught:
        t + here
    remedy = re.search(r"\.to\('[^']+'\)", caught.value.message)
    assert remedy is not None
    moved = eval(f"t{remedy[0]}", {"t": here})
    assert (t + moved).tolist() == [4.0, 6.0]


def test_tensors_of_two_devices_are_not_realized_together() -> None:
    here, there = vkml.tensor([1.0], device=vkml.cpu) + 1, vkml.tensor([1.0]) + 2
    with pytest.raises(errors.DeviceError, match="tensors live on cpu and vulkan:"):
        vkml.realize(here, there)
    assert here.tolist() == [2.0]
    assert there.tolist() == [3.0]


NARROW = """
import numpy, vkml
t = vkml.tensor(numpy.ones(3, "float32"))
def told(attempt):
    try: return attempt().dtype
    except vkml.UnsupportedError as error: return error.message
print(told(lambda: vkml.tensor([1, 2])), told(lambda: (t > 0) + 1), told(lambda: vkml.arange(3)))
print(told(lambda: vkml.where(t > 0, 1, 2)), told(lambda: vkml.full(2, 7)))
print(told(lambda: vkml.full(2, 7, dtype="int64")))
print(told(lambda: vkml.tensor(numpy.ones(3))))
print(told(lambda: vkml.linspace(0, 1, 3, dtype="float64")))
print(told(lambda: t.astype(vkml.float64)))
print(vkml.tensor(t.numpy(), device=vkml.cpu).astype(vkml.float64).dtype)
"""


def test_a_device_without_64_bits() -> None:
    """Nothing named is narrowed, what vkml chooses itself is; the remedies run."""
    output = subprocess.run(
        [sys.executable, "-c", NARROW],
        env={**os.environ, "VKML_LIMITS": "int64=0,float64=0", "VKML_DEVICE": "vulkan"},
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert output[:2] == ["vkml.int32 vkml.int32 vkml.int32", "vkml.int32 vkml.int32"]
    assert [line.partition(": vulkan:0 has no ")[0] for line in output[2:6]] == [
        "full", "tensor", "linspace", "astype",
    ]  # fmt: skip
    assert all(line.endswith("; pass another dtype, or device=vkml.cpu") for line in output[2:5])
    assert output[5].endswith("vkml.tensor(t.numpy(), device=vkml.cpu)")
    assert output[6] == "vkml.float64"
