"""Wide memory access: the elements of a thread as whole vectors of 32-bit words."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Wide", "vector"]


def vector(lanes: int) -> str:
    """The GLSL type of `lanes` words."""
    return "uint" if lanes == 1 else f"uvec{lanes}"


@dataclass(frozen=True, slots=True)
class Wide:
    """The `elements` of one thread, `itemsize` bytes each: `vectors` of `lanes` words.

    Names are local variables; `e` is the element and `v` the vector that a line is about.
    """

    itemsize: int
    elements: int

    @property
    def lanes(self) -> int:
        """Words of a vector: 1, 2 or 4."""
        words = self.itemsize * self.elements // 4
        if not words:
            raise ValueError(f"{self.elements} elements of {self.itemsize} bytes fill no word")
        return min(4, words)

    @property
    def vectors(self) -> int:
        """Vectors of a thread."""
        return self.itemsize * self.elements // (4 * self.lanes)

    @property
    def type(self) -> str:
        """The GLSL type of a vector."""
        return vector(self.lanes)

    @property
    def zero(self) -> str:
        """The value of a thread's vectors with every bit 0."""
        zero = f"{self.type}(0)"
        return zero if self.vectors == 1 else f"{self.type}[]({', '.join([zero] * self.vectors)})"

    def scaled(self, text: str, brackets: bool = False) -> str:
        """Vectors before the thread that `text` counts."""
        if self.vectors == 1:
            return text
        return f"({text}) * {self.vectors}" if brackets else f"{text} * {self.vectors}"

    def declaration(self, name: str) -> str:
        """A local variable for the vectors of a thread."""
        return f"{self.type} {name}" + (f"[{self.vectors}]" if self.vectors > 1 else "")

    def load(self, name: str, data: str, at: str) -> list[str]:
        """Declare `name` and fill it from the buffer `data`."""
        if self.vectors == 1:
            return [f"{self.declaration(name)} = {data}[{at}];"]
        return [
            f"{self.declaration(name)};",
            f"{self._each} {name}[v] = {data}[{at} + v];",
        ]

    def store(self, data: str, at: str, name: str) -> list[str]:
        """Store the vectors `name` in the buffer `data`."""
        if self.vectors == 1:
            return [f"{data}[{at}] = {name};"]
        return [f"{self._each} {data}[{at} + v] = {name}[v];"]

    @property
    def _each(self) -> str:
        return f"[[unroll]] for (uint v = 0; v < {self.vectors}; ++v)"

    def word(self, name: str) -> str:
        """The word that holds element `e`, of at most 32 bits."""
        if self.lanes == 1:
            return name
        in_word = 4 // self.itemsize
        position = "e" if in_word == 1 else f"e / {in_word}"
        if self.vectors > 1:
            position += " % 4"
        return f"{self._vector(name)}[{position}]"

    def pair(self, name: str) -> str:
        """The two words of 64-bit element `e` as a uvec2."""
        return name if self.lanes == 2 else f"vk_pair({self._vector(name)}, e % 2)"

    def put_pair(self, name: str, pair: str) -> str:
        """The statement that sets the two words of 64-bit element `e`."""
        if self.lanes == 2:
            return f"{name} = {pair};"
        return f"vk_set_pair({self._vector(name)}, e % 2, {pair});"

    def _vector(self, name: str) -> str:
        """The vector that holds element `e`."""
        return name if self.vectors == 1 else f"{name}[e / {self.elements // self.vectors}]"
