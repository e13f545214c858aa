"""What every test shares: folders as markers, options, a kernel cache of their own."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

TESTS = Path(__file__).resolve().parent
# Processes that tests start find the checkout, before whatever the caller's path holds.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, (str(TESTS.parent), os.environ.get("PYTHONPATH")))
)
# A runner in the background hands SIGINT down as ignored; tests of Ctrl-C, here and in the
# processes that they start, need it as a terminal has it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
MARKED_FOLDERS = ("device", "faults")

hypothesis.settings.register_profile(
    "vkml",
    deadline=None,  # the first example of a kernel compiles it
    print_blob=True,
    derandomize="CI" in os.environ,  # a failure in CI has to be the commit's, and found again
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("vkml")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("vkml")
    group.addoption(
        "--update-golden", action="store_true", help="rewrite the files that golden tests compare"
    )
    group.addoption(
        "--require-device", action="store_true", help="fail a run in which no device test ran"
    )


class DeviceTests:
    """Counts the device tests that really ran: a skip proves nothing about a device."""

    def __init__(self) -> None:
        self.ran = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped and "device" in report.keywords:
            self.ran += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self.ran and not session.config.option.collectonly:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.ran:
            terminalreporter.section("no device test ran", sep="=", red=True)
            terminalreporter.line(
                "--require-device: this run says nothing about a Vulkan device, so it fails. "
                "`vkml info` tells which devices there are."
            )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--require-device"):
        config.pluginmanager.register(DeviceTests(), "vkml-device-tests")


@pytest.fixture(scope="session", autouse=True)
def kernel_cache() -> Iterator[Path]:
    """A kernel cache that starts empty and goes away; the user's own is never touched."""
    folder = Path(tempfile.mkdtemp(prefix="vkml-tests-"))
    before = os.environ.get("VKML_CACHE_DIR")
    os.environ["VKML_CACHE_DIR"] = str(folder)
    yield folder
    if before is None:
        del os.environ["VKML_CACHE_DIR"]
    else:
        os.environ["VKML_CACHE_DIR"] = before
    shutil.rmtree(folder, ignore_errors=True)


def pytest_report_header() -> list[str]:
    chosen = [f"{name}={value}" for name, value in os.environ.items() if name.startswith("VKML_")]
    return [f"vkml: {' '.join(sorted(chosen))}"] if chosen else []


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for folder in MARKED_FOLDERS:
            if item.path.is_relative_to(TESTS / folder):
                item.add_marker(folder)


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are to be rewritten instead of compared."""
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout."""
    return TESTS.parent
