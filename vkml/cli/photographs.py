"""Photographs of the demo: read as 8-bit RGB pixels, written as PNG with their attribution."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from .. import __version__

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["EXTRAS", "MAX_PIXELS", "Photograph", "Unusable", "read", "sample", "write"]

EXTRAS = "demo: {} is not installed; the demo needs: pip install 'vkml-fuser[demo]'"
MAX_PIXELS = 50_000_000
"""Larger pictures are refused: the darkroom and its NumPy reference hold a dozen float copies."""

Pixels = NDArray[numpy.uint8]


class Unusable(Exception):
    """What was asked for cannot be read or written; one line, with the remedy."""


@dataclass(frozen=True, slots=True)
class Photograph:
    """8-bit sRGB pixels (height, width, 3), a name to show, and PNG text entries to keep."""

    pixels: Pixels
    name: str
    texts: dict[str, str]


CHINA = {
    "Title": "china.jpg from scikit-learn's sample images",
    "Author": "danielbuechele (https://www.flickr.com/photos/danielbuechele/)",
    "Copyright": "Some rights reserved by danielbuechele; "
    "CC BY 2.0, https://creativecommons.org/licenses/by/2.0/",
    "Source": "https://www.flickr.com/photos/danielbuechele/6061409035/",
}


def sample() -> Photograph:
    """scikit-learn's china.jpg, a photograph under CC BY 2.0.

    Raises Unusable when Pillow or scikit-learn is not installed.
    """
    found = find_spec("sklearn")  # the file is all that is wanted: nothing of sklearn is imported
    if found is None or not found.submodule_search_locations:
        raise Unusable(EXTRAS.format("scikit-learn") + ", or name a photograph with --image FILE")
    path = Path(found.submodule_search_locations[0], "datasets", "images", "china.jpg")
    return Photograph(read(path).pixels, "china.jpg", CHINA)


def read(path: Path) -> Photograph:
    """A picture file as 8-bit sRGB: turned as its camera says, on white where it is transparent.

    Raises Unusable when Pillow is not installed, when the file cannot be read, or when it is
    damaged or has more than MAX_PIXELS pixels.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise Unusable(EXTRAS.format("pillow")) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged metadata; large pictures, refused below
            with Image.open(path) as image:
                width, height = image.size
                if width * height > MAX_PIXELS:
                    raise Unusable(_too_large(path, f"{width} x {height} pixels"))
                pixels = numpy.asarray(_as_rgb(image))
    except Image.DecompressionBombError:
        raise Unusable(_too_large(path, "even more pixels")) from None
    except UnidentifiedImageError:
        raise Unusable(f"demo: {path}: not a picture that Pillow knows") from None
    except OSError as error:
        raise Unusable(f"demo: {path}: {error.strerror or _first_line(error)}") from None
    except (SyntaxError, ValueError, EOFError, MemoryError) as error:
        raise Unusable(f"demo: {path}: damaged picture: {_first_line(error)}") from None
    return Photograph(pixels, path.name, {})


def _too_large(path: Path, what: str) -> str:
    most = MAX_PIXELS // 1_000_000
    return f"demo: {path}: {what}; at most {most} million fit the demo, make it smaller first"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _as_rgb(image: Image.Image) -> Image.Image:
    """Any of Pillow's modes as upright 8-bit sRGB without transparency."""
    from PIL import Image, ImageOps

    profile = image.info.get("icc_profile")
    image = ImageOps.exif_transpose(image)
    if image.mode.startswith(("I", "F")):  # 16 bits, or numbers of any range
        values = numpy.nan_to_num(numpy.asarray(image).astype(numpy.float64))
        integers = image.mode.startswith("I") and 0 <= values.min() and values.max() <= 65535
        low, high = (0.0, 65535.0) if integers else (values.min(), values.max())
        scaled = (values - low) * (255.0 / max(high - low, 1e-30))
        return Image.fromarray(numpy.rint(scaled).astype(numpy.uint8)).convert("RGB")
    if image.mode in ("RGB", "CMYK", "L") and profile:
        image = _in_srgb(image, profile)
    if "A" in image.getbands() or "a" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("RGB")


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """The picture moved from its own colour space to sRGB, where Pillow can."""
    try:
        from PIL import ImageCms
    except ImportError:  # built without it
        return image
    try:
        own = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        srgb = ImageCms.createProfile("sRGB")
        moved = ImageCms.profileToProfile(image, own, srgb, outputMode="RGB")
    except (OSError, ImageCms.PyCMSError):  # a damaged profile, or one of another colour model
        return image
    return image if moved is None else moved


def write(path: Path, pixels: Pixels, texts: dict[str, str]) -> None:
    """A PNG file with text entries. Raises Unusable when it cannot be written."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    entries: dict[str, Any] = {**texts, "Software": f"vkml {__version__}"}
    for key, text in entries.items():
        info.add_text(key, text)
    try:
        Image.fromarray(pixels).save(path, pnginfo=info)
    except OSError as error:
        raise Unusable(f"demo: {path}: {error.strerror or _first_line(error)}") from None
