"""One line on a terminal while something takes longer than a second."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from types import TracebackType
from typing import TextIO

__all__ = ["Progress"]

_PATIENCE_SECONDS = 1.0
_REFRESH_SECONDS = 0.2


class Progress:
    """Context manager that counts to `total` and, after a second, shows how far it came.

    The line is written over itself and wiped at the end. Where standard error is no terminal,
    nothing is written at all.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._lock = threading.Lock()
        self._finished = threading.Event()
        self._thread: threading.Thread | None = None

    def advance(self, count: int = 1) -> None:
        """Say that `count` more are done; for any thread."""
        with self._lock:
            self._done += count

    def __enter__(self) -> Progress:
        stream = sys.stderr
        if stream is not None and not stream.closed and stream.isatty():
            thread = threading.Thread(target=self._show, args=(stream,), daemon=True)
            with contextlib.suppress(RuntimeError):  # the interpreter is ending: no line then
                thread.start()
                self._thread = thread
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._finished.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self, stream: TextIO) -> None:
        start = time.monotonic()
        width = 0
        pause = _PATIENCE_SECONDS
        with contextlib.suppress(OSError, ValueError):  # the terminal went away
            while not self._finished.wait(pause):
                pause = _REFRESH_SECONDS
                seconds = time.monotonic() - start
                line = f"vkml: {self._what}: {self._done} of {self._total}, {seconds:.0f} s"
                stream.write("\r" + line.ljust(width))
                stream.flush()
                width = len(line)
            if width:
                stream.write("\r" + " " * width + "\r")
                stream.flush()
