"""Wrong calls: one line that says what, on which operand, and nothing lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import vkml
from vkml.errors import VkmlError

FORM = re.compile(r"^[a-z_0-9]+(?: '[^']*')?: \S.*[^\s.]$")
"""The operation or function, a colon, and a phrase without a full stop."""


class Given:
    """Operands for wrong calls, on one device."""

    def __init__(self, device: Any) -> None:
        def made(data: Any, dtype: str) -> vkml.Tensor:
            return vkml.tensor(numpy.asarray(data, dtype), device=device)

        self.x = made([[1, 2, 3], [4, 5, 6]], "float32")
        self.pair = made([1, 2], "float32")
        self.one = made([[1.0]], "float32")
        self.i = made([1, 2, 3], "int32")
        self.b = made([True, False, True], "bool")
        self.u8 = made([1], "uint8")
        self.u64, self.i64 = made([1], "uint64"), made([1], "int64")
        self.none = made(numpy.zeros((0, 3)), "float32")
        other = "vulkan" if device is vkml.cpu else "cpu"
        self.elsewhere = vkml.tensor([1.0, 2, 3], device=other)


WRONG: dict[str, tuple[Callable[[Given], Any], type[BaseException], str]] = {
    "broadcast": (lambda g: g.x + g.pair, vkml.ShapeError, r"add: .*\(2, 3\).*\(2,\).*axis -1"),
    "kind": (lambda g: g.x & g.x, vkml.DTypeError, "bitwise_and: operand 1: .*float32; cast"),
    "second operand": (lambda g: g.i << 1.5, vkml.DTypeError, "operand 2: .*; cast with"),
    "bool difference": (lambda g: g.b - g.b, vkml.DTypeError, "subtract: operand 1: .*bool; cast"),
    "no common dtype": (lambda g: g.u64 + g.i64, vkml.DTypeError, "uint64 and int64 .*; cast"),
    "scalar range": (lambda g: g.u8 + 300, OverflowError, "uint8: expected 0 to 255, got 300;"),
    "negative scalar": (lambda g: g.u8 + -1, OverflowError, "expected 0 to 255, got -1;"),
    "operand type": (lambda g: vkml.exp("a"), vkml.DTypeError, "exp: operand 1: .*got str; make"),
    "reshape": (lambda g: g.x.reshape(4), vkml.ShapeError, r"reshape: \(2, 3\) has 6 elements"),
    "two unknowns": (lambda g: g.x.reshape(-1, -1), vkml.ShapeError, "reshape: "),
    "unknown of none": (lambda g: g.none.reshape(0, -1), vkml.ShapeError, "reshape: "),
    "no view": (lambda g: g.x.T.reshape(6, copy=False), ValueError, "reshape: .*copy=False"),
    "permutation": (lambda g: g.x.permute(0, 0), vkml.ShapeError, "permut"),
    "axis": (lambda g: g.x.permute(0, 5), vkml.IndexError, "axis 5 is out of range .*2 axes"),
    "squeeze": (lambda g: g.x.squeeze(0), vkml.ShapeError, "squeeze: axis 0 .*got 2"),
    "axis twice": (lambda g: g.x.flip((0, -2)), vkml.ShapeError, "flip: .*twice"),
    "stretch": (lambda g: g.x.broadcast_to(3), vkml.ShapeError, "broadcast_to: "),
    "negative extent": (lambda g: g.one.broadcast_to(-1, 2), vkml.ShapeError, "of 0 and more"),
    "index": (lambda g: g.x[2], IndexError, "index: 2 is out of bounds for axis 0 with extent 2"),
    "huge index": (lambda g: g.x[2**70], IndexError, "index: .*out of bounds"),
    "many indices": (lambda g: g.x[0, 0, 0], IndexError, "index: 3 indices .*2 axes"),
    "step of zero": (lambda g: g.x[::0], IndexError, "index: the step"),
    "mask": (lambda g: g.x[g.b], vkml.UnsupportedError, "index: .*; take .numpy()"),
    "index array": (lambda g: g.x[[0, 1]], vkml.UnsupportedError, "index: list .*; take .numpy()"),
    "written shape": (lambda g: g.x.__setitem__(0, g.pair), vkml.ShapeError, "assign: "),
    "written device": (lambda g: g.x.__setitem__(0, g.elsewhere), vkml.DeviceError, "move it with"),
    "written range": (lambda g: g.u8.__setitem__(0, 300), OverflowError, "uint8: .*0 to 255"),
    "written kind": (lambda g: g.i.__setitem__(0, 1.5), vkml.DTypeError, "int32: .*got 1.5;"),
    "stretched": (
        lambda g: g.pair.broadcast_to(2, 2).__setitem__(Ellipsis, 1.0), vkml.ShapeError,
        "assign: .*broadcast.*copy"),
    "assigned shape": (lambda g: g.x.assign_(g.pair), vkml.ShapeError, r"assign_: expected .*got"),
    "assigned dtype": (lambda g: g.i.assign_(g.i64 + g.i), vkml.DTypeError, "assign_: .*int64"),
    "assigned device": (lambda g: g.x[0].assign_(g.elsewhere), vkml.DeviceError, "; move it with"),
    "dtype": (lambda g: g.x.astype("float128"), vkml.DTypeError, "no vkml dtype .*; there are"),
    "device": (lambda g: g.x.to("nowhere"), vkml.DeviceError, "'nowhere': .*there are"),
    "devices": (lambda g: g.x + g.elsewhere, vkml.DeviceError, "add: .*cpu.*; move one"),
    "truth": (lambda g: bool(g.x), vkml.ShapeError, r"bool: expected one element, got .*\(2, 3\)"),
    "item": (lambda g: g.x.item(), vkml.ShapeError, "item: expected one element"),
    "list index": (lambda g: [1][g.pair], TypeError, "index: expected an integer tensor"),
    "undefined": (lambda g: vkml.exp(vkml.Tensor()), VkmlError, "tensor: undefined .*defined()"),
    "trainable": (lambda g: g.i.set_requires_grad(), vkml.DTypeError, "requires_grad: .*; cast"),
    "not a leaf": (lambda g: (g.x + 1).set_requires_grad(), VkmlError, "requires_grad: .*leaf"),
    "gradient": (lambda g: g.x.set_grad(g.pair), vkml.ShapeError, "set_grad: expected .*got"),
    "fill": (lambda g: vkml.full((2,), "a"), vkml.DTypeError, "full: expected a number, got str"),
    "extent": (lambda g: vkml.full((2, -1), 1), vkml.ShapeError, "full: .*0 and more"),
    "step": (lambda g: vkml.arange(0, 10, 0), ValueError, "arange: step is 0;"),
    "endless": (lambda g: vkml.arange(0, float("inf")), OverflowError, "arange: .*finite.*got inf"),
    "seed": (lambda g: vkml.random.default_rng(-1), OverflowError, "seed: .*got -1"),
    "draws": (lambda g: vkml.random.random(2, dtype="int32"), vkml.DTypeError, "random: .*float"),
    "range": (lambda g: vkml.random.integers(5, 5), OverflowError, r"integers: .*got \[5, 5\)"),
    "ragged": (lambda g: vkml.tensor([[1], [1, 2]]), vkml.ShapeError, "tensor: .*ragged;"),
    "complex": (lambda g: vkml.tensor(1j), vkml.DTypeError, "tensor: no vkml dtype"),
    "too large": (lambda g: vkml.tensor([2**64]), OverflowError, "tensor: .*; give floats"),
    "realize": (lambda g: vkml.realize(3), vkml.DTypeError, "realize: operand 1: .*; make one"),
}  # fmt: skip


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def device(request: pytest.FixtureRequest) -> Any:
    return vkml.device(request.param)


@pytest.mark.device  # a tensor of the other device is among the operands
@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(device: Any, name: str) -> None:
    call, kind, pattern = WRONG[name]
    given = Given(device)
    values = {name: tensor.numpy() for name, tensor in vars(given).items()}
    with pytest.raises(kind, match=pattern) as caught:
        call(given)
    assert isinstance(caught.value, VkmlError)
    first = str(caught.value).splitlines()[0]
    assert FORM.match(first) or first.startswith("no vkml dtype"), first
    for name, tensor in vars(given).items():  # nothing is lost, and work goes on
        assert tensor.numpy().tobytes() == values[name].tobytes()
    assert (given.x + 1).tolist() == [[2, 3, 4], [5, 6, 7]]


@pytest.mark.device
def test_the_remedy_of_a_missing_form_runs_when_it_is_pasted() -> None:
    t = vkml.tensor(numpy.ones(3), device="vulkan")
    with pytest.raises(vkml.UnsupportedError, match="no Vulkan form for float64") as caught:
        vkml.exp(t)
    remedies = re.findall(r"(?:with|processor:) (\S+(?: device=vkml.cpu\))?)", str(caught.value))
    assert len(remedies) == 2
    for remedy in (text.rstrip(",") for text in remedies):
        made = eval(f"t{remedy}" if remedy.startswith(".") else remedy, {"vkml": vkml, "t": t})
        numpy.testing.assert_allclose(vkml.exp(made).numpy(), numpy.e, rtol=1e-6)


def test_eager_errors_come_at_the_operation(device: Any) -> None:
    x = vkml.tensor([1.0, 2.0], device=device)
    with vkml.eager():
        with pytest.raises(vkml.ShapeError) as caught:
            x + vkml.tensor([1.0, 2.0, 3.0], device=device)
        assert caught.traceback[0].lineno + 1 == caught.tb.tb_lineno
        assert (x + x).tolist() == [2, 4]
