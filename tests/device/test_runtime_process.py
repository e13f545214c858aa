"""The device and its process: fork, threads, exit, and one device a process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy
import pytest

from tests.device.runtime_support import (
    add,
    axpy_program,
    floats,
    layer_installed,
    needs_vulkan,
    silent_validation,
)
from vkml.errors import DeviceError
from vkml.program import Patch, Program, Range, Slot
from vkml.runtime import discover, open_device, select

pytestmark = needs_vulkan
ROOT = Path(__file__).resolve().parents[2]

PREAMBLE = """
import sys, os, time, threading, numpy
from tests.device.runtime_support import axpy_program, floats, triple
from vkml.errors import *
from vkml.runtime import open_device, discover, select
def work(device, a=2.0):
    program = axpy_program(64)
    x = device.allocate(256)
    device.upload(x, floats(64))
    z = device.allocate(256)
    ticket = device.execute(program, [x, x, z], [a])
    return program, x, z, ticket
"""


def run(script: str, timeout: float = 60, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", PREAMBLE + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=timeout,
        check=False,
    )


def succeed(script: str, **environment: str) -> str:
    done = run(script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_object_each_time() -> None:
    infos = [info for info in discover() if info.type != "cpu"]
    device = open_device(f"vulkan:{infos[0].index}")
    assert open_device(infos[0].uuid.upper()) is device
    assert open_device(infos[0].uuid.replace("-", "")) is device
    assert open_device(infos[0].name[2:6].upper()) is device
    assert device.name == select(infos[0].name) == f"vulkan:{infos[0].index}"
    assert device.info.limits == device.limits
    assert open_device("cpu") is open_device("CPU")
    assert discover()[-1].name == "cpu"
    assert sum(info.is_default for info in discover()) == 1


@pytest.mark.parametrize("word", ["vulkan:99", "vulkan:x", "no such GPU", "vulkan:-1"])
def test_a_selector_that_names_nothing_lists_what_there_is(word: str) -> None:
    with pytest.raises(DeviceError, match=r"there are vulkan:0 \(.*\), cpu"):
        open_device(word)


def test_the_environment_chooses_when_nothing_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VKML_DEVICE", "cpu")
    assert select() == "cpu"
    assert select("vulkan") == "vulkan:0"
    monkeypatch.setenv("VKML_DEVICE", "nothing of the kind")
    with pytest.raises(DeviceError, match="no device has this name"):
        open_device()


def test_one_warning_for_a_software_default() -> None:
    output = succeed(
        """
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            discover(); select("vulkan"); open_device("vulkan")
            print(len(caught))
            for _ in range(3): select(); open_device()
        print(len(caught), discover()[0].type, *(str(item.message) for item in caught))
        """,
        VKML_DEVICE="",
    )
    first, second = output.splitlines()
    assert first == "0"
    if discover()[0].type == "software":
        assert second.startswith("1 software ")
        assert "is a software device" in second
        assert "VKML_DEVICE" in second
    else:
        assert second.startswith("0 ")


def test_a_forked_child_is_told_to_spawn() -> None:
    output = succeed(
        """
        device = open_device("vulkan")
        program, x, z, ticket = work(device)
        held = [device.allocate(10) for _ in range(50)]
        child = os.fork()
        if not child:
            attempts = [
                lambda: open_device("vulkan"), lambda: open_device(), discover,
                lambda: device.allocate(4), lambda: device.download(z, 0, 4),
                lambda: device.upload(x, floats(1)), device.synchronize, ticket.wait,
                lambda: ticket.read(0), lambda: device.execute(program, [x, x, z], [1.0]),
                device.trim,
            ]
            told = 0
            for attempt in attempts:
                try: attempt()
                except DeviceError as error: told += "spawn" in str(error)
            print("told", told, "of", len(attempts), flush=True)
            cpu = open_device("cpu")
            cpu.upload(cpu.allocate(4), floats(1))
            del held, program, ticket, x, z
            sys.stdout.flush(); os._exit(0)  # NVIDIA's own exit handlers hang in a child
        _, status = os.waitpid(child, 0)
        print("child", os.waitstatus_to_exitcode(status))
        assert numpy.array_equal(ticket.read(0).view("f4"), floats(64) * 3)
        print("parent")
        """
    )
    assert output.splitlines() == ["told 11 of 11", "child 0", "parent"]


def test_a_child_forked_before_vulkan_started_may_use_it() -> None:
    output = succeed(
        """
        open_device("cpu")
        child = os.fork()
        device = open_device("vulkan")
        ticket = work(device)[3]
        assert numpy.array_equal(ticket.read(0).view("f4"), floats(64) * 3)
        if child:
            print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert output.splitlines() == ["child 0"]


def test_spawned_workers() -> None:
    output = succeed(
        """
        import multiprocessing
        open_device("vulkan")
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            print(pool.map(triple, [1, 2, 3]))
        """
    )
    assert output.splitlines() == ["[3.0, 6.0, 9.0]"]


@pytest.mark.parametrize(
    "ending",
    [
        "pass",
        "sys.exit(3)",
        "import gc; a = [device]; a.append(a); del program, x, z, ticket",
        "import atexit; atexit.register(lambda: print(work(device)[3].read(0).size))",
        "threading.Thread(target=lambda: time.sleep(0.1)).start()",
        "device.close(); device.close()",
        "sys.stdout.flush(); raise KeyboardInterrupt",
    ],
)
def test_exits_cleanly_with_work_in_flight(ending: str) -> None:
    done = run(
        f"""
        device = open_device("vulkan")
        program, x, z, ticket = work(device)
        for _ in range(20):
            device.execute(program, [x, x, z], [1.0])
        {ending}
        """,
        VKML_VALIDATION=str(int(layer_installed())),
    )
    expected = {"sys.exit(3)": 3, "sys.stdout.flush(); raise KeyboardInterrupt": -2}.get(ending, 0)
    assert done.returncode == expected, done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Validation" not in done.stderr
    if "atexit" in ending:
        assert done.stdout.strip() == "256"


def test_after_closing_every_call_says_so_and_opening_gives_a_new_device() -> None:
    output = succeed(
        """
        device = open_device("vulkan")
        program, x, z, ticket = work(device)
        device.close()
        for attempt in (ticket.wait, lambda: device.allocate(1), device.synchronize):
            try: attempt()
            except DeviceError as error: print(str(error).splitlines()[0])
        del x, z
        other = open_device("vulkan")
        assert other is not device
        assert numpy.array_equal(work(other)[3].read(0).view("f4"), floats(64) * 3)
        x = other.allocate(256); other.upload(x, floats(64)); z = other.allocate(256)
        ticket = other.execute(program, [x, x, z], [1.0])
        assert numpy.array_equal(ticket.read(0).view("f4"), floats(64) * 2)
        """
    )
    assert output.splitlines() == ["the device is closed"] * 3


def test_control_c_in_a_wait_leaves_the_process_usable() -> None:
    output = succeed(
        """
        import signal
        device = open_device("vulkan")
        device._queue.submitted += 1
        threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGINT]).start()
        try: device.synchronize()
        except KeyboardInterrupt: print("interrupted")
        device._queue.submitted -= 1
        print(work(device)[3].read(0).size)
        """
    )
    assert output.splitlines() == ["interrupted", "256"]


def test_threads_share_a_device() -> None:
    """First use of programs, results, uploads and frees from eight threads at once."""
    device = open_device("vulkan")
    program = axpy_program(500)
    counter = Program(
        (Slot(4, "input"),), (add(1, 0, (1, 0, 1), (Patch(8, 0, "<I"),)),), 1, (Range(0, 0, 4),)
    )
    failures: list[BaseException] = []
    barrier = threading.Barrier(8)

    def worker(seed: int) -> None:
        try:
            barrier.wait()
            total = device.allocate(4)
            device.upload(total, numpy.zeros(1, numpy.uint32))
            for turn in range(60):
                x = floats(500, seed * 1000 + turn)
                source = device.allocate(2000, for_upload=turn % 2 == 0)
                device.upload(source, x)
                target = device.allocate(2000)
                ticket = device.execute(program, [source, source, target], [float(seed)])
                count = device.execute(counter, [total], [seed])
                expected = numpy.float32(seed) * x + x
                assert numpy.array_equal(ticket.read(0).view(numpy.float32), expected)
                assert count.read(0).view(numpy.uint32)[0] == (turn + 1) * (seed + 1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=worker, args=(seed,)) for seed in range(8)]
    with silent_validation():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []
