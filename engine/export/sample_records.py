"""Records of samples for TensorBoard, each as what it is: a picture, a sound, a text, a row."""

import io
import wave
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from engine.data.load.load import LoadedData
from engine.data.read.sound import SoundForm
from engine.data.source.source import Source
from engine.export.event_file import audio, image, text
from engine.files.png import png_bytes
from engine.spec.data import IGNORED, PIXEL_KINDS, FieldInfo
from engine.spec.sound_picture import sound_pixels
from engine.spec.video_picture import video_pixels

_SAMPLES = 8
_MOST_COLUMNS = 20  # of a table
_WIDTH = 320  # pixels of a sound or a video
_PLAYED = ("sound", "video")
_COLORS = ((230, 60, 40), (50, 110, 240), (30, 160, 80), (240, 170, 20), (150, 70, 200))
_WAVE_AXES = 2
_MARKS = str.maketrans({"|": "\\|", "\n": " ", "\r": " "})


def sample_records(data: LoadedData, wall_s: float) -> list[bytes]:
    """Return the first samples of the training part: pictures with their boxes and masks, sounds
    to be heard and seen, the frames of videos, and a table of texts, rows and other numbers.
    """
    indices = data.indices["train"][:_SAMPLES].tolist()
    values = data.raw(indices)
    inputs = [field for field in data.info.fields if field.role == "input"]
    labels = [_label(data, values, at) for at in range(len(indices))]
    records: list[bytes] = []
    for field in inputs:
        if field.kind in (*PIXEL_KINDS, *_PLAYED):
            records += _pictures(data, field, values, labels, wall_s)
        if field.kind == "sound" and len(field.shape) == _WAVE_AXES:
            records += _sounds(data.source, field, values[field.name], labels, wall_s)
    table = _table(data, inputs, values, indices)
    if table:
        records.append(text(wall_s, 0, "train/samples/text_summary", table))
    return records


def _pictures(
    data: LoadedData,
    field: FieldInfo,
    values: Mapping[str, Tensor],
    labels: list[str],
    wall_s: float,
) -> Iterator[bytes]:
    pixels = values[field.name]
    shown = pixels.float()
    low, high = shown.min(), shown.max()
    for number, label in enumerate(labels):
        if field.kind == "video":
            picture = video_pixels(pixels[number].numpy(), _WIDTH)
        elif field.kind == "sound":
            picture = sound_pixels(pixels[number].numpy(), _WIDTH)
        else:
            grey = (shown[number] - low) / (high - low).clamp(min=1e-12) * 255
            picture = _colors(grey.round().to(torch.uint8))
            picture = _marked(data, picture, values, number)
        size = (picture.shape[0], picture.shape[1])
        name = f"train/{field.name}/{number}{label}"
        yield image(wall_s, 0, name, size, png_bytes(picture.tobytes(), (*size, 3)))


def _colors(picture_chw: Tensor) -> np.ndarray:
    """Return a picture of three channels, (height, width, 3)."""
    channels = len(picture_chw)
    three = picture_chw[:3] if channels >= 3 else picture_chw[:1].expand(3, -1, -1)
    return three.permute(1, 2, 0).numpy().copy()


def _marked(
    data: LoadedData, picture: np.ndarray, values: Mapping[str, Tensor], number: int
) -> np.ndarray:
    """Draw the boxes and the mask of a sample into its picture."""
    kinds = {field.kind: field.name for field in data.info.fields if field.role == "target"}
    height, width = picture.shape[:2]
    if "mask" in kinds:
        mask = values[kinds["mask"]][number].numpy()
        if mask.shape == (height, width):
            for kind in np.unique(mask[mask > 0]):
                color = np.asarray(_COLORS[int(kind - 1) % len(_COLORS)])
                picture[mask == kind] = (picture[mask == kind] * 0.5 + color * 0.5).astype(np.uint8)
    if "boxes" in kinds and "box_classes" in kinds:
        classes = values[kinds["box_classes"]][number].tolist()
        corners = values[kinds["boxes"]][number].round().long().tolist()
        for kind, (left, top, right, bottom) in zip(classes, corners, strict=True):
            if kind != IGNORED:
                rows = slice(top, min(bottom, height - 1) + 1)
                columns = slice(left, min(right, width - 1) + 1)
                color = _COLORS[kind % len(_COLORS)]
                picture[[rows.start, rows.stop - 1], columns] = color
                picture[rows, [columns.start, columns.stop - 1]] = color
    return picture


def _sounds(
    source: Source, field: FieldInfo, waves: Tensor, labels: list[str], wall_s: float
) -> Iterator[bytes]:
    form = source.file_form(field.name)
    if not isinstance(form, SoundForm):  # how fast it is played is not known
        return
    for number, label in enumerate(labels):
        content = _wav(waves[number], form.rate)
        channels, samples = waves[number].shape
        tag = f"train/{field.name} sound/{number}{label}"
        yield audio(wall_s, 0, tag, (form.rate, channels, samples), content)


def _wav(values_cs: Tensor, rate: int) -> bytes:
    """Return a waveform (channels, samples) as a WAV file of 16 bits."""
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(len(values_cs))
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((values_cs.clamp(-1, 1) * 32767).round().short().T.numpy().tobytes())
    return content.getvalue()


def _table(
    data: LoadedData, inputs: list[FieldInfo], values: Mapping[str, Tensor], indices: list[int]
) -> str:
    """Return texts, rows and numbers as a table in Markdown; empty where there are none."""
    source, form = data.source, data.source.row_form
    columns: dict[str, list[str]] = {}
    if form is not None:
        columns |= {name: [source.text(name, index) for index in indices] for name in form.kinds}
    for field in inputs:
        if field.words:
            columns[field.name] = [source.text(field.name, index) for index in indices]
        elif field.kind not in (*PIXEL_KINDS, *_PLAYED, "mask") and form is None:
            columns |= _numbers(field, values[field.name])
    if not columns:
        return ""
    columns = dict(list(columns.items())[:_MOST_COLUMNS])
    targets = [_target_text(data, values, at) for at in range(len(indices))]
    target = data.info.target
    if target is not None and target.words:
        targets = [source.text(target.name, index) for index in indices]
    if target is not None and any(targets):
        columns[f"{target.columns[0] if len(target.columns) == 1 else target.name} →"] = targets
    head = f"| {' | '.join(map(_cell, columns))} |\n|{' --- |' * len(columns)}\n"
    rows = zip(*columns.values(), strict=True)
    return head + "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _numbers(field: FieldInfo, values: Tensor) -> dict[str, list[str]]:
    flat = values.flatten(1)[:, :_MOST_COLUMNS].tolist()
    names = field.entry_names[:_MOST_COLUMNS]
    return {name: [f"{row[at]:.6g}" for row in flat] for at, name in enumerate(names)}


def _cell(words: str) -> str:
    return words.translate(_MARKS)


def _label(data: LoadedData, values: Mapping[str, Tensor], number: int) -> str:
    """Return what is added to the name of a sample for its target; nothing where it is drawn."""
    found = _target_text(data, values, number)
    return f" {found}" if found else ""


def _target_text(data: LoadedData, values: Mapping[str, Tensor], number: int) -> str:
    """Return the target of a sample where that is a class or some numbers."""
    target = data.info.target
    if target is None or target.kind in ("mask", "box_classes", "sequence"):
        return ""
    numbers = values[target.name][number].flatten().tolist()
    if target.classes and target.kind == "class" and len(numbers) == 1:
        return target.classes[int(numbers[0])]
    return ", ".join(f"{each:.4g}" for each in numbers[:_MOST_COLUMNS])
