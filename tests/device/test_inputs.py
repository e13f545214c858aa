"""Host arrays of every kind arrive as NumPy reads them, and nothing keeps looking at them."""

from __future__ import annotations

import array
from typing import Any

import numpy
import pytest

import vkml

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # overflow is as NumPy's
BASE = numpy.arange(24, dtype=numpy.float32).reshape(4, 6)


def read_only() -> Any:
    copy = BASE.copy()
    copy.flags.writeable = False
    return copy


def unaligned() -> Any:
    raw = bytearray(1 + BASE.nbytes)
    view = numpy.frombuffer(raw, numpy.float32, BASE.size, 1).reshape(BASE.shape)
    view[:] = BASE
    return view


class Wrapper:
    """An object that only knows how to become an array."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return BASE.copy()


class Exporter:
    """An object that only knows DLPack."""

    def __init__(self) -> None:
        self.data = BASE.copy()

    def __dlpack__(self, **options: Any) -> Any:
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data.__dlpack_device__()


KINDS: dict[str, Any] = {
    "plain": BASE,
    "read-only": read_only(),
    "unaligned": unaligned(),
    "reversed": BASE[::-1, ::-1],
    "step": BASE[::2, 1::3],
    "transposed": BASE.T,
    "Fortran order": numpy.asfortranarray(BASE),
    "big-endian": BASE.astype(">f4"),
    "little-endian": BASE.astype("<f4"),
    "big-endian integers": numpy.arange(7).astype(">i8"),
    "broadcast": numpy.broadcast_to(BASE[:1], (3, 4, 6)[1:]),
    "no axes": numpy.array(3.5, numpy.float32),
    "scalar": numpy.float16(1.5),
    "no elements": numpy.zeros((0, 3), numpy.int16),
    "bools": BASE > 5,
    "bytes": numpy.arange(256).astype("uint8"),
    "special values": numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, 1e-45, 3e38], numpy.float32),
    "subclass": BASE.view(numpy.matrix),
    "masked": numpy.ma.array(BASE, mask=BASE > 100),
    "records' field": numpy.zeros(3, [("a", "f4"), ("b", "i2")])["b"],
}


@pytest.mark.parametrize("device", ["vulkan", "cpu"])
@pytest.mark.parametrize("kind", KINDS)
def test_arrays(kind: str, device: str) -> None:
    given = KINDS[kind]
    made = vkml.tensor(given, device=device)
    wanted = numpy.array(given, dtype=given.dtype.newbyteorder("="), subok=False)
    assert made.shape == wanted.shape
    assert made.dtype.numpy == wanted.dtype
    got = made.numpy()
    assert got.tobytes() == wanted.tobytes()
    assert got.flags.writeable
    assert got.flags.c_contiguous
    if wanted.dtype.kind != "b":
        assert numpy.array_equal((made + made).numpy(), wanted + wanted)


@pytest.mark.parametrize("device", ["vulkan", "cpu"])
@pytest.mark.parametrize("kind", [k for k, v in KINDS.items() if v.dtype.kind in "fi" and v.ndim])
def test_arrays_beside_tensors(kind: str, device: str) -> None:
    """Operators take arrays of any kind on either side."""
    given = KINDS[kind]
    plain = numpy.array(given, dtype=given.dtype.newbyteorder("="), subok=False)
    made = vkml.tensor(plain, device=device)
    assert numpy.array_equal((made * given).numpy(), plain * plain, equal_nan=True)
    assert numpy.array_equal((numpy.asarray(given) - made * 2).numpy(), plain - plain * 2,
                             equal_nan=True)  # fmt: skip


@pytest.mark.parametrize("device", ["vulkan", "cpu"])
def test_everything_else_that_holds_numbers(device: str) -> None:
    def made(data: Any, **options: Any) -> vkml.Tensor:
        return vkml.tensor(data, device=device, **options)

    assert made(Wrapper()).tolist() == BASE.tolist()
    assert made(Exporter()).tolist() == BASE.tolist()
    assert made(memoryview(BASE)).tolist() == BASE.tolist()
    assert made(array.array("h", [1, -2])).dtype is vkml.int16
    assert made(range(3)).tolist() == [0, 1, 2]
    assert made((1.5, 2)).dtype is vkml.float32
    assert made([[True], [False]]).dtype is vkml.bool
    assert made([]).dtype is vkml.float32
    assert made([[], []]).shape == (2, 0)
    assert made([BASE, BASE]).shape == (2, 4, 6)
    assert made([made(1.0), made(2.0)]).tolist() == [1.0, 2.0]
    assert made(2**63).dtype is vkml.uint64
    assert made(made(BASE)).tolist() == BASE.tolist()


@pytest.mark.parametrize("device", ["vulkan", "cpu"])
def test_raw_bytes(device: str) -> None:
    raw = BASE.tobytes()
    for buffer in (raw, bytearray(raw), memoryview(raw), numpy.frombuffer(raw, "u1"), BASE):
        made = vkml.from_host(buffer, (2, 12), "float32", device)
        assert made.tolist() == BASE.reshape(2, 12).tolist()
    odd = memoryview(b"x" + raw)[1:]
    assert vkml.from_host(odd, (24,), "float32", device).tolist() == BASE.reshape(-1).tolist()
