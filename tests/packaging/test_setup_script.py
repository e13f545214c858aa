"""scripts/setup in a made-up system: what it runs, what it only prints, and when it stops.

Every program that it could change the system with is a stand-in that writes its command line to a
file. PATH holds nothing else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "setup"
BORROWED = ("bash", "env", "chmod", "dirname", "grep", "touch")
PACKAGES = "glslc spirv-tools"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a script for Unix shells")


@dataclass
class System:
    """A checkout with a filled .venv, and a PATH of stand-ins."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / "bin"

    def program(self, name: str, text: str = "") -> None:
        """A stand-in: records its command line, then runs `text`."""
        path = self.bin / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/ran"\n{text}\n')
        path.chmod(0o755)

    def machine(self, *, root: bool, system: str = "Linux") -> None:
        self.program("id", f"echo {0 if root else 1000}")
        self.program("uname", f"echo {system}")

    def brings(self, *names: str) -> str:
        """Shell text for an installer that brings programs."""
        paths = [self.bin / name for name in names]
        return "\n".join(f"echo '#!/bin/bash' >'{path}'; chmod +x '{path}'" for path in paths)

    def complete(self) -> None:
        for name in ("glslc", "spirv-val"):
            self.program(name)

    def setup(self, stdin: int = subprocess.DEVNULL) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.folder / "checkout" / "scripts" / "setup"],
            env={"PATH": str(self.bin), "HOME": str(self.folder), "VULKAN_SDK": str(self.sdk)},
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def sdk(self) -> Path:
        return self.folder / "sdk"

    def ran(self, *names: str) -> list[str]:
        """The recorded command lines of these programs."""
        path = self.folder / "ran"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.split()[0] in names]


@pytest.fixture
def system(tmp_path: Path) -> System:
    """All is there but glslc and spirv-val: loader, driver and layer lie in a made-up SDK."""
    system = System(tmp_path)
    checkout = tmp_path / "checkout"
    for folder in (system.bin, checkout / "scripts", checkout / ".venv" / "bin"):
        folder.mkdir(parents=True)
    shutil.copy2(SCRIPT, checkout / "scripts" / "setup")
    for name in BORROWED:
        (system.bin / name).symlink_to(shutil.which(name) or name)
    for name in (
        "lib/libvulkan.so.1",
        "share/vulkan/icd.d/lvp_icd.json",
        "share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
    ):
        (system.sdk / name).parent.mkdir(parents=True, exist_ok=True)
        (system.sdk / name).touch()
    system.program("python")
    (system.bin / "python").rename(checkout / ".venv" / "bin" / "python")
    return system


def test_a_complete_system_is_left_alone(system):
    system.machine(root=True)
    system.complete()
    system.program("apt-get")
    done = system.setup()
    assert done.returncode == 0, done.stderr
    assert system.ran("apt-get", "sudo") == []
    assert any("pip install" in line for line in system.ran("python"))
    assert (system.folder / "checkout" / ".venv" / "ready").exists()


def test_root_gets_what_is_missing(system):
    system.machine(root=True)
    system.program("apt-get", system.brings("glslc", "spirv-val"))
    done = system.setup()
    assert done.returncode == 0, done.stderr
    update, install = system.ran("apt-get")
    assert update.endswith("update")
    assert install.endswith(f"install --no-install-recommends {PACKAGES}")
    assert install.removeprefix("apt-get") in done.stderr, "printed before it is run"


def test_sudo_without_a_password_is_used(system):
    system.machine(root=False)
    system.program("apt-get", system.brings("glslc", "spirv-val"))
    system.program("sudo", 'while [[ $1 == -* ]]; do shift; done; [[ $1 == true ]] || "$@"')
    done = system.setup()
    assert done.returncode == 0, done.stderr
    assert len(system.ran("apt-get")) == 2


@pytest.mark.parametrize("sudo", [True, False])
def test_nobody_to_ask_means_nothing_is_run(system, sudo):
    system.machine(root=False)
    system.program("apt-get", system.brings("glslc", "spirv-val"))
    if sudo:
        system.program("sudo", "exit 1")
    done = system.setup()
    assert done.returncode == 1
    assert f"install --no-install-recommends {PACKAGES}" in done.stderr
    assert "make setup again" in done.stderr
    assert system.ran("apt-get", "python")[1:] == [], "only the look at .venv"
    assert not (system.folder / "checkout" / ".venv" / "ready").exists()


@pytest.mark.parametrize(("answer", "runs"), [("yes", True), ("y", False), ("", False)])
def test_a_person_at_a_terminal_is_asked(system, answer, runs):
    system.machine(root=False)
    system.program("apt-get", system.brings("glslc", "spirv-val"))
    system.program("sudo", '[[ $1 == -n ]] && exit 1; "$@"')  # it would ask for a password
    try:
        keyboard, terminal = os.openpty()
    except OSError as error:  # a bare chroot has no /dev/pts
        pytest.skip(f"no terminal can be opened: {error}")
    try:
        os.write(keyboard, f"{answer}\n".encode())
        done = system.setup(stdin=terminal)
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert done.returncode == (0 if runs else 1)
    assert len(system.ran("apt-get")) == (2 if runs else 0)
    assert f"install --no-install-recommends {PACKAGES}" in done.stderr


def test_an_installer_that_brings_nothing_is_noticed(system):
    system.machine(root=True)
    system.program("apt-get")
    done = system.setup()
    assert done.returncode == 1
    assert "still not found: compiler, spirv-tools" in done.stderr


def test_a_failed_installation_stops(system):
    system.machine(root=True)
    system.program("apt-get", "[[ $* == *install* ]] && exit 100; exit 0")
    assert system.setup().returncode == 100
    assert not any("pip install" in line for line in system.ran("python"))


@pytest.mark.parametrize(
    ("kernel", "installer", "line"),
    [
        ("Linux", "dnf", "sudo dnf install vulkan-loader mesa-vulkan-drivers glslc spirv-tools "),
        ("Darwin", "brew", "brew install molten-vk vulkan-loader shaderc spirv-tools"),
        ("MINGW64_NT-10.0", "winget", "py -m vkml demo"),
        ("Linux", "pacman", "install the Vulkan loader"),
    ],
)
def test_other_systems_get_the_line_to_type(system, kernel, installer, line):
    system.machine(root=True, system=kernel)
    system.program(installer)
    done = system.setup()
    assert done.returncode == 1
    assert line in done.stderr
    assert system.ran(installer) == []
