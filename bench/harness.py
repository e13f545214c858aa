"""What all benchmarks share: time limits, medians, the machine, tables, JSON, documents."""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
if str(CHECKOUT) not in sys.path:  # so that a bare `python bench/elementwise.py` finds vkml
    sys.path.insert(0, str(CHECKOUT))
DOCS = CHECKOUT / "docs"


class Budget:
    """Seconds that a run may take in all."""

    def __init__(self, seconds: float) -> None:
        self.end = time.perf_counter() + seconds

    def left(self) -> float:
        """Seconds left; negative when the time is over."""
        return self.end - time.perf_counter()


class Report:
    """JSON that is written anew after each row, so that an interrupted run loses nothing."""

    def __init__(self, path: str | None, what: str, machine: dict[str, Any]) -> None:
        self.path = Path(path) if path else None
        self.content: dict[str, Any] = {
            "schema": 1, "what": what, "machine": machine, "rows": [], "complete": False,
        }  # fmt: skip

    def add(self, row: dict[str, Any]) -> None:
        """Keep a row."""
        self.content["rows"].append(row)
        self.write()

    def finish(self, **more: Any) -> None:
        """Mark the report as complete, with `more` facts."""
        self.content.update(more, complete=True)
        self.write()

    def write(self) -> None:
        """Write what there is."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            part = self.path.with_name(self.path.name + ".part")
            part.write_text(json.dumps(self.content, indent=1) + "\n")
            os.replace(part, self.path)


def machine(device: Any) -> dict[str, Any]:
    """Device, driver, processor and versions, for tables."""
    import numpy

    info = device.info
    facts = {
        "device": info.name,
        "type": info.type,
        "driver": f"{info.driver} {info.driver_version}".strip(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "date": time.strftime("%Y-%m-%d"),
    }
    if hasattr(os, "getloadavg"):
        facts["load"] = round(os.getloadavg()[0], 1)
    return facts


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def median(values: Sequence[float]) -> float:
    """The median; nan of nothing."""
    return statistics.median(values) if values else float("nan")


def spread(values: Sequence[float]) -> float | None:
    """Half the distance between the quartiles, as a part of the median; None of few values."""
    if len(values) < 4:
        return None
    low, middle, high = statistics.quantiles(values, n=4)
    return (high - low) / 2 / middle if middle else None


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], markdown: bool = False) -> str:
    """Columns in line: the first one left, the others right."""
    widths = [
        max(len(str(row[n])) for row in (heads, *rows)) for n in range(len(heads))
    ]

    def line(cells: Sequence[str]) -> str:
        parts = [
            str(cell).rjust(width) if n else str(cell).ljust(width)
            for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(parts)} |" if markdown else "  ".join(parts).rstrip()

    rule = ["-" * width if n == 0 else "-" * (width - 1) + ":" for n, width in enumerate(widths)]
    below = [line(rule)] if markdown else []
    return "\n".join([line(heads), *below, *(line(row) for row in rows)])


def number(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits; "-" for none."""
    if value is None or value != value:
        return "-"
    if value and abs(value) < 10 ** (digits - 1):
        return f"{value:#.{digits}g}".rstrip(".")
    return f"{value:.0f}"


@contextmanager
def timestamps(device: Any) -> Iterator[list[Any]]:
    """Executions of `device` inside the block are profiled and collected in the list."""
    runtime = device.runtime
    plain = runtime.execute
    taken: list[Any] = []

    def execute(program: Any, buffers: Any, scalars: Any, profile: bool = False) -> Any:
        execution = plain(program, buffers, scalars, profile=True)
        taken.append(execution)
        return execution

    runtime.execute = execute
    try:
        yield taken
    finally:
        del runtime.execute


def device_seconds(executions: Sequence[Any]) -> float:
    """Seconds that the device worked on profiled executions."""
    return sum(sum(one.step_nanoseconds()) for one in executions) * 1e-9


def replace_section(path: Path, name: str, text: str) -> None:
    """Put `text` between the lines `<!-- name:begin -->` and `<!-- name:end -->` of a document."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    old = path.read_text()
    if begin not in old or end not in old:
        raise SystemExit(f"{path}: no section {name}")
    before, rest = old.split(begin, 1)
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{rest.split(end, 1)[1]}")


def read_reports(paths: Sequence[str], what: str) -> list[dict[str, Any]]:
    """The reports in JSON files; SystemExit names one that is not about `what`."""
    found = []
    for path in paths:
        content = json.loads(Path(path).read_text())
        if content.get("what") != what:
            raise SystemExit(f"{path} is about {content.get('what')!r}, not {what!r}")
        found.append(content)
    return found


def on_machine(facts: dict[str, Any]) -> str:
    """One sentence that names the machine of a report."""
    return (
        f"{facts['device']}, driver {facts['driver']}; {facts['processor']}, {facts['cores']} "
        f"cores; Python {facts['python']}, NumPy {facts['numpy']}; {facts['date']}."
    )
