"""The user's own data: pictures, tables of labels, and what the program keeps of folders."""

import io
from pathlib import Path

from tests.fuzz.reader import Reader


def _photographs(folder: Path) -> list[bytes]:
    from PIL import Image

    from engine.data.read import fit, image

    assert fit
    assert image.fast_decoder("decode_jpeg")  # loaded before the process is guarded
    exif = Image.Exif()
    exif[0x0112] = 6
    ramp = Image.linear_gradient("L").resize((37, 29))
    color = Image.merge("RGB", (ramp, ramp.rotate(90, expand=False), ramp.transpose(0)))
    modes = {"PNG": ("L", "LA", "P", "RGB", "RGBA", "1"), "JPEG": ("L", "RGB", "CMYK"),
             "WEBP": ("RGB", "RGBA"), "BMP": ("L", "P", "RGB"), "GIF": ("P",), "PPM": ("RGB",),
             "TIFF": ("L", "RGB", "CMYK", "P", "I;16")}  # fmt: skip
    found: list[bytes] = []
    for kind, names in modes.items():
        for mode in names:
            stream = io.BytesIO()
            options = {"exif": exif} if kind in ("PNG", "JPEG", "WEBP", "TIFF") else {}
            (ramp if mode == "I;16" else color).convert(mode).save(stream, kind, **options)
            found.append(stream.getvalue())
    stream = io.BytesIO()
    color.save(stream, "TIFF", compression="tiff_lzw")
    return [*found, stream.getvalue()]


def _photograph(path: Path) -> object:
    from engine.data.read.fit import fit_image
    from engine.data.read.image import (
        Least,
        decode_colors,
        decode_mask,
        read_bytes,
        read_image,
    )

    decode_mask(read_bytes(path), str(path), allows_color=True)
    decode_colors(read_bytes(path), str(path))
    return [
        fit_image(read_image(path, mode, Least(4, 4)), 8, 8, "crop").shape
        for mode in ("RGB", "gray", "unchanged")
    ]


def _folder_indices(folder: Path) -> list[bytes]:
    from engine.data.source.image_cache import load_index

    for name in ("a", "b"):
        (folder / "set" / name).mkdir(parents=True, exist_ok=True)
        for number in range(5):
            (folder / "set" / name / f"{number}.png").write_bytes(_pixel())
    file = load_index(folder / "set").file
    assert file is not None
    return [file.read_bytes()]


def _folder_index(path: Path) -> object:
    from engine.data.source.image_cache import read_index

    index = read_index(path)
    return index and [index.path(at) for at in range(len(index))]


def _pixel() -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    return stream.getvalue()


def _label_tables(folder: Path) -> list[bytes]:
    from engine.data.source import image_labels

    assert image_labels
    text = 'file,label\na.png,cat\n"b, c.png",dog\n图片.png,猫\n'
    return [text.encode(), text.encode("utf-16"), text.encode("gb18030"), b"a.png;1\nb.png;2\n"]


def _label_table(path: Path) -> object:
    from engine.data.source.image_labels import read_labels

    return read_labels(path)


DATA_READERS = (
    Reader("photograph", "photograph.jpg", _photographs, _photograph),
    Reader("folder index", "folder.index", _folder_indices, _folder_index),
    Reader("labels", "labels.csv", _label_tables, _label_table),
)
