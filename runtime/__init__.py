"""Devices: they execute Programs and know no op."""

from __future__ import annotations

from .device import Buffer, Device, DeviceInfo, Ticket
from .opening import discover, open_device, problems, select, validation_messages

__all__ = [
    "Buffer",
    "Device",
    "DeviceInfo",
    "Ticket",
    "discover",
    "open_device",
    "problems",
    "select",
    "validation_messages",
]
