"""The judges of bench/accuracy.py: what they must notice, and that both notice the same."""

from __future__ import annotations

import importlib
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
SUBSET = 61


@pytest.fixture(scope="module")
def reference() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCH))
        module: Any = importlib.import_module("reference")
    module.CompiledReference = cache(module.CompiledReference)  # compiling takes seconds
    yield module
    sys.modules.pop("reference", None)


def words() -> Any:
    random = numpy.random.default_rng(3).integers(0, 2**32, 5000, dtype=numpy.uint64)
    edges = numpy.array([0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000, 1], numpy.uint64)
    return numpy.concatenate([edges, random]).astype(numpy.uint32)


def judged(reference: Any, compiled: bool, got: Any) -> dict[str, Any]:
    """The facts of exp over `words()`."""
    tally = reference.Tally()
    if compiled:
        if not (shutil.which("g++") or shutil.which("c++")):
            pytest.skip("no C++ compiler")
        judge = reference.CompiledReference()
        judge.add(tally, "exp", [words()], got.view(numpy.uint32), 0, 1, SUBSET)
    else:
        reference.add_hashes(tally, got.view(numpy.uint32), 0, 1, SUBSET)
        reference.add_judged(tally, numpy.exp, [words()], got, False, False)
    facts: dict[str, Any] = tally.facts(1)
    return facts


def right() -> Any:
    with numpy.errstate(all="ignore"):
        return numpy.exp(words().view(numpy.float32).astype(numpy.float64)).astype(numpy.float32)


@pytest.mark.parametrize("compiled", [False, True])
def test_nothing_is_found_in_rounded_truth(reference: Any, compiled: bool) -> None:
    facts = judged(reference, compiled, right())
    assert facts["judged"] == words().size
    assert 0.4 < facts["max_ulp"] <= 0.5
    assert facts["not_nearest"] == facts["special_values_differ"] == 0


@pytest.mark.parametrize("compiled", [False, True])
def test_faults_are_found_where_they_are(reference: Any, compiled: bool) -> None:
    clean = judged(reference, compiled, right())
    got = right()
    place = int(numpy.flatnonzero((got > 1) & (got < 2))[7])
    got.view(numpy.uint32)[place] += 3
    got[4] = 0.0  # nan became a number
    got[3] = -0.0  # exp(-inf) is +0
    facts = judged(reference, compiled, got)
    assert 2.5 <= facts["max_ulp"] <= 3.5
    assert facts["at"] == [f"{words()[place]:#010x}"]
    assert facts["not_nearest"] == 1
    assert facts["special_values_differ"] == 2
    assert {one["at"][0] for one in facts["special_examples"]} == {"0x7fc00000", "0xff800000"}
    assert facts["hash"] != clean["hash"]
    assert facts["hash_any_nan"] != clean["hash_any_nan"]


def test_both_judges_agree(reference: Any) -> None:
    got = right()
    got.view(numpy.uint32)[100:200] ^= 1
    facts = [judged(reference, compiled, got) for compiled in (False, True)]
    for name in ("at", "not_nearest", "hash", "subset_hash", "subset_hash_any_nan"):
        assert facts[0][name] == facts[1][name], name
    for name in ("max_ulp", "mean_ulp"):
        assert facts[0][name] == pytest.approx(facts[1][name])


def test_hashes_do_not_depend_on_pieces_or_nan_payloads(reference: Any) -> None:
    bits = words()
    whole, parts, other = (reference.Tally() for _ in range(3))
    reference.add_hashes(whole, bits, 0, 1, SUBSET)
    reference.add_hashes(parts, bits[2000:], 2000, 1, SUBSET)
    reference.add_hashes(parts, bits[:2000], 0, 1, SUBSET)
    for name in ("bits", "values", "subset_bits", "subset_values"):
        assert getattr(whole, name) == getattr(parts, name)
    bits[4] = 0xFFC12345
    reference.add_hashes(other, bits, 0, 1, SUBSET)
    assert other.bits != whole.bits
    assert other.values == whole.values
