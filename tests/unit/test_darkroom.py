"""The darkroom's array code and its NumPy reference, and the photographs it reads and writes."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy
import pytest

import vkml
from vkml.__main__ import main
from vkml.cli import darkroom, demo, development, photographs

GAINS = numpy.array(darkroom.BALANCE, numpy.float32).reshape(3, 1, 1)
SHAPES = [(1, 1), (1, 7), (9, 1), (2, 3), (33, 64), (40, 51)]


def picture(height: int, width: int, seed: int = 0) -> numpy.ndarray:
    """Noise over a ramp: every value from 0 to 255, edges everywhere."""
    generator = numpy.random.default_rng(seed)
    ramp = numpy.linspace(0, 255, height * width).reshape(height, width, 1)
    noise = generator.integers(-60, 61, (height, width, 3))
    return numpy.clip(ramp + noise, 0, 255).astype(numpy.uint8)


def expected(pixels: numpy.ndarray) -> numpy.ndarray:
    noise = darkroom.Threefry(darkroom.SEED).random((3, *pixels.shape[:2]))
    return darkroom.reference(pixels, noise)


def steps(planes: Any, pixels: numpy.ndarray) -> int:
    """How far developed planes are from the reference."""
    developed = numpy.asarray(planes).transpose(1, 2, 0)
    assert developed.dtype == numpy.uint8
    assert developed.shape == pixels.shape
    return int(numpy.abs(developed.astype(int) - expected(pixels)).max())


@pytest.mark.parametrize("shape", SHAPES)
def test_array_code_on_numpy_gives_the_reference(shape: tuple[int, int]) -> None:
    pixels = picture(*shape)
    planes = darkroom.negative(pixels)
    generator = darkroom.Threefry(darkroom.SEED)
    assert steps(darkroom.develop(numpy, planes, GAINS, generator), pixels) <= 1


@pytest.mark.parametrize("shape", SHAPES)
def test_array_code_on_the_cpu_device_gives_the_reference(shape: tuple[int, int]) -> None:
    pixels = picture(*shape)

    class OnCpu:
        """The array namespace with `cpu` as its device."""

        def __getattr__(self, name: str) -> Any:
            return getattr(vkml, name)

        def arange(self, *arguments: Any, **options: Any) -> vkml.Tensor:
            return vkml.arange(*arguments, **options, device=vkml.cpu)

    class Generator:
        """vkml's own generator, drawing on `cpu`."""

        own = vkml.random.default_rng(darkroom.SEED)

        def random(self, form: tuple[int, ...]) -> vkml.Tensor:
            return self.own.random(form, device=vkml.cpu)

    planes = vkml.tensor(darkroom.negative(pixels), device=vkml.cpu)
    gains = vkml.tensor(GAINS, device=vkml.cpu)
    assert steps(darkroom.develop(OnCpu(), planes, gains, Generator()), pixels) <= 1


def test_extremes_stay_in_range() -> None:
    """Black, white and pure colours side by side: no wrap from 255 to 0 in the last cast."""
    corners = [[r, g, b] for r in (0, 255) for g in (0, 255) for b in (0, 255)]
    pixels = numpy.array(corners * 8, numpy.uint8).reshape(8, 8, 3)
    developed = expected(pixels)
    assert developed[pixels.max(axis=-1) == 0].max() <= 2
    assert developed[(pixels == 255).all(axis=-1)].min() > 150


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, 2**32, 2**64 - 1])
def test_grain_is_that_of_the_library(seed: int) -> None:
    ours, theirs = darkroom.Threefry(seed), vkml.random.default_rng(seed)
    for shape in ((5,), (3, 4, 7)):  # the second draw is another stream
        drawn = theirs.random(shape, device=vkml.cpu).numpy()
        numpy.testing.assert_array_equal(ours.random(shape), drawn)


def test_every_stage_changes_the_picture() -> None:
    found = development.stages_of(picture(60, 80), GAINS)
    assert [stage.name for stage in found] == [
        "linear light", "exposure", "white balance", "unsharp mask", "saturation", "filmic curve",
        "vignette", "grain", "gamma, uint8",
    ]  # fmt: skip
    assert all(stage.most >= 1 for stage in found), found
    assert all(stage.operations >= 1 for stage in found)
    assert sum(stage.operations for stage in found) >= 40


def test_borders_are_replicated() -> None:
    pixels = picture(3, 2)
    planes = darkroom.negative(pixels)
    numpy.testing.assert_array_equal(darkroom.inside(planes), pixels.transpose(2, 0, 1))
    numpy.testing.assert_array_equal(planes[:, 0], planes[:, 1])
    numpy.testing.assert_array_equal(planes[:, :, :4], planes[:, :, 4:5].repeat(4, axis=2))


# ---- photographs ---------------------------------------------------------------------------------


@pytest.fixture
def image() -> Any:
    return pytest.importorskip("PIL.Image")


def saved(image: Any, array: numpy.ndarray, path: Path, mode: str | None = None) -> Path:
    made = image.fromarray(array)
    (made if mode is None else made.convert(mode)).save(path)
    return path


@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P"])
def test_plain_modes_are_read_as_pillow_shows_them(image: Any, mode: str, tmp_path: Path) -> None:
    path = saved(image, picture(5, 6), tmp_path / "p.png", mode)
    wanted = numpy.asarray(image.open(path).convert("RGB"))
    numpy.testing.assert_array_equal(photographs.read(path).pixels, wanted)


def test_cmyk_is_read(image: Any, tmp_path: Path) -> None:
    pixels = numpy.full((4, 4, 3), (200, 100, 50), numpy.uint8)
    read = photographs.read(saved(image, pixels, tmp_path / "p.tif", "CMYK")).pixels
    numpy.testing.assert_array_equal(read, pixels)


@pytest.mark.parametrize("transparent", ["RGBA", "LA"])
def test_transparent_is_white(image: Any, transparent: str, tmp_path: Path) -> None:
    pixels = numpy.zeros((2, 2, 4), numpy.uint8)
    pixels[0, 0, 3] = 255
    read = photographs.read(saved(image, pixels, tmp_path / "p.png", transparent)).pixels
    assert read[0, 0].tolist() == [0, 0, 0]
    assert read[1, 1].tolist() == [255, 255, 255]


def test_sixteen_bits_keep_their_range(image: Any, tmp_path: Path) -> None:
    values = numpy.array([[0, 257, 32896], [65535, 256, 65278]], numpy.uint16)
    read = photographs.read(saved(image, values, tmp_path / "p.png")).pixels
    assert read[..., 0].tolist() == [[0, 1, 128], [255, 1, 254]]


def test_cameras_orientation_is_applied(image: Any, tmp_path: Path) -> None:
    exif = image.Exif()
    exif[0x0112] = 6  # the top is at the right
    path = tmp_path / "p.png"
    image.fromarray(picture(3, 5)).save(path, exif=exif)
    assert photographs.read(path).pixels.shape == (5, 3, 3)


def test_texts_are_written(image: Any, tmp_path: Path) -> None:
    pixels = picture(2, 3)
    photographs.write(tmp_path / "p.png", pixels, photographs.CHINA)
    made = image.open(tmp_path / "p.png")
    numpy.testing.assert_array_equal(numpy.asarray(made), pixels)
    assert "danielbuechele" in made.text["Author"]
    assert "CC BY 2.0" in made.text["Copyright"]
    assert "flickr.com" in made.text["Source"]


# ---- what cannot be used -------------------------------------------------------------------------


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on standard error of a demo that exits with 2."""
    assert main(["demo", "--json", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    return err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        (b"", "not a picture"),
        (b"hello", "not a picture"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "not a picture"),
    ],
)
def test_unreadable_image(
    image: Any, content: bytes | None, says: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / "p.png"
    if content is not None:
        path.write_bytes(content)
    line = refused(capsys, "--image", str(path), "--out", str(tmp_path / "out"))
    assert says in line
    assert str(path) in line


@pytest.mark.parametrize("kind", ["png", "jpg"])
def test_truncated_image(
    image: Any, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(image, picture(60, 60), tmp_path / f"p.{kind}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    line = refused(capsys, "--image", str(path), "--out", str(tmp_path / "out"))
    assert str(path) in line


def test_too_large_image(
    image: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photographs, "MAX_PIXELS", 1_000_000)
    path = saved(image, numpy.zeros((1001, 1000), numpy.uint8), tmp_path / "p.png")
    line = refused(capsys, "--image", str(path), "--out", str(tmp_path / "out"))
    assert "1000 x 1001 pixels; at most 1 million" in line
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", 1000)  # Pillow refuses before it is asked
    assert "at most 1 million" in refused(capsys, "--image", str(path), "--out", str(tmp_path))


def test_out_is_a_file(image: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--image", str(saved(image, picture(2, 2), tmp_path / "p.png")))
    path = tmp_path / "out"
    path.touch()
    assert str(path) in refused(capsys, *given, "--out", str(path))
    assert "Not a directory" in refused(capsys, *given, "--out", str(path / "deeper"))


def test_damaged_image_leaves_no_folder(
    image: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(capsys, "--image", str(tmp_path / "none.png"), "--out", str(tmp_path / "out"))
    assert not list(tmp_path.iterdir())


def test_pictures_that_cannot_be_written(image: Any, tmp_path: Path) -> None:
    (tmp_path / "p.png").mkdir()
    with pytest.raises(photographs.Unusable, match=r"p\.png: Is a directory"):
        photographs.write(tmp_path / "p.png", picture(2, 2), {})


def test_without_pillow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "PIL":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", importing)
    line = refused(capsys, "--image", "p.png", "--out", str(tmp_path))
    assert "pip install 'vkml-fuser[demo]'" in line


def test_without_scikit_learn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photographs, "find_spec", lambda name: None)
    line = refused(capsys, "--out", str(tmp_path))
    assert "pip install 'vkml-fuser[demo]'" in line
    assert "--image" in line


def test_facts_have_the_vocabulary_of_counts(tmp_path: Path) -> None:
    result = development.Result(
        "cpu", (), dict.fromkeys(development.COUNTS, 0), (), 0,
        first=0.5, warm=0.25, reference=1.0, noise=0.5, difference=0, differing=0,
        picture=picture(1, 1),
    )  # fmt: skip
    found = demo.facts(result, [tmp_path])
    assert json.loads(json.dumps(found)) == found
    assert sorted(found) == sorted(
        [
            "bytes_moved", "bytes_unfused", "device", "dispatches", "first_ms", "kernels",
            "max_abs_difference", "ops", "outputs", "schema", "shaderc_compiles", "submissions",
            "warm_ms",
        ]
    )  # fmt: skip
    assert (found["first_ms"], found["warm_ms"]) == (500, 250)
