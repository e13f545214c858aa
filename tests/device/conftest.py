"""Under VKML_VALIDATION a test fails when the Khronos layer said anything while it ran."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def silent_layer() -> Iterator[None]:
    """Takes the layer's messages, and fails where there are any; without the layer there are none.

    Scripts in processes of their own print them, and a script has to be silent.
    """
    yield
    instance = sys.modules.get("vkml.runtime.vulkan.instance")
    if instance is None:
        return
    messages = instance.validation_messages()
    said = messages[:3]
    messages.clear()
    assert not said, "\n".join(said)
