"""Samples of requests: what is sent becomes what the model reads, within limits."""

import base64
import binascii
import io
import json
import math
import struct
import warnings
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from PIL import Image, ImageOps
from torch.nn.functional import interpolate

MOST_LETTERS = 1_000_000  # of a text
MOST_DEPTH = 16  # of lists in lists
MOST_UNPACKED = 1 << 28  # bytes that an archive of arrays may hold
MOST_SAMPLES = 256  # in one request
FILES = ("picture", "mask", "sound", "video", "array")
_PICTURES = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_ARRAY, _ZIP = b"\x93NUMPY", b"PK\x03\x04"


class Refused(Exception):  # noqa: N818  # it is an answer
    """A request that is not answered: its HTTP status, a short code, and a sentence for people."""

    def __init__(self, status, code, message, **details):
        super().__init__(message)
        self.status = status
        self.answer = {"error": message, "code": code, **details}


def decoded(body):
    """Return what a JSON text says. Raises ``Refused`` where it is none."""
    try:
        return json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "too many lists in lists" if isinstance(error, RecursionError) else str(error)
        raise Refused(
            400, "no_json", f"The request is not JSON: {reason}.", reason=reason
        ) from error


def samples_of(content, fields):
    """Return the samples that a JSON value holds, and whether they came as a list."""
    names = {field["name"] for field in fields}
    is_list = isinstance(content, dict) and set(content) == {"samples"} and "samples" not in names
    given = content["samples"] if is_list else [content]
    if not isinstance(given, list) or not given:
        raise Refused(422, "no_samples", "“samples” has to be a list of at least one sample.")
    if len(given) > MOST_SAMPLES:
        text = f"{len(given)} samples are too many: one request may have {MOST_SAMPLES}."
        raise Refused(413, "many_samples", text, limit=MOST_SAMPLES)
    return given, is_list


class Sample:
    """A raw sample as the model reads it; what was uploaded lies in files while it is open."""

    def __init__(self, given, fields):
        if not isinstance(given, dict):
            names = ", ".join(f"“{field['name']}”" for field in fields)
            text = f"A sample has to be a JSON object with {names}."
            raise Refused(422, "no_sample", text, names=names)
        self._known = {field["name"]: field for field in fields}
        if unknown := sorted(set(given) - set(self._known)):
            names = ", ".join(self._known)
            text = f"There is no input “{unknown[0][:60]}”. The inputs are {names}."
            raise Refused(422, "unknown", text, name=unknown[0][:60], names=names)
        self._values = {}
        self._uploads = {}
        self._folder = None
        for field in fields:
            self._take(field, given.get(field["name"]))

    def __enter__(self):
        """Return the sample; uploads are files from now on."""
        if not self._uploads:
            return self._values
        self._folder = TemporaryDirectory(prefix="service-")
        for number, (name, content) in enumerate(self._uploads.items()):
            ending = _ending(self._known[name]["kind"], content)
            path = Path(self._folder.name) / f"{number}{ending}"
            path.write_bytes(content)
            self._values[name] = str(path)
        return self._values

    def __exit__(self, *_error):
        """Remove its files."""
        if self._folder is not None:
            self._folder.cleanup()

    def _take(self, field, value):
        name, kind = field["name"], field["kind"]
        if kind == "cell":
            self._values[name] = _cell(field, value)
        elif value is None:
            raise Refused(422, "missing", f"The input “{name}” is missing.", name=name)
        elif kind in FILES:
            self._uploads[name] = _content(field, value)
        elif kind == "text":
            self._values[name] = _text(name, value)
        else:
            self._values[name] = _numbers(field, value)


def _no_constant(text):
    raise ValueError(f"{text} is no number")


def _cell(field, value):
    name = field["name"]
    if isinstance(value, bytes):
        value = _decoded_text(name, value)
    if value is None or isinstance(value, str):
        if value is not None and len(value) > MOST_LETTERS:
            raise _too_long(name)
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        text = f"“{name}” has to be a text or a number."
        raise Refused(422, "no_cell", text, name=name)
    is_number = field["of"] == "number"
    return float(value) if is_number else f"{value:g}" if isinstance(value, float) else str(value)


def _text(name, value):
    if isinstance(value, bytes):
        value = _decoded_text(name, value)
    if not isinstance(value, str):
        raise Refused(422, "no_text", f"“{name}” has to be a text.", name=name)
    if len(value) > MOST_LETTERS:
        raise _too_long(name)
    return value


def _decoded_text(name, value):
    try:
        return value.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = f"“{name}” is no text in UTF-8."
        raise Refused(422, "no_utf8", text, name=name) from error


def _too_long(name):
    text = f"“{name}” is too long: at most {MOST_LETTERS} letters."
    return Refused(413, "long_text", text, name=name, limit=MOST_LETTERS)


def _content(field, value):
    """Return the bytes of a file. A text is base64, never the name of a file here."""
    name = field["name"]
    if isinstance(value, str):
        encoded = value.partition(",")[2] if value.startswith("data:") else value
        try:
            value = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            text = f"“{name}” has to be a file in base64, or an upload."
            raise Refused(422, "no_base64", text, name=name) from error
    if not isinstance(value, bytes) or not value:
        raise Refused(422, "no_file", f"“{name}” has to be a file that is not empty.", name=name)
    if field["kind"] == "array":
        _check_array(name, value)
    return value


def _check_array(name, content):
    """Refuse arrays that would take more memory than they say, before anything is unpacked."""
    if content.startswith(_ARRAY):
        _array(name, content)
        return
    if not content.startswith(_ZIP):
        text = f"“{name}” is no array: .npy, .npz or .pt."
        raise Refused(422, "no_array", text, name=name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        text = f"“{name}” is no array: {error}."
        raise Refused(422, "no_array", text, name=name) from error
    if size > MOST_UNPACKED:
        text = f"“{name}” unpacks to {size >> 20} MB: at most {MOST_UNPACKED >> 20} MB."
        raise Refused(413, "unpacks", text, name=name, size=size >> 20, limit=MOST_UNPACKED >> 20)


def _ending(kind, content):
    if kind != "array":
        return ""
    if content.startswith(_ARRAY):
        return ".npy"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return ".pt" if any(each.endswith("data.pkl") for each in archive.namelist()) else ".npz"


def _array(name, content):
    """Return the array in the bytes of a .npy file, whose size has to be what its head says."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, in_columns, dtype = read(stream)
        if dtype.kind not in "biuf":
            raise ValueError(f"it holds {dtype}, no numbers")
        body = content[stream.tell() :]
        if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != len(body):
            raise ValueError("its size is not what its head says")
        order = "F" if in_columns else "C"
        return np.frombuffer(body, dtype).reshape(shape, order=order)
    except (ValueError, OSError, SyntaxError, TypeError, EOFError) as error:
        text = f"“{name}” is no array (.npy): {str(error)[:200]}."
        raise Refused(422, "no_array", text, name=name) from error


def _numbers(field, value):
    """Return the numbers of an input, of the shape that it has."""
    name, wanted = field["name"], field["shape"]
    if field["picture"] is not None and _is_picture(value):
        return _picture(field, value)
    if isinstance(value, bytes):
        value = _array(name, value) if value.startswith(_ARRAY) else decoded(value)
    if isinstance(value, str):
        value = decoded(value)
    _check_depth(name, value)
    try:
        found = np.asarray(value)
    except ValueError:
        found = np.empty(0, object)
    if found.dtype.kind not in "biuf":
        text = f"“{name}” has to be numbers, in lists of equal length."
        raise Refused(422, "no_numbers", text, name=name)
    if found.dtype.kind == "f" and found.dtype.itemsize > 8:
        found = found.astype("float64")
    fits = len(found.shape) == len(wanted) and all(
        size in (axis, -1) and axis for axis, size in zip(found.shape, wanted, strict=True)
    )
    if field["is_strict"] and not fits:
        shape = "×".join("any" if size < 0 else str(size) for size in wanted) or "one number"
        given = "×".join(map(str, found.shape)) or "one number"
        text = f"“{name}” has the shape {given}; the model reads {shape}."
        raise Refused(422, "shape", text, name=name, given=given, wanted=shape)
    return found if found.flags.writeable else found.copy()


def _is_picture(value):
    """Return whether a value is a picture in a file rather than numbers."""
    if isinstance(value, str):
        return value[:1] not in ("[", "{", "")
    return isinstance(value, bytes) and value[:1] != b"[" and not value.startswith(_ARRAY)


def _picture(field, value):
    """Return a picture as the numbers that the data have of theirs."""
    content, wanted = _content(field, value), field["picture"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            with Image.open(io.BytesIO(content), formats=_PICTURES) as opened:
                pixels = np.array(ImageOps.exif_transpose(opened).convert(wanted["mode"]))
        except (OSError, ValueError, SyntaxError, EOFError, struct.error) as error:
            text = f"“{field['name']}” is no picture: {str(error)[:200]}."
            raise Refused(422, "no_picture", text, name=field["name"]) from error
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            text = f"“{field['name']}” has too many pixels."
            raise Refused(413, "pixels", text, name=field["name"]) from error
    values = torch.from_numpy(pixels).float().reshape(*pixels.shape[:2], -1).movedim(-1, 0)
    size = tuple(wanted["size"])
    if values.shape[1:] != size:
        values = interpolate(values[None], size, mode="bilinear", antialias=True)[0]
    values = values.clamp_(0, 255) * (wanted["white"] / 255)
    return (values.movedim(0, -1) if wanted["channels_last"] else values).numpy()


def _check_depth(name, value):
    depth = 0
    while isinstance(value, list) and value:
        value, depth = value[0], depth + 1
    if depth > MOST_DEPTH:
        text = f"“{name}” has too many lists in lists."
        raise Refused(422, "depth", text, name=name)
