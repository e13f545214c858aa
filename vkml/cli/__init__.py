"""The commands of `vkml X` = `python -m vkml X`."""
