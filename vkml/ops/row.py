"""OpDef: everything that vkml knows about one operation, in one row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vkml.dtypes import DType

__all__ = ["OpDef"]


@dataclass(frozen=True, slots=True, eq=False)
class OpDef:
    """One operation.

    name        as in `vkml.<name>`; the array API's name where it has one
    kind        "map": one result element from the operands' elements at the same place;
                "source": no operand; "view": another layout of the same storage
    arity       number of operands
    accepts     names of dtype kinds that operands may have after coercion: "bool", "int",
                "uint", "float"; or of single dtypes where no other will do
    coerce      how operand dtypes meet: "common" promotes them, "float" does and turns integers
                and bool into float32, "bool" turns each into bool, "select" is bool for the
                first and common for the rest, "none" leaves them alone
    result      "same" as the (last) coerced operand, or the name of a dtype, or "attribute": the
                dtype that the static attribute names (the reference of such a row has it as a
                second argument)
    glsl        expression by register family ("bool", "int", "uint", "long", "ulong",
                "float", "double"); {0}, {1}, {2} stand for the operands' names, which are plain
                variables. One operation or one call of a library function `vk_...`. "long" falls
                back to "int", "ulong" to "uint". A family without text is not supported there.
                int8...uint16 results are wrapped and float16 results rounded by the caller.
                The dtype that picks the text is that of the last coerced operand (for sources the
                result dtype). A dtype's own name may stand for a family where its width matters:
                `expression` looks for it first.
    form        the expression for a source and a result dtype, where both decide (casts)
    cost        scalar operations after expansion: one number, or one for each family that takes
                more than one operation
    reference   the same on NumPy arrays of the coerced dtype, giving the result dtype (or castable
                to it exactly); errors such as overflow are silenced by the caller
    ranges      (low, high) a float operand, for random tests besides the special values
    tolerance   ulp of float32 that the result may be off from the float64 value of `reference`;
                0 is exact
    scale       what the ulp is of: "result", or "operands", the largest magnitude among operands
                and result, where terms of opposite sign may cancel
    doc         one line, then the rules a user must know
    gradient, saves   belong to automatic differentiation
    """

    name: str
    kind: str
    arity: int
    accepts: tuple[str, ...] = ("bool", "int", "uint", "float")
    coerce: str = "common"
    result: str = "same"
    glsl: Mapping[str, str] = field(default_factory=dict)
    form: Callable[[DType, DType], str | None] | None = None
    cost: int | Mapping[str, int] = 1
    reference: Callable[..., Any] | None = None
    ranges: tuple[tuple[float, float], ...] = ()
    tolerance: float = 0
    scale: str = "result"
    doc: str = ""
    gradient: Callable[..., Any] | None = None
    saves: tuple[str, ...] = ()

    def text(self, register: str) -> str | None:
        """The GLSL expression for a register family, or None where there is none."""
        found = self.glsl.get(register)
        if found is None and register in ("long", "ulong"):
            found = self.glsl.get("int" if register == "long" else "uint")
        return found

    def expression(self, source: DType, result: DType) -> str | None:
        """The GLSL expression for coerced operands of `source` and a result, None without one."""
        if self.form is not None:
            return self.form(source, result)
        return self.glsl.get(source.name) or self.text(source.register)

    def price(self, register: str) -> int:
        """Scalar operations of one element in a register family."""
        if isinstance(self.cost, int):
            return self.cost
        narrow = {"long": "int", "ulong": "uint"}.get(register, register)
        return self.cost.get(register, self.cost.get(narrow, 1))

    def __repr__(self) -> str:
        return f"OpDef({self.name})"
