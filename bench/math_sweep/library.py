"""The files of templates/math: their text in dependency order, and what a compile of them costs."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "templates" / "math"
REQUIRES = re.compile(r"^// requires: (.+)$", re.MULTILINE)
ERROR = re.compile(r"^// max ulp: (.+?)\.?$", re.MULTILINE)
COST = re.compile(r"^// cost: (\d+)$", re.MULTILINE)
PAGE = FOLDER.parents[1] / "docs" / "numerics-library.md"
TABLE = re.compile(r"(<!-- table -->\n)(.*?)(<!-- end -->)", re.DOTALL)
ELEMENTARY = (
    "exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh asinh "
    "acosh atanh erf erfc hypot logaddexp sigmoid softplus silu gelu_erf gelu_tanh rsqrt "
    "reciprocal divide_integer sqrt_integer remainder floor_divide round_half"
).split()
FUNCTION = re.compile(r"^(\w+) (vk_\w+)\((.*)\) \{$", re.MULTILINE)

# Not counted: moves of data, and bit casts, which no machine executes.
FREE = re.compile(
    r"Op(Load|Store|AccessChain|Variable|Bitcast|Composite\w+|CopyObject|FunctionCall|FunctionParameter"
    r"|Function|FunctionEnd|Label|Branch\w*|SelectionMerge|LoopMerge|Return\w*|Phi|Undef|Unreachable|Switch)$"
)


def ordered(stems: list[str], choices: dict[str, str] | None = None) -> list[str]:
    """File stems with everything they need, each once, needed ones first.

    `choices` replaces a stem by another that holds the same function (divide -> divide_integer).
    """
    choices = choices or {}
    result: list[str] = []

    def visit(stem: str) -> None:
        stem = choices.get(stem, stem)
        if stem in result:
            return
        found = REQUIRES.search((FOLDER / f"{stem}.glsl").read_text())
        for needed in found[1].split() if found else []:
            visit(needed)
        if stem not in result:
            result.append(stem)

    for stem in stems:
        visit(stem)
    return result


def text(stems: list[str], choices: dict[str, str] | None = None) -> str:
    """GLSL of the files and of what they need."""
    return "\n".join((FOLDER / f"{stem}.glsl").read_text() for stem in ordered(stems, choices))


def shader(stems: list[str]) -> str:
    """A compute shader whose main calls each function of the files, or they would be dropped."""
    body = text(stems)
    extensions = ""
    if "int64_t" in body:
        extensions = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
    calls = []
    for number, (_, name, parameters) in enumerate(FUNCTION.findall(body)):
        types = [parameter.split()[-2] for parameter in parameters.split(", ")]
        variables = [f"x{number}_{place}" for place in range(len(types))]
        calls += [
            f"    {kind} {variable};" for kind, variable in zip(types, variables, strict=True)
        ]
        calls.append(f"    {name}({', '.join(variables)});")
    main = "\n".join(["void main() {", *calls, "}"])
    return f"#version 460\n{extensions}layout(local_size_x = 1) in;\n{body}\n{main}\n"


def compile_shader(source: str) -> bytes:
    """SPIR-V of a compute shader at -O0, validated; raises with the compiler's words."""
    with tempfile.TemporaryDirectory() as folder:
        path, module = Path(folder) / "shader.comp", Path(folder) / "shader.spv"
        path.write_text(source)
        for command in (
            ["glslc", "--target-env=vulkan1.2", "-O0", str(path), "-o", str(module)],
            ["spirv-val", "--target-env", "vulkan1.2", str(module)],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr or done.stdout)
        return module.read_bytes()


def disassemble(module: bytes) -> str:
    """Text of a SPIR-V module, ids by number, debug names kept."""
    done = subprocess.run(
        ["spirv-dis", "--raw-id", "--no-indent", "-"], input=module, capture_output=True, check=True
    )
    return done.stdout.decode()


def costs(assembly: str) -> dict[str, int]:
    """Scalar operations of each function, calls expanded, by name with its parameter types.

    A loop counts once. Names are glslang's: `vk_exp(f1;`.
    """
    names = dict(re.findall(r'^OpName (%\d+) "(vk_[^"]*)"$', assembly, re.MULTILINE))
    own: dict[str, int] = {}
    calls: dict[str, list[str]] = {}
    current = ""
    for line in assembly.splitlines():
        words = line.split()
        operation = words[2] if len(words) > 2 and words[1] == "=" else (words[0] if words else "")
        if operation == "OpFunction":
            current = words[0]
            own[current], calls[current] = 0, []
        elif operation == "OpFunctionEnd":
            current = ""
        elif current and operation == "OpFunctionCall":
            calls[current].append(words[4])
        elif current and not FREE.match(operation):
            own[current] += 1

    def total(function: str) -> int:
        return own[function] + sum(total(callee) for callee in calls[function])

    return {name: total(function) for function, name in names.items() if function in own}


def cost_in(stem: str, assembly: str) -> int:
    """The largest cost, in a disassembled module, among the functions that one file declares."""
    declared = {found[1] for found in FUNCTION.findall((FOLDER / f"{stem}.glsl").read_text())}
    return max(value for name, value in costs(assembly).items() if name.split("(")[0] in declared)


def cost(stem: str) -> int:
    """The largest cost among the functions that one file declares."""
    return cost_in(stem, disassemble(compile_shader(shader([stem]))))


def write_costs() -> None:
    """Brings the `// cost:` line of every file up to date."""
    for path in sorted(FOLDER.glob("*.glsl")):
        old = path.read_text()
        new = COST.sub(f"// cost: {cost(path.stem)}", old, count=1)
        if new != old:
            path.write_text(new)


def table() -> str:
    """Markdown: what each elementary function's file says of its error and cost."""
    lines = ["| function | max ulp | operations |", "|---|---|---|"]
    for stem in ELEMENTARY:
        text = (FOLDER / f"{stem}.glsl").read_text()
        error, operations = ERROR.search(text), COST.search(text)
        assert error is not None
        assert operations is not None
        lines.append(f"| {stem} | {error[1]} | {operations[1]} |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """The page with its table replaced by the current one."""
    return TABLE.sub(lambda found: found[1] + table() + found[3], page)


def write_page() -> None:
    """Brings the table of docs/numerics-library.md up to date."""
    PAGE.write_text(with_table(PAGE.read_text()))


if __name__ == "__main__":
    write_costs()
    write_page()
