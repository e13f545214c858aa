# Every command of the project. All of them work in a fresh clone: the first one fills .venv.
python := .venv/bin/python
pytest := $(python) -m pytest
ready := .venv/ready
bench_ready := .venv/ready-bench

# A device that can do almost nothing: it sends the property suite down every splitting path.
tiny := max_storage_buffers=4,max_storage_range=4096,max_groups=8,max_shared_bytes=1024,region_budget=64

.PHONY: setup demo test test-full test-faults check bench

setup: $(ready)
	@echo 'vkml is ready: make demo, make test, or .venv/bin/vkml --help'

$(ready): pyproject.toml scripts/setup
	scripts/setup

# make demo ARGS='--image photo.jpg --out folder'
demo: $(ready)
	$(python) -m vkml demo $(ARGS)

# A run in which no device test ran is no proof of anything: --require-device fails it.
test: $(ready)
	$(pytest) -m 'not slow and not faults' --require-device

test-full: $(ready)
	$(pytest) -m 'not faults' --require-device
	VKML_LIMITS=$(tiny) $(pytest) tests/property
	VKML_VALIDATION=2 $(pytest) tests/device --require-device

test-faults: $(ready)
	$(pytest) -m faults

check: $(ready)
	$(python) -m ruff check
	$(python) -m mypy

$(bench_ready): $(ready)
	$(python) -m pip install --quiet --editable '.[bench]'
	@touch $@

bench: $(bench_ready)
	$(python) bench/elementwise.py
	$(python) bench/overhead.py
