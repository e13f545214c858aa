"""Bad input: the class, its builtin, one line with the remedy, the user's line, no harm done."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import vkml
from vkml import errors

CPU = vkml.cpu


def made(data: Any, **options: Any) -> vkml.Tensor:
    return vkml.tensor(data, device=CPU, **options)


def array(*shape: int, dtype: str = "f4") -> vkml.Tensor:
    return made(numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype))


SHAPES = {
    "add": (lambda: array(3, 4) + array(5), "add: shapes (3, 4) and (5,) do not broadcast"),
    "three": (
        lambda: vkml.where(array(2) > 0, array(3), 1),
        "where: shapes (2,) and (3,) do not broadcast: axis -1 has extents 2 and 3",
    ),
    "reshape": (lambda: array(3, 4).reshape(5, 5), "reshape: (3, 4) has 12 elements, (5, 5)"),
    "two unknown": (lambda: array(3, 4).reshape(-1, -1), "reshape: (3, 4) has 12 elements"),
    "no divisor": (lambda: array(3, 4).reshape(-1, 5), "no -1 in (-1, 5) fits that"),
    "reshape copy": (lambda: array(3, 4).T.reshape(12, copy=False), "drop copy=False"),
    "permute": (lambda: array(3, 4).permute(0, 0), "(0, 0) is no permutation of 2 axes"),
    "permute few": (lambda: array(3, 4).permute_dims((0,)), "(0,) is no permutation of 2 axes"),
    "squeeze": (lambda: array(3, 4).squeeze(0), "squeeze: axis 0 of (3, 4): expected extent 1"),
    "squeeze twice": (lambda: array(1, 4).squeeze((0, 0)), "names one axis twice"),
    "broadcast_to": (lambda: array(3, 4).broadcast_to(5, 5), "broadcast_to: shapes (3, 4) and"),
    "broadcast down": (lambda: array(3, 4).broadcast_to(4), "broadcast_to: (3, 4) does not"),
    "moveaxis": (lambda: vkml.moveaxis(array(3, 4), (0, 1), 0), "moveaxis: 2 sources and 1"),
    "mT": (lambda: array(3).mT, "mT: expected at least 2 axes, got 1"),
    "item": (lambda: array(3).item(), "item: expected one element, got shape (3,); select one"),
    "bool": (lambda: bool(array(3)), "bool: expected one element"),
    "float": (lambda: float(array(3)), "float: expected one element"),
    "format": (lambda: f"{array(3):.3f}", "item: expected one element"),
    "ragged": (lambda: made([[1, 2], [3]]), "ragged; give each the same length"),
    "negative": (lambda: vkml.zeros((2, -1), device=CPU), "expected extents of 0 and more"),
    "huge": (lambda: vkml.zeros((2**40, 2**40), device=CPU), "elements; at most"),
    "huge by broadcasting": (
        lambda: vkml.zeros((2**30, 1), device=CPU) + vkml.zeros((2**30,), device=CPU),
        "elements; at most",
    ),
    "from_host": (
        lambda: vkml.from_host(b"abc", (2,), "int32", CPU),
        "from_host: (2,) of int32 takes 8 bytes, got 3",
    ),
    "assign_": (lambda: array(3, 4).assign_(array(2, 2)), "assign_: expected shape (3, 4), got"),
    "assign_ view": (lambda: array(3, 4).T.assign_(array(4, 3)), "use t[...] = value"),
    "setitem": (lambda: array(3, 4).__setitem__(0, array(7)), "assign: shapes (7,) and (4,)"),
    "setitem broadcast": (
        lambda: array(3, 1).broadcast_to(3, 4).__setitem__(0, 1.0),
        "the destination is a broadcast view; call .copy() on it first",
    ),
    "set_grad": (lambda: array(3).set_grad(array(4)), "set_grad: expected shape (3,), got (4,)"),
    "tril": (lambda: vkml.tril(array(3)), "tril: expected 2 axes or more, got 1"),
    "meshgrid": (lambda: vkml.meshgrid(array(3, 4)), "meshgrid: operand 1: expected one axis"),
}  # fmt: skip

DTYPES = {
    "promotion": (
        lambda: array(3, dtype="u8") + array(3, dtype="i8"),
        "uint64 and int64 have no common integer dtype; cast both with .astype(vkml.int64)",
    ),
    "bitwise": (lambda: array(3) & 1, "bitwise_and: operand 1: expected a bool or integer dtype"),
    "second": (
        lambda: array(3, dtype="i4") << array(3),
        "bitwise_left_shift: operand 2: expected an integer dtype, got float32; cast with",
    ),
    "bool minus": (lambda: -made([True]), "negative: operand 1: expected an integer or float"),
    "string": (lambda: vkml.exp("a"), "exp: operand 1: expected a tensor, an array or a number"),
    "none": (lambda: vkml.add(array(3), None), "add: operand 2: expected a tensor, an array"),
    "list": (lambda: vkml.add(array(3), [1, 2, 3]), "make a tensor with vkml.tensor(...)"),
    "count": (lambda: vkml.where(array(3)), "where: expected 3 operands, got 1"),
    "astype": (lambda: array(3).astype("nonsense"), "no vkml dtype for 'nonsense'; there are bool"),
    "astype none": (lambda: array(3).astype(None), "no vkml dtype for None; there are"),
    "to none": (lambda: array(3).to(None), "no vkml dtype for None"),
    "complex": (lambda: made(1j), "no vkml dtype for complex128; there are"),
    "complex array": (lambda: made(numpy.ones(2, "c8")), "take the parts .real and .imag"),
    "complex operand": (lambda: array(2) * numpy.ones(2, "c8"), "no vkml dtype for complex64"),
    "text": (lambda: made(["a", "b"]), "no vkml dtype for <U1"),
    "text as numbers": (lambda: made(["1"], dtype="float32"), "no vkml dtype for <U1"),
    "mixed": (lambda: made([1, "a"]), "no vkml dtype for <U21"),
    "bytes": (lambda: made(b"abc"), "no vkml dtype for |S3"),
    "dates": (lambda: made(numpy.array(["2020-01-01"], "M8[D]")), "no vkml dtype for datetime64"),
    "records": (lambda: made(numpy.zeros(2, [("a", "i4")])), "no vkml dtype for [('a', '<i4')]"),
    "long double": (lambda: made(numpy.ones(2, numpy.longdouble)), "no vkml dtype for"),
    "objects": (lambda: made(numpy.array([1, None])), "expected numbers, got int, NoneType; give"),
    "object": (lambda: made(object()), "expected numbers, got object; give"),
    "dict": (lambda: made({1: 2}), "expected numbers, got dict; give"),
    "generator": (lambda: made(x for x in "ab"), "expected numbers, got generator; give"),
    "object dtype": (lambda: made(1, dtype=object), "no vkml dtype for <class 'object'>"),
    "shape": (lambda: vkml.zeros("abc", device=CPU), "full: expected integers, got 'abc'"),
    "shape float": (lambda: vkml.zeros((2, 1.5), device=CPU), "full: expected integers, got (2,"),
    "shape none": (lambda: vkml.zeros(None, device=CPU), "full: expected integers, got None"),
    "reshape": (lambda: array(3, 4).reshape("ab"), "reshape: expected integers, got 'ab'"),
    "reshape none": (lambda: array(3, 4).reshape(None), "reshape: expected integers, got None"),
    "axis": (lambda: array(3, 4).squeeze("a"), "squeeze: expected integers, got 'a'"),
    "axis float": (lambda: array(3, 4).swapaxes(0, 1.0), "swapaxes: expected an integer for an"),
    "flip": (lambda: array(3, 4).flip(1.5), "flip: expected integers, got 1.5"),
    "permute": (lambda: array(3, 4).permute_dims(None), "permute_dims: expected integers, got"),
    "unsqueeze": (lambda: array(3).unsqueeze("a"), "unsqueeze: expected an integer for an axis"),
    "full": (lambda: vkml.full(2, "a", device=CPU), "full: expected a number, got str"),
    "full list": (lambda: vkml.full(2, [1, 2], device=CPU), "vkml.broadcast_to(...)"),
    "full part": (lambda: vkml.full(2, 1.5, "int32", CPU), "int32: expected an integer, got 1.5"),
    "full_like": (lambda: vkml.full_like(3, 1), "full_like: operand 1: expected a tensor, got int"),
    "function": (lambda: vkml.reshape(3, (1,)), "reshape: operand 1: expected a tensor, got int"),
    "realize": (lambda: vkml.realize(array(1), 3), "realize: operand 2: expected a tensor"),
    "broadcast": (lambda: vkml.broadcast_arrays(array(1), 3), "broadcast_arrays: operand 2: exp"),
    "arange": (lambda: vkml.arange("a", device=CPU), "arange: expected a number, got 'a'"),
    "arange complex": (lambda: vkml.arange(1j, device=CPU), "float: expected a number, got 1j"),
    "linspace": (lambda: vkml.linspace(0, 1, 1.5, device=CPU), "linspace: expected integers"),
    "eye": (lambda: vkml.eye(1.5, device=CPU), "eye: expected integers, got (1.5, 1.5)"),
    "buffer": (lambda: vkml.from_host("abc", 3, "uint8", CPU), "expected consecutive bytes"),
    "strided buffer": (
        lambda: vkml.from_host(numpy.zeros((4, 4))[:, ::2], (4, 2), "float64", CPU),
        "from_host: expected consecutive bytes, got ndarray",
    ),
    "random": (lambda: vkml.random.random(2, "int32", CPU), "random: expected a float dtype"),
    "integers": (
        lambda: vkml.random.integers(0, 9, 2, "float32", CPU), "integers: expected an integer dtype"
    ),
    "seed": (lambda: vkml.random.seed(1.5), "seed: expected integers, got 1.5"),
    "assign_": (lambda: array(3).assign_(array(3, dtype="i4")), "assign_: expected float32, got"),
    "assign_ text": (lambda: array(3).assign_("abc"), "no vkml dtype for <U3"),
    "setitem": (lambda: array(3, dtype="i4").__setitem__(0, 1.5), "expected an integer, got 1.5"),
    "requires_grad": (lambda: array(3, dtype="i4").set_requires_grad(), "expected a float dtype"),
    "set_grad": (lambda: array(3).set_grad(3.0), "set_grad: operand 1: expected a tensor"),
    "len": (lambda: len(made(1.0)), "len: a tensor of no axes has no length"),
    "iter": (lambda: list(made(1.0)), "iter: a tensor of no axes"),
    "index": (lambda: range(made(1.5)), "index: expected an integer tensor, got float32"),
    "constructor": (lambda: vkml.Tensor([1.0]), "make a tensor with vkml.tensor(...)"),
}  # fmt: skip

INDICES = {
    "range": (lambda: array(3, 4)[5], "index: 5 is out of bounds for axis 0 with extent 3"),
    "negative": (lambda: array(3, 4)[0, -5], "index: -5 is out of bounds for axis 1 with extent 4"),
    "big": (lambda: array(3, 4)[2**70], "is out of bounds for axis 0"),
    "many": (lambda: array(3, 4)[0, 0, 0], "index: 3 indices for an array of 2 axes"),
    "ellipsis": (lambda: array(3, 4)[..., ...], "only one ellipsis"),
    "step": (lambda: array(3, 4)[::0], "the step of a slice cannot be 0"),
    "bound": (lambda: array(3, 4)[1:"a"], "slice bounds must be integers or None"),
    "axis": (lambda: array(3, 4).flip(9), "flip: axis 9 is out of range for an array of 2 axes"),
    "axis of none": (lambda: made(1.0).unsqueeze(3), "unsqueeze: axis 3 is out of range"),
    "write": (lambda: array(3, 4).__setitem__(9, 1.0), "9 is out of bounds for axis 0"),
}

RANGES = {
    "scalar": (lambda: array(3, dtype="u1") + 300, "uint8: expected 0 to 255, got 300; cast"),
    "negative": (lambda: array(3, dtype="u4") - -1, "uint32: expected 0 to 4294967295, got -1"),
    "integer": (lambda: array(3, dtype="i4") * 2**31, "int32: expected -2147483648 to"),
    "float": (lambda: array(3) + 10**400, "an integer past 1.8e308 has no float"),
    "setitem": (lambda: array(3, dtype="u1").__setitem__(0, 256), "uint8: expected 0 to 255, got"),
    "full": (lambda: vkml.full(2, 300, "uint8", CPU), "uint8: expected 0 to 255, got 300"),
    "list": (lambda: made([1, 300], dtype="uint8"), "expected 0 to 255 for uint8, got 1 to 300"),
    "big list": (lambda: made([2**70]), "a Python integer fits no integer dtype"),
    "arange": (lambda: vkml.arange(float("nan"), device=CPU), "arange: expected finite numbers"),
    "arange inf": (lambda: vkml.arange(float("inf"), device=CPU), "arange: expected finite"),
    "integers": (lambda: vkml.random.integers(5, 1, device=CPU), "integers: expected low < high"),
    "integers narrow": (
        lambda: vkml.random.integers(0, 300, 2, "uint8", CPU), "is more than uint8 holds"
    ),
    "seed": (lambda: vkml.random.default_rng(-1), "seed: expected 0 <= seed < 2**64, got -1"),
}  # fmt: skip

ARGUMENTS = {
    "gelu": (lambda: vkml.gelu(array(3), "zz"), "gelu: approximate: expected 'none' or 'tanh'"),
    "meshgrid": (lambda: vkml.meshgrid(indexing="zz"), "expected 'xy' or 'ij', got 'zz'"),
    "arange": (lambda: vkml.arange(0, 5, 0, device=CPU), "arange: step is 0"),
    "asarray": (lambda: vkml.asarray([1], copy=False, device=CPU), "drop copy=False"),
    "numpy": (lambda: numpy.asarray(array(3), copy=False), "device memory is always copied"),
}

DEVICES = {
    "name": (lambda: vkml.device("nowhere"), "device 'nowhere': no device has this name; there"),
    "number": (lambda: made(1.0).to("vulkan:99"), "device 'vulkan:99': "),
    "type": (lambda: vkml.tensor(1.0, device=5), "device: expected a name or a Device, got int"),
}

UNSUPPORTED = {
    "mask": (lambda: array(3)[array(3) > 0], "take .numpy() to use masks and index arrays"),
    "list": (lambda: array(3)[[0, 1]], "index: list at axis 0"),
    "float": (lambda: array(3)[1.5], "index: float at axis 0"),
    "pickle": (lambda: __import__("pickle").dumps(array(3)), "pickle: tensors are not pickled"),
    "deepcopy": (lambda: __import__("copy").deepcopy(array(3)), "deepcopy: "),
}

MEMORY = {
    "root": (lambda: vkml.zeros((2**47,), device=CPU).realize(), "512 TiB in one array"),
    "temporary": (
        lambda: vkml.flip(vkml.arange(2**32, device=CPU).broadcast_to(2**15, 2**32) * 2).numpy(),
        "1024 TiB in one array",
    ),
    "host": (lambda: made(1.0).broadcast_to(2**45).numpy(), "numpy: no host memory for 128 TiB"),
    "linspace": (lambda: vkml.linspace(0, 1, 2**45, device=CPU), "linspace: no host memory"),
}  # fmt: skip

UNDEFINED = {
    "shape": (lambda: vkml.Tensor().shape, "tensor: undefined"),
    "left": (lambda: vkml.Tensor() + 1, "check .defined() first"),
    "right": (lambda: array(3) + vkml.Tensor(), "check .defined() first"),
    "reflected": (lambda: 1 + vkml.Tensor(), "check .defined() first"),
    "function": (lambda: vkml.exp(vkml.Tensor()), "check .defined() first"),
    "value": (lambda: vkml.Tensor().numpy(), "check .defined() first"),
    "truth": (lambda: bool(array(3).grad), "check .defined() first"),
    "grad of a result": (lambda: (array(3) + 1).set_requires_grad(), "call .realize() to make"),
}

TABLES = (
    (errors.ShapeError, ValueError, SHAPES),
    (errors.DTypeError, TypeError, DTYPES),
    (errors.IndexError, builtins.IndexError, INDICES),
    (errors.RangeError, OverflowError, RANGES),
    (errors.ArgumentError, ValueError, ARGUMENTS),
    (errors.DeviceError, RuntimeError, DEVICES),
    (errors.UnsupportedError, NotImplementedError, UNSUPPORTED),
    (errors.OutOfMemoryError, MemoryError, MEMORY),
    (errors.VkmlError, Exception, UNDEFINED),
)
CASES = [
    pytest.param(kind, builtin, *case, id=f"{kind.__name__}-{name}")
    for kind, builtin, table in TABLES
    for name, case in table.items()
]


@pytest.mark.parametrize(("kind", "builtin", "attempt", "message"), CASES)
def test_bad_input(
    kind: type[errors.VkmlError],
    builtin: type[Exception],
    attempt: Callable[[], object],
    message: str,
) -> None:
    with pytest.raises(kind) as caught:
        attempt()
    error = caught.value
    assert type(error) is kind
    assert isinstance(error, errors.VkmlError)
    assert isinstance(error, builtin)
    assert message in error.message
    assert "\n" not in error.message
    assert len(error.message) < 400
    first, *places = str(error).split("\n  ")
    assert first == error.message
    assert [place.partition(".py:")[0] for place in places] == ["tests/unit/test_errors_input"]
    assert (array(3) + 1).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("other", ["a", None, [1], 1j, object()])
def test_operators_leave_foreign_operands_to_python(other: object) -> None:
    tensor = array(1)
    for attempt in (lambda: tensor + other, lambda: tensor < other, lambda: tensor**other):
        with pytest.raises(TypeError, match=r"not supported between|unsupported operand type"):
            attempt()
    assert (tensor == other) is False
    assert (tensor != other) is True


def test_what_could_not_be_written_changes_nothing() -> None:
    tensor = array(3, 4)
    before = tensor.numpy()
    for attempt in (
        lambda: tensor.assign_(array(2, 2)),
        lambda: tensor.__setitem__(0, array(7)),
        lambda: tensor.__setitem__(0, "a"),
        lambda: tensor.__setitem__(9, 1.0),
    ):
        with pytest.raises(errors.VkmlError):
            attempt()
        assert numpy.array_equal(tensor.numpy(), before)


def test_numbers_of_numpy_are_numbers() -> None:
    """Types that stand for integers and floats are taken wherever Python's are."""
    tensor = array(1, 4)
    assert tensor.squeeze(numpy.int64(0)).shape == (4,)
    assert tensor.flip(numpy.int8(1)).tolist() == [[3.0, 2.0, 1.0, 0.0]]
    assert vkml.moveaxis(tensor, numpy.int64(0), 1).shape == (4, 1)
    assert tensor.reshape(numpy.array([2, 2])).shape == (2, 2)
    assert tensor[made(0)].shape == (4,)
    assert vkml.zeros(numpy.int64(3), device=CPU).shape == (3,)
    assert vkml.full(2, numpy.float64(1.5), device=CPU).dtype is vkml.float64
    ranged = vkml.arange(numpy.float64(0), numpy.float32(1), numpy.float64(0.25), device=CPU)
    assert ranged.dtype is vkml.float32
    assert ranged.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert vkml.arange(0.5, 3, dtype="int32", device=CPU).tolist() == [0, 1, 2]


def test_host_values_are_cast_as_on_the_device() -> None:
    values = [float("nan"), float("inf"), -1e30, 2.7, -2.7]
    for name in ("int8", "uint16", "int32", "int64", "uint64", "bool"):
        given = made(values, dtype=name).numpy()
        assert numpy.array_equal(given, made(values).astype(name).numpy()), name
