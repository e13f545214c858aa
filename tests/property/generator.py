"""Random graphs as plain data: steps that any device, mode or order can replay."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from vkml import dtypes
from vkml.dtypes import DType
from vkml.errors import DTypeError
from vkml.ops import TABLE, OpDef
from vkml.ops.infer import coerced, result_dtype
from vkml.shapes import broadcast_shapes, size_of

from .values import scalar_of, special

VIEWS = (
    "permute", "swapaxes", "transpose", "slice", "slice_step", "slice_back", "index", "newaxis",
    "reshape", "broadcast_to", "unsqueeze", "squeeze", "flip",
)  # fmt: skip
EXTENTS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33)
COMMON_LIMIT = 1500
"""Elements of most arrays; one graph in twelve has some of LARGE's."""
LARGE = ((128, 128), (129, 127), (4, 64, 80), (16400,), (3, 5461), (2, 3, 2736))
"""Shapes of 2**14 elements and more, with inner extents that 16 divides and does not."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a program does; its number in the list names the value that it makes.

    kind     leaf, full, arange, random, map, cast, copy, view; or assign, setitem, realize, drop,
             which make no value
    sources  numbers of values; a Python scalar stands for itself
    data     leaf: the array; map: the row's name; cast: the dtype; view: (name, arguments);
             setitem: the key; sources: their arguments
    """

    kind: str
    sources: tuple[Any, ...] = ()
    data: Any = None


@dataclass(slots=True)
class Known:
    """What generating knows about a value."""

    shape: tuple[int, ...]
    dtype: DType
    owner: int  # number of the value whose memory it is
    stretched: bool = False  # broadcast: not writable
    computed: bool = False  # float arithmetic made it: the sign of a nan is the device's
    alive: bool = True


@dataclass(slots=True)
class Coverage:
    """How often rows, dtypes, row and dtype pairs, view kinds and step kinds occurred."""

    rows: Counter[str] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    views: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    nodes: list[int] = field(default_factory=list)

    def add(self, steps: Iterable[Step]) -> None:
        nodes = 0
        for step in steps:
            self.kinds[step.kind] += 1
            nodes += step.kind not in ("realize", "drop")
            if step.kind == "map":
                self.rows[step.data] += 1
            elif step.kind == "view":
                self.views[step.data[0]] += 1
            elif step.kind in ("leaf", "cast"):
                self.dtypes[step.data.name if step.kind == "cast" else step.data.dtype.name] += 1
        self.nodes.append(nodes)

    def report(self) -> str:
        """How often each row, dtype, view kind and step kind occurred, a line each."""
        return "\n".join(
            f"{name}: " + ", ".join(f"{item} {count}" for item, count in counter.most_common())
            for name, counter in (
                ("rows", self.rows), ("dtypes", self.dtypes), ("views", self.views),
                ("steps", self.kinds),
            )
        )  # fmt: skip

    def missing(self) -> list[str]:
        """What a suite must have seen and this one has not."""
        kinds = ("leaf", "full", "arange", "random", "cast", "copy", "assign", "setitem", "realize")
        return [
            *(f"row {row.name}" for row in DRAWN if not self.rows[row.name]),
            *(f"dtype {dtype.name}" for dtype in dtypes.ALL if not self.dtypes[dtype.name]),
            *(f"view {name}" for name in VIEWS if not self.views[name]),
            *(f"step {name}" for name in kinds if not self.kinds[name]),
        ]


NAN_SIGNS = ("signbit", "copysign")
"""Rows that look at the sign of their last operand, of a nan too."""
COPIES = ("positive", "negative", "abs", "copysign", "where")
"""Float rows that copy the bits of a nan, but for its sign."""

DRAWN = tuple(
    row
    for row in TABLE.values()
    if row.kind == "map" and row.name not in ("astype", "copy", "random_bits")
)
"""The rows of map steps; the others come in as steps of their own."""


class Builder:
    """Draws one program from a `random.Random` (or Hypothesis's)."""

    def __init__(self, rng: random.Random, rows: tuple[OpDef, ...], length: int) -> None:
        self.rng = rng
        self.rows = rows
        self.length = length
        self.steps: list[Step] = []
        self.known: list[Known | None] = []
        self.theme = [rng.choice(dtypes.ALL) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.5:
            self.theme.append(dtypes.float32)
        if rng.random() < 1 / 12:
            self.base = rng.choice(LARGE)
            self.limit = 2 * size_of(self.base)
        else:
            rank = rng.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8))
            self.base = tuple(rng.choice(EXTENTS) for _ in range(rank))
            while size_of(self.base) > COMMON_LIMIT:
                self.base = self.base[1:]
            self.limit = COMMON_LIMIT
        self.wild = rng.random() < 0.5

    # ---- the list --------------------------------------------------------------------------------

    def add(self, step: Step, known: Known | None = None) -> int:
        self.steps.append(step)
        self.known.append(known)
        return len(self.steps) - 1

    def alive(self) -> list[int]:
        return [n for n, known in enumerate(self.known) if known is not None and known.alive]

    def pick(self) -> int:
        """A value, late ones more often."""
        alive = self.alive()
        if self.rng.random() < 0.6:
            alive = alive[-6:]
        return self.rng.choice(alive)

    def facts(self, number: int) -> Known:
        known = self.known[number]
        assert known is not None
        return known

    # ---- sources ---------------------------------------------------------------------------------

    def leaf(self, shape: tuple[int, ...], dtype: DType | None = None) -> int:
        dtype = dtype or self.rng.choice(self.theme)
        generator = numpy.random.default_rng(self.rng.randrange(2**32))
        array = special(generator, dtype, shape, self.wild)
        number = len(self.steps)
        return self.add(Step("leaf", (), array), Known(shape, dtype, number))

    def source(self) -> int:
        kind = self.rng.choice(("full", "arange", "random"))
        number = len(self.steps)
        shape = self.near(self.base)
        dtype = self.rng.choice(self.theme)
        if kind == "full":
            data: Any = (shape, scalar_of(self.rng, dtype), dtype)
        elif kind == "arange":
            if dtype.kind == "bool":
                dtype = dtypes.int32
            count = self.rng.choice((0, 1, 5, 17, 33))
            start, step = self.rng.choice((0, 1, 3)), self.rng.choice((1, 2, 3))
            if dtype.kind != "uint" and self.rng.random() < 0.5:
                step = -step
            data = (start, start + count * step, step, dtype)
            shape = (count,)
        else:
            dtype = dtype if dtype.kind == "float" else dtypes.float32
            data = (self.rng.randrange(2**64), shape, dtype)
        return self.add(Step(kind, (), data), Known(shape, dtype, number))

    def near(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts with `shape`."""
        rng = self.rng
        result = tuple(1 if rng.random() < 0.2 else extent for extent in shape)
        if rng.random() < 0.25:
            result = result[rng.randint(0, len(result)) :]
        return result

    # ---- operations ------------------------------------------------------------------------------

    def mate(self, shape: tuple[int, ...]) -> Any:
        """An operand beside one of `shape`: a value that broadcasts with it, or a scalar."""
        rng = self.rng
        if rng.random() < 0.15:
            return None
        fitting = []
        for number in self.alive():
            try:
                both = broadcast_shapes(shape, self.facts(number).shape)
            except ValueError:
                continue
            if size_of(both) <= self.limit:
                fitting.append(number)
        if fitting and rng.random() < 0.8:
            return rng.choice(fitting[-8:])
        return self.leaf(self.near(shape))

    def map(self) -> bool:
        rng = self.rng
        first = self.pick()
        for _ in range(6):
            row = rng.choice(self.rows)
            operands: list[Any] = [first]
            shape = self.facts(first).shape
            while len(operands) < row.arity:
                mate = first if rng.random() < 0.1 else self.mate(shape)
                operands.append(mate)
                if mate is not None:
                    shape = broadcast_shapes(shape, self.facts(mate).shape)
            rng.shuffle(operands)
            place = 1 if row.coerce == "select" else 0
            arrays = [self.facts(n).dtype for n in operands[place:] if n is not None]
            if not arrays:
                continue
            try:
                base = arrays[0]
                for dtype in arrays[1:]:
                    base = dtypes.promote(base, dtype)
                own = [base if n is None else self.facts(n).dtype for n in operands]
                if place:
                    own[0] = dtypes.bool_ if operands[0] is None else own[0]
                want = coerced(row, own)
            except DTypeError:
                continue
            result = result_dtype(row, want)
            if row.expression(want[-1], result) is None:
                continue
            computed = [n is not None and self.facts(n).computed for n in operands]
            if row.name in NAN_SIGNS and computed[-1]:
                continue
            arithmetic = result.kind == "float" and row.name not in COPIES
            made = Known(shape, result, len(self.steps), computed=arithmetic or any(computed))
            if result.kind != "float":
                made.computed = False
            filled = tuple(
                (scalar_of(rng, dtype),) if n is None else n
                for n, dtype in zip(operands, own, strict=True)
            )
            self.add(Step("map", filled, row.name), made)
            return True
        return False

    def cast(self) -> None:
        number = self.pick()
        known = self.facts(number)
        dtype = self.rng.choice(dtypes.ALL)
        owner = known.owner if dtype is known.dtype else len(self.steps)
        stretched = known.stretched and dtype is known.dtype
        computed = known.computed and dtype.kind == "float"
        made = Known(known.shape, dtype, owner, stretched, computed)
        self.add(Step("cast", (number,), dtype), made)

    def copy(self) -> None:
        number = self.pick()
        known = self.facts(number)
        made = Known(known.shape, known.dtype, len(self.steps), computed=known.computed)
        self.add(Step("copy", (number,)), made)

    # ---- views -----------------------------------------------------------------------------------

    def view(self) -> bool:
        number = self.pick()
        known = self.facts(number)
        drawn = self.drawn_view(known.shape)
        if drawn is None:
            return False
        name, arguments = drawn
        shape = view_shape(known.shape, name, arguments)
        if size_of(shape) > self.limit:
            return False
        stretched = known.stretched or name == "broadcast_to"
        made = Known(shape, known.dtype, known.owner, stretched, known.computed)
        self.add(Step("view", (number,), (name, arguments)), made)
        return True

    def drawn_view(self, shape: tuple[int, ...]) -> tuple[str, Any] | None:
        rng, rank = self.rng, len(shape)
        name = rng.choice(VIEWS)
        if name == "permute":
            order = list(range(rank))
            rng.shuffle(order)
            return name, tuple(order)
        if name == "swapaxes":
            return (name, (rng.randrange(rank), -rng.randint(1, rank))) if rank else None
        if name == "transpose":
            return name, ()
        if name in ("slice", "slice_step", "slice_back", "index", "newaxis"):
            return name, self.key(shape, name)
        if name == "reshape":
            return name, self.form(size_of(shape), shape)
        if name == "broadcast_to":
            wide = tuple(
                rng.choice((1, 2, 3, 5, 17)) if extent == 1 else extent for extent in shape
            )
            lead = tuple(rng.choice((1, 2, 3)) for _ in range(rng.choice((0, 0, 1, 2))))
            return name, lead + wide
        if name == "unsqueeze":
            return name, rng.randint(-rank - 1, rank)
        if name == "squeeze":
            ones = [axis for axis, extent in enumerate(shape) if extent == 1]
            return (name, tuple(axis for axis in ones if rng.random() < 0.7)) if ones else None
        axes = tuple(axis for axis in range(rank) if rng.random() < 0.6)
        return name, axes if rank and rng.random() < 0.8 else None

    def key(self, shape: tuple[int, ...], name: str) -> tuple[Any, ...]:
        """An indexing key with at least one item of the kind `name`."""
        rng = self.rng
        key: list[Any] = []
        for extent in shape:
            choice = rng.random()
            if choice < 0.4 or name == "newaxis":
                key.append(slice(None))
            elif name == "index" and extent and rng.random() < 0.6:
                key.append(rng.randint(-extent, extent - 1))
            else:
                step = {"slice_step": rng.choice((2, 3)), "slice_back": -rng.choice((1, 2, 3))}
                key.append(self.part(extent, step.get(name, 1)))
        if name == "newaxis":
            key.insert(rng.randint(0, len(key)), None)
        if rng.random() < 0.3:
            keep = rng.randint(0, len(key))
            if all(item == slice(None) for item in key[keep:]):
                key[keep:] = [Ellipsis]
        return tuple(key)

    def part(self, extent: int, step: int) -> slice:
        rng = self.rng
        bounds = [rng.choice((None, rng.randint(-extent - 1, extent + 1))) for _ in range(2)]
        if rng.random() < 0.6 and extent > 1:  # rarely empty
            low = rng.randint(0, extent // 2)
            bounds = [low, rng.choice((None, extent - rng.randint(0, extent // 3)))]
            if step < 0:
                bounds = [extent - 1 - low, None]
        return slice(bounds[0], bounds[1], step)

    def form(self, size: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        rng = self.rng
        if size == 0:
            return (rng.choice((0, 2, 3)), 0) if rng.random() < 0.5 else (0,)
        if rng.random() < 0.2 and len(shape) > 1:
            axis = rng.randrange(len(shape) - 1)
            return (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])
        rest, form = size, []
        for _ in range(rng.randint(0, 3)):
            divisors = [n for n in (1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33) if rest % n == 0]
            form.append(rng.choice(divisors))
            rest //= form[-1]
        form.append(rest)
        rng.shuffle(form)
        return tuple(form)

    # ---- writes and time -------------------------------------------------------------------------

    def write(self) -> bool:
        rng = self.rng
        targets = [n for n in self.alive() if not self.facts(n).stretched]
        if not targets:
            return False
        target = rng.choice(targets[-8:])
        known = self.facts(target)
        key: Any = None
        shape = known.shape
        if rng.random() < 0.6:
            name = rng.choice(("slice", "slice_step", "slice_back", "index"))
            key = self.key(known.shape, name)
            shape = view_shape(known.shape, "index", key)
        value = self.value(target, known, shape, key)
        kind = "assign" if key is None else "setitem"
        if isinstance(value, int) and self.facts(value).computed and known.dtype.kind == "float":
            for other in self.known:
                if other is not None and other.owner == known.owner:
                    other.computed = True
        self.add(Step(kind, (target, value), key))
        return True

    def value(self, target: int, known: Known, shape: tuple[int, ...], key: Any) -> Any:
        """Something to write: overlapping the target, another value, a new leaf, or a scalar."""
        rng = self.rng
        choice = rng.random()
        if choice < 0.3:  # the target itself, seen from elsewhere
            same = [n for n in self.alive() if self.facts(n).owner == known.owner]
            fitting = [n for n in same if self.facts(n).shape == shape]
            if fitting:
                return rng.choice(fitting)
            if key is not None and len(shape) and known.shape == shape:
                return target
        if key is None:  # assign_ casts and broadcasts nothing
            fitting = [
                n for n in self.alive()
                if self.facts(n).dtype is known.dtype and self.facts(n).shape == shape
            ]  # fmt: skip
            return rng.choice(fitting[-6:]) if fitting else self.leaf(shape, known.dtype)
        if choice < 0.45:
            return (scalar_of(rng, known.dtype),)
        if choice < 0.85:
            fitting = [
                n for n in self.alive()
                if self.facts(n).dtype is known.dtype or rng.random() < 0.3
                if fits(self.facts(n).shape, shape)
            ]  # fmt: skip
            if fitting:
                return rng.choice(fitting[-6:])
        return self.leaf(self.near(shape), known.dtype)

    def time(self) -> None:
        """Realize some, or let a handle go."""
        rng = self.rng
        alive = self.alive()
        if rng.random() < 0.5:
            some = tuple(sorted(rng.sample(alive, min(len(alive), rng.randint(1, 3)))))
            self.add(Step("realize", some))
        elif len(alive) > 4:
            number = rng.choice(alive[:-2])
            self.facts(number).alive = False
            self.add(Step("drop", (number,)))

    def value_step(self, choice: float) -> None:
        """One step that makes a value."""
        if choice < 0.52:
            self.map()
        elif choice < 0.82:
            self.view()
        elif choice < 0.91:
            self.cast()
        elif choice < 0.96:
            self.source()
        else:
            self.copy()

    def build(self) -> list[Step]:
        rng = self.rng
        self.leaf(self.base)
        if rng.random() < 0.6:
            self.leaf(self.near(self.base))
        writes = rng.choice((0.0, 0.0, 0.07, 0.07, 0.35))
        times = rng.choice((0.0, 0.07, 0.07, 0.2))
        for _ in range(self.length):
            choice = rng.random()
            if choice < writes:
                self.write()
            elif choice > 1.0 - times:
                self.time()
            else:
                self.value_step(rng.random())
        return self.steps


def fits(shape: tuple[int, ...], into: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `into`."""
    try:
        return broadcast_shapes(shape, into) == into
    except ValueError:
        return False


def view_shape(shape: tuple[int, ...], name: str, arguments: Any) -> tuple[int, ...]:
    """The shape of a view, by NumPy on an array without memory."""
    empty = numpy.broadcast_to(numpy.zeros((), numpy.int8), shape)
    return numpy_view(empty, name, arguments).shape


def numpy_view(array: Any, name: str, arguments: Any) -> Any:
    """The same view in NumPy (of a reshape that no strides express: a copy)."""
    if name == "permute":
        return numpy.transpose(array, arguments)
    if name == "swapaxes":
        return numpy.swapaxes(array, *arguments)
    if name == "transpose":
        return array.T
    if name in ("slice", "slice_step", "slice_back", "index", "newaxis"):
        return array[arguments if Ellipsis in arguments else (*arguments, Ellipsis)]
    if name == "reshape":
        return array.reshape(arguments)
    if name == "broadcast_to":
        return numpy.broadcast_to(array, arguments)
    if name == "unsqueeze":
        return numpy.expand_dims(array, arguments)
    if name == "squeeze":
        return numpy.squeeze(array, arguments)
    axes = range(array.ndim) if arguments is None else arguments
    back = slice(None, None, -1)
    return array[(*(back if n in axes else slice(None) for n in range(array.ndim)), Ellipsis)]


def vkml_view(tensor: Any, name: str, arguments: Any) -> Any:
    """The view of a tensor."""
    if name == "permute":
        return tensor.permute(arguments) if arguments else tensor.permute_dims(())
    if name == "swapaxes":
        return tensor.swapaxes(*arguments)
    if name == "transpose":
        return tensor.T
    if name in ("slice", "slice_step", "slice_back", "index", "newaxis"):
        return tensor[arguments]
    if name == "reshape":
        return tensor.reshape(arguments)
    if name == "broadcast_to":
        return tensor.broadcast_to(arguments)
    if name == "unsqueeze":
        return tensor.unsqueeze(arguments)
    if name == "squeeze":
        return tensor.squeeze(arguments)
    return tensor.flip(arguments)


def program(rng: random.Random, rows: tuple[OpDef, ...], length: int | None = None) -> list[Step]:
    """One random program."""
    return Builder(rng, rows, length or rng.randint(12, 36)).build()


def without(steps: list[Step], gone: int) -> list[Step]:
    """The program without one step and everything that is made of its value."""
    dead = {gone}
    for number, step in enumerate(steps):
        if step.kind != "realize" and any(source in dead for source in numbers_of(step)):
            dead.add(number)
    places: dict[int, int] = {}
    kept: list[Step] = []
    for number, step in enumerate(steps):
        if number in dead:
            continue
        sources = tuple(
            places[source] if isinstance(source, int) else source
            for source in step.sources
            if source not in dead
        )
        places[number] = len(kept)
        kept.append(replace(step, sources=sources))
    return kept


def numbers_of(step: Step) -> list[int]:
    """The values that a step uses (its other sources are scalars in tuples)."""
    return [source for source in step.sources if isinstance(source, int)]


def reduced(steps: list[Step], fails: Callable[[list[Step]], bool]) -> list[Step]:
    """As few steps as still fail."""
    smaller = True
    while smaller:
        smaller = False
        for number in range(len(steps) - 1, -1, -1):
            if number < len(steps):
                fewer = without(steps, number)
                if fails(fewer):
                    steps, smaller = fewer, True
    return steps


def described(steps: list[Step]) -> str:
    """A program as text, a step a line."""
    lines = []
    for number, step in enumerate(steps):
        data = step.data
        if step.kind == "leaf":
            data = f"{data.dtype}{data.shape} {data.reshape(-1)[:6].tolist()}"
        lines.append(f"  {number} {step.kind} {step.sources or ''} {'' if data is None else data}")
    return "\n".join(lines)
