"""Graph to kernels: partition, lowering, GLSL text, SPIR-V. Pure; needs no driver."""
