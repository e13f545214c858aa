"""`vkml info`: what vkml finds on this machine. Devices are listed, none is opened or used."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
from pathlib import Path
from typing import Any

import numpy

from .. import __version__, config, dtypes
from ..codegen.cache import default_folder
from ..codegen.compiler import INSTALL, find_compiler
from ..codegen.records import Records
from ..errors import DeviceError
from ..runtime import discover, problems, select
from ..runtime.vulkan.loader import version as loader_version
from .terminal import binary, heading, wrapped

__all__ = ["add_arguments", "facts", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print what there is; a machine without a GPU or compiler is told so, and is no failure."""
    found = facts()
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print(text(found))
    return 0


def facts() -> dict[str, Any]:
    """Everything that `vkml info --json` prints. Sizes are bytes."""
    return {
        "schema": 1,
        "version": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "platform": _platform(),
        "loader": _loader(),
        "devices": [
            {
                "selector": "cpu" if info.type == "cpu" else f"vulkan:{info.index}",
                **dataclasses.asdict(info),
            }
            for info in discover()
        ],
        "problems": _problems(),
        "compiler": _compiler(),
        "cache": _cache(),
        "environment": [
            {**dataclasses.asdict(variable), "value": config.text(variable.name)}
            for variable in config.VARIABLES
        ],
    }


def _problems() -> list[str]:
    """Why devices are missing, and what is wrong with VKML_DEVICE, each with its remedy."""
    found = list(problems())
    chosen = config.text("VKML_DEVICE")
    if chosen is not None:
        try:
            select(chosen)
        except DeviceError as error:
            found.append(f"VKML_DEVICE: {error.message}")
    return found


def _platform() -> str:
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = " ".join((platform.system(), platform.release()))
    return f"{system}, {platform.machine()}"


def _loader() -> dict[str, Any]:
    try:
        return {"version": loader_version(), "problem": None}
    except DeviceError as error:
        return {"version": None, "problem": error.message}


def _compiler() -> dict[str, Any]:
    found = find_compiler(Records(default_folder()))
    if found is None:
        return {"kind": None, "path": None, "version": None, "install": INSTALL}
    return {"kind": found.kind, "path": str(found.path), "version": found.version, "install": None}


def _cache() -> dict[str, Any]:
    folder = default_folder()
    kernels = nbytes = 0
    for directory, _, names in os.walk(folder) if folder is not None else ():
        kernels += sum(name.endswith(".rec") for name in names) * directory.endswith("index")
        for name in names:
            try:
                nbytes += os.stat(os.path.join(directory, name)).st_size
            except OSError:  # another process has just removed it
                continue
    return {
        "folder": None if folder is None else str(folder), "kernels": kernels, "bytes": nbytes,
    }  # fmt: skip


def text(found: dict[str, Any]) -> str:
    """The facts for people, at most 80 columns wide where names allow."""
    loader, compiler, cache = found["loader"], found["compiler"], found["cache"]
    lines = [
        f"{heading('vkml ' + found['version'])}  Python {found['python']}, NumPy {found['numpy']}, "
        f"{found['platform']}",
        "",
        *wrapped("loader", f"Vulkan {loader['version']}" if loader["version"] else "not found"),
        *wrapped("compiler", compiler["version"] or "not found"),
    ]
    if compiler["path"] is not None:
        lines += wrapped("", compiler["path"])
    if cache["folder"] is None:
        lines += wrapped("cache", "in memory only: this system names no folder for it")
    else:
        count = f"{cache['kernels']} kernel{'' if cache['kernels'] == 1 else 's'}"
        lines += wrapped("cache", f"{count}, {binary(cache['bytes'])}")
        lines += wrapped("", _from_home(cache["folder"]))
    for device in found["devices"]:
        lines += ["", *_device(device)]
    for problem in found["problems"]:
        lines += ["", *wrapped("missing", problem)]
    if compiler["path"] is None:
        ways = [f"{system}: {line}" for system, line in compiler["install"].items()]
        lines += ["", *wrapped("missing", f"no GLSL compiler. {'; '.join(ways)}")]
    lines += ["", heading("environment")]
    for row in found["environment"]:
        lines.append(f"  {row['name']:<16} {row['meaning']}")
        if row["value"] is not None:
            lines.append(f"{'':<18} = {row['value']}")
    return "\n".join(lines)


def _device(device: dict[str, Any]) -> list[str]:
    limits = device["limits"]
    default = ", the default device" if device["is_default"] else ""
    if device["type"] == "cpu":
        return [f"{heading('cpu')}  the NumPy reference{default}"]
    lines = [f"{heading(device['selector'])}  {device['name']}"]
    lines += wrapped("type", f"{device['type']}{default}")
    names = {item.name for item in dtypes.ALL}
    missing = sorted(names - set(device["dtypes"]))
    lines += wrapped("dtypes", f"all but {', '.join(missing)}" if missing else "all")
    lines += wrapped("driver", f"{device['driver']}, {device['driver_version']}")
    lines += wrapped("uuid", device["uuid"])
    lines += wrapped(
        "limits",
        f"{limits['max_storage_buffers']} arrays a kernel, {binary(limits['max_storage_range'])} "
        f"each; {binary(limits['max_allocation'])} an allocation; {limits['max_groups']} groups of "
        f"at most {limits['max_workgroup']} threads; {binary(limits['max_shared_bytes'])} shared",
    )
    return lines


def _from_home(path: str) -> str:
    try:
        home = str(Path.home())
    except RuntimeError:
        return path
    return f"~{path.removeprefix(home)}" if path.startswith(home + os.sep) else path
