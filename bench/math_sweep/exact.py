"""Compares the exact functions of templates/math, compiled as C++, with NumPy bit for bit.

    python bench/math_sweep/exact.py [--count 1000000] [names]

A nan is as good as another; all other bits count.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import library
import native
import numpy as np
from confirm import FLOATS, samples


def saturate(kind: type) -> Callable[[np.ndarray], np.ndarray]:
    """Conversion to an integer type: cut, the nearest end out of range, 0 for nan."""
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)

    def convert(x: np.ndarray) -> np.ndarray:
        cut = [
            0 if v != v else (low if v <= low else high if v >= high else int(v))
            for v in x.astype(float).tolist()
        ]
        return np.array(cut, kind)

    return convert


def power(x: np.ndarray, n: np.ndarray) -> np.ndarray:
    positive = np.power(x, np.where(n < 0, (n & 1).astype(n.dtype), n))
    return np.where((n < 0) & (np.abs(x) != 1), 0, positive).astype(x.dtype)


REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "abs": np.abs,
    "neg": np.negative,
    "copysign": np.copysign,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round": np.round,
    "nextafter": np.nextafter,
    "divide": np.divide,
    "divide_integer": np.divide,
    "reciprocal": lambda x: np.float32(1) / x,
    "sqrt": np.sqrt,
    "sqrt_integer": np.sqrt,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "remainder": np.remainder,
    "floor_divide": np.floor_divide,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
    "less": np.less,
    "less_equal": np.less_equal,
    "equal": np.equal,
    "round_half": lambda x: x.astype(np.float16).astype(np.float32),
    "half_value": lambda h: h.astype(np.uint16).view(np.float16).astype(np.float32),
    "integer_floor_divide": np.floor_divide,
    "integer_floor_divide_long": np.floor_divide,
    "integer_floor_modulo": np.remainder,
    "integer_floor_modulo_long": np.remainder,
    "integer_shift_left": np.left_shift,
    "integer_shift_left_long": np.left_shift,
    "integer_shift_right": np.right_shift,
    "integer_shift_right_long": np.right_shift,
    "integer_power": power,
    "integer_power_long": power,
    "int_to_float": lambda x: x.astype(np.float32),
    "uint_to_float": lambda x: x.astype(np.float32),
    "long_to_float": lambda x: x.astype(np.float32),
    "ulong_to_float": lambda x: x.astype(np.float32),
    "float_to_int": saturate(np.int32),
    "float_to_uint": saturate(np.uint32),
    "float_to_long": saturate(np.int64),
    "float_to_ulong": saturate(np.uint64),
}


def main() -> int:
    """Command line: see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=1_000_000)
    options = parser.parse_args()
    different = 0
    for name in options.names or REFERENCES:
        body = library.text([name])
        for signature in native.signatures(name):
            words = samples(signature, options.count, 2)
            got = native.run(signature, body, words)
            values = [
                array.view(FLOATS.get(kind, array.dtype.type))
                for kind, array in zip(signature.parameters, words, strict=True)
            ]
            with np.errstate(all="ignore"):
                expected = REFERENCES[name](*values)
            if signature.result in FLOATS:
                # Any nan is as good as another.
                shown = got.view(FLOATS[signature.result])
                same = (got == expected.view(got.dtype)) | (np.isnan(shown) & np.isnan(expected))
            else:
                same = got.astype(expected.dtype) == expected
            wrong = np.flatnonzero(~same)
            different += wrong.size
            print(f"{name} {signature.parameters}: {wrong.size} of {got.size} differ")
            for i in wrong[:5]:
                print(f"    {[value[i] for value in values]}: got {got[i]:#x}, NumPy {expected[i]}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
