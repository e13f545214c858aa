"""How exact each float32 function is on a device, and whether two devices give the same bits.

    python bench/accuracy.py                            # every 61st float32, minutes on any device
    python bench/accuracy.py --full --json h200.json --hashes h200.hashes
    python bench/accuracy.py --only sin,exp --sample 1
    python bench/accuracy.py --full --no-reference --hashes lavapipe.hashes   # bits alone
    python bench/accuracy.py --graphs 200 --only none --hashes lavapipe.hashes
    python bench/accuracy.py --compare lavapipe.hashes h200.hashes
    python bench/accuracy.py --write-docs lavapipe.json h200.json

Functions of one operand get float32 bit patterns, all 2^32 with --full; those of two get edges with
edges and random pairs. Errors are in units of the last place of float32.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import comparing
import numpy as np
from harness import Budget, Report, machine, number, on_machine
from reference import CompiledReference, Tally, add_hashes, add_judged

SUBSET = 61
"""Results whose number it divides are hashed apart: a sample and a full sweep can be compared."""
CHUNK = 1 << 22
AHEAD, WORKERS = 4, 2
NOT_SWEPT = frozenset(("astype", "copy", "logical_not", "random_bits"))
Words = np.ndarray[Any, np.dtype[np.uint32]]


def rows(only: str | None) -> list[Any]:
    """The map rows of one or two float operands, by name or all."""
    from vkml.ops import TABLE

    found = [
        row
        for row in TABLE.values()
        if row.kind == "map" and row.arity in (1, 2) and "float" in row.accepts
        and row.name not in NOT_SWEPT
    ]  # fmt: skip
    if only is None:
        return found
    wanted = [name for name in only.split(",") if name != "none"]
    unknown = set(wanted) - {row.name for row in found}
    if unknown:
        names = ", ".join(row.name for row in found)
        raise SystemExit(f"--only: no function {', '.join(sorted(unknown))}; there are {names}")
    return [row for row in found if row.name in wanted]


def edges() -> Words:
    """Bit patterns around which functions change: exponents, halves, ends, both signs."""
    exponents = [e for e in range(256) if 105 < e < 152 or e % 13 == 0 or e in (1, 254, 255)]
    fractions = (0, 1, 0x400000, 0x7FFFFF, 0x3504F3, 0x155555)
    words = [s | e << 23 | f for e in exponents for f in fractions for s in (0, 1 << 31)]
    return np.array(words, np.uint32)


def random_pairs(count: int, seed: int) -> tuple[Words, Words]:
    """Pairs of bit patterns: a quarter any float32, the rest near where functions live."""
    random = np.random.default_rng(seed)
    operands = []
    kind = np.arange(count) & 3
    for spans in ((256, 32, 8, 2), (256, 32, 8, 20)):
        words = random.integers(0, 2**32, count, dtype=np.uint64).astype(np.uint32)
        span = np.array(spans, np.uint32)[kind]
        near = np.uint32(128) - span // np.uint32(2) + (words >> np.uint32(23)) % span
        moved = (words & np.uint32(0x807FFFFF)) | near << np.uint32(23)
        operands.append(np.where(kind == 0, words, moved).astype(np.uint32))
    return operands[0], operands[1]


@dataclass(slots=True)
class Piece:
    """Part of a sweep: `count` results from number `first` on.

    `operands` are empty for functions of one operand: its bit patterns are the numbers, `step`
    apart, and are only made where they are needed.
    """

    first: int
    count: int
    step: int
    operands: list[Words]
    tensors: tuple[Any, ...] | None = None

    def words(self) -> list[Words]:
        """The operands' bit patterns."""
        if self.operands:
            return self.operands
        numbers = np.arange(self.count, dtype=np.uint32) * np.uint32(self.step)
        return [numbers + np.uint32(self.first)]


class Inputs:
    """The pieces of sweeps; device copies are kept up to `keep_bytes`."""

    def __init__(self, device: Any, step: int, pairs: int, keep_bytes: int) -> None:
        self.device = device
        self.step = step
        self.pairs = pairs
        self.keep_bytes = keep_bytes
        self.made: dict[int, list[Piece]] = {}

    def pieces(self, arity: int) -> list[Piece]:
        """All pieces of a sweep over functions of so many operands."""
        if arity not in self.made:
            self.made[arity] = self._singles() if arity == 1 else self._pairs()
        return self.made[arity]

    def _singles(self) -> list[Piece]:
        span = CHUNK * self.step
        return [
            Piece(first, -(-(min(first + span, 2**32) - first) // self.step), self.step, [])
            for first in range(0, 2**32, span)
        ]

    def _pairs(self) -> list[Piece]:
        words = edges()
        both = [np.repeat(words, words.size), np.tile(words, words.size)]
        found = [Piece(0, words.size**2, 1, both)]
        for seed, first in enumerate(range(0, self.pairs, CHUNK)):
            count = min(CHUNK, self.pairs - first)
            operands = list(random_pairs(count, seed))
            found.append(Piece(words.size**2 + first, count, 1, operands))
        return found

    def tensors(self, piece: Piece) -> tuple[Any, ...]:
        """The operands of a piece on the device."""
        import vkml

        if piece.tensors is not None:
            return piece.tensors
        words = piece.words()
        tensors = tuple(vkml.tensor(one.view(np.float32), device=self.device) for one in words)
        self.keep_bytes -= 4 * piece.count * len(words)
        if self.keep_bytes >= 0:
            piece.tensors = tensors
        return tensors


class Sweep:
    """Runs rows over their inputs, judging on this machine's cores while the device goes on."""

    def __init__(self, device: Any, inputs: Inputs, reference: Any, judge: bool) -> None:
        self.device = device
        self.inputs = inputs
        self.reference = reference
        self.judge = judge

    def run(self, row: Any, expired: Callable[[], bool]) -> dict[str, Any] | None:
        """The facts of one row; None when the time was over before the end."""
        from vkml.array import apply

        tally = Tally()
        start = time.perf_counter()
        used = ""
        waiting: deque[tuple[Piece, Future[Any]]] = deque()
        pieces = self.inputs.pieces(row.arity)

        def compute(piece: Piece) -> Any:
            return apply(row, self.inputs.tensors(piece)).numpy()

        with ThreadPoolExecutor(WORKERS) as pool:
            for piece in pieces:
                waiting.append((piece, pool.submit(compute, piece)))
                if len(waiting) > AHEAD:
                    used = self._take(row, tally, *waiting.popleft())
                if expired():
                    for _, future in waiting:
                        future.cancel()
                    return None
            while waiting:
                used = self._take(row, tally, *waiting.popleft())
        facts = tally.facts(row.arity)
        if not self.judge:
            facts = {name: value for name, value in facts.items() if "hash" in name}
        return {
            "function": row.name,
            "arity": row.arity,
            "tolerance": row.tolerance,
            "scale": row.scale,
            "count": sum(piece.count for piece in pieces),
            "step": self.inputs.step if row.arity == 1 else None,
            "pairs": self.inputs.pairs if row.arity == 2 else None,
            "reference": used,
            "seconds": round(time.perf_counter() - start, 2),
            **facts,
        }

    def _take(self, row: Any, tally: Tally, piece: Piece, future: Future[Any]) -> str:
        """Judge and hash a piece when it is there; the name of the reference."""
        got = future.result()
        words = np.asarray(got, np.float32).view(np.uint32)  # true is 1.0, false 0.0
        reference = self.reference
        known = reference is not None and reference.knows(row.name)
        if reference is not None:
            name = row.name if known and self.judge else ""
            place = (piece.first, piece.step, SUBSET)
            reference.add(tally, name, piece.operands, words, *place)
        else:
            add_hashes(tally, words, piece.first, piece.step, SUBSET)
        if not self.judge:
            return "none"
        if known:
            return str(reference.name)
        exact = row.tolerance == 0
        relative = row.scale == "operands"
        add_judged(tally, row.reference, piece.words(), got, exact, relative)
        return "NumPy, float32" if exact else "NumPy, float64"


def passed(facts: dict[str, Any]) -> bool:
    """Whether a row keeps its promise."""
    if "max_ulp" not in facts:
        return True
    if facts["special_values_differ"]:
        return False
    if facts["tolerance"] == 0:
        return not facts["not_nearest"]
    return bool(facts["max_ulp"] <= facts["tolerance"])


def line(facts: dict[str, Any]) -> str:
    """A row of the printed table."""
    hashed = facts["hash_any_nan"]
    if "max_ulp" not in facts:
        return f"{facts['function']:14} {facts['count']:>11}  {hashed}  {facts['seconds']:6.1f} s"
    at = " ".join(facts["at"])
    return (
        f"{facts['function']:14} {facts['count']:>11}  {facts['max_ulp']:8.4f} at {at:21} "
        f"mean {number(facts['mean_ulp']):7} not nearest {facts['not_nearest']:>10} "
        f"special {facts['special_values_differ']:>6}  {hashed}  {facts['seconds']:6.1f} s  "
        f"{'' if passed(facts) else 'FAILS'}".rstrip()
    )


def memory_to_keep(device: Any) -> int:
    """Bytes of operands that may stay on the device: a quarter of a GPU's memory."""
    physical = getattr(device.runtime, "physical", None)
    if physical is None or device.info.type != "discrete":
        return 0
    return int(max(kind.heap_bytes for kind in physical.memory) // 4)


def parse() -> argparse.Namespace:
    """The command line: see the module's docstring."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="all 2^32 inputs: --sample 1")
    parser.add_argument("--sample", type=int, default=SUBSET, help="every how-many-th float32")
    parser.add_argument("--pairs", type=int, help="random pairs (2^26; with a sample 2^22)")
    parser.add_argument("--only", help="functions, separated by commas; none for none")
    parser.add_argument("--device", help="as VKML_DEVICE")
    parser.add_argument("--no-reference", action="store_true", help="hash the bits, judge nothing")
    parser.add_argument("--numpy", action="store_true", help="NumPy as reference, no compiler")
    parser.add_argument("--graphs", type=int, default=0, help="hash so many random graphs")
    parser.add_argument("--budget", type=float, default=None, help="seconds for the whole run")
    parser.add_argument("--json", help="file for all figures, written after each row")
    parser.add_argument("--hashes", help="file for the hashes; what it holds already is kept")
    parser.add_argument("--compare", nargs="+", metavar="HASHES", help="compare files of hashes")
    parser.add_argument("--write-docs", nargs="+", metavar="JSON", help="write docs/numerics.md")
    return parser.parse_args()


def main() -> int:
    """Command line: see the module's docstring."""
    options = parse()
    if options.compare:
        return comparing.compare(options.compare)
    if options.write_docs:
        comparing.write_docs(options.write_docs)
        return 0
    import vkml
    from vkml.codegen.digest import code_digest

    step = 1 if options.full else options.sample
    chosen = rows(options.only)
    budget = Budget(options.budget if options.budget is not None else 1e9)
    device = vkml.device(options.device)
    facts = machine(device)
    kernels = device.kernels
    facts["verdicts"] = kernels.verdicts.text() if kernels is not None else "none"
    facts["code"] = code_digest()
    facts["mode"] = "fast math" if kernels is not None and kernels.verdicts.fast_math else "exact"
    print(f"# {on_machine(facts)}")
    print(f"# mode {facts['mode']}; verdicts: {facts['verdicts']}", flush=True)
    reference = None
    if not options.numpy:
        try:
            reference = CompiledReference()
        except (RuntimeError, OSError) as error:
            print(f"# NumPy is the reference: {error}")
    report = Report(options.json, "accuracy", facts)
    pairs = options.pairs if options.pairs is not None else 1 << (26 if step == 1 else 22)
    inputs = Inputs(device, step, pairs, memory_to_keep(device))
    sweep = Sweep(device, inputs, reference, not options.no_reference)
    hashes = comparing.Hashes(options.hashes, facts)
    failed, left_out = [], []
    for row in chosen:
        try:
            found = None if budget.left() < 0 else sweep.run(row, lambda: budget.left() < 0)
        except Exception as error:
            print(f"# {row.name}: {type(error).__name__}: {error}", flush=True)
            failed.append(row.name)
            continue
        if found is None:
            left_out.append(row.name)
            continue
        report.add(found)
        hashes.add_function(found)
        if not passed(found):
            failed.append(row.name)
        print(line(found), flush=True)
    graphs = comparing.graph_hashes(options.graphs, device, lambda: budget.left() < 0)
    for name, value in graphs:
        hashes.add_graph(name, value)
    hashes.write()
    if left_out:
        print(f"# time over: {len(left_out)} functions left out: {', '.join(left_out)}")
    if failed:
        print(f"# failed: {', '.join(failed)}")
    report.finish(left_out=left_out, failed=failed, graphs=hashes.graphs)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
