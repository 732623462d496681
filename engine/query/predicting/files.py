"""Samples that are files: pictures, sounds, videos, arrays or texts, alone or in a folder."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from torch import Tensor

from engine.data.load.form_lookup import stored_white, white_of
from engine.data.read.array import SUFFIXES as ARRAYS
from engine.data.read.file_form import ArrayForm, FileForm, value_of_file
from engine.data.read.listening import tell_progress
from engine.data.read.picture_suffix import SUFFIXES as PICTURES
from engine.data.read.sound import SUFFIXES as SOUNDS
from engine.data.read.sound import SoundForm
from engine.data.read.text import ENDINGS as TEXTS
from engine.data.read.text import read_text
from engine.data.read.video import MOST_TOGETHER, VideoForm, rehearse_videos
from engine.data.read.video import SUFFIXES as VIDEOS
from engine.data.source.image_walk import FileKind, Walk
from engine.data.source.source import Source
from engine.data.source.stored_picture import picture_form
from engine.data.source.text_folder import BARE_TEXTS
from engine.diagnostics import DiagnosticError
from engine.files import is_folder
from engine.query.predicting.given import GivenData, GivenSample, Samples, tried
from engine.query.predicting.mask_files import without_masks
from engine.query.predicting.texts import TextReader
from engine.spec.data import FieldInfo
from engine.train.training import Training

Read = Callable[[Path], Tensor]


def suffixes_of(form: FileForm) -> frozenset[str]:
    """Return the endings of the names of files of a form, in small letters."""
    if isinstance(form, SoundForm):
        return frozenset(SOUNDS)
    if isinstance(form, VideoForm):
        return frozenset(VIDEOS)
    return frozenset(ARRAYS if isinstance(form, ArrayForm) else PICTURES)


def file_reader(training: Training, info: FieldInfo) -> tuple[frozenset[str], Read] | None:
    """Return what reads a file as the value of an input, with the endings of the names of such
    files; None where none makes it. Data without files takes pictures where it has pictures.
    """
    form = training.data.source.file_form(info.name)
    if form is not None:
        return suffixes_of(form), lambda path: value_of_file(form, path)
    form = picture_form(info)
    if form is None:
        return None
    scale = _scale(training, info)
    return PICTURES, lambda path: value_of_file(form, path) * scale


def files_at(
    path: Path, info: FieldInfo, endings: frozenset[str], read: Read, source: Source
) -> GivenData:
    """Return the files of a folder, those of the folders in it too, in the order of their names, or
    one file; without those that the ``source`` of a run would read as masks. Raises
    :class:`DiagnosticError` P052 where there are none, and as walking does.
    """
    if not is_folder(path):
        return GivenData(1, _samples(path.parent, iter((path.name,)), info, read))
    names = without_masks(path, _names(path, endings), source)
    rehearsed = _rehearsed(path, names) if endings == VIDEOS else iter(names)
    return GivenData(len(names), _samples(path, rehearsed, info, read))


def text_files_at(path: Path, reader: TextReader, encoding: str) -> GivenData:
    """Return the texts in the files of a folder, or in one file, a sample each. Raises as
    :func:`files_at` does.
    """
    names = _text_names(path) if is_folder(path) else [path.name]
    root = path if is_folder(path) else path.parent

    def samples() -> Samples:
        for name in names:
            yield tried(
                name,
                lambda name=name: GivenSample(
                    name, reader.values(read_text(root / name, encoding))
                ),
            )

    return GivenData(len(names), samples())


def _text_names(root: Path) -> list[str]:
    """Return the paths of texts below a folder: those without an ending where no other is there."""
    try:
        return _names(root, frozenset(TEXTS))
    except DiagnosticError as error:
        with suppress(DiagnosticError):  # then it is told of those with an ending
            return _names(root, BARE_TEXTS.suffixes)
        raise error from None


def _names(root: Path, endings: frozenset[str]) -> list[str]:
    """Return the paths of files below a folder."""
    kind = FileKind(endings, "P052", "files")
    walk = Walk(root, progress=lambda done: tell_progress(root, done, "files"), kind=kind)
    names = [
        f"{folder.path}/{file.name}" if folder.path else file.name
        for folder in walk
        for file in folder.pictures
    ]
    names += [name for name in walk.empty.shown if name not in names]
    if not names:
        kinds = ", ".join(sorted(endings))
        raise DiagnosticError.of("P052", folder=str(root), kinds=kinds)
    return names


def _rehearsed(root: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield names of videos; each was tried together with those that come next."""
    for start in range(0, len(names), MOST_TOGETHER):
        chosen = names[start : start + MOST_TOGETHER]
        rehearse_videos([root / name for name in chosen])
        yield from chosen


def _samples(root: Path, names: Iterator[str], info: FieldInfo, read: Read) -> Samples:
    for name in names:
        path, shown = root / name, os.fsencode(name).decode("utf-8", "replace")
        yield tried(
            shown,
            lambda path=path, shown=shown: GivenSample(
                shown, {info.name: read(path)}, files={info.name: path}
            ),
        )


def _scale(training: Training, info: FieldInfo) -> float:
    """Return the number that white has in pictures that are stored as numbers."""
    white = stored_white(training.data.source, info.name)
    return white_of(training.data.examples("train", 1)[info.name]) if white is None else white
