"""Complete kernels: sections of text put into the Jinja skeletons of vkml.templates."""

from __future__ import annotations

import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateNotFound

from vkml import dtypes
from vkml.codegen.kernel import Region
from vkml.codegen.sections import sections
from vkml.errors import CompileError
from vkml.limits import Verdicts

__all__ = ["library", "render"]

_EXTENSIONS = (
    ("[[", "GL_EXT_control_flow_attributes"),
    ("int64_t", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    ("Uint2x32", "GL_EXT_shader_explicit_arithmetic_types_int64"),
    ("spirv_execution_mode", "GL_EXT_spirv_intrinsics"),
)
"""A kernel that has the text on the left needs the extension on the right."""

_MODES = (
    ("rounding_rte32", 32, 4467, 4462),
    ("signed_zero32", 32, 4466, 4461),
    ("rounding_rte64", 64, 4467, 4462),
    ("signed_zero64", 64, 4466, 4461),
)
"""Verdict, float width, SPIR-V capability and execution mode of SPV_KHR_float_controls."""

_VARIANTS = {
    "divide": "exact_division",
    "sqrt": "exact_sqrt",
    "scale_unit": "exact_scaling",
}
"""A function that has a form in integers too, and the verdict that spares it."""

_LIBRARY_CALL = re.compile(r"\bvk_(\w+)\(")
_REQUIRES = re.compile(r"^// requires:(.*)$", re.MULTILINE)
_FACTS = re.compile(r"^// (?:requires|cost|max ulp):.*\n", re.MULTILINE)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("vkml.templates", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(region: Region, verdicts: Verdicts, *, title: str, key: str) -> str:
    """The whole GLSL text of a region's kernel.

    `title` is `expression(region)`, `key` a name of the region; both stand in the opening comment.
    Raises UnsupportedError for an operation without text for its dtype.
    """
    made = sections(region)
    quotient = ("vk_quotient(",) if made.offsets else ()
    code = "\n".join((*made.fill, *made.places, *made.before, *made.body, *made.after, *quotient))
    functions = library(code, verdicts)
    modes = _modes(region, verdicts)
    whole = "\n".join((code, "[[", *functions, *modes))
    return (
        _environment()
        .get_template(_template(region))
        .render(
            title=[_comment(line) for line in title.split("; ")],
            key=_comment(key),
            made=made,
            region=region,
            functions=functions,
            modes=modes,
            extensions=list(dict.fromkeys(name for text, name in _EXTENSIONS if text in whole)),
        )
    )


def _template(region: Region) -> str:
    """The skeleton that fits a region."""
    if region.segmented:
        return "segmented.comp.j2"
    return "tiled.comp.j2" if region.tiled else "map.comp.j2"


def _comment(text: str) -> str:
    """`text` as what may follow `//`: one line that does not run on into the next."""
    return " ".join(text.replace("\\", " ").split())


def library(code: str, verdicts: Verdicts) -> list[str]:
    """The library functions that `code` calls, each after those that it calls itself."""
    ordered: dict[str, str] = {}
    waiting = [(name, False) for name in reversed(_LIBRARY_CALL.findall(code))]
    while waiting:
        name, ready = waiting.pop()
        if name in ordered:
            continue
        text = _function(name, verdicts)
        if ready:
            ordered[name] = _FACTS.sub("", text).strip()
            continue
        waiting.append((name, True))
        required = " ".join(_REQUIRES.findall(text)).split()
        waiting += [(stem, False) for stem in reversed(required)]
    return list(ordered.values())


def _function(name: str, verdicts: Verdicts) -> str:
    """The source of vk_`name`, in the variant that the verdicts ask for."""
    paths = [f"math/{name}.glsl", f"pack/{name}.glsl"]
    if verdicts.fast_math:
        paths.insert(0, f"fast/{name}.glsl")
    elif name in _VARIANTS and not getattr(verdicts, _VARIANTS[name]):
        paths.insert(0, f"math/{name}_integer.glsl")
    for path in paths:
        found = _source(path)
        if found is not None:
            return found
    raise CompileError(f"the function library has no vk_{name}")


@cache
def _source(path: str) -> str | None:
    """The text of a file of the function library, or None where there is none."""
    environment = _environment()
    assert environment.loader is not None
    try:
        return environment.loader.get_source(environment, path)[0]
    except TemplateNotFound:
        return None


def _modes(region: Region, verdicts: Verdicts) -> list[str]:
    """Declarations of the float execution modes that the device offers and the kernel needs."""
    values = range(region.first_statement + len(region.statements))
    registers = {dtypes.by_name(region.dtype_of(number)).register for number in values}
    widths = {"float": 32, "double": 64}
    used = {widths[register] for register in registers if register in widths}
    return [
        f'spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], '
        f"capabilities = [{capability}], {mode}, {bits});"
        for name, bits, capability, mode in _MODES
        if bits in used and getattr(verdicts, name)
    ]
