"""Faults that others have shipped, planted one by one: the named test of the suite catches each.

A fault that is not caught is a test that is missing: write that first. A fault whose text has
gone is rewritten for the code that took its place.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.planting import Copy, Fault

FAULTS = (
    # Order and memory
    Fault(
        "a barrier is dropped from the schedule",
        "codegen/schedule.py",
        "result.append(dataclasses.replace(step, barriers=tuple(waits)))",
        "result.append(step)",
        "tests/unit/test_schedule.py::test_every_hazard_is_ordered",
    ),
    Fault(
        "a write does not wait for earlier readers",
        "codegen/schedule.py",
        "if (wrote or binding.writes) and old_start < stop",
        "if wrote and old_start < stop",
        "tests/unit/test_schedule.py::test_every_hazard_is_ordered",
    ),
    Fault(
        "a barrier is scheduled and not recorded",
        "runtime/vulkan/recorder.py",
        "                elif launch.barriers:\n",
        "                elif launch.barriers and profile:\n",
        "tests/device/test_runtime_order.py::test_programs_in_flight",
        validation=2,
    ),
    Fault(
        "a barrier is missing between the kernels of a tensor",
        "runtime/vulkan/recorder.py",
        "                elif launch.barriers:\n",
        "                elif launch.barriers and profile:\n",
        "tests/device/test_writes.py::test_a_reader_of_a_partial_write[vulkan]",
        validation=2,
    ),
    Fault(
        "temporaries that live together share memory",
        "codegen/schedule.py",
        "if born <= last and first <= dead",
        "if born < last and first < dead",
        "tests/unit/test_schedule.py::test_temporaries_that_live_together_lie_apart",
    ),
    Fault(
        "merging moves a write before an earlier read",
        "codegen/merging.py",
        "earliest = max(earliest, last_read.get(binding.slot, -1) + 1)",
        "pass",
        "tests/unit/test_merging.py::test_pieces_that_clash_keep_their_order",
    ),
    Fault(
        "a recording is used again while it runs",
        "runtime/vulkan/recordings.py",
        "                if recording.value <= completed:\n                    return recording\n",
        "                return recording\n",
        "tests/device/test_runtime_execution.py"
        "::test_scalars_of_executions_in_flight_do_not_meet",
    ),
    Fault(
        "the offset of a descriptor's window is ignored",
        "runtime/vulkan/recording.py",
        "values += (owner, start + offset, size)",
        "values += (owner, start, size)",
        "tests/device/test_runtime_execution.py"
        "::test_windows_at_offsets_and_results_of_several_ranges",
    ),
    Fault(
        "memory is never given back",
        "runtime/vulkan/memory.py",
        "self.block.freed.append((self.key, self.size, self.used))",
        "self.block.freed",
        "tests/device/test_leaks.py::test_live_memory_is_that_of_live_tensors",
    ),
    Fault(
        "computed tensors keep what they were computed from",
        "vkml/evaluate.py",
        "    for node in bound:\n        node.computed = True\n"
        "        if not node.requires_grad:\n            node.src = ()\n",
        "    for node in bound:\n        node.computed = True\n",
        "tests/device/test_leaks.py::test_a_loop_holds_flat_memory[rebound]",
    ),
    Fault(
        "computed before it was executed",
        "vkml/evaluate.py",
        "        ticket = runtime.execute(program, buffers, scalars)\n",
        "        _mark(bound, pending)\n"
        "        ticket = runtime.execute(program, buffers, scalars)\n",
        "tests/device/test_recovery.py"
        "::test_the_same_tensors_are_computed_right_afterwards[execute]",
    ),
    Fault(
        "a program of cpu that failed half-way is executed on top of itself",
        "runtime/cpu.py",
        "                    piece[:] = content\n",
        "                    piece[:] = piece\n",
        "tests/device/test_recovery.py::test_a_program_of_cpu_is_executed_whole_or_not_at_all",
    ),
    Fault(
        "written in place although an older reader is left",
        "vkml/signature.py",
        "if old.computed and old.storage not in storages:",
        "if old.computed:",
        "tests/device/test_writes.py"
        "::test_an_older_reader_that_is_realized_after_many_writes[vulkan]",
    ),
    Fault(
        "a write is no new version of its array",
        "vkml/storage.py",
        "        self.current = node\n        self.version += 1\n",
        "        self.version += 1\n",
        "tests/device/test_writes.py::test_handles_and_views_see_the_newest_version[vulkan]",
    ),
    Fault(
        "a forked child waits for a lock of another thread",
        "vkml/locks.py",
        "        made._at_fork_reinit()  # as threading and logging renew theirs",
        "        made",
        "tests/device/test_process.py"
        "::test_forked_children_are_told_to_spawn_while_the_parents_threads_work",
    ),
    # Keys and caches
    Fault(
        "the order of operands is missing in a kernel's key",
        "codegen/keys.py",
        "[[s.op, s.arguments, s.source, s.dtype] for s in region.statements]",
        "[[s.op, sorted(s.arguments), s.source, s.dtype] for s in region.statements]",
        "tests/device/test_keys.py::test_the_order_and_identity_of_operands",
    ),
    Fault(
        "the order of operands is missing in a plan's key",
        "vkml/signature.py",
        "            key += sources\n",
        "            key += sorted(sources)\n",
        "tests/device/test_keys.py::test_the_order_and_identity_of_operands",
    ),
    Fault(
        "which arrays are the same one is missing in a plan's key",
        "vkml/signature.py",
        "append(storages.setdefault(storage, len(storages)))",
        "append(0 * storages.setdefault(storage, len(storages)))",
        "tests/device/test_keys.py::test_the_same_formula_over_other_arrays",
    ),
    Fault(
        "the dtype of a result is missing in a kernel's key",
        "codegen/keys.py",
        "[[s.op, s.arguments, s.source, s.dtype] for s in region.statements]",
        "[[s.op, s.arguments, s.source] for s in region.statements]",
        "tests/device/test_keys.py::test_dtypes_and_kinds_of_constant",
    ),
    Fault(
        "a constant is baked into a plan",
        "vkml/evaluate.py",
        "scalars = [ordered[position].value for position in made.scalars]",
        "scalars = made.recorded.setdefault(\n"
        "        (0, 0), [ordered[position].value for position in made.scalars])",
        "tests/device/test_keys.py::test_constants_are_data",
    ),
    Fault(
        "the value of a constant is part of a plan's key",
        "vkml/signature.py",
        "                    append(source.rule.id)\n",
        "                    append((source.rule.id, source.value))\n",
        "tests/device/test_keys.py::test_constants_are_data",
    ),
    Fault(
        "a checksum is not compared",
        "codegen/records.py",
        "if magic != _MAGIC or checksum != _checksum(body):",
        "if magic != _MAGIC:",
        "tests/unit/test_records.py::test_every_flipped_bit_misses",
    ),
    Fault(
        "the full key of an entry is not compared",
        "codegen/records.py",
        "return record if record is not None and record.key == key else None",
        "return record",
        "tests/unit/test_records.py::test_another_key_under_the_same_name_misses",
    ),
    Fault(
        "a warm start compiles again",
        "codegen/kernels.py",
        "spirv = self.cache.lookup(self.index_key(region))",
        "spirv = None",
        "tests/device/test_keys.py"
        "::test_a_second_process_compiles_nothing_wherever_its_lines_are",
    ),
    # Kernels
    Fault(
        "the last vector of an array is left out",
        "templates/map.comp.j2",
        "    if (first >= count) return;\n",
        "    if (first + E > count) return;\n",
        "tests/device/test_traps.py::test_every_length_up_to_some_vectors[float32]",
    ),
    Fault(
        "the workgroup of a tail is left out",
        "codegen/steps.py",
        "    threads = -(-size // elements)\n",
        "    threads = size // elements\n",
        "tests/device/test_traps.py::test_every_length_up_to_some_vectors[float32]",
    ),
    Fault(
        "strides are those of another axis",
        "codegen/steps.py",
        "for axis, stride in enumerate(reversed(strides[name])):",
        "for axis, stride in enumerate(strides[name]):",
        "tests/device/test_traps.py::test_views_are_read_where_they_lie[transposed-float32]",
    ),
    Fault(
        "a broadcast axis has a stride",
        "vkml/shapes.py",
        "            stride if old == new else 0\n",
        "            stride if old == new else 1\n",
        "tests/device/test_keys.py::test_a_chain_over_three_layouts_is_one_dispatch[20]",
    ),
    Fault(
        "a segment takes the row of the one before it",
        "templates/segmented.comp.j2",
        "        member = low * ROW;\n",
        "        member = (low > 0 ? low - 1 : low) * ROW;\n",
        "tests/device/test_keys.py::test_a_formula_over_three_hundred_small_arrays",
    ),
    Fault(
        "a result is read back from the start of its memory",
        "codegen/plan.py",
        "Range(planner.slot_of(owner), low * size, high * size)",
        "Range(planner.slot_of(owner), 0, (high - low) * size)",
        "tests/device/test_traps.py::test_views_are_read_where_they_lie[part-float32]",
    ),
    # Numerics
    Fault(
        "results are not precise",
        "codegen/sections.py",
        'precise = "precise " if form.precise else ""',
        'precise = ""',
        "tests/golden/test_rows.py::test_rows[exact-float32]",
    ),
    Fault(
        "maximum loses the nan of its second operand",
        "templates/math/maximum.glsl",
        "    larger = vk_isnan(y) ? floatBitsToUint(y) : larger;\n",
        "",
        "tests/device/test_traps.py::test_float32[maximum of either nan]",
    ),
    Fault(
        "minimum is the driver's",
        "templates/math/minimum.glsl",
        "float vk_minimum(float x, float y) {\n",
        "float vk_minimum(float x, float y) {\n    if (x == x || y == y) return min(x, y);\n",
        "tests/device/test_traps.py::test_float32[minimum of nan]",
    ),
    Fault(
        "uint8 does not wrap between two operations",
        "codegen/glsl.py",
        '"uint", "bitfieldExtract({word}, {at}, 8)", "{0}", "{0}",\n'
        '        wrap="bitfieldExtract({0}, 0, 8)"),',
        '"uint", "bitfieldExtract({word}, {at}, 8)", "{0} & 0xffu", "{0}"),',
        "tests/device/test_traps.py::test_integers[uint8 wraps between]",
    ),
    Fault(
        "float16 is not rounded between two operations",
        "codegen/glsl.py",
        'wrap="vk_round_half({0})"',
        'wrap="{0}"',
        "tests/device/test_traps.py::test_float16[rounded between]",
    ),
    Fault(
        "subnormals are flushed",
        "codegen/glsl.py",
        '        "float", "uintBitsToFloat({word})", "floatBitsToUint({0})"',
        '        "float", "uintBitsToFloat(({word} & 0x7f800000u) == 0u ? 0u : {word})",'
        ' "floatBitsToUint({0})"',
        "tests/device/test_traps.py::test_float32[subnormal + 0]",
    ),
    Fault(
        "integers are divided towards zero",
        "templates/math/integer_floor_divide.glsl",
        "(x ^ y) < 0 ? -int(rounded_up) : int(quotient)",
        "(x ^ y) < 0 ? -int(quotient) : int(quotient)",
        "tests/device/test_traps.py::test_integers[floor division]",
    ),
    Fault(
        "nan is cast to the largest integer",
        "templates/math/float_to_int.glsl",
        "return magnitude > 0x7f800000u ? 0 : result;",
        "return result;",
        "tests/device/test_traps.py::test_floats_out_of_range_saturate_and_nan_is_0[int32]",
    ),
    # Errors
    Fault(
        "a dtype that the device lacks is narrowed",
        "vkml/creation.py",
        "    kind = default_integer(kind, place) if dtype is None else kind\n    return _wrap",
        "    kind = default_integer(kind, place)\n    return _wrap",
        "tests/device/test_remedies.py::test_a_device_without_64_bits",
    ),
)


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """A copy in which every named test passes."""
    made = Copy(tmp_path_factory.mktemp("faults") / "checkout")
    for validation in sorted({fault.validation for fault in FAULTS}):
        named = [fault.test for fault in FAULTS if fault.validation == validation]
        made.passed(list(dict.fromkeys(named)), validation)
    return made


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-"))
def test_caught(copy: Copy, fault: Fault) -> None:
    copy.caught(fault)


def test_a_fault_whose_text_is_gone_is_told_of(copy: Copy) -> None:
    gone = Fault("gone", "vkml/shapes.py", "what never stood there", "", FAULTS[0].test)
    with pytest.raises(AssertionError, match="has 0 times what the fault 'gone' changes"):
        copy.caught(gone)


def test_a_fault_that_is_none_is_not_caught(copy: Copy) -> None:
    right = FAULTS[0].right
    harmless = Fault("none", FAULTS[0].file, right, f"{right}  # as before", FAULTS[0].test)
    with pytest.raises(AssertionError, match="none: not caught by tests/unit/test_schedule"):
        copy.caught(harmless)
    assert (copy.folder / harmless.file).read_text() == (
        Path(__file__).resolve().parents[2] / harmless.file
    ).read_text()
