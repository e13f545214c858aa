"""Devices: they execute Programs and know no op."""
