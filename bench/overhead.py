"""What vkml costs the host: recording, realizing, submitting, waiting, starting.

    python bench/overhead.py
    python bench/overhead.py --quick --only record,realize --json out.json
    python bench/overhead.py --write-docs h200.json lavapipe.json

Host work is the time of a call less the time inside the submit and the wait of the driver. Beside a
busy thread both of those also hold the wait for Python's lock.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
from starting import first_value, import_times

ELEMENTS = 1024
OPERATIONS = 20
PARAMETERS = 300
NODES = 10_000


def chain(x: Any, y: Any, operations: int) -> Any:
    """Operations on x and y: times a constant and plus y, by turns."""
    t = x
    for _ in range(operations // 2):
        t = t * 0.5 + y
    return t


class Driver:
    """Seconds spent inside submit and wait of a device's queue."""

    def __init__(self) -> None:
        self.submit = 0.0
        self.wait = 0.0

    def clear(self) -> None:
        """Start anew."""
        self.submit = self.wait = 0.0


@contextmanager
def driver_times(device: Any) -> Iterator[Driver]:
    """Inside the block the time of the queue's calls is added up."""
    times = Driver()
    queue = getattr(device.runtime, "_queue", None)
    if queue is None:  # the cpu device has none
        yield times
        return
    vk = queue.vk
    clock = time.perf_counter

    class Timed:
        """The queue's functions, two of them with a clock around them."""

        def __getattr__(self, name: str) -> Any:
            return getattr(vk, name)

        @staticmethod
        def vkQueueSubmit(*arguments: Any) -> Any:
            start = clock()
            result = vk.vkQueueSubmit(*arguments)
            times.submit += clock() - start
            return result

    plain_wait = queue.wait

    def wait(value: int) -> None:
        start = clock()
        plain_wait(value)
        times.wait += clock() - start

    timed = Timed()
    try:
        queue.vk = timed
        _set(queue, "wait", wait)
        yield times
    finally:
        queue.vk = vk
        _unset(queue, "wait")


def _set(item: Any, name: str, value: Any) -> None:
    item.__dict__[name] = value


def _unset(item: Any, name: str) -> None:
    item.__dict__.pop(name, None)


@contextmanager
def busy_thread() -> Iterator[None]:
    """A thread that never stops running Python."""
    running = True

    def spin() -> None:
        count = 0
        while running:
            count += 1

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    try:
        yield
    finally:
        running = False
        thread.join()


class Overhead:
    """The measurements of one device."""

    def __init__(self, device: Any, options: argparse.Namespace) -> None:
        import vkml

        self.device = device
        self.options = options
        self.repeats = 60 if options.quick else 300
        self.rows: list[dict[str, Any]] = []
        random = np.random.default_rng(5)
        self.hosts = [random.random(ELEMENTS, dtype=np.float32) for _ in range(2)]
        self.x, self.y = (vkml.tensor(one, device=device) for one in self.hosts)

    def add(
        self, name: str, values: list[float], unit: str = "us", target: float | None = None,
        note: str = "",
    ) -> float:  # fmt: skip
        """A row from seconds (or counts); returns the median in the unit."""
        scale = {"us": 1e6, "ms": 1e3}.get(unit, 1.0)
        middle = median(values) * scale
        self.rows.append({
            "name": name, "value": middle, "spread": spread(values), "unit": unit,
            "target": target, "met": None if target is None else middle <= target, "note": note,
        })  # fmt: skip
        return middle

    def record(self) -> None:
        """Seconds to record one operation."""
        count = 2000
        x, y = self.x, self.y
        clock = time.perf_counter

        def empty() -> None:
            for _ in range(count):
                pass

        def two() -> None:
            for _ in range(count):
                _ = x + y

        def scalar() -> None:
            for _ in range(count):
                _ = x * 0.5

        def one() -> None:
            for _ in range(count):
                _ = -x

        def linked() -> None:
            t = x
            for _ in range(count // 2):
                t = t * 0.5 + y

        samples: dict[str, list[float]] = {}
        names = {
            "record x + y": two, "record x * 0.5": scalar, "record -x": one,
            "record an operation of a chain t * 0.5 + y": linked,
        }  # fmt: skip
        for _ in range(20 if self.options.quick else 60):
            for name, function in {"": empty, **names}.items():
                start = clock()
                function()
                samples.setdefault(name, []).append((clock() - start) / count)
        nothing = median(samples.pop(""))
        for name, values in samples.items():
            self.add(name, [value - nothing for value in values[3:]], target=1.2)

    def _realize(self, operations: int, repeats: int) -> dict[str, list[float]]:
        """Host work, submit, wait and whole time of realizing a graph seen before."""
        found: dict[str, list[float]] = {"host": [], "submit": [], "wait": [], "whole": []}
        clock = time.perf_counter
        with driver_times(self.device) as times:
            for n in range(repeats + 5):
                t = chain(self.x, self.y, operations)
                times.clear()
                start = clock()
                t.realize()
                realized = clock()
                submit = times.submit
                self.device.runtime.synchronize()
                end = clock()
                if n >= 5:
                    found["host"].append(realized - start - submit)
                    found["submit"].append(submit)
                    found["wait"].append(times.wait)
                    found["whole"].append(end - start)
        return found

    def realize(self) -> None:
        """A graph seen before: by number of operations, and beside a busy thread."""
        by_size = {n: self._realize(n, self.repeats) for n in (10, OPERATIONS, 40, 80)}
        quiet = by_size[OPERATIONS]
        name = f"realize a seen graph of {OPERATIONS} operations, host work"
        self.add(name, quiet["host"], target=25)
        sizes = np.array(list(by_size), float)
        medians = np.array([median(found["host"]) for found in by_size.values()])
        self.add("  each operation more", [float(np.polyfit(sizes, medians, 1)[0])], target=0.5)
        self.add("  its submit", quiet["submit"])
        self.add("  its wait", quiet["wait"])
        self.add("  realize and wait, whole", quiet["whole"])
        with busy_thread():
            busy = self._realize(OPERATIONS, min(self.repeats, 100))
        host = self.add("  host work beside a busy Python thread", busy["host"])
        self.add(
            "  the same as a multiple of the quiet figure",
            [host * 1e-6 / median(quiet["host"])], unit="x", target=3,
        )  # fmt: skip
        self.add("  whole beside a busy Python thread", busy["whole"])

    def value(self) -> None:
        """From recording to a value on the host."""
        clock = time.perf_counter
        lazy, plain = [], []
        for n in range(self.repeats + 5):
            start = clock()
            chain(self.x, self.y, OPERATIONS).numpy()
            middle = clock()
            chain(*self.hosts, OPERATIONS)
            end = clock()
            if n >= 5:
                lazy.append(middle - start)
                plain.append(end - middle)
        gpu = self.device.info.type not in ("software", "cpu")
        self.add(
            f"{OPERATIONS} operations on {ELEMENTS} elements, record to host value", lazy,
            target=70 if gpu else None,
        )  # fmt: skip
        self.add("  NumPy's time for them", plain)
        if gpu:
            self._torch()

    def _torch(self) -> None:
        try:
            import torch

            x, y = (torch.from_numpy(one).cuda() for one in self.hosts)


            def plain(a: Any, b: Any) -> Any:
                return chain(a, b, OPERATIONS)

            compiled = torch.compile(plain)
            for name, function in (("eager", plain), ("compile", compiled)):
                samples = []
                for n in range(self.repeats + 5):
                    start = time.perf_counter()
                    function(x, y).cpu()
                    if n >= 5:
                        samples.append(time.perf_counter() - start)
                self.add(f"  PyTorch's ({name})", samples)
        except Exception as error:  # a peer's fault must not end the run
            print(f"# PyTorch: {type(error).__name__}: {str(error)[:160]}")

    def assign(self) -> None:
        """A step that moves many parameters by one formula."""
        import vkml

        device = self.device
        hosts = np.random.default_rng(6).random((2, PARAMETERS, ELEMENTS), dtype=np.float32)
        parameters = [vkml.tensor(one, device=device) for one in hosts[0]]
        steps = [vkml.tensor(one, device=device) for one in hosts[1]]
        vkml.realize(*parameters, *steps)
        recorded, host = [], []
        before: dict[str, int] = {}
        count = 10 if self.options.quick else 30
        with driver_times(device) as times:
            for n in range(count + 3):
                if n == 3:
                    before = vkml.counters()
                start = time.perf_counter()
                for parameter, step in zip(parameters, steps, strict=True):
                    parameter.assign_(parameter - step * 0.01)
                middle = time.perf_counter()
                times.clear()
                vkml.realize(*parameters)
                end = time.perf_counter()
                submit = times.submit
                device.runtime.synchronize()
                if n >= 3:
                    recorded.append(middle - start)
                    host.append(end - middle - submit)
        after = vkml.counters()
        self.add(f"assign_ to {PARAMETERS} parameters, record", recorded, unit="ms")
        self.add("  realize, host work", host, unit="ms")
        for name, target in (("dispatches", 8), ("submissions", 1)):
            each = (after[name] - before[name]) / count
            self.add(f"  {name} a step", [each], unit="", target=target)

    def long(self) -> None:
        """The first realize of a long graph."""
        from vkml.codegen import shaderc

        device = self.device
        plain = shaderc.compile_kernels
        compiling = [0.0]

        def timed(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return plain(*arguments, **named)
            finally:
                compiling[0] += time.perf_counter() - start

        shaderc.compile_kernels = timed  # type: ignore[assignment]
        try:
            start = time.perf_counter()
            t = chain(self.x, self.y, NODES)
            recorded = time.perf_counter()
            t.realize()
            device.runtime.synchronize()
            first = time.perf_counter() - recorded
        finally:
            shaderc.compile_kernels = plain
        self.add(f"record {NODES} operations", [recorded - start], unit="ms")
        self.add("  first realize and wait, all compiling included", [first], unit="ms")
        self.add("  of it the shader compiler", [compiling[0]], unit="ms")
        again = []
        for _ in range(3):
            device.plans.clear()
            t = chain(self.x, self.y, NODES)
            start = time.perf_counter()
            t.realize()
            again.append(time.perf_counter() - start)
            device.runtime.synchronize()
        self.add("  planned anew with its kernels known", again, unit="ms", target=1000)
        seen = []
        for _ in range(5):
            t = chain(self.x, self.y, NODES)
            start = time.perf_counter()
            t.realize()
            seen.append(time.perf_counter() - start)
            device.runtime.synchronize()
        self.add("  realized again", seen, unit="ms")

    def imports(self) -> None:
        """Import of vkml against NumPy's."""
        runs = [import_times() for _ in range(5 if self.options.quick else 11)]
        self.add("import numpy", [one["numpy"] for one in runs], unit="ms")
        self.add("import vkml after it", [one["vkml"] for one in runs], unit="ms", target=50)

    def starting(self) -> None:
        """The first value of a new process."""
        cold, warm = first_value(self.device.name, 3 if self.options.quick else 7)
        self.add("new process, empty caches: device open", [cold["open"]], unit="ms")
        self.add("  first value after that", [cold["value"]], unit="ms")
        self.add("  shader compiles", [cold["shaderc_compiles"]], unit="")
        self.add("new process, warm caches: device open", [one["open"] for one in warm], unit="ms")
        self.add("  first value after that", [one["value"] for one in warm], unit="ms", target=150)
        compiles = [one["shaderc_compiles"] for one in warm]
        self.add("  shader compiles", compiles, unit="", target=0)


PARTS: dict[str, Callable[[Overhead], None]] = {
    name: getattr(Overhead, name)
    for name in ("record", "realize", "value", "assign", "long", "imports", "starting")
}
HEADS = ("what", "median", "unit", "spread", "target", "met")


def cells(row: dict[str, Any], markdown: bool = False) -> list[str]:
    """A row of the table."""
    name = row["name"]
    if markdown and name.startswith("  "):
        name = "— " + name.strip()
    percent = "-" if row["spread"] is None else f"{row['spread']:.0%}"
    return [
        name,
        number(row["value"]),
        row["unit"],
        percent,
        "-" if row["target"] is None else f"<= {row['target']:g}",
        {None: "", True: "yes", False: "no"}[row["met"]],
    ]


def write_docs(paths: list[str]) -> None:
    """The tables of docs/performance.md, from JSON files."""
    parts = []
    for report in read_reports(paths, "overhead"):
        parts.append(f"### {report['machine']['device']}\n\n{on_machine(report['machine'])}\n")
        body = [cells(row, markdown=True) for row in report["rows"]]
        parts.append(table(HEADS, body, markdown=True) + "\n")
    replace_section(DOCS / "performance.md", "overhead", "\n".join(parts))


def main() -> int:
    """Command line: see the module's docstring."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--only", help=f"parts separated by commas, of {', '.join(PARTS)}")
    parser.add_argument("--device", help="as VKML_DEVICE")
    parser.add_argument("--json", help="file for all figures, written after each part")
    parser.add_argument("--budget", type=float, default=240, help="seconds for the whole run")
    parser.add_argument("--write-docs", nargs="+", metavar="JSON", help="write docs/performance.md")
    options = parser.parse_args()
    if options.write_docs:
        write_docs(options.write_docs)
        return 0
    chosen = options.only.split(",") if options.only else list(PARTS)
    unknown = set(chosen) - set(PARTS)
    if unknown:
        raise SystemExit(f"--only: no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    import vkml

    budget = Budget(options.budget)
    device = vkml.device(options.device)
    facts = machine(device)
    print(f"# {on_machine(facts)} load {facts.get('load', '-')}", flush=True)
    report = Report(options.json, "overhead", facts)
    bench = Overhead(device, options)
    failed = []
    left_out = []
    for name in chosen:
        if budget.left() < 0:
            left_out.append(name)
            continue
        try:
            PARTS[name](bench)
        except Exception as error:
            failed.append(name)
            print(f"# {name}: {type(error).__name__}: {error}", flush=True)
        for row in bench.rows[len(report.content["rows"]) :]:
            report.add(row)
    print(table(HEADS, [cells(row) for row in bench.rows]))
    if left_out:
        print(f"# time over: {', '.join(left_out)} left out")
    report.finish(left_out=left_out, failed=failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
