"""vkml: lazy, NumPy-shaped arrays for any GPU with a Vulkan driver."""
