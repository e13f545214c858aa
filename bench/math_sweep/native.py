"""A function of templates/math compiled as C++, as a NumPy function."""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import library
import numpy as np

HERE = Path(__file__).resolve().parent
FLAGS = [
    "g++",
    "-std=c++17",
    "-O2",
    "-ffp-contract=off",
    "-fwrapv",
    "-Wno-unknown-pragmas",
    "-fPIC",
]
# GLSL's literals are float32 without a suffix.
SINGLE = "-fsingle-precision-constant"
WORDS: dict[str, type[Any]] = {
    "float": np.uint32,
    "int": np.int32,
    "uint": np.uint32,
    "bool": np.uint32,
    "double": np.uint64,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
}


@dataclass(frozen=True, slots=True)
class Signature:
    """One overload: its name, the type it returns and those it takes, as GLSL spells them."""

    name: str
    result: str
    parameters: tuple[str, ...]


def signatures(stem: str) -> list[Signature]:
    """The public overloads that a file declares."""
    found = []
    for result, name, parameters in library.FUNCTION.findall(
        (library.FOLDER / f"{stem}.glsl").read_text()
    ):
        kinds = tuple(parameter.split()[0] for parameter in parameters.split(", "))
        if "out" not in kinds and {result, *kinds} <= WORDS.keys():
            found.append(Signature(name, result, kinds))
    return found


def as_cpp(body: str) -> str:
    """GLSL text as C++: parameters that GLSL copies out become references, `1.0lf` a double."""
    return re.sub(r"\b(?:in)?out (\w+) ", r"\1 &", re.sub(r"([\d.e-]+)lf\b", r"double(\1L)", body))


def source(signature: Signature, body: str) -> str:
    """C++ that applies one overload to arrays of bit patterns."""
    loads = ", ".join(
        f"reinterpret_cast<const word_{kind} *>(inputs[{place}])[i] != 0"
        if kind == "bool"
        else f"reinterpret<{kind}>(reinterpret_cast<const word_{kind} *>(inputs[{place}])[i])"
        for place, kind in enumerate(signature.parameters)
    )
    words = "\n".join(
        f"using word_{kind} = {'uint64_t' if word().nbytes == 8 else 'uint32_t'};"
        for kind, word in WORDS.items()
    )
    result = f"device::{signature.name}({loads})"
    stored = (
        f"uint({result})"
        if signature.result == "bool"
        else f"reinterpret<word_{signature.result}>({result})"
    )
    return (
        f'#include "{HERE}/shim.h"\n{words}\nnamespace device {{\n{as_cpp(body)}\n}}\n'
        'extern "C" void apply_arrays(\n'
        "    const void *const *inputs, void *output, size_t count, int flush) {\n"
        "    Subnormals mode(flush);\n"
        f"    auto *results = reinterpret_cast<word_{signature.result} *>(output);\n"
        f"    for (size_t i = 0; i < count; i++) results[i] = {stored};\n}}\n"
    )


def run(
    signature: Signature, body: str, inputs: list[np.ndarray], flush: bool = False
) -> np.ndarray:
    """Bit patterns of the results; `inputs` are arrays of the words in WORDS.

    With `flush` the processor flushes subnormal operands and results to zero, as some GPUs do.
    """
    with tempfile.TemporaryDirectory() as folder:
        text, object_file = Path(folder) / "function.cpp", Path(folder) / "function.so"
        text.write_text(source(signature, body))
        subprocess.run([*FLAGS, SINGLE, "-shared", str(text), "-o", str(object_file)], check=True)
        loaded = ctypes.CDLL(str(object_file))
    output = np.empty(inputs[0].size, WORDS[signature.result])
    pointers = (ctypes.c_void_p * len(inputs))(*[array.ctypes.data for array in inputs])
    loaded.apply_arrays(
        pointers, ctypes.c_void_p(output.ctypes.data), ctypes.c_size_t(output.size), int(flush)
    )
    return output
