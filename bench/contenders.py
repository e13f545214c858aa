"""Who computes a workload in one measurement: vkml, hand-written kernels, and its peers.

A contender has `run(number)`: compute on input set `number` and return the seconds it took as a
dict with any of "device" (timestamps), "wall" (clock of the host) and "processor" (all threads).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from floors.runner import Kernel, Runner
from harness import device_seconds, timestamps
from workloads import Workload

Times = dict[str, float]


class Clock:
    """Wall and processor time of a block."""

    def __init__(self) -> None:
        self.times: Times = {}

    def __enter__(self) -> Clock:
        self._processor = time.process_time()
        self._wall = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.times = {
            "wall": time.perf_counter() - self._wall,
            "processor": time.process_time() - self._processor,
        }


class Vkml:
    """The workload by vkml; device time comes from a second, profiled run."""

    name = "vkml"

    def __init__(self, workload: Workload, device: Any, sets: Sequence[Sequence[Any]]) -> None:
        self.device = device
        self.formula = workload.formulas["vkml"]
        self.sets = sets

    def compute(self, number: int) -> tuple[Any, ...]:
        import vkml

        results = self.formula(*self.sets[number])
        vkml.realize(*results)
        self.device.runtime.synchronize()
        return results

    def run(self, number: int) -> Times:
        with Clock() as clock:
            self.compute(number)
        if self.device.info.type == "cpu":
            return clock.times
        with timestamps(self.device) as taken:
            self.compute(number)
        return {"device": device_seconds(taken), **clock.times}

    def poisoned(self, number: int, nbytes: int) -> tuple[list[np.ndarray], bool]:
        """Values computed over memory that held nan; whether the results did lie there."""
        runtime = self.device.runtime
        count = len(self.compute(number))  # allocates once, so that the next results reuse it
        nans = np.full(nbytes // 4, np.nan, np.float32)
        spoiled = [runtime.allocate(nbytes) for _ in range(count + 1)]
        for buffer in spoiled:
            runtime.upload(buffer, nans)
        places = {_place(buffer) for buffer in spoiled}
        runtime.synchronize()
        del spoiled, buffer
        results = self.compute(number)
        there = all(_place(one._node.storage.buffer) in places for one in results)
        return [one.numpy() for one in results], there


def _place(buffer: Any) -> tuple[Any, ...]:
    block = getattr(buffer, "block", None)
    return (id(block), getattr(buffer, "offset", None))


class Floor:
    """One hand-written kernel."""

    def __init__(self, name: str, runner: Runner, kernel: Kernel) -> None:
        self.name = name
        self.runner = runner
        self.kernel = kernel

    def run(self, number: int) -> Times:
        processor = time.process_time()
        device, wall = self.runner.time(self.kernel, number % self.kernel.streams.sets)
        return {"device": device, "wall": wall, "processor": time.process_time() - processor}


class Host:
    """A library that computes on arrays of the host."""

    def __init__(
        self, name: str, function: Callable[..., Any], sets: Sequence[Sequence[Any]]
    ) -> None:
        self.name = name
        self.function = function
        self.sets = sets

    def run(self, number: int) -> Times:
        arrays = self.sets[number]
        with Clock() as clock:
            self.function(*arrays)
        return clock.times


class Cuda:
    """PyTorch on a GPU, timed by its events."""

    def __init__(
        self, name: str, function: Callable[..., Any], sets: Sequence[Sequence[Any]]
    ) -> None:
        import torch

        self.torch = torch
        self.name = name
        self.function = function
        self.sets = sets

    def run(self, number: int) -> Times:
        cuda = self.torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        cuda.synchronize()
        with Clock() as clock:
            begin.record()
            kept = self.function(*self.sets[number])
            end.record()
            cuda.synchronize()
        del kept
        return {"device": begin.elapsed_time(end) * 1e-3, **clock.times}


def numexpr_function(strings: Sequence[str], names: Sequence[str]) -> Callable[..., Any]:
    """NumExpr's evaluation of `strings`."""
    import numexpr

    def function(*arrays: Any) -> tuple[Any, ...]:
        given = dict(zip(names, arrays, strict=False))
        return tuple(numexpr.evaluate(text, local_dict=given) for text in strings)

    return function


def peers(
    workload: Workload, host: Sequence[Sequence[np.ndarray]], gpu: bool, on_processor: bool,
    say: Callable[[str], None],
) -> list[Any]:  # fmt: skip
    """Every peer that this machine has; one that fails is named through `say` and left out."""
    found: list[Any] = []

    def attempt(name: str, make: Callable[[], Any]) -> None:
        try:
            made = make()
            for number in range(2):  # compiles, and meets what is missing
                made.run(number % len(host))
            found.append(made)
        except ImportError as error:
            say(f"{name}: not installed ({error})")
        except Exception as error:  # a peer's fault must not end the run
            say(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:160]}")

    if on_processor:
        attempt("NumPy", lambda: Host("NumPy", workload.formulas["numpy"], host))
        if workload.strings:
            names = workload.names
            attempt(
                "NumExpr",
                lambda: Host("NumExpr", numexpr_function(workload.strings, names), host),
            )
        attempt("PyTorch CPU", lambda: Host("PyTorch CPU", *_torch(workload, host, "cpu")))
    if gpu:
        attempt("PyTorch", lambda: Cuda("PyTorch", *_torch(workload, host, "cuda")))
        last = found[-1] if found and isinstance(found[-1], Cuda) else None
        if last is not None:
            attempt("torch.compile", lambda: Cuda("torch.compile", _compiled(workload), last.sets))
    return found


def _torch(
    workload: Workload, host: Sequence[Sequence[np.ndarray]], device: str
) -> tuple[Callable[..., Any], list[list[Any]]]:
    """PyTorch's formula, and its copies of the inputs with the same offset in memory."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ImportError("PyTorch has no CUDA device")
    sets = [[_tensor(torch, array, device) for array in arrays] for arrays in host]
    return workload.formulas["torch"], sets


def _tensor(torch: Any, array: np.ndarray, device: str) -> Any:
    if device == "cpu":
        return torch.from_numpy(array)
    offset = array.ctypes.data % 16 // 4
    base = torch.empty(array.size + offset, dtype=torch.float32, device=device)
    view = base[offset:].view(array.shape)
    view.copy_(torch.from_numpy(array))
    return view


def _compiled(workload: Workload) -> Callable[..., Any]:
    import torch

    torch._dynamo.reset()
    function: Callable[..., Any] = torch.compile(workload.formulas["torch"], dynamic=False)
    return function

