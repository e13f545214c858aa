"""Tensors and their process: fork, threads, exit, interrupts, many processes and killed ones."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.device.processes import PREAMBLE, finished, printed, started

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@needs_fork
def test_forked_children_are_told_to_spawn_while_the_parents_threads_work() -> None:
    """No lock of another thread is waited for; `cpu` works on; finalisers are silent."""
    assert printed(
        """
        tensor = vkml.tensor(values())
        computed, pending = (tensor * 2).realize(), tensor * 3
        here = vkml.tensor(values(3), device=vkml.cpu)
        over = threading.Event()

        def work():
            number = 0.0
            while not over.is_set():
                number += 1
                assert (tensor * number + here.to(tensor.device)[1]).numpy()[2] == 2 * number + 1
                vkml.counters()

        threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
        for thread in threads: thread.start()
        time.sleep(0.1)
        for _ in range(8):
            child = os.fork()
            if not child:
                signal.alarm(10)  # instead of waiting for ever
                told = 0
                for attempt in (
                    computed.numpy, pending.numpy, lambda: (tensor + 1).realize(),
                    lambda: tensor[1].item(), lambda: vkml.tensor(1.0), lambda: str(computed),
                    vkml.synchronize, vkml.devices, lambda: tensor.assign_(tensor + 1).realize(),
                    lambda: vkml.device("vulkan:0").info,
                ):
                    try: attempt()
                    except vkml.DeviceError as error: told += "spawn" in error.message
                assert told == 10, told
                assert (here * 2 + 1).tolist() == [1.0, 3.0, 5.0]
                assert vkml.counters()["submissions"] > 0
                del computed, pending, tensor
                sys.exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        over.set()
        for thread in threads: thread.join()
        print(pending.numpy()[2], computed.numpy()[2], (tensor + 1).numpy()[2])
        """
    ) == ["6.0 4.0 3.0"]


def test_spawned_workers_compute() -> None:
    assert printed(
        """
        import multiprocessing
        from tests.device.processes import doubled
        print((vkml.tensor(values(3)) * 2).tolist())
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(doubled, [1.0, 2.0]))
        """
    ) == ["[0.0, 2.0, 4.0]", "[2.0, 4.0]"]


SHARED = """
def race(work):
    gate, failures = threading.Barrier(8), []
    def run(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert not failures, failures
"""


def test_eight_first_compiles_at_once(tmp_path: Path) -> None:
    """The first use of everything, from eight threads: each kernel is compiled once."""
    script = SHARED + (
        """
x = values()
def work(number):
    tensor = vkml.tensor(x)
    made = tensor * float(number) if number % 2 else tensor + float(number)
    wanted = x * numpy.float32(number) if number % 2 else x + numpy.float32(number)
    assert numpy.array_equal(made.numpy(), wanted)
race(work)
before = vkml.counters()["shaderc_compiles"]
race(work)
assert vkml.counters()["shaderc_compiles"] == before
print(before - len(vkml.verdicts.PROBES))
"""
    )
    assert printed(script, environment={"VKML_CACHE_DIR": str(tmp_path)}) == ["2"]


def test_threads_share_pending_tensors() -> None:
    """Each is computed once, and right, whoever comes first."""
    script = SHARED + (
        """
x = values()
for turn in range(20):
    shared = vkml.tensor(x) * 2.0
    own = [shared + float(number) for number in range(8)]
    square = shared * shared
    def work(number):
        for again in range(3):
            assert numpy.array_equal(shared.numpy(), x * 2)
            assert numpy.array_equal(own[number].numpy(), x * 2 + numpy.float32(number))
            assert numpy.array_equal(square.numpy(), (x * 2) ** 2)
            vkml.realize(shared, square)
            assert (shared + float(again))[500].item() == 1000 + again
    race(work)
    before = vkml.counters()["dispatches"]
    vkml.realize(shared, square, *own)
    assert vkml.counters()["dispatches"] == before
def write(number):
    tensor = vkml.tensor(x)
    for step in range(50):
        tensor.assign_(tensor + 1)
        tensor[3:10] = float(number)
        assert tensor[500].item() == 501 + step
        assert tensor[9].item() == number
race(write)
print("right")
"""
    )
    assert printed(script) == ["right"]


ENDINGS = {
    "computed": "made.realize()",
    "pending": "later = made * 3",
    "in flight": "flying = [(tensor * float(n)).realize() for n in range(50)]",
    "cycles": """
class Holder: pass
holder = Holder(); holder.tensor, holder.own = made.realize(), holder
held = [holder, made]; held.append(held)
del holder, held, made
""",
    "deep graph": "for _ in range(60_000): made = made + 1.0",
    "at exit": "atexit.register(lambda: print((tensor * 7).numpy()[1]))",
    "finaliser": """
made.realize()
class Late:
    def __del__(self):
        try: made.numpy()
        except vkml.DeviceError as error: assert "is ending" in error.message
late = Late()
""",
    "other module": "sys.modules['kept'] = made.realize()",
    "busy daemon": """
def work():
    while True: (tensor * 3.0).numpy()
threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
""",
    "pool": """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(4)
parts = [pool.submit((tensor * float(n)).numpy) for n in range(8)]
""",
    "generator": """
def produce():
    yield (tensor * 2).realize()
producer = produce(); next(producer)
""",
    "eager": "vkml.set_eager(True); made = made * 4",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_ends_silently(ending: str) -> None:
    script = f"tensor = vkml.tensor(values()); made = tensor * 2 + 1\n{ENDINGS[ending]}"
    process = started(script, options=("-X", "dev", "-W", "ignore::UserWarning"))
    output, messages = finished(process)
    assert messages == ""
    assert output == ("7.0\n" if ending == "at exit" else "")


def test_what_was_registered_before_the_import_is_told_why_it_fails() -> None:
    script = """
import atexit
def late():
    for attempt in (made.numpy, (tensor * 7).numpy, lambda: vkml.zeros(3).numpy()):
        try: attempt()
        except vkml.DeviceError as error: print(error.message.partition(";")[0])
atexit.register(late)
"""
    script += PREAMBLE + "tensor = vkml.tensor(values()); made = (tensor * 2).realize()"
    assert printed(script, preamble="") == ["the process is ending and its devices are closed"] * 3


def test_statuses_are_the_scripts_own() -> None:
    begin = "made = (vkml.tensor(values()) * 2).realize()\n"
    assert finished(started(begin + "sys.exit(3)"), 3) == ("", "")
    _, messages = finished(started(begin + "raise KeyError('mine')"), 1)
    assert messages.endswith("KeyError: 'mine'\n")
    assert "vkml" not in messages
    assert finished(started(begin + "os._exit(0)")) == ("", "")


def test_control_c_while_compiling_and_while_waiting(tmp_path: Path) -> None:
    """The process is usable afterwards, and the same tensors are computed."""
    slow = tmp_path / "bin"
    slow.mkdir()
    real = next(
        Path(folder) / "glslc"
        for folder in os.environ["PATH"].split(os.pathsep)
        if (Path(folder) / "glslc").exists()
    )
    wrapper = slow / "glslc"
    wrapper.write_text(
        f'#!/bin/sh\ncase "$*" in *.comp*) [ -e "{tmp_path}/slow" ] && sleep 30 ;; esac\n'
        f'exec "{real}" "$@"\n'
    )
    wrapper.chmod(0o755)
    script = """
        tensor = vkml.tensor(values()).realize()
        assert (tensor + 1).numpy()[1] == 2
        made = vkml.exp(tensor * 0) * 3
        open(sys.argv[1] + "/slow", "w").close()
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
        begin = time.perf_counter()
        try: made.numpy()
        except KeyboardInterrupt: print("compiling", time.perf_counter() - begin < 10)
        os.unlink(sys.argv[1] + "/slow")
        print(made.numpy()[5], (made + tensor).numpy()[5])
        queue = tensor.device.runtime._queue
        queue.submitted += 1  # nothing will signal this
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        try: vkml.synchronize()
        except KeyboardInterrupt: print("waiting")
        queue.submitted -= 1
        print((made * 2).numpy()[5])
        """
    path = os.pathsep.join([str(slow), os.environ["PATH"]])
    environment = {"VKML_CACHE_DIR": str(tmp_path / "cache"), "PATH": path}
    assert printed(script, str(tmp_path), environment=environment) == [
        "compiling True", "3.0 8.0", "waiting", "6.0",
    ]  # fmt: skip


WORK = """
own = int(sys.argv[1])
tensor = vkml.tensor(values())
for number in range(6):
    made = tensor
    for _ in range((number + own) % 6 + 1):
        made = made * 2.0 + 1.0
    count = (number + own) % 6 + 1
    wanted = values() * numpy.float32(2**count) + numpy.float32(2**count - 1)
    assert numpy.array_equal(made.numpy(), wanted), count
    print(count, flush=True)
print("compiled", vkml.counters()["shaderc_compiles"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL on Windows")
def test_eight_processes_on_one_empty_cache_some_of_them_killed(tmp_path: Path) -> None:
    """Right results in all, nothing damaged, and the next process compiles nothing."""
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    moments = random.Random(seed)
    environment = {"VKML_CACHE_DIR": str(tmp_path / "cache")}
    processes = [started(WORK, str(own), environment=environment) for own in range(8)]
    for victim in processes[:3]:
        assert victim.stdout is not None
        for _ in range(moments.randrange(3)):
            victim.stdout.readline()
        time.sleep(moments.uniform(0, 0.1))
        victim.kill()
    for victim in processes[:3]:
        victim.communicate()
        assert victim.returncode in (-signal.SIGKILL, 0)
    for process in processes[3:]:
        output, messages = finished(process)
        assert messages == ""
        assert output.count("\n") == 7
    assert printed(WORK, "0", environment=environment)[-1] == "compiled 0"
    assert not list(tmp_path.rglob("core*"))


STORM = """
import random
place, seed = sys.argv[1], int(sys.argv[2])
moments, x = random.Random(seed), values(5000)
base = vkml.tensor(x, device=place).realize()
counter = vkml.tensor(numpy.zeros(100, numpy.float32), device=place).realize()
def interrupt(*_): raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
count = interrupts = wanted = 0
end = time.monotonic() + 4
while time.monotonic() < end:
    count += 1
    length = count % 6 + 1
    made = base
    for _ in range(length): made = made * 1.0 + 1.0
    view = made[::2]
    given = [numpy.full(10 + n, n, numpy.float32) for n in range(3)]
    small = [vkml.tensor(array, device=place) + 1.0 for array in given]
    try:
        signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-5, 1.5e-3))
        counter.assign_(counter + 1.0)
        vkml.realize(made, view, counter, *small)
        made.numpy()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupts += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert numpy.array_equal(made.numpy(), x + numpy.float32(length))
    assert numpy.array_equal(view.numpy(), (x + numpy.float32(length))[::2])
    for n, tensor in enumerate(small): assert (tensor.numpy() == n + 1).all()
    total = counter.numpy()
    assert (total == total[0]).all()
    assert total[0] - wanted in (0, 1), (total[0], wanted)
    wanted = total[0]
print(interrupts > 20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no interval timers on Windows")
@pytest.mark.parametrize("place", ["vulkan", "cpu"])
def test_control_c_at_any_moment(place: str) -> None:
    """Hundreds of interrupts wherever they come: right values, and no write twice, afterwards."""
    seed = random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}")
    output, _ = finished(started(STORM, place, str(seed)))
    assert output == "True\n"
