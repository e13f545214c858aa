"""The variants of every hand-written kernel: the best of them is the floor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODES = """#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
"""
LANES = (64, 128, 256, 512, 1024)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to write a kernel: its GLSL text, its workgroup, and the outputs of a workgroup.

    `elements` is what one workgroup makes; `constant` is specialisation constant 1 (0 stands for
    the length of a row).
    """

    label: str
    text: str
    workgroup: int
    elements: int
    width: int


def library(code: str) -> str:
    """The functions of vkml that `code` names, as the default device's kernels have them."""
    import vkml
    from vkml.codegen.render import library as functions

    calls = "".join(f"{name}(" for name in re.findall(r"\bvk_\w+", code))
    return "\n\n".join(functions(calls, vkml.device().kernels.verdicts))


def map_variants(
    formula: str, offset: int, broadcast: bool, exact: bool, quick: bool, modes: bool
) -> list[Variant]:
    """Variants of one formula file in the frame of map.comp."""
    code = (HERE / f"{formula}.glsl").read_text()
    frame = (HERE / "map.comp").read_text()
    functions = library(code) if exact else ""
    shapes = [(4, 1, 0, 0), (4, 2, 1, 0), (4, 2, 0, 0), (4, 4, 1, 0), (4, 4, 0, 0)]
    if offset:
        shapes = [(4, 1, 0, 1), (4, 2, 1, 1), *shapes[:3], (1, 1, 0, 0)]
    if quick:
        shapes = shapes[:3]
    found = []
    for width, per, apart, shift in shapes:
        names = {
            "WIDTH": width, "PER": per, "APART": apart, "OFFSET": offset, "SHIFT": shift,
            "BROADCAST": int(broadcast), "EXACT": int(exact),
        }  # fmt: skip
        head = "".join(f"#define {name} {value}\n" for name, value in names.items())
        body = frame.replace("//FORMULA", f"{functions}\n{code}")
        control = "#extension GL_EXT_control_flow_attributes : require\n"
        text = f"#version 460\n{control}{MODES if exact and modes else ''}{head}{body}"
        for lanes in LANES[:: 2 if quick else 1]:
            label = f"{lanes} x {per} x {'vec4' if width == 4 else 'float'}"
            label += " apart" if apart else ""
            label += " shifted" if shift else ""
            found.append(Variant(label, text, lanes, lanes * per * width, width))
    return found


def transpose_variants(offset: int, quick: bool) -> list[Variant]:
    """Variants of transpose.comp."""
    frame = (HERE / "transpose.comp").read_text()
    kinds = [
        ("4 outputs", 0, 4, (64, 256)),
        ("4 x 4 blocks", 1, 16, (64, 256)),
        ("tile 32", 2, 1024, (256,) if quick else (128, 256, 512)),
        ("wide tile 32", 3, 1024, (256,) if quick else (64, 128, 256)),
    ]
    if not quick:
        kinds.append(("wide tile 64", 3, 4096, (256, 512, 1024)))
    found = []
    for name, kind, elements, workgroups in kinds:
        for shift in (1, 0) if offset else (0,):
            tile = int(elements**0.5) if kind >= 2 else 1
            names = {"KIND": kind, "TILE": tile, "OFFSET": offset, "SHIFT": shift}
            head = "".join(f"#define {key} {value}\n" for key, value in names.items())
            control = "#extension GL_EXT_control_flow_attributes : require\n"
            text = f"#version 460\n{control}{head}{frame}"
            for lanes in workgroups:
                made = elements if kind >= 2 else lanes * elements
                label = f"{lanes}, {name}{' shifted' if shift else ''}"
                found.append(Variant(label, text, lanes, made, 4))
    return found
