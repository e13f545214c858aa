"""What a new process costs: imports, the device, the first value; each in its own processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from harness import CHECKOUT

IMPORTS = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import vkml
end = time.perf_counter()
import json
print(json.dumps({"numpy": middle - start, "vkml": end - middle}))
"""
FIRST = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy, vkml
device = vkml.device(sys.argv[1])
begin = time.perf_counter()
device.runtime
opened = time.perf_counter()
x = vkml.tensor(numpy.arange(1024, dtype=numpy.float32), device=device)
t = x
for _ in range(10):
    t = t * 0.5 + x
value = t.numpy()
end = time.perf_counter()
counts = vkml.counters()
import json
print(json.dumps({
    "open": opened - begin, "value": end - opened,
    "shaderc_compiles": counts["shaderc_compiles"],
    "pipelines_created": counts["pipelines_created"],
}))
"""


def _run(code: str, *arguments: str, environment: dict[str, str] | None = None) -> dict[str, float]:
    path = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        raise RuntimeError(f"a new process failed: {done.stderr.strip().splitlines()[-1:]}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def import_times() -> dict[str, float]:
    """Seconds that `import numpy`, and `import vkml` after it, take in a new process."""
    return _run(IMPORTS)


def first_value(device: str, repeats: int) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Opening the device and the first value after it: with empty caches, then with full ones.

    The drivers' own caches (Mesa's, NVIDIA's) lie in the same temporary folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        places = {
            name: str(Path(folder) / name)
            for name in ("VKML_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH")
        }
        for place in places.values():
            Path(place).mkdir()
        cold = _run(FIRST, device, environment=places)
        warm = [_run(FIRST, device, environment=places) for _ in range(repeats)]
    return cold, warm
