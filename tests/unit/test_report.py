"""Explanations: edges, what they say before and after computing, and their text."""

from __future__ import annotations

import gc
import json
from collections import OrderedDict
from pathlib import Path

import pytest

import vkml
from vkml import errors, evaluate
from vkml.codegen.capture import LEAF, VIEW, Entry, Graph
from vkml.codegen.edges import FUSED, edges
from vkml.codegen.kernels import Outlines
from vkml.codegen.plan import plan
from vkml.limits import DeviceLimits, Verdicts
from vkml.shapes import Layout, contiguous
from vkml.typeset import size

FILE = Path(__file__).name


def on_cpu(*values: float) -> vkml.Tensor:
    return vkml.tensor(list(values), vkml.float32, device="cpu")


def entry(op: str, *sources: int, shape: tuple[int, ...] = (8,)) -> Entry:
    return Entry(op, sources, "float32", contiguous(shape), 0 if op == LEAF else -1)


def outlined(*entries: Entry, roots: tuple[int, ...], fuse: bool = True, **limits: int):
    """The edges of a graph: (producer, consumer, verdict, reason)."""
    made = plan(
        Graph(entries, roots), DeviceLimits(**limits), Outlines(Verdicts()), fuse=fuse
    )  # fmt: skip
    return [(e.producer, e.consumer, e.verdict, e.reason) for e in edges(made)], made


# ---- edges ----------------------------------------------------------------------------------


def test_an_edge_in_one_kernel_is_fused():
    found, _ = outlined(entry(LEAF), entry("exp", 0), entry("add", 1, 0), roots=(2,))
    assert found == [(1, 2, "fused", FUSED)]


def test_an_observed_value_stays_in_a_register_too():
    found, _ = outlined(entry(LEAF), entry("exp", 0), entry("add", 1, 0), roots=(1, 2))
    assert found == [(1, 2, "fused", f"{FUSED}; stored as well: observed")]


def test_without_fusion_every_edge_is_stored():
    found, _ = outlined(
        entry(LEAF), entry("exp", 0), entry("sin", 1), entry("add", 1, 2), roots=(3,), fuse=False
    )
    assert found == [
        (1, 2, "stored", "eager"), (1, 3, "stored", "eager"), (2, 3, "stored", "eager"),
    ]  # fmt: skip


def test_a_limit_is_named():
    chain = [entry(LEAF)]
    chain += [entry("sin", number) for number in range(20)]
    found, made = outlined(*chain, roots=(20,), region_budget=256)
    stored = [edge for edge in found if edge[2] == "stored"]
    assert len(stored) == len(made.program.steps) - 1 > 0
    assert {edge[3] for edge in stored} == {"a kernel may have 256 statements"}
    leaves = [Entry(LEAF, (), "float32", contiguous((8,)), number) for number in range(9)]
    sums = [entry("add", 0, 1), *(entry("add", 8 + n, n + 1) for n in range(1, 8))]
    found, _ = outlined(*leaves, *sums, roots=(16,), max_storage_buffers=4)
    assert {edge[3] for edge in found if edge[2] == "stored"} == {"a kernel may bind 4 arrays"}


def test_a_value_behind_views_is_repeated_or_stored_by_price():
    def uses(op: str, size: int):
        wide = entry(op, 0, shape=(size,))
        views = [
            Entry(VIEW, (1,), "float32", Layout((size - 2,), (1,), start), moved=True)
            for start in range(3)
        ]
        total = entry("add", 2, 3, shape=(size - 2,))
        return outlined(
            entry(LEAF, shape=(size,)), wide, *views, total, entry("add", 5, 4, shape=(size - 2,)),
            roots=(6,),
        )  # fmt: skip

    found, made = uses("negative", 8)
    assert [edge[:3] for edge in found] == [
        (1, 5, "repeated"), (1, 5, "repeated"), (5, 6, "fused"), (1, 6, "repeated"),
    ]  # fmt: skip
    assert found[0][3] == "cheap to repeat"
    prices = [(e.recompute_bytes, e.store_bytes, e.view) for e in edges(made)]
    assert 0 < prices[0][0] < prices[0][1]
    assert [price[2] for price in prices] == [True, True, False, True]
    found, made = uses("sin", 1 << 22)
    assert [edge[2] for edge in found] == ["stored", "stored", "fused", "stored"]
    assert found[0][3] == "dear to repeat"
    first = edges(made)[0]
    assert first.recompute_bytes > first.store_bytes > 0


# ---- explain ----------------------------------------------------------------------------------


def test_before_and_after_computing():
    a = on_cpu(1, 2, 3)
    b = vkml.exp(a) * 2 + 1
    gc.collect()
    before = vkml.counters()
    planned = vkml.explain(b)
    after = vkml.counters()
    assert before == after
    assert not b._node.computed
    (part,) = planned.parts
    assert not part.computed
    assert [operation.op for operation in part.operations] == ["exp", "multiply", "add"]
    assert planned.totals == {
        "regions_planned": 1, "kernels": 1, "dispatches": 1, "submissions": 1, "bytes_moved": 24,
        "bytes_unfused": 72,
    }  # fmt: skip
    assert [edge.verdict for edge in part.edges] == ["fused", "fused"]
    assert (part.edges[0].producer, part.edges[0].consumer) == (1, 2)
    b.numpy()
    (ran,) = vkml.explain(b).parts
    assert ran.computed
    assert ran.operations == part.operations
    assert ran.kernels == part.kernels
    counted = {name: vkml.counters()[name] - after[name] for name in ("dispatches", "bytes_moved")}
    assert counted == {name: ran.totals[name] for name in counted}


def test_totals_are_counters():
    planned = vkml.explain(on_cpu(1, 2) + 1)
    assert planned.totals.keys() <= vkml.counters().keys()


def test_the_dict_is_plain():
    x = on_cpu(1, 2)
    found = vkml.explain(vkml.exp(x) + x, x).to_dict()
    again = json.loads(json.dumps(found))
    assert again["schema"] == 1
    assert again["totals"]["kernels"] == 1
    (part,) = again["parts"]
    assert part["regions"][0] == {
        "number": 1, "kind": "map", "shape": [2], "operations": [1, 2], "outputs": [2],
        "dispatches": [1],
    }  # fmt: skip
    assert [array["memory"] for array in part["dispatches"][0]["arrays"]] == ["given", "kept"]
    assert part["edges"][0]["reason"] == FUSED
    assert again["notes"] == ["tensor 2 was uploaded: nothing ran for it"]


def test_lines_of_the_user():
    x = vkml.tensor([1.0, 2.0], device="cpu")
    y = x * 2
    z = vkml.exp(y)
    (part,) = vkml.explain(z).parts
    lines = [operation.where[1] for operation in part.operations]
    assert [operation.where[0] for operation in part.operations] == [__file__, __file__]
    assert lines[1] == lines[0] + 1
    assert part.dispatches[0].arrays[0].where == (__file__, lines[0] - 1)


def test_the_same_code_is_remembered_and_other_code_told_apart():
    def first(x):
        return vkml.exp(x) + 1

    def second(x):
        return vkml.exp(x) + 1

    results = [made(on_cpu(1, 2)).realize() for made in (first, second, first)]
    lines = [vkml.explain(result).parts[0].operations[0].where[1] for result in results]
    assert lines[0] == lines[2] != lines[1]


def test_several_tensors():
    x = on_cpu(1, 2, 3)
    done = (x * 2).realize()
    also = done + 1
    explanation = vkml.explain(done, also, x * 3)
    assert [(part.computed, len(part.operations)) for part in explanation.parts] == [
        (True, 1), (False, 2),
    ]  # fmt: skip
    assert explanation.totals["submissions"] == 2
    assert vkml.explain(done, done).parts == vkml.explain(done).parts


def test_a_storage_keeps_no_plan_alive(monkeypatch):
    monkeypatch.setattr(evaluate, "MAX_PLANS", 1)
    monkeypatch.setattr(vkml.cpu, "plans", OrderedDict())
    kept = (vkml.exp(on_cpu(1, 2, 3, 4, 5)) * 7).realize()
    assert vkml.explain(kept).parts
    (vkml.sin(on_cpu(1, 2, 3, 4, 5)) * 7).realize()
    (vkml.cos(on_cpu(1, 2, 3, 4, 5)) * 7).realize()
    forgotten = vkml.explain(kept)
    assert not forgotten.parts
    assert "its plan is forgotten" in forgotten.notes[0]


def test_lines_are_remembered_for_a_few_places_only():
    results = []
    for number in range(2 * evaluate.MAX_RECORDED):
        space = {"vkml": vkml, "x": on_cpu(1, 2, 3, 4, 5, 6)}
        exec(compile("y = (x + 1) * x - 1", f"place{number}", "exec"), space)
        results.append(space["y"].realize())
    plan = results[-1]._node.storage.origin.plan()
    assert 0 < len(plan.recorded) <= evaluate.MAX_RECORDED
    assert vkml.explain(results[-1]).parts[0].operations[0].where == (f"place{number}", 1)
    assert vkml.explain(results[0]).parts[0].operations[0].where is None


def test_writes_in_place_are_told():
    x = on_cpu(1, 2, 3).realize()
    x.assign_(x * 2)
    part = vkml.explain(x).parts[0]
    assert [part.operations[number - 1].op for number in part.in_place] == ["assign"]
    assert part.dispatches[0].arrays[-1].memory == "in place"
    assert "in place: assign" in str(vkml.explain(x))


def test_nothing_to_run():
    empty = vkml.zeros((0, 3), device="cpu") + 1
    explanation = vkml.explain(empty)
    assert explanation.totals["dispatches"] == explanation.totals["submissions"] == 0
    assert "0 kernels" in str(explanation)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "explain: expected at least one tensor, got none"),
        ((1.0,), "explain: operand 1: expected a tensor, got float"),
        ((vkml.Tensor(),), "tensor: undefined"),
    ],
)
def test_what_is_no_tensor(given, message):
    with pytest.raises(errors.VkmlError, match=message):
        vkml.explain(*given)


# ---- text -------------------------------------------------------------------------------------


def test_text_for_people():
    a = on_cpu(1, 2, 3)
    b = vkml.exp(a)
    c = b * 2 + 1
    text = str(vkml.explain(c))
    assert repr(vkml.explain(c)) == text
    assert text.splitlines()[0] == (
        "3 operations in 1 kernel, 1 dispatch, 1 submission; not computed yet"
    )
    assert "moves 24 B; one kernel an operation: 72 B, 3.0 times as much" in text
    assert "  fused     2 in registers: exp -> multiply -> add" in text
    assert "  out0 = exp(a) * s0 + s1" in text
    assert max(map(len, text.splitlines())) <= 80


def test_text_stays_short():
    x = on_cpu(1, 2, 3)
    for _ in range(500):
        x = vkml.sin(x) + 1
    parts = [on_cpu(*range(n + 1)) * 2 for n in range(300)]
    text = str(vkml.explain(x, *parts))
    assert len(text.splitlines()) < 150


def test_glsl_with_the_users_lines_at_the_margin():
    graph = Graph((entry(LEAF), entry("exp", 0), entry("divide", 1, 0)), (2,))
    made = plan(graph, DeviceLimits(), Outlines(Verdicts()))
    from vkml.report import _Builder
    from vkml.typeset import _code

    builder = _Builder(made, [None, (__file__, 1), (__file__, 3)])
    builder.steps()
    (kernel,) = builder.kernels.values()
    assert kernel.name is None
    text = kernel.glsl.splitlines()
    assert [text[line].strip() for line, _ in kernel.lines] == [
        "precise float x1 = vk_exp(x0);", "precise float x2 = vk_divide(x1, x0);",
    ]  # fmt: skip
    assert FILE not in kernel.glsl
    shown = _code(kernel, full=False)
    at = shown.index(f"> {errors.quoted((__file__, 1))}")
    assert shown[at + 1].strip() == "precise float x1 = vk_exp(x0);"
    assert shown[at + 3].strip() == "precise float x2 = vk_divide(x1, x0);"
    assert any(line.startswith("  // functions, not shown here: vk_exp") for line in shown)
    assert not any(line.startswith("  float vk_exp(") for line in shown)
    assert any(line.startswith("  float vk_exp(") for line in _code(kernel, full=True))
    assert [line[2:] for line in _code(kernel, full=True) if line[:1] != ">"] == text


def test_of_a_long_kernel_the_middle_is_left_out():
    from vkml.report import _Builder
    from vkml.typeset import MOST_LINES, _code

    chain = [entry(LEAF), *(entry("negative", number) for number in range(400))]
    builder = _Builder(plan(Graph(tuple(chain), (400,)), DeviceLimits(), Outlines(Verdicts())), ())
    builder.steps()
    (kernel,) = builder.kernels.values()
    assert kernel.lines == ()
    whole, shown = _code(kernel, full=True), _code(kernel, full=False)
    assert len(whole) > 400
    assert len(shown) == MOST_LINES + 1
    assert shown[:20] == whole[:20]
    assert shown[-20:] == whole[-20:]
    assert shown[MOST_LINES // 2].endswith(" lines, not shown here")


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 B"), (999, "999 B"), (1234, "1.23 kB"), (45_600_000, "45.6 MB"), (10**12, "1.00 TB")],
)
def test_sizes(nbytes, text):
    assert size(nbytes) == text
