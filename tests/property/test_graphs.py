"""Random programs: fused against eager, each value against NumPy, any order of realizing."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import vkml
from vkml import config, evaluate
from vkml.ops import TABLE

from .generator import DRAWN, Coverage, Step, described, program, reduced
from .replay import Mismatch, Replay, check_nodes, difference, equal_values

SEEDS = st.integers(0, 2**32 - 1)
ENOUGH = 100
"""Programs after which everything must have occurred."""
covered = Coverage()

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A smaller seed is no simpler program: `reduced` takes steps away instead."""


def compare(what: str, values: dict[int, Any], tensors: dict[int, vkml.Tensor], order: Any) -> None:
    for number in order:
        got = tensors[number].numpy()
        if not equal_values(got, values[number]):
            raise Mismatch(f"{what}: value {number}: {difference(got, values[number])}")


def together(steps: list[Step], device: Any, values: dict[int, Any], rng: random.Random) -> None:
    """All at once: one submission at most, none the second time, and the same bits again."""
    bits = []
    for _ in range(2):
        tensors = Replay(steps, device).run()
        within_limits(tensors.values(), device)
        before = vkml.counters()
        vkml.realize(*tensors.values())
        after = vkml.counters()
        assert after["submissions"] - before["submissions"] <= 1
        vkml.realize(*tensors.values())
        again = vkml.counters()
        assert again["dispatches"] == after["dispatches"]
        assert again["submissions"] == after["submissions"]
        compare("together", values, tensors, values)
        bits.append([tensors[number].numpy().tobytes() for number in values])
    assert bits[0] == bits[1], "two runs of one program differ"


def within_limits(tensors: Iterable[vkml.Tensor], device: Any) -> None:
    """Every kernel of their plan keeps to what the device allows, cpu's too."""
    pending = [node for node in (tensor._latest() for tensor in tensors) if not node.computed]
    if not pending:
        return
    limits = device.limits
    for step in evaluate.planned(pending)[0].planned:
        assert len(step.bindings) <= limits.max_storage_buffers
        assert max(binding.size for binding in step.bindings) <= limits.max_storage_range


def one_by_one(steps: list[Step], device: Any, values: dict[int, Any], rng: random.Random) -> None:
    """In random order: what is written in place must not change what earlier readers see."""
    order = list(values)
    rng.shuffle(order)
    compare(f"one by one {order}", values, Replay(steps, device).run(), order)


def a_few(steps: list[Step], device: Any, values: dict[int, Any], rng: random.Random) -> None:
    """With all other handles gone."""
    chosen = rng.sample(list(values), min(3, len(values)))
    replay = Replay(steps, device)
    tensors = replay.run()
    kept = {number: tensors[number] for number in chosen}
    del replay, tensors
    compare(f"only {chosen}", values, kept, chosen)


WAYS = (together, one_by_one, a_few)


def check(steps: list[Step], device: Any, seed: int, ways: int) -> None:
    """Raise Mismatch or whatever else goes wrong with a program."""
    values = check_nodes(steps, device)
    if not values:
        return
    rng = random.Random(seed)
    for way in rng.sample(WAYS, ways):
        way(steps, device, values, rng)


def explained(seed: int, device: Any, ways: int) -> None:
    """Check the program of a seed; of one that fails, report as few steps as fail alike."""
    steps = program(random.Random(seed), DRAWN)
    covered.add(steps)
    try:
        check(steps, device, seed, ways)
    except Exception as error:
        kind = type(error)

        def fails(some: list[Step]) -> bool:
            try:
                check(some, device, seed, len(WAYS))
            except kind:
                return True
            except Exception:
                return False
            return False

        fewer = reduced(steps, fails)
        raise AssertionError(
            f"program {seed} on {device}: {kind.__name__}: {error}\nin short:\n{described(fewer)}"
        ) from error


@pytest.fixture(params=["cpu", pytest.param("vulkan", marks=pytest.mark.device)])
def device(request: pytest.FixtureRequest) -> Any:
    return vkml.device(request.param)


def run(count: int, ways: int, device: Any) -> None:
    @settings(max_examples=count, phases=NO_SHRINKING)
    @given(seed=SEEDS)
    def every(seed: int) -> None:
        explained(seed, device, ways)

    every()


def test_programs(device: Any) -> None:
    run(150 if device is vkml.cpu else 60, 1, device)


@pytest.mark.slow
def test_a_thousand_programs(device: Any) -> None:
    """Of a narrowed device, whose programs are cut into many more kernels, two hundred."""
    run(1000 if config.text("VKML_LIMITS") is None else 200, len(WAYS), device)


def test_everything_occurred() -> None:
    if len(covered.nodes) < ENOUGH:
        pytest.skip("the programs were not run")
    print(covered.report())
    assert not covered.missing()
    assert statistics.median(covered.nodes) >= 12


def test_missing_is_reported() -> None:
    """A generator that never draws a row, a dtype or a view kind fails the test above."""
    seen = Coverage()
    few = tuple(TABLE[name] for name in ("add", "exp", "where"))
    for seed in range(50):
        seen.add(program(random.Random(seed), few))
    missing = seen.missing()
    assert "row multiply" in missing
    assert "row add" not in missing
    assert not [text for text in missing if text.startswith(("dtype", "view"))]


def test_wrong_values_are_found() -> None:
    """The checks see a value that is off, and the report is short."""
    steps = program(random.Random(5), tuple(TABLE[name] for name in ("add", "multiply")))
    values = check_nodes(steps, vkml.cpu)
    number = next(n for n, value in values.items() if value.size)
    values[number] = values[number].copy()
    values[number].reshape(-1)[0] += 1
    with pytest.raises(Mismatch, match=f"value {number}: 1 of"):
        one_by_one(steps, vkml.cpu, values, random.Random(0))
