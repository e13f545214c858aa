"""The Vulkan device. The loader and the `vulkan` binding are used in this package alone."""
