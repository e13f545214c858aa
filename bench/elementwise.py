"""Element-wise workloads: vkml against hand-written kernels and its peers, in the same run.

    python bench/elementwise.py                      # what this machine can in a few minutes
    python bench/elementwise.py --quick
    python bench/elementwise.py --sizes 20,24 --only gelu,bias --json out.json
    python bench/elementwise.py --write-docs h200.json lavapipe.json

A row prints vkml's time and, for each contender, that contender's time divided by vkml's: 1.30 is
a peer that takes 1.3 times as long; the floor's figure is the part of the floor that is reached.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import (
    DOCS,
    Budget,
    Report,
    machine,
    median,
    number,
    on_machine,
    read_reports,
    replace_section,
    spread,
    table,
)
from workloads import WORKLOADS, Workload

COLUMNS = 1000
OUTSIDE_CACHES = 1 << 28
MOST_SETS = 128


@dataclass(frozen=True, slots=True)
class Case:
    """A workload at one size (an exponent of 2), layout and offset (elements)."""

    workload: Workload
    exponent: int
    layout: str
    offset: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        size = 1 << self.exponent
        if self.layout == "1-D":
            return (size,)
        if self.layout == "rows":
            return (size // COLUMNS, COLUMNS)
        side = 1 << (self.exponent // 2)
        return (side, side)

    @property
    def operands(self) -> list[tuple[int, ...]]:
        """The shapes of the inputs."""
        shapes = [self.shape] * self.workload.inputs
        if self.layout == "rows":
            shapes[-1] = (COLUMNS,)
        return shapes

    @property
    def elements(self) -> int:
        """Elements of the result."""
        return int(np.prod(self.shape))

    @property
    def nbytes(self) -> int:
        """The fewest bytes that a kernel moves."""
        inputs = sum(int(np.prod(shape)) for shape in self.operands)
        return 4 * (inputs + self.workload.outputs * self.elements)

    @property
    def sets(self) -> int:
        """How many sets of operands it takes that no cache holds them."""
        return max(2, min(MOST_SETS, -(-OUTSIDE_CACHES // self.nbytes)))

    def __str__(self) -> str:
        place = "offset by one" if self.offset else "aligned"
        return f"{self.workload.name}, 2^{self.exponent}, {self.layout}, {place}"


class Pool:
    """Random float32 numbers, from which inputs are cut: no two sets share memory."""

    def __init__(self) -> None:
        self.kind: bool | None = None
        self.values = np.empty(0, np.float32)
        self.random = np.random.default_rng(7)

    def inputs(self, case: Case) -> list[list[np.ndarray]]:
        """The inputs of each set, starting `offset` elements past a 64-byte line."""
        lengths = [-(-(int(np.prod(shape)) + case.offset) // 16) * 16 for shape in case.operands]
        total = sum(lengths) * case.sets + 16
        positive = case.workload.positive
        if self.values.size < total or self.kind is not positive:
            self.values = np.empty(0, np.float32)  # the old memory first
            values = np.empty(total, np.float32)
            self.random.random(out=values, dtype=np.float32)
            values *= 2 if positive else 8
            values += 0.5 if positive else -4
            self.values, self.kind = values, positive
        at = (-self.values.ctypes.data % 64) // 4
        sets = []
        for _ in range(case.sets):
            row = []
            for shape, length in zip(case.operands, lengths, strict=True):
                start = at + case.offset
                row.append(self.values[start : start + int(np.prod(shape))].reshape(shape))
                at += length
            sets.append(row)
        return sets


def window(array: np.ndarray, offset: int) -> np.ndarray:
    """The memory of an input from the aligned place `offset` elements before it, as one row."""
    base = array.base
    assert base is not None
    start = (array.ctypes.data - base.ctypes.data) // 4
    memory: np.ndarray = base[start - offset : start + array.size]
    return memory


def upload(device: Any, arrays: list[np.ndarray], offset: int) -> list[Any]:
    """Copies on the device of the inputs, with the same offset in their memory."""
    import vkml

    tensors = []
    for array in arrays:
        tensor = vkml.tensor(window(array, offset), device=device)
        tensors.append((tensor[offset:] if offset else tensor).reshape(array.shape))
    return tensors


def check(case: Case, arrays: list[np.ndarray], results: list[np.ndarray]) -> tuple[float, bool]:
    """The largest error by the largest magnitude, on a sample with both ends.

    Also whether it is small enough and every element was written.
    """
    size = case.elements
    taken = np.unique(np.concatenate([
        np.arange(min(size, 2048)), np.arange(max(0, size - 2048), size),
        np.random.default_rng(1).integers(0, size, 1 << 16),
    ]))  # fmt: skip
    places = np.unravel_index(taken, case.shape)
    given = []
    for array in arrays:
        given.append(np.broadcast_to(array, case.shape)[places].astype(np.float64))
    if case.layout == "square":
        truth = [given[0] + arrays[1].T[places].astype(np.float64)]
    else:
        truth = list(case.workload.formulas["truth"](*given))
    worst, written = 0.0, True
    for got, want in zip(results, truth, strict=True):
        written = written and not bool(np.isnan(got).any())
        error = np.abs(got.reshape(case.shape)[places] - want).max() / np.abs(want).max()
        worst = max(worst, float(error)) if error == error else float("inf")
    return worst, written and worst <= case.workload.tolerance


class Bench:
    """Measures cases on one device."""

    def __init__(self, device: Any, options: argparse.Namespace, budget: Budget) -> None:
        self.device = device
        self.options = options
        self.budget = budget
        self.pool = Pool()
        self.copies: dict[int, float] = {}
        self.said: set[str] = set()
        self.runner: Any = None
        self.software = device.info.type in ("software", "cpu")
        # On a software device other work of the machine delays timestamps; processor time stays.
        self.metric = "processor" if self.software else "device"
        self.gpu = False
        if not self.software:
            try:
                import torch

                self.gpu = torch.cuda.is_available()
            except Exception as error:
                self.say(f"PyTorch: {type(error).__name__}: {error}")
        if device.info.type != "cpu" and not options.no_floors:
            try:
                from floors.runner import Runner

                self.runner = Runner(device.info.uuid)
            except Exception as error:
                self.say(f"hand-written kernels: {type(error).__name__}: {error}")

    def say(self, text: str) -> None:
        """Print a remark once."""
        if text not in self.said:
            self.said.add(text)
            print(f"# {text}", flush=True)

    def measure(self, case: Case) -> dict[str, Any]:
        """One row."""
        from contenders import Vkml, peers

        host = self.pool.inputs(case)
        own = Vkml(
            case.workload, self.device,
            [upload(self.device, arrays, case.offset) for arrays in host],
        )  # fmt: skip
        results, poisoned = own.poisoned(0, 4 * case.elements)
        error, right = check(case, host[0], results)
        del results
        if not right:
            self.say(f"{case}: WRONG, error {error:.3g}")
        on_processor = self.software or case.exponent <= self.options.host_sizes
        contenders: list[Any] = [own]
        if not self.options.no_peers:
            contenders += peers(case.workload, host, self.gpu, on_processor, self.say)
        streams, floors = self._floors(case, host)
        try:
            samples = self._rounds([*contenders, *floors], case.sets)
        finally:
            kernels = {id(floor.kernel): floor.kernel for floor in floors}
            for kernel in kernels.values():
                self.runner.forget(kernel)
            if streams is not None:
                self.runner.release(streams)
            del contenders[1:]
            if self.gpu:
                import torch

                torch.cuda.empty_cache()
        row = self._row(case, samples, floors)
        row["check"] = {"error": error, "right": right, "poisoned": poisoned}
        return row

    def _floors(self, case: Case, host: list[list[np.ndarray]]) -> tuple[Any, list[Any]]:
        """The best variants of the hand-written kernels, after a short trial of all."""
        if self.runner is None:
            return None, []
        from contenders import Floor
        from floors.variants import map_variants, transpose_variants

        workload, runner = case.workload, self.runner
        sets = [[window(array, case.offset) for array in arrays] for arrays in host]
        streams = runner.streams(sets, [4 * case.elements] * workload.outputs, 0xFF)
        side = case.shape[-1]
        quick = self.options.quick
        chosen = []
        for exact in (False, True) if workload.functions else (False,):
            name = "exact floor" if exact else "floor"
            try:
                if case.layout == "square":
                    variants = transpose_variants(case.offset, quick)
                else:
                    variants = map_variants(
                        workload.floor, case.offset, case.layout == "rows", exact, quick,
                        self.device.limits.rounding_rte32 and self.device.limits.signed_zero32,
                    )  # fmt: skip
                kernels = runner.kernels(streams, variants, case.elements, side)
                candidates = [Floor(name, runner, kernel) for kernel in kernels]
                best = self._trial(candidates, streams.sets)
                self._verify(case, host[0], streams, best[0])
                chosen += best
                for floor in candidates:
                    if floor not in best:
                        runner.forget(floor.kernel)
            except Exception as error:
                self.say(f"{case}: {name}: {type(error).__name__}: {error}")
        return streams, chosen

    def _trial(self, candidates: list[Any], sets: int) -> list[Any]:
        """The best of the candidates by a few runs each."""
        times: dict[int, list[float]] = {}
        for round_ in range(4 if self.options.quick else 6):
            for place, one in enumerate(candidates):
                seconds = one.run((round_ + place) % sets)[self.metric]
                if round_:  # the first run compiles
                    times.setdefault(place, []).append(seconds)
        order = sorted(times, key=lambda place: min(times[place]))
        return [candidates[place] for place in order[: 2 if self.options.quick else 3]]

    def _verify(self, case: Case, arrays: list[np.ndarray], streams: Any, floor: Any) -> None:
        """A floor that computes something else is none."""
        results = [
            self.runner.read(streams, case.workload.inputs + n, 0, 4 * case.elements)
            .view(np.float32)
            .reshape(case.shape)
            for n in range(case.workload.outputs)
        ]
        error, _ = check(case, arrays, results)
        written = not any(np.isnan(result).any() for result in results)
        if not written or error > 1e-3:
            raise RuntimeError(f"{floor.kernel.variant.label} is wrong by {error:.3g}")

    def _rounds(self, contenders: list[Any], sets: int) -> dict[int, dict[str, list[float]]]:
        """Samples of each contender, taken by turns in changing order."""
        samples: dict[int, dict[str, list[float]]] = {n: {} for n in range(len(contenders))}
        spent = 0.0
        seconds = self.options.seconds
        fewest, most = (5, 30) if self.options.quick else (9, 100)
        order = list(range(len(contenders)))
        shuffled = random.Random(3)
        gc.collect()
        for round_ in range(most + 2):
            shuffled.shuffle(order)
            for place in order:
                times = contenders[place].run((round_ * 7 + place) % sets)
                spent += times["wall"]
                if round_ >= 2:  # the first rounds warm up
                    for kind, value in times.items():
                        samples[place].setdefault(kind, []).append(value)
            done = round_ - 1
            if (done >= fewest and spent > seconds) or (done >= 3 and spent > 6 * seconds):
                break
            if done >= 3 and self.budget.left() < 0:
                break
        return {
            n: {**found, "name": contenders[n].name}  # type: ignore[dict-item]
            for n, found in samples.items()
        }

    def _row(
        self, case: Case, samples: dict[int, dict[str, Any]], floors: list[Any]
    ) -> dict[str, Any]:
        """Medians, spreads and ratios of one case."""
        results: dict[str, Any] = {}
        first_floor = len(samples) - len(floors)
        for place, found in samples.items():
            name = found.pop("name")
            entry: dict[str, Any] = {
                kind: {"median": median(values), "spread": spread(values)}
                for kind, values in found.items()
            }
            entry["samples"] = len(found["wall"])
            if place >= first_floor:
                entry["variant"] = floors[place - first_floor].kernel.variant.label
                old = results.get(name)
                if old and old[self.metric]["median"] <= entry[self.metric]["median"]:
                    continue
            results[name] = entry
        own = results["vkml"]
        ratios = {}
        for name, entry in results.items():
            if name != "vkml":
                ratios[name] = {
                    kind: entry[kind]["median"] / own[kind]["median"]
                    for kind in ("device", "wall", "processor")
                    if kind in entry and kind in own
                }
        return {
            "workload": case.workload.name,
            "exponent": case.exponent,
            "layout": case.layout,
            "offset": case.offset,
            "elements": case.elements,
            "bytes": case.nbytes,
            "metric": self.metric,
            "copy": self.copy_rate(case.exponent),
            "results": results,
            "ratios": ratios,
        }

    def copy_rate(self, exponent: int) -> float | None:
        """Bytes a second of the best copy kernel at this size, by the metric of the device."""
        if self.runner is None:
            return None
        if exponent not in self.copies:
            from contenders import Floor
            from floors.variants import map_variants

            copy = Workload("copy", 1, 1, {}, floor="copy")
            case = Case(copy, exponent, "1-D", 0)
            streams = self.runner.streams(self.pool.inputs(case), [4 * case.elements], 0xFF)
            variants = map_variants("copy", 0, False, False, self.options.quick, False)
            kernels = self.runner.kernels(streams, variants, case.elements, 1)
            best = self._trial([Floor("copy", self.runner, one) for one in kernels], streams.sets)
            times = [best[0].run(n % streams.sets)[self.metric] for n in range(12)][2:]
            for kernel in kernels:
                self.runner.forget(kernel)
            self.runner.release(streams)
            self.copies[exponent] = case.nbytes / median(times)
        return self.copies[exponent]


HEADS = (
    "workload", "size", "layout", "offset", "device ms", "wall ms", "GB/s", "of copy", "floor",
    "exact floor", "torch.compile", "PyTorch", "NumPy", "NumExpr", "PyTorch CPU",
)  # fmt: skip


def cells(row: dict[str, Any]) -> list[str]:
    """A row of the table."""
    own, metric = row["results"]["vkml"], row["metric"]

    def ratio(name: str, kind: str) -> str:
        value = row["ratios"].get(name, {}).get(kind)
        return number(value) if value is not None else "-"

    rate = row["bytes"] / own[metric]["median"]
    device = own.get("device")
    return [
        row["workload"],
        f"2^{row['exponent']}",
        row["layout"],
        str(row["offset"]),
        number(device["median"] * 1e3) if device else "-",
        number(own["wall"]["median"] * 1e3),
        number(row["bytes"] / (device or own["wall"])["median"] / 1e9),
        number(rate / row["copy"]) if row["copy"] else "-",
        ratio("floor", metric),
        ratio("exact floor", metric),
        ratio("torch.compile", "device"),
        ratio("PyTorch", "device"),
        ratio("NumPy", "wall"),
        ratio("NumExpr", "wall"),
        ratio("PyTorch CPU", "wall"),
    ]


def cases(options: argparse.Namespace, largest: int) -> list[Case]:
    """What is measured, the most telling sizes first."""
    if options.sizes:
        exponents = [int(part) for part in options.sizes.split(",")]
    else:
        exponents = [20, 16] if options.quick else [24, 28, 20, 16]
        if options.quick and largest > 24:
            exponents = [24]
    exponents = [exponent for exponent in exponents if exponent <= largest]
    wanted = [part.lower() for part in options.only.split(",")] if options.only else [""]
    chosen = [one for one in WORKLOADS if any(part in one.name.lower() for part in wanted)]
    if not chosen:
        names = ", ".join(one.name for one in WORKLOADS)
        raise SystemExit(f"--only {options.only}: no such workload; there are {names}")
    chosen.sort(key=lambda one: one.positive)  # so that the random numbers are made but twice
    found = [
        Case(workload, exponent, layout, offset)
        for exponent in exponents
        for offset in (0, 1)
        for place in range(2)
        for workload in chosen
        for layout in workload.layouts[place : place + 1]
    ]
    if options.quick and not options.sizes:
        found = [case for case in found if not (case.offset and case.layout == "rows")]
    return found


def worst(rows: list[dict[str, Any]]) -> list[str]:
    """The worst ratio of each contender, over sizes of 2^24 and up where there are any."""
    lines = []
    large = [row for row in rows if row["exponent"] >= 24] or rows
    for name, kind in (
        ("floor", None), ("exact floor", None), ("torch.compile", "device"), ("PyTorch", "device"),
        ("NumPy", "wall"), ("NumExpr", "wall"), ("PyTorch CPU", "wall"),
    ):  # fmt: skip
        found = [
            (row["ratios"][name][kind or row["metric"]], row)
            for row in large
            if (kind or row["metric"]) in row["ratios"].get(name, {})
        ]
        if found:
            value, row = min(found, key=lambda pair: pair[0])
            middle = median([pair[0] for pair in found])
            lines.append(
                f"{name}: worst {number(value)} ({row['workload']}, 2^{row['exponent']}, "
                f"{row['layout']}, offset {row['offset']}), median {number(middle)} of {len(found)}"
            )
    return lines


def write_docs(paths: list[str]) -> None:
    """The tables of docs/performance.md, from JSON files."""
    parts = []
    for report in read_reports(paths, "elementwise"):
        rows = report["rows"]
        shown = [n for n in range(len(HEADS)) if any(cells(row)[n] != "-" for row in rows)]
        body = [[cells(row)[n] for n in shown] for row in rows]
        parts.append(f"### {report['machine']['device']}\n\n{on_machine(report['machine'])}\n")
        parts.append(table([HEADS[n] for n in shown], body, markdown=True))
        parts.append("\n" + "\n".join(f"- {line}" for line in worst(rows)) + "\n")
    replace_section(DOCS / "performance.md", "elementwise", "\n".join(parts))


def main() -> int:
    """Command line: see the module's docstring."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer sizes, variants and rounds")
    parser.add_argument("--sizes", help="exponents of 2, as 16,20,24,28")
    parser.add_argument("--only", help="parts of workload names, separated by commas")
    parser.add_argument("--device", help="as VKML_DEVICE")
    parser.add_argument("--json", help="file for all figures, written after each row")
    parser.add_argument("--budget", type=float, default=None, help="seconds for the whole run")
    parser.add_argument("--seconds", type=float, default=None, help="seconds a row, about")
    parser.add_argument(
        "--host-sizes", type=int, default=24, help="largest exponent for peers on the processor"
    )
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--no-floors", action="store_true")
    parser.add_argument("--write-docs", nargs="+", metavar="JSON", help="write docs/performance.md")
    options = parser.parse_args()
    if options.write_docs:
        write_docs(options.write_docs)
        return 0
    if options.budget is None:
        options.budget = 120 if options.quick else 420
    if options.seconds is None:
        options.seconds = 0.4 if options.quick else 1.0
    import vkml

    budget = Budget(options.budget)
    device = vkml.device(options.device)
    facts = machine(device)
    print(f"# {on_machine(facts)} load {facts.get('load', '-')}", flush=True)
    report = Report(options.json, "elementwise", facts)
    bench = Bench(device, options, budget)
    largest = 24 if bench.software else 28
    todo = cases(options, largest)
    wrong, left_out = 0, []
    widths = [26, 5, 7, 6, *(max(len(head), 7) for head in HEADS[4:])]
    print("  ".join(head.ljust(width) for head, width in zip(HEADS, widths, strict=True)))
    for case in todo:
        if budget.left() < 0:
            left_out.append(str(case))
            continue
        try:
            row = bench.measure(case)
        except Exception as error:
            bench.say(f"{case}: {type(error).__name__}: {error}")
            continue
        wrong += not row["check"]["right"]
        report.add(row)
        line = zip(cells(row), widths, strict=True)
        print("  ".join(cell.ljust(width) for cell, width in line).rstrip(), flush=True)
    if left_out:
        print(f"# time over: {len(left_out)} rows left out, from {left_out[0]} on")
    summary = worst(report.content["rows"]) if report.content["rows"] else []
    print("\n".join(summary))
    report.finish(left_out=left_out, summary=summary)
    if bench.runner is not None:
        bench.runner.__exit__()
    return 1 if wrong or not report.content["rows"] else 0


if __name__ == "__main__":
    sys.exit(main())
