"""The command line: dispatch, exit statuses, and `vkml info` on machines that lack things."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vkml
from vkml import __main__ as command_line
from vkml import config
from vkml.cli import COMMANDS, info
from vkml.cli.terminal import binary, wrapped

ROOT = Path(__file__).resolve().parents[2]


def vkml_process(
    *arguments: str, script: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """`python -m vkml` with `arguments`, or `script` in its place."""
    program = ["-m", "vkml", *arguments] if script is None else ["-c", script]
    return subprocess.run(
        [sys.executable, *program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_help_names_every_command_and_an_example(capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert {"info", "demo"} <= {command.name for command in COMMANDS}
    assert all(f"\n    {command.name} " in text for command in COMMANDS)
    assert "example:\n  vkml info" in text


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_help_of_a_command_has_an_example(name, capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main([name, "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert f"usage: vkml {name}" in text
    assert f"example:\n  vkml {name} " in text
    assert max(map(len, text.splitlines())) <= 80


def test_version(capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"vkml {vkml.__version__}\n"


@pytest.mark.parametrize("arguments", [["nonsense"], ["info", "--nonsense"], ["--nonsense"]])
def test_wrong_usage_is_status_2(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command_line.main(arguments)
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "usage: vkml" in err


def test_no_command_prints_the_help(capsys):
    assert command_line.main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "commands:" in err


@pytest.mark.parametrize(
    ("raised", "status", "message"),
    [
        (KeyboardInterrupt(), 130, ""),
        (vkml.DeviceError("no device"), 1, "vkml: no device\n"),
    ],
)
def test_what_a_command_raises(raised, status, message, monkeypatch, capsys):
    def run(_):
        raise raised

    monkeypatch.setattr(info, "run", run)
    assert command_line.main(["info"]) == status
    assert capsys.readouterr() == ("", message)


def test_a_status_is_passed_on(monkeypatch):
    monkeypatch.setattr(info, "run", lambda _: 2)
    assert command_line.main(["info"]) == 2


def test_facts_are_json():
    done = vkml_process("info", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["schema"] == 1
    assert found["version"] == vkml.__version__
    assert found["python"] == sys.version.split()[0]
    assert [row["name"] for row in found["environment"]] == [row.name for row in config.VARIABLES]
    cpu = found["devices"][-1]
    assert (cpu["selector"], cpu["type"]) == ("cpu", "cpu")
    assert set(cpu) >= {"name", "driver", "driver_version", "uuid", "dtypes", "limits"}
    assert sum(device["is_default"] for device in found["devices"]) == 1


def test_nothing_is_opened_or_run():
    done = vkml_process(
        script="import vkml.__main__, vkml.runtime.opening as opening\n"
        "status = vkml.__main__.main(['info'])\n"
        "counts = vkml.counters()\n"
        "print(status, len(opening._open), counts['submissions'], counts['live_bytes'])"
    )
    assert done.stdout.splitlines()[-1] == "0 0 0 0", done.stderr


def test_text_is_for_people(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("VKML_CACHE_DIR", str(tmp_path))
    (tmp_path / "v1" / "index").mkdir(parents=True)
    (tmp_path / "v1" / "index" / "a.rec").write_bytes(b"x" * 2048)
    assert command_line.main(["info"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"vkml {vkml.__version__}  Python ")
    assert any(line.startswith("  cache    1 kernel, ") for line in lines)
    assert any(line.startswith("cpu  the NumPy reference") for line in lines)
    assert f"{'':<18} = {tmp_path}" in lines
    assert all(len(line) <= 80 for line in lines if "=" not in line and "/" not in line)


def test_without_a_driver():
    done = vkml_process(
        "info", VK_DRIVER_FILES="/nonexistent.json", VK_ICD_FILENAMES="/nonexistent.json"
    )
    assert done.returncode == 0, done.stderr
    assert "cpu  the NumPy reference, the default device" in done.stdout
    assert "  missing  no Vulkan driver found" in done.stdout
    assert "apt-get install" in done.stdout


def test_without_a_loader():
    done = vkml_process(
        script="import sys\n"
        "from vkml.runtime.vulkan import loader\n"
        "loader.candidates = lambda: iter(())\n"
        "from vkml.__main__ import main\n"
        "sys.exit(main(['info']))"
    )
    assert done.returncode == 0, done.stderr
    assert "  loader   not found" in done.stdout
    assert "no Vulkan loader found" in done.stdout
    assert "apt-get install libvulkan1" in done.stdout


def test_without_a_compiler(tmp_path):
    done = vkml_process(
        script="import sys\n"
        "from vkml.codegen import compiler\n"
        "compiler.candidates = lambda: iter(())\n"
        "from vkml.__main__ import main\n"
        "sys.exit(main(['info']))",
        VKML_CACHE_DIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert "  compiler not found" in done.stdout
    assert "apt install glslc" in done.stdout


def test_a_wrong_device_is_told():
    done = vkml_process("info", "--json", VKML_DEVICE="nonsense")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert not any(device["is_default"] for device in found["devices"])
    assert "VKML_DEVICE: device 'nonsense'" in found["problems"][-1]
    done = vkml_process("info", "--json", VKML_DEVICE="cpu")
    assert [d["selector"] for d in json.loads(done.stdout)["devices"] if d["is_default"]] == ["cpu"]


@pytest.mark.skipif(os.name == "nt", reason="no pipes that break this way on Windows")
@pytest.mark.parametrize("arguments", [["info"], ["info", "--json"], ["--help"]])
def test_a_reader_that_goes_away_is_no_failure(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "vkml", *arguments], stdout=writing, stderr=subprocess.PIPE,
            env={**os.environ}, timeout=120, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for a process on Windows")
def test_ctrl_c_is_status_130():
    process = subprocess.Popen(
        [
            sys.executable, "-c",
            "import sys, time, vkml.cli.info as info\n"
            "from vkml.__main__ import main\n"
            "def run(_):\n    print('running', flush=True)\n    time.sleep(60)\n"
            "info.run = run\nsys.exit(main(['info']))",
        ],
        env={**os.environ}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "running\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")


def test_long_texts_are_wrapped():
    lines = wrapped("label", "word " * 40)
    assert len(lines) > 1
    assert lines[0].startswith("  label    word")
    assert all(line.startswith(" " * 11) for line in lines[1:])
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB")],
)
def test_sizes(nbytes, text):
    assert binary(nbytes) == text
