"""Sweeps functions of templates/math, compiled as C++, against a wider truth.

    python bench/math_sweep/run.py exp --stride 1            # every float32, about a minute
    python bench/math_sweep/run.py pow --pairs 10000000      # edges x edges and random pairs
    python bench/math_sweep/run.py sin --choose divide=divide_integer

Prints the worst error in ulp, where it is, and how many special values differ.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import library
import native

BINARY = frozenset({"pow", "divide", "atan2", "hypot", "copysign", "nextafter", "logaddexp"})


def build(name: str, choices: dict[str, str], folder: Path) -> Path:
    """Compiles the function and the sweep around it; returns the program."""
    body = native.as_cpp(library.text([name], choices))
    arguments = "uintBitsToFloat(a[i])" + (", uintBitsToFloat(b[i])" if name in BINARY else "")
    (folder / "function.cpp").write_text(
        f'#include "{native.HERE}/shim.h"\nnamespace device {{\n{body}\n}}\n'
        'extern "C" void apply(const uint *a, const uint *b, uint *out, size_t count) {\n'
        "    for (size_t i = 0; i < count; i++)\n"
        f"        out[i] = floatBitsToUint(device::vk_{name}({arguments}));\n}}\n"
    )
    program = folder / "sweep"
    # The sweep's own literals are double.
    single = [native.SINGLE, "-c", str(folder / "function.cpp"), "-o", str(folder / "function.o")]
    subprocess.run([*native.FLAGS, *single], check=True)
    linked = [
        f"-DTRUTH={name}",
        str(native.HERE / "sweep.cpp"),
        str(folder / "function.o"),
        "-o",
        str(program),
    ]
    subprocess.run([*native.FLAGS, *linked], check=True)
    return program


def main() -> None:
    """Command line: see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--stride", type=int, default=64, help="every how-many-th float32")
    parser.add_argument("--first", default="0", help="first bit pattern, 0x... for hexadecimal")
    parser.add_argument("--last", default="0xffffffff", help="last bit pattern")
    parser.add_argument(
        "--positive",
        action="store_const",
        dest="last",
        const="0x7fffffff",
        help="stop there: half will do for odd and even functions",
    )
    parser.add_argument(
        "--pairs", type=int, default=4_000_000, help="random pairs of a binary function"
    )
    parser.add_argument(
        "--choose", action="append", default=[], help="STEM=OTHER: which file to take"
    )
    options = parser.parse_args()
    choices = dict(choice.split("=") for choice in options.choose)
    for name in options.names:
        with tempfile.TemporaryDirectory() as folder:
            program = build(name, choices, Path(folder))
            sweep = [str(options.stride), options.first, options.last]
            if name in BINARY:
                sweep = ["random", str(options.pairs), "1"]
            done = subprocess.run([program, *sweep], capture_output=True, text=True)
            print(f"{name}: {done.stdout.strip()}\n{done.stderr}", end="", flush=True)


if __name__ == "__main__":
    main()
