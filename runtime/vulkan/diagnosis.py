"""Why there is no GPU: the usual gaps of an installation, and what closes each."""

from __future__ import annotations

import os
from pathlib import Path

from .loader import INSTALL_HINT

__all__ = ["hidden_gpu", "no_device"]


def no_device(root: Path = Path("/")) -> str:
    """Why the loader lists no device at all."""
    return hidden_gpu(root) or f"the Vulkan loader found no driver. {INSTALL_HINT}"


def hidden_gpu(root: Path = Path("/")) -> str | None:
    """A GPU that this system has and Vulkan does not show, with the remedy; None if none."""
    nodes = sorted((root / "dev/dri").glob("renderD*"))
    closed = [node for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    if closed:
        return f"{closed[0]} cannot be opened: join its group (usermod -aG render $USER)"
    if (root / "dev/nvidiactl").exists() and not _manifest(root, "nvidia"):
        return (
            "an NVIDIA GPU is here but no Vulkan manifest names its driver: install the driver's "
            "Vulkan part, or on a headless machine point VK_DRIVER_FILES at a manifest whose "
            "library_path is libEGL_nvidia.so.0"
        )
    if nodes and not _manifest(root, ""):
        return f"a GPU is here but no Vulkan driver manifest. {INSTALL_HINT}"
    return None


def _manifest(root: Path, word: str) -> bool:
    if os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES"):
        return True
    folders = ("etc/vulkan/icd.d", "usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d")
    return any(word in path.name for folder in folders for path in (root / folder).glob("*.json"))
