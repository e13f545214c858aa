"""Jinja skeletons of kernels and the GLSL math library (data, no code)."""
