"""The compute queue and its timeline: submitting, waiting, and saying no.

Every submission signals the next value of one timeline semaphore. Bookkeeping (a buffer's last
use, a recording's value) is written before the call with the value it will signal: a value that
was never submitted counts as over when someone waits for it, so a failed call needs no undoing.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from vkml.errors import DeviceError

from . import constants as c
from .functions import Functions
from .loader import ffi
from .structures import DeviceLost, address, array, check, make, out

__all__ = ["Queue"]

_SLICE = 100_000_000  # ns; a wait returns to Python this often, so that Ctrl-C works
_BEYOND = "the device reported work that was never submitted"


class Queue:
    """The queue of a device. `submit` needs the device's lock; waits do not.

    completed   the last timeline value known to be over
    submitted   the last timeline value given to a submission
    refusal     why nothing is accepted any more (lost, closed, forked), or None
    """

    def __init__(self, vk: Functions, device: int, family: int, spin_seconds: float) -> None:
        self.vk = vk
        self.device = device
        self.completed = 0
        self.submitted = 0
        self.refusal: str | None = None
        self.spin_seconds = spin_seconds
        place = out()
        vk.vkGetDeviceQueue(device, family, 0, address(place))
        self.handle = place[0]
        kind = make(
            "VkSemaphoreTypeCreateInfo", semaphoreType=c.VK_SEMAPHORE_TYPE_TIMELINE, initialValue=0
        )
        information = make("VkSemaphoreCreateInfo", pNext=kind)
        check(
            vk.vkCreateSemaphore(device, address(information), None, address(place)),
            "vkCreateSemaphore",
        )
        self.semaphore = place[0]
        self._semaphores = array("uint64_t", [self.semaphore])
        # One submission of one command buffer, written once: only two numbers change.
        self._signal = array("uint64_t", [0])
        self._command = array("uint64_t", [0])
        self._timeline = self._timeline_information()
        self._information = self._submission(1, self._command, True)
        self._address = address(self._information)
        self._counter = out()
        self._counter_address = address(self._counter)
        self._waits: deque[tuple[int, Any, Any]] = deque()

    def submit(self, command: int, results: list[int] | None = None) -> None:
        """Submit one command buffer; it signals `submitted`, which grows by one.

        An empty list for `results` receives the driver's result: where an interrupt is raised, it
        tells whether the submission had happened.
        """
        self._command[0] = command
        self._call(1, self._address, [] if results is None else results)

    def submit_batches(
        self, batches: list[list[int]], results: list[int] | None = None
    ) -> None:
        """Submit several batches of command buffers in one call; the last one signals."""
        kept = []
        information = ffi().new("VkSubmitInfo[]", len(batches))
        for index, commands in enumerate(batches):
            place = array("uint64_t", commands)
            item = self._submission(len(commands), place, index == len(batches) - 1)
            information[index] = item[0]
            kept.append((place, item))
        self._call(len(batches), address(information), [] if results is None else results)

    def _call(self, count: int, information: int, results: list[int]) -> None:
        submit = self.vk.vkQueueSubmit
        value = self.submitted + 1
        try:
            self._signal[0] = value
            self.submitted = value
            # The call and the noting of its result are one step of the interpreter, so that no
            # signal handler comes between them.
            results.extend(map(submit, (self.handle,), (count,), (information,), (0,)))
        except BaseException:
            if not results:
                self._resume(value)
            raise
        if results[0]:
            self._failed(results[0])

    def refresh(self) -> int:
        """Ask the device how far it is, without blocking; returns `completed`.

        Raises DeviceError when the device is lost.
        """
        result = self.vk.vkGetSemaphoreCounterValue(
            self.device, self.semaphore, self._counter_address
        )
        if result:
            self._failed(result, "vkGetSemaphoreCounterValue")
        value = self._counter[0]
        if value > self.completed:
            if value > self.submitted:
                self.refusal = f"the device was lost: {_BEYOND}"
                raise DeviceLost(self.refusal)
            self.completed = value
        return self.completed

    def wait(self, value: int) -> None:
        """Block until timeline `value` is over. Raises DeviceError, KeyboardInterrupt."""
        if self.refusal is not None:
            raise DeviceError(self.refusal)
        if value > self.submitted:
            value = self.submitted
        if value <= self.completed:
            return
        if self.spin_seconds:
            end = time.perf_counter() + self.spin_seconds
            while self.refresh() < value:
                if time.perf_counter() > end:
                    break
            else:
                return
        while not self.wait_slice(value, _SLICE):
            if self.refusal is not None:
                raise DeviceError(self.refusal)

    def wait_slice(self, value: int, nanoseconds: int) -> bool:
        """Wait for `value` at most so long; whether it is over. Raises DeviceError."""
        try:
            wait = self._waits.pop()
        except IndexError:
            values = array("uint64_t", [0])
            information = make(
                "VkSemaphoreWaitInfo",
                semaphoreCount=1,
                pSemaphores=ffi().cast("VkSemaphore *", self._semaphores),
                pValues=values,
            )
            wait = (address(information), values, information)
        wait[1][0] = value
        result = self.vk.vkWaitSemaphores(self.device, wait[0], nanoseconds)
        self._waits.append(wait)
        if result == c.VK_TIMEOUT:
            return False
        if result:
            self._failed(result, "vkWaitSemaphores")
        if value > self.completed:
            self.completed = value
        return True

    def close(self) -> None:
        """Destroy the timeline; the device is idle."""
        self.vk.vkDestroySemaphore(self.device, self.semaphore, None)

    def _timeline_information(self) -> Any:
        return make(
            "VkTimelineSemaphoreSubmitInfo",
            signalSemaphoreValueCount=1,
            pSignalSemaphoreValues=self._signal,
        )

    def _submission(self, count: int, commands: Any, signals: bool) -> Any:
        fields: dict[str, Any] = {}
        if signals:
            fields = {
                "pNext": self._timeline,
                "signalSemaphoreCount": 1,
                "pSignalSemaphores": ffi().cast("VkSemaphore *", self._semaphores),
            }
        return make(
            "VkSubmitInfo",
            commandBufferCount=count,
            pCommandBuffers=ffi().cast("VkCommandBuffer *", commands),
            **fields,
        )

    def _resume(self, value: int) -> None:
        """After an interrupt before a submission: what waits for its value must not hang.

        Signals the value after it, which is right even where the submission did happen.
        """
        self.submitted = value + 1
        self._signal[0] = value + 1
        empty = self._submission(0, ffi().NULL, True)
        result = self.vk.vkQueueSubmit(self.handle, 1, address(empty), 0)
        if result:
            self._failed(result)

    def _failed(self, result: int, call: str = "vkQueueSubmit") -> None:
        if call == "vkQueueSubmit":
            self.submitted -= 1
        try:
            check(result, call)
        except DeviceLost as error:
            self.refusal = error.message
            raise
