"""Whether a Vulkan device gives the bits that the C++ build of templates/math gives.

    python bench/math_sweep/confirm.py             # every function, 2^22 samples with edges
    python bench/math_sweep/confirm.py exp pow --count 100000 --device NVIDIA
    python bench/math_sweep/confirm.py divide --choose divide=divide_integer
    python bench/math_sweep/confirm.py --flush     # no device: the C++ build, subnormals flushed

The C++ build is the one that is swept over all 2^32 inputs: equal bits carry its figures to the
device.
"""

from __future__ import annotations

import argparse
import sys

import library
import native
import numpy as np
from device import Device

# Loops as often as an argument says, which its callers bound.
BOUNDED = frozenset({"significand_modulo"})
# What a device takes that flushes subnormals.
INTEGERS = {stem: f"{stem}_integer" for stem in ("divide", "sqrt", "scale_unit")}
FLOATS = {"float": np.float32, "double": np.float64}


def samples(signature: native.Signature, count: int, seed: int) -> list[np.ndarray]:
    """Bit patterns for each parameter: edges, then random ones, some small or near one."""
    generator = np.random.default_rng(seed)
    columns = []
    for place, kind in enumerate(signature.parameters):
        word = native.WORDS[kind]
        bits = word().nbytes * 8
        values = (
            generator.integers(0, 2**bits, count, np.uint64, endpoint=False)
            if bits < 64
            else (generator.integers(0, 2**64 - 1, count, np.uint64, endpoint=True))
        )
        values = values.astype(f"u{bits // 8}")
        if kind == "float":
            near = np.array([0, 40, 8, 2], np.uint32)[np.arange(count) % 4]
            exponent = 128 - near // 2 + (values >> 23 & 255) % np.maximum(near, 1)
            values = np.where(near > 0, values & 0x807FFFFF | exponent << 23, values).astype(
                np.uint32
            )
            sides = np.array([0, 1, 0x400000, 0x7FFFFF], np.uint32)
            edges = (np.arange(256, dtype=np.uint32)[:, None] << 23 | sides).ravel()
            edges = np.concatenate([edges, edges | 0x80000000]).astype(np.uint32)
        elif kind == "double":
            sides = np.array([0, 1, 1 << 51, 2**52 - 1], np.uint64)
            edges = (np.arange(2048, dtype=np.uint64)[:, None] << 52 | sides).ravel()
            edges = np.concatenate([edges, edges | 1 << 63]).astype(np.uint64)
        else:
            powers = 1 << np.arange(bits, dtype=values.dtype)
            edges = np.concatenate([powers, powers - 1, powers + 1, -powers.astype(word)]).astype(
                values.dtype
            )
            small = (values % 61).astype(values.dtype) - np.array(30, values.dtype)
            values = np.where(np.arange(count) % 3 == 0, small, values)
        if kind == "bool":
            values, edges = values & 1, edges & 1
        edges = generator.permutation(edges) if place else edges
        taken = min(count, edges.size)
        values[:taken] = edges[:taken]
        columns.append(np.ascontiguousarray(values).view(word))
    return columns


def main() -> int:
    """Command line: see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=1 << 22)
    parser.add_argument("--device", default="", help="part of the device's name")
    parser.add_argument(
        "--choose", action="append", default=[], help="STEM=OTHER: which file to take"
    )
    parser.add_argument("--flush", action="store_true", help="flush subnormals, no device")
    options = parser.parse_args()
    choices = dict(choice.split("=") for choice in options.choose)
    stems = sorted(path.stem for path in library.FOLDER.glob("*.glsl"))
    names = options.names or [stem for stem in stems if stem not in BOUNDED]
    different = 0
    if options.flush:
        choices |= INTEGERS
    with Device(options.device) as device:
        print("subnormals flushed" if options.flush else device.name)
        for name in names:
            body = library.text([name], choices)
            for signature in native.signatures(name):
                inputs = samples(signature, options.count, 1)
                expected = native.run(signature, body, inputs)
                if options.flush:
                    got = native.run(signature, body, inputs, flush=True)
                else:
                    got = device.run(signature, body, inputs)
                same = expected == got
                if signature.result in FLOATS:
                    # The payload of a nan is the processor's own.
                    kind = FLOATS[signature.result]
                    same |= np.isnan(expected.view(kind)) & np.isnan(got.view(kind))
                wrong = np.flatnonzero(~same)
                different += wrong.size
                print(
                    f"{name} {signature.parameters}: {wrong.size} of {got.size} differ", flush=True
                )
                for i in wrong[:5]:
                    shown = " ".join(
                        hex(int(array.view(f"u{array.itemsize}")[i])) for array in inputs
                    )
                    print(f"    {shown}: C++ {int(expected[i]):#x}, device {int(got[i]):#x}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
