"""Pictures of all formats, modes and orientations, and what is no picture."""

import io
import struct
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps

from engine.data.read import image
from engine.data.read.fit import fit_image, fit_mask
from engine.data.read.image import Least, decode_image, read_image
from engine.diagnostics import DiagnosticError

RNG = np.random.default_rng(0)


def drawing(width: int = 23, height: int = 17, mode: str = "RGB") -> Image.Image:
    """Return a smooth picture without symmetry."""
    coarse = np.random.default_rng(width).integers(0, 255, (3, 4, 3), dtype=np.uint8)
    picture = Image.fromarray(coarse).resize((width, height), Image.Resampling.BICUBIC)
    return picture.convert(mode)


def encoded(picture: Image.Image, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def expected(picture: Image.Image) -> torch.Tensor:
    values = torch.from_numpy(np.array(picture))
    return values.unsqueeze(0) if values.ndim == 2 else values.permute(2, 0, 1)


def deep_png(values: np.ndarray) -> bytes:
    """Return a PNG of 16 bits and color, which Pillow does not write."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        sum_ = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + sum_

    height, width, _ = values.shape
    header = struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0)
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    signature = b"\x89PNG\r\n\x1a\n"
    ending = chunk(b"IEND", b"")
    return signature + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + ending


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF", "PPM"])
def test_that_a_format_without_loss_gives_the_pixels_that_were_drawn(kind):
    picture = drawing()
    read = decode_image(encoded(picture, kind), "a")
    assert read.dtype == torch.uint8
    assert torch.equal(read, expected(picture))


def test_that_webp_and_gif_are_read_and_of_a_moving_one_the_first_picture():
    picture = drawing()
    assert torch.equal(
        decode_image(encoded(picture, "WEBP", lossless=True), "a"), expected(picture)
    )
    frames = [drawing(9, 7), drawing(9, 7).rotate(180)]
    moving = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    first = Image.open(io.BytesIO(moving)).convert("RGB")
    assert torch.equal(decode_image(moving, "a"), expected(first))


@pytest.mark.parametrize("mode", ["RGB", "gray", "unchanged"])
@pytest.mark.parametrize("drawn", ["RGB", "L"])
def test_that_the_operator_and_pillow_read_the_same_pixels_of_a_jpeg(monkeypatch, mode, drawn):
    content = encoded(drawing(61, 45, drawn), "JPEG", quality=85)
    assert image.fast_decoder("decode_jpeg") is not None
    fast = decode_image(content, "a", mode)
    monkeypatch.setattr(image, "fast_decoder", lambda name: None)
    assert torch.equal(fast, decode_image(content, "a", mode))
    assert len(fast) == {"RGB": 3, "gray": 1}.get(mode, 3 if drawn == "RGB" else 1)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK"])
def test_that_every_color_mode_becomes_the_chosen_one(mode):
    picture = drawing().convert(mode)
    content = encoded(picture, "TIFF" if mode == "CMYK" else "PNG")
    assert torch.equal(decode_image(content, "a"), expected(picture.convert("RGB")))
    assert torch.equal(decode_image(content, "a", "gray"), expected(picture.convert("L")))
    channels = {"1": 1, "L": 1, "LA": 2, "RGBA": 4}.get(mode, 3)
    assert decode_image(content, "a", "unchanged").shape == (channels, 17, 23)


@pytest.mark.fault("B12")
def test_that_a_jpeg_in_cmyk_is_read_with_its_colors_upright():
    picture = Image.new("CMYK", (8, 8), (0, 255, 255, 0))  # red
    red = decode_image(encoded(picture, "JPEG", quality=95), "a").float().mean(dim=(1, 2))
    assert red[0] > 200
    assert red[1:].max() < 60


def test_that_a_palette_with_opacity_becomes_color():
    picture = Image.new("P", (4, 4), 1)
    picture.putpalette([0, 0, 0, 10, 20, 30])
    content = encoded(picture, "PNG", transparency=bytes([0, 128]))
    assert decode_image(content, "a")[:, 0, 0].tolist() == [10, 20, 30]


@pytest.mark.fault("B12")
def test_that_sixteen_bits_become_numbers_from_zero_to_one():
    gray = RNG.integers(0, 65535, (5, 7)).astype(np.uint16)
    for kind in ("PNG", "TIFF"):
        read = decode_image(encoded(Image.fromarray(gray), kind), "a", "gray")
        assert torch.equal(read, torch.from_numpy(gray.astype(np.float32) / 65535)[None])
    color = RNG.integers(0, 65535, (5, 7, 3)).astype(np.uint16)
    read = decode_image(deep_png(color), "a")
    assert torch.equal(read, torch.from_numpy(color.astype(np.float32) / 65535).permute(2, 0, 1))


@pytest.mark.fault("B12")
@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_that_a_picture_stands_upright_as_its_exif_says(kind, turn):
    exif = Image.Exif()
    exif[0x0112] = turn
    options = {"quality": 95} if kind == "JPEG" else {"lossless": True} if kind == "WEBP" else {}
    content = encoded(drawing(), kind, exif=exif, **options)
    with Image.open(io.BytesIO(content)) as opened:
        opened.load()
        upright = ImageOps.exif_transpose(opened).convert("RGB")
    read = decode_image(content, "a")
    assert torch.equal(read, expected(upright))
    assert read.shape == ((3, 17, 23) if turn < 5 else (3, 23, 17))


@pytest.mark.parametrize("turn", [1, 6])
def test_that_a_large_jpeg_is_decoded_smaller_but_never_below_twice_what_is_needed(turn):
    exif = Image.Exif()
    exif[0x0112] = turn
    content = encoded(drawing(640, 480), "JPEG", quality=95, exif=exif)
    full = decode_image(content, "a")
    least = Least(30, 40) if turn == 1 else Least(40, 30)
    small = decode_image(content, "a", least=least)
    assert small.shape[1] * 8 == full.shape[1]
    assert small.shape[1] >= 2 * least.height
    assert small.shape[2] >= 2 * least.width
    near = fit_image(small, *least, "stretch").float() - fit_image(full, *least, "stretch").float()
    assert near.abs().mean() < 3
    assert torch.equal(decode_image(content, "a", least=Least(200, 200)), full)


@pytest.mark.fault("B12")
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF"])
def test_that_a_picture_that_is_cut_off_is_a_finding_with_its_name(kind, tmp_path):
    content = encoded(drawing(200, 150), kind)
    for length in (0, 1, 10, len(content) // 2, len(content) * 9 // 10):
        path = tmp_path / "图片 one.jpg"
        path.write_bytes(content[:length])
        with pytest.raises(DiagnosticError) as caught:
            read_image(path)
        problem = caught.value.problems[0]
        assert problem.code == "D052"
        assert problem.params["file"] == str(path)


@pytest.mark.fault("B12")
def test_that_a_text_and_a_drawing_are_no_pictures():
    for content in (b"no picture at all", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"%PDF-1"):
        with pytest.raises(DiagnosticError) as caught:
            decode_image(content, "a.jpg")
        assert caught.value.problems[0].code == "D052"


@pytest.mark.fault("B12")
def test_that_a_bomb_is_refused_before_there_is_room_for_it():
    def png(width: int, height: int) -> bytes:
        content = bytearray(deep_png(np.zeros((2, 2, 3), np.uint16)))
        content[16:24] = struct.pack(">II", width, height)
        content[29:33] = struct.pack(">I", zlib.crc32(bytes(content[12:29])))
        return bytes(content)

    webp = b"RIFF\xff\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0" + b"\xff\x3f\0" * 2 + b"\0" * 20
    lossless = b"RIFF\xff\0\0\0WEBPVP8L\xff\0\0\0\x2f" + b"\xff\xff\xff\x0f" + b"\0" * 20
    bitmap = bytearray(encoded(drawing(2, 2), "BMP"))
    bitmap[18:26] = struct.pack("<II", 50_000, 50_000)
    for content in (png(50_000, 50_000), png(10_000, 9_000), webp, lossless, bytes(bitmap)):
        with pytest.raises(DiagnosticError) as caught:
            decode_image(content, "a.png")
        assert caught.value.problems[0].code == "D053"


@pytest.mark.parametrize(("name", "code"), [("missing.png", "D054"), ("", "D052")])
def test_that_a_file_that_cannot_be_read_is_a_finding(tmp_path, name, code):
    with pytest.raises(DiagnosticError) as caught:
        read_image(tmp_path / name)
    assert caught.value.problems[0].code == code


@pytest.mark.fault("F08")
@pytest.mark.parametrize(
    ("error", "code"), [(PermissionError(13, "denied"), "D055"), (OSError(5, "pulled"), "D056")]
)
def test_that_the_errors_of_the_system_are_findings(monkeypatch, tmp_path, error, code):
    def refuse(*_: object) -> bytes:
        raise error

    monkeypatch.setattr(image, "read_file", refuse)
    with pytest.raises(DiagnosticError) as caught:
        read_image(tmp_path / "a.png")
    assert caught.value.problems[0].code == code


@pytest.mark.parametrize("fit", ["crop", "stretch", "pad"])
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 20), st.integers(1, 20))
@settings(max_examples=40)
def test_that_every_picture_and_mask_fits_every_size(fit, rows, columns, height, width):
    values = torch.full((3, rows, columns), 200, dtype=torch.uint8)
    fitted = fit_image(values, height, width, fit)
    assert fitted.shape == (3, height, width)
    assert fitted.dtype == torch.uint8
    mask = fit_mask(torch.ones(rows, columns, dtype=torch.uint8), height, width, fit, outside=7)
    assert mask.shape == (height, width)
    assert torch.equal(mask == 1, fitted[0] > 0)
    assert set(mask.unique().tolist()) <= ({1, 7} if fit == "pad" else {1})


def test_that_cropping_takes_the_middle():
    values = torch.zeros(1, 4, 12, dtype=torch.uint8)
    values[:, :, 4:8] = 100
    assert bool((fit_image(values, 2, 2, "crop") == 100).all())
    assert not bool((fit_image(values, 2, 2, "stretch") == 100).all())
