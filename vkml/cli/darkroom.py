"""The demo's darkroom: a photograph developed by element-wise array code.

`stages` is written once for any array namespace: `develop(vkml, ...)` records it on a device,
`develop(numpy, ...)` runs it operation by operation. `reference` is the same darkroom written
again in plain NumPy, pixels last and with a generator of its own, to check the first against.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

__all__ = ["SEED", "Threefry", "develop", "inside", "negative", "reference", "stages"]

SEED = 2024
EXPOSURE = 0.1  # stops
BALANCE = (1.02, 0.99, 1.02)  # gains of red, green, blue: against the green of the haze
SHARPENING = 0.5
HALO = 0.25  # sharpening changes no value by more than this share of it
SATURATION = 1.25
LUMINANCE = (0.2126, 0.7152, 0.0722)  # of linear sRGB: IEC 61966-2-1, ITU-R BT.709

# Shoulder strength, linear strength, linear angle, toe strength, toe numerator and denominator of
# John Hable's filmic curve (Uncharted 2: HDR lighting, GDC 2010), and the scene values that become
# its argument 1 and its white.
SHOULDER, LINEAR, ANGLE, TOE, TOE_NUMERATOR, TOE_DENOMINATOR = 0.22, 0.30, 0.10, 0.20, 0.01, 0.30
BIAS = 1.6
WHITE = 1.2

FALL_OFF = 0.187  # cos^4 law; tan^2 of the half diagonal of 24 x 36 mm behind a 50 mm lens
GRAIN = 0.08

BORDER = 1
MARGIN = 4  # at the left and the right: rows of whole vectors stay rows of whole vectors


class Generator(Protocol):
    """What `stages` needs of a random generator."""

    def random(self, shape: Any) -> Any:
        """Uniform float32 values in [0, 1)."""
        ...


def negative(pixels: NDArray[numpy.uint8]) -> NDArray[numpy.uint8]:
    """A picture (height, width, 3) as planes (3, height + 2, width + 8) with replicated borders."""
    planes = pixels.transpose(2, 0, 1)
    return numpy.pad(planes, ((0, 0), (BORDER, BORDER), (MARGIN, MARGIN)), mode="edge")


def inside(planes: NDArray[Any]) -> NDArray[Any]:
    """Planes without the borders that `negative` adds."""
    return planes[:, BORDER:-BORDER, MARGIN:-MARGIN]


def stages(xp: Any, planes: Any, gains: Any, generator: Generator) -> Iterator[tuple[str, Any]]:
    """The picture after each stage of the darkroom, with the stage's name.

    `xp` is the array namespace, `planes` what `negative` gives, as its array, and `gains` its
    float32 array (3, 1, 1). The first three pictures still have borders; all are float32 but the
    last, which is uint8 of shape (3, height, width).
    """
    height, width = planes.shape[1] - 2 * BORDER, planes.shape[2] - 2 * MARGIN

    encoded = planes.astype(xp.float32) / 255.0
    curve = ((encoded + 0.055) / 1.055) ** 2.4
    linear = xp.where(encoded <= 0.04045, encoded / 12.92, curve)
    yield "linear light", linear

    exposed = linear * 2.0**EXPOSURE
    yield "exposure", exposed

    balanced = exposed * gains
    yield "white balance", balanced

    def shifted(down: int, right: int) -> Any:
        top, left = BORDER + down, MARGIN + right
        return balanced[:, top : top + height, left : left + width]

    centre = shifted(0, 0)
    around = shifted(-1, 0) + shifted(1, 0) + shifted(0, -1) + shifted(0, 1)
    blurred = (centre * 4.0 + around) / 8.0
    limit = centre * HALO
    sharp = centre + xp.clip((centre - blurred) * SHARPENING, -limit, limit)
    yield "unsharp mask", sharp

    red, green, blue = (centre[plane : plane + 1] for plane in range(3))
    luminance = red * LUMINANCE[0] + green * LUMINANCE[1] + blue * LUMINANCE[2]
    saturated = xp.maximum(luminance + (sharp - luminance) * SATURATION, 0.0)
    yield "saturation", saturated

    light = saturated * BIAS
    bent = light * SHOULDER
    over = light * (bent + ANGLE * LINEAR) + TOE * TOE_NUMERATOR
    under = light * (bent + LINEAR) + TOE * TOE_DENOMINATOR
    printed = (over / under - TOE_NUMERATOR / TOE_DENOMINATOR) / _curve(BIAS * WHITE)
    filmic = xp.minimum(printed, 1.0)
    yield "filmic curve", filmic

    down = xp.arange(height, dtype=xp.float32).reshape(height, 1) - (height - 1) / 2
    right = xp.arange(width, dtype=xp.float32).reshape(1, width) - (width - 1) / 2
    away = (down * down + right * right) * (4.0 / (height * height + width * width))
    shaded = filmic / (away * FALL_OFF + 1.0) ** 2
    yield "vignette", shaded

    noise = generator.random((3, height, width)) * 2.0 - 1.0
    grained = shaded + shaded * (1.0 - shaded) * noise * GRAIN
    yield "grain", grained

    curve = grained ** (1 / 2.4) * 1.055 - 0.055
    shown = xp.where(grained <= 0.0031308, grained * 12.92, curve)
    # No stage left [0, 1] since the film, so nothing needs clipping here.
    yield "gamma, uint8", xp.round(shown * 255.0).astype(xp.uint8)


def develop(xp: Any, planes: Any, gains: Any, generator: Generator) -> Any:
    """The finished picture as planes: the last of `stages`."""
    *_, (_, picture) = stages(xp, planes, gains, generator)
    return picture


def _curve(light: float) -> float:
    """The filmic curve of one number."""
    over = light * (SHOULDER * light + ANGLE * LINEAR) + TOE * TOE_NUMERATOR
    under = light * (SHOULDER * light + LINEAR) + TOE * TOE_DENOMINATOR
    return over / under - TOE_NUMERATOR / TOE_DENOMINATOR


class Threefry:
    """The counter-based stream of `vkml.random.default_rng(seed)`, in NumPy.

    Threefry-2x32 with 20 rounds: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as
    1, 2, 3; SC 2011.
    """

    def __init__(self, seed: int) -> None:
        low, high = seed & 0xFFFFFFFF, seed >> 32
        self._keys = [numpy.uint32(word) for word in (low, high, low ^ high ^ 0x1BD11BDA)]
        self._draws = 0

    def random(self, shape: Any) -> NDArray[numpy.float32]:
        """Uniform float32 values in [0, 1): multiples of 2**-24."""
        keys = self._keys
        y = numpy.arange(numpy.prod(shape), dtype=numpy.uint32) + keys[1]
        x = numpy.full_like(y, (int(keys[0]) + self._draws) & 0xFFFFFFFF)
        self._draws += 1
        for group in range(5):
            for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
                x += y
                y = (y << numpy.uint32(turn)) | (y >> numpy.uint32(32 - turn))
                y ^= x
            x += keys[(group + 1) % 3]
            y += keys[(group + 2) % 3]
            y += numpy.uint32(group + 1)
        return (x >> numpy.uint32(8)).astype(numpy.float32).reshape(shape) * numpy.float32(2**-24)


def reference(pixels: NDArray[numpy.uint8], noise: NDArray[numpy.float32]) -> NDArray[numpy.uint8]:
    """The darkroom in plain NumPy float32: pixels (height, width, 3) to pixels.

    `noise` is `Threefry(SEED).random((3, height, width))`.
    """
    height, width = pixels.shape[:2]
    value = pixels.astype(numpy.float32) / 255
    scene = numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    scene = scene * (2**EXPOSURE * numpy.array(BALANCE, numpy.float32))

    wide = numpy.pad(scene, ((1, 1), (1, 1), (0, 0)), mode="edge")
    blurred = (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]) / 8 + scene / 2
    detail = numpy.clip(SHARPENING * (scene - blurred), -HALO * scene, HALO * scene)

    grey = (scene @ numpy.array(LUMINANCE, numpy.float32))[..., None]
    light = BIAS * numpy.maximum(grey + SATURATION * (scene + detail - grey), 0)

    top = light * (SHOULDER * light + ANGLE * LINEAR) + TOE * TOE_NUMERATOR
    bottom = light * (SHOULDER * light + LINEAR) + TOE * TOE_DENOMINATOR
    film = (top / bottom - TOE_NUMERATOR / TOE_DENOMINATOR) / _curve(BIAS * WHITE)
    film = numpy.minimum(film, 1)

    y = (numpy.arange(height, dtype=numpy.float32) - (height - 1) / 2)[:, None, None]
    x = (numpy.arange(width, dtype=numpy.float32) - (width - 1) / 2)[:, None]
    film = film / (1 + FALL_OFF * 4 / (height**2 + width**2) * (y**2 + x**2)) ** 2

    film = film + GRAIN * film * (1 - film) * (2 * noise.transpose(1, 2, 0) - 1)
    shown = numpy.where(film <= 0.0031308, 12.92 * film, 1.055 * film ** (1 / 2.4) - 0.055)
    developed: NDArray[numpy.uint8] = numpy.rint(255 * shown).astype(numpy.uint8)
    return developed
