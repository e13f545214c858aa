"""Bits of two devices side by side: files of hashes, random graphs, and docs/numerics.md."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from harness import DOCS, number, on_machine, read_reports, replace_section, table


class Hashes:
    """A file of hashes of one device: functions by name, random graphs by number."""

    def __init__(self, path: str | None, facts: dict[str, Any]) -> None:
        self.path = Path(path) if path else None
        self.functions: dict[str, Any] = {}
        self.graphs: dict[str, Any] = {}
        if self.path is not None and self.path.exists():
            old = json.loads(self.path.read_text())
            names = ("device", "driver", "mode", "verdicts", "code")
            if all(old["machine"].get(name) == facts[name] for name in names):
                self.functions, self.graphs = old["functions"], old["graphs"]
        self.facts = facts

    def add_function(self, found: dict[str, Any]) -> None:
        """Keep the hashes of one row of a report."""
        names = ("hash", "hash_any_nan", "subset_hash", "subset_hash_any_nan", "step", "pairs")
        self.functions[found["function"]] = {name: found[name] for name in names}
        self.write()

    def add_graph(self, name: str, value: dict[str, Any]) -> None:
        """Keep the hashes of one graph."""
        self.graphs[name] = value

    def write(self) -> None:
        """Write the file."""
        if self.path is not None:
            content = {
                "machine": self.facts, "functions": self.functions, "graphs": self.graphs,
            }  # fmt: skip
            self.path.write_text(json.dumps(content, indent=1) + "\n")


def graph_hashes(
    count: int, device: Any, expired: Callable[[], bool]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Hashes of every value of random graphs 0, 1, …, as the property tests draw them."""
    if not count:
        return
    from tests.property.generator import DRAWN, program
    from tests.property.replay import Replay

    failed = 0
    for seed in range(count):
        if expired():
            print(f"# time over: {count - seed} graphs left out")
            break
        steps = program(random.Random(seed), DRAWN)
        try:
            tensors = Replay(steps, device).run()
            values = [tensors[number].numpy() for number in sorted(tensors)]
        except Exception as error:
            failed += 1
            yield str(seed), {"error": f"{type(error).__name__}: {error}"[:200]}
            continue
        bits, any_nan = hashlib.sha256(), hashlib.sha256()
        for value in values:
            head = f"{value.shape} {value.dtype} ".encode()
            bits.update(head + value.tobytes())
            if value.dtype.kind == "f":
                value = np.where(np.isnan(value), value.dtype.type(np.nan), value)
            any_nan.update(head + value.tobytes())
        yield str(seed), {
            "steps": len(steps),
            "hash": bits.hexdigest()[:16],
            "hash_any_nan": any_nan.hexdigest()[:16],
        }
    print(f"# {count} random graphs, {failed} raised", flush=True)


def same_function(first: dict[str, Any], second: dict[str, Any]) -> tuple[str, str]:
    """How the results of a function agree on two devices, and over which inputs that is known."""
    if first["pairs"] is not None:
        if first["pairs"] != second["pairs"]:
            return "not comparable", "other pairs"
        names, over = ("hash", "hash_any_nan"), "all pairs"
    elif first["step"] == second["step"]:
        names = ("hash", "hash_any_nan")
        over = "all inputs" if first["step"] == 1 else f"1 of {first['step']} inputs"
    else:
        names, over = ("subset_hash", "subset_hash_any_nan"), "the common subset"
        steps = {first["step"], second["step"]}
        if not any(step == 1 for step in steps):
            return "not comparable", "other samples"
    if first[names[0]] == second[names[0]]:
        return "same bits", over
    if first[names[1]] == second[names[1]]:
        return "same but for NaN payloads", over
    return "different", over


def same_graph(first: dict[str, Any], second: dict[str, Any]) -> str:
    """How the values of a graph agree on two devices."""
    if "error" in first or "error" in second:
        return "same error" if first == second else "error"
    if first["hash"] == second["hash"]:
        return "same bits"
    same = first["hash_any_nan"] == second["hash_any_nan"]
    return "same but for NaN payloads" if same else "different"


def compare(paths: list[str]) -> int:
    """Print how the devices of files of hashes agree with the first file's; 1 where they do not."""
    contents = [json.loads(Path(path).read_text()) for path in paths]
    first = contents[0]
    bad = 0
    for other in contents[1:]:
        print(f"{first['machine']['device']} against {other['machine']['device']}")
        both = [name for name in first["functions"] if name in other["functions"]]
        counts: dict[str, list[str]] = {}
        for name in both:
            how, over = same_function(first["functions"][name], other["functions"][name])
            counts.setdefault(f"{how} over {over}", []).append(name)
            bad += how == "different"
        for how, names in counts.items():
            print(f"  {len(names)} functions {how}: {', '.join(names)}")
        verdicts: dict[str, list[str]] = {}
        for name in first["graphs"]:
            if name in other["graphs"]:
                how = same_graph(first["graphs"][name], other["graphs"][name])
                verdicts.setdefault(how, []).append(name)
                bad += how in ("different", "error")
        for how, names in verdicts.items():
            shown = "" if how == "same bits" else f": {', '.join(names[:40])}"
            print(f"  {len(names)} random graphs {how}{shown}")
    return 1 if bad else 0


def _inputs(found: dict[str, Any]) -> str:
    if found["arity"] == 2:
        return f"{found['count'] / 2**20:.0f} Mi pairs"
    return "all 2^32" if found["step"] == 1 else f"1 of {found['step']}"


def write_docs(paths: list[str]) -> None:
    """The tables of docs/numerics.md, from JSON files of several devices."""
    reports = read_reports(paths, "accuracy")
    by_name: dict[str, list[dict[str, Any] | None]] = {}
    for place, report in enumerate(reports):
        for found in report["rows"]:
            by_name.setdefault(found["function"], [None] * len(reports))[place] = found
    short = [report["machine"]["device"].split(" (")[0] for report in reports]
    heads = ["function", "promise"]
    for name in short:
        heads += [f"{name}: inputs", "max ulp", "at", "special"]
    if len(reports) > 1:
        heads.append("bits")
    body = []
    for name, found in by_name.items():
        known = [one for one in found if one is not None]
        tolerance = known[0]["tolerance"]
        star = "*" if known[0]["scale"] == "operands" else ""
        cells = [name, f"{tolerance:g}{star}" if tolerance else "exact"]
        for one in found:
            if one is None or "max_ulp" not in one:
                cells += ["-"] * 4
                continue
            at = " ".join(word[2:] for word in one["at"]) if one["max_ulp"] else "-"
            worst = number(one["max_ulp"]) if one["max_ulp"] else "0"
            cells += [_inputs(one), worst, at, str(one["special_values_differ"])]
        if len(reports) > 1:
            cells.append(same_function(known[0], known[1])[0] if len(known) > 1 else "-")
        body.append(cells)
    parts = []
    for report in reports:
        facts = report["machine"]
        references = sorted({found["reference"] for found in report["rows"]})
        parts.append(
            f"- {on_machine(facts)} Mode {facts['mode']}, verdicts: {facts['verdicts']}. "
            f"Reference: {'; '.join(references)}."
        )
    parts.append("\n" + table(heads, body, markdown=True))
    if len(reports) > 1 and all(report.get("graphs") for report in reports[:2]):
        first, second = reports[0]["graphs"], reports[1]["graphs"]
        hows = [same_graph(first[name], second[name]) for name in first if name in second]
        counted = ", ".join(f"{hows.count(how)} {how}" for how in dict.fromkeys(hows))
        parts.append(f"\nRandom graphs on both: {counted}.")
    replace_section(DOCS / "numerics.md", "accuracy", "\n".join(parts))
