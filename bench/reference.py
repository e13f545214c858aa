"""What functions should give: the C library in double where a compiler exists, else NumPy.

A Tally adds up over the pieces of a sweep: the largest error in ulp and where, special values that
differ, and hashes of all result bits, which do not depend on the order of the pieces.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
FLAGS = ("-std=c++17", "-O2", "-ffp-contract=off", "-shared", "-fPIC")
Words = np.ndarray[Any, np.dtype[np.uint32]]


class _Special(ctypes.Structure):
    _fields_ = [
        ("a", ctypes.c_uint32), ("b", ctypes.c_uint32), ("got", ctypes.c_uint32),
        ("unused", ctypes.c_uint32), ("truth", ctypes.c_double),
    ]  # fmt: skip


class Tally(ctypes.Structure):
    """Sums over the results of one function; `special` values differ from what they should be."""

    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("count", "special", "above_one", "different")),
        ("worst", ctypes.c_double), ("total", ctypes.c_double),
        *((name, ctypes.c_uint32) for name in ("a", "b", "got", "unused")),
        *((n, ctypes.c_uint64) for n in ("bits", "values", "subset_bits", "subset_values")),
        ("examples", _Special * 4),
    ]  # fmt: skip

    def facts(self, arity: int) -> dict[str, Any]:
        """The tally as JSON, hashes as hexadecimal words."""
        count = max(1, self.count)
        place = [f"{word:#010x}" for word in (self.a, self.b)[:arity]]
        return {
            "judged": self.count,
            "max_ulp": self.worst,
            "at": place,
            "got": f"{self.got:#010x}",
            "mean_ulp": self.total / count,
            "above_one_ulp": self.above_one,
            "not_nearest": self.different,
            "special_values_differ": self.special,
            "special_examples": [
                {
                    "at": [f"{word:#010x}" for word in (one.a, one.b)[:arity]],
                    "got": f"{one.got:#010x}",
                    "truth": str(one.truth),
                }
                for one in self.examples[: min(4, self.special)]
            ],
            "hash": f"{self.bits:016x}",
            "hash_any_nan": f"{self.values:016x}",
            "subset_hash": f"{self.subset_bits:016x}",
            "subset_hash_any_nan": f"{self.subset_values:016x}",
        }


class CompiledReference:
    """truth.h in double precision, compiled here and run on all cores."""

    name = "C library, double"

    def __init__(self) -> None:
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
        if compiler is None:
            raise RuntimeError("no C++ compiler (g++, c++ or $CXX)")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "reference.so"
            command = [compiler, *FLAGS, str(HERE / "reference.cpp"), "-o", str(path)]
            done = subprocess.run([*command, "-fopenmp"], capture_output=True, text=True)
            if done.returncode:
                done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{compiler}: {done.stderr.strip().splitlines()[0]}")
            self.library = ctypes.CDLL(str(path))
        self.library.compare.argtypes = [
            ctypes.c_char_p, *[ctypes.c_void_p] * 3, *[ctypes.c_uint64] * 4, ctypes.c_void_p,
        ]  # fmt: skip

    def knows(self, name: str) -> bool:
        """Whether there is a truth for a row of the op table."""
        return bool(self.library.known(name.encode()))

    def add(
        self, tally: Tally, name: str, operands: Sequence[Words], got: Words, first: int, step: int,
        subset: int,
    ) -> None:  # fmt: skip
        """Judge and hash a piece; result n is number first + n * step of the sweep.

        Without operands a result's number is the bit pattern of its one operand. The name "" only
        hashes.
        """
        a, b = [*(words.ctypes.data for words in operands), None, None][:2]
        known = self.library.compare(
            name.encode(), a, b, got.ctypes.data, got.size, first, step, subset,
            ctypes.addressof(tally),
        )  # fmt: skip
        if not known:
            raise KeyError(name)


def add_hashes(tally: Tally, got: Words, first: int, step: int, subset: int) -> None:
    """The hashes of a piece, as reference.cpp makes them, in NumPy."""
    index = np.uint64(first) + np.arange(got.size, dtype=np.uint64) * np.uint64(step)
    inside = index % np.uint64(subset) == 0
    nan = (got & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    factor = np.uint64(0xD6E8FEB86659FD93)

    def mixed(words: Words) -> Any:
        h = index * np.uint64(0x9E3779B97F4A7C15) + words.astype(np.uint64) + np.uint64(1)
        for _ in range(2):
            h = (h ^ h >> np.uint64(32)) * factor
        return h ^ h >> np.uint64(32)

    raw = mixed(got)
    value = mixed(np.where(nan, np.uint32(0x7FC00000), got).astype(np.uint32))
    for name, part in (
        ("bits", raw), ("values", value),
        ("subset_bits", raw[inside]), ("subset_values", value[inside]),
    ):  # fmt: skip
        total = int(part.sum(dtype=np.uint64)) + int(getattr(tally, name))
        setattr(tally, name, total & (2**64 - 1))


def add_judged(
    tally: Tally, function: Callable[..., Any], operands: list[Words], got: np.ndarray, exact: bool,
    relative: bool,
) -> None:  # fmt: skip
    """Judge a piece by a NumPy function: in float32 and bit for bit (`exact`), else in float64.

    `relative` measures by the largest operand, where terms of opposite sign may cancel.
    """
    floats = [words.view(np.float32) for words in operands]
    with np.errstate(all="ignore"):
        if exact:
            truth = np.asarray(function(*floats)).astype(got.dtype)
        else:
            truth = np.asarray(function(*(one.astype(np.float64) for one in floats)))
    tally.count += got.size
    if exact:
        same = got == truth
        if got.dtype == np.float32:
            same = got.view(np.uint32) == truth.view(np.uint32)
            same |= np.isnan(got) & np.isnan(truth)
        distance = np.where(same, 0.0, -1.0)
    else:
        distance = _ulp(got, truth, floats if relative else [])
        with np.errstate(all="ignore"):
            nearest = truth.astype(np.float32)
        other = (got.view(np.uint32) != nearest.view(np.uint32)) & (distance >= 0)
        tally.different += int((other & ~np.isnan(got)).sum())
    special = np.flatnonzero(distance < 0)
    for place, example in zip(special, range(tally.special, 4), strict=False):
        words = [int(one[place]) for one in operands]
        tally.examples[example] = _Special(
            words[0], words[-1], int(_word(got[place])), 0, float(truth[place])
        )
    tally.special += special.size
    usual = np.maximum(distance, 0.0)
    tally.total += float(usual.sum())
    tally.above_one += int((usual > 1).sum())
    place = int(usual.argmax())
    if usual[place] > tally.worst:
        tally.worst = float(usual[place])
        tally.a, tally.b = (int(one[place]) for one in (operands[0], operands[-1]))
        tally.got = int(_word(got[place]))


def _word(value: Any) -> Any:
    return value.view(np.uint32) if value.dtype == np.float32 else value


def _ulp(got: Any, truth: Any, operands: list[Any]) -> Any:
    """Distances in units of the float32 grid around `truth`; -1 where a special value differs.

    The grid is that of the largest magnitude where `operands` are given.
    """
    with np.errstate(all="ignore"):
        exponent = np.frexp(truth)[1] - 1
        grid = np.ldexp(1.0, np.clip(exponent, -126, 127) - 23)
        distance = np.abs(got.astype(np.float64) - truth) / grid
        beyond = np.isinf(got) & (np.abs(truth) >= float.fromhex("0x1.ffffffp127"))
        distance = np.where(beyond & (np.signbit(got) == np.signbit(truth)), 0.0, distance)
        zero = (truth == 0) | (got == 0)
        distance = np.where(zero & (np.signbit(got) != np.signbit(truth)), -1.0, distance)
        distance = np.where((truth == 0) & (distance >= 0), np.where(got == 0, 0.0, -1.0), distance)
        distance = np.where(np.isinf(truth), np.where(got == truth, 0.0, -1.0), distance)
        nan = np.isnan(got) | np.isnan(truth)
        distance = np.where(nan, np.where(np.isnan(got) & np.isnan(truth), 0.0, -1.0), distance)
        if not operands:
            return distance
        scale = np.abs(truth)
        for operand in operands:
            scale = np.fmax(scale, np.abs(operand.astype(np.float64)))
        grid = np.ldexp(1.0, np.clip(np.frexp(scale)[1] - 1, -126, 127) - 23)
        usual = np.isfinite(got) & np.isfinite(truth) & (scale > 0)
        return np.where(usual, np.abs(got.astype(np.float64) - truth) / grid, distance)
