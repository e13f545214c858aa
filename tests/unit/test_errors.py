"""The user's line in error messages."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import vkml
from vkml import dtypes, errors

FILE = Path(__file__).name


def on_cpu(*values: float) -> vkml.Tensor:
    return vkml.tensor(list(values), vkml.float32, device="cpu")


def test_an_error_ends_with_the_line_that_called():
    with pytest.raises(errors.ShapeError) as caught:
        on_cpu(1, 2) + on_cpu(1, 2, 3)
    message, place = str(caught.value).split("\n")
    assert message == caught.value.message == caught.value.args[0]
    assert FILE in place
    assert place.endswith(": on_cpu(1, 2) + on_cpu(1, 2, 3)")


def test_an_error_of_a_realize_names_the_line_that_recorded(monkeypatch):
    bad = on_cpu(1, 2) * 3
    runtime = type(bad.device.runtime)

    def refuse(*_):
        raise errors.DeviceError("the device is gone")

    with monkeypatch.context() as patch:
        patch.setattr(runtime, "execute", refuse)
        with pytest.raises(errors.DeviceError) as caught:
            bad.numpy()
    message, place = str(caught.value).split("\n")
    assert message == "the device is gone"
    assert place.endswith(": bad = on_cpu(1, 2) * 3")
    assert bad.tolist() == [3, 6]


def test_an_error_that_vkml_handles_itself_has_no_line():
    def inner() -> str:
        try:
            dtypes.of("nonsense")
        except errors.VkmlError as error:
            return str(error)
        return ""

    assert FILE in inner()
    space = {"__package__": "vkml.codegen", "__name__": "vkml.codegen.invented", "of": dtypes.of}
    exec(
        "def inner():\n    try:\n        of('nonsense')\n"
        "    except Exception as error:\n        return str(error)\n",
        space,
    )
    assert "\n" not in space["inner"]()


def test_an_error_that_was_never_raised_is_one_line():
    assert str(errors.DTypeError("no")) == "no"
    error = errors.DTypeError("no")
    error.at([None, ("a.py", 3), ("a.py", 3)])
    error.at([("b.py", 4)])
    assert str(error) == "no\n  a.py:3"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
