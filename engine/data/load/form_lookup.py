"""Forms of a source: what of it reads the user's own files, rows and texts."""

import math
from collections.abc import Mapping
from typing import TypeVar

from torch import Tensor

from engine.data.load.kept_source import KeptSource
from engine.data.load.part_statistics import rows_of
from engine.data.load.source_forms import (
    FileForms,
    KeptRow,
    SeriesForm,
    SourceForms,
    TableForm,
    TextForm,
)
from engine.data.load.trained_numbers import trained_numbers
from engine.data.read.file_form import ArrayForm, FileForm
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.segmentation_folder import SegmentationFolderSource
from engine.data.source.series import SeriesSource
from engine.data.source.source import Source
from engine.data.source.text_samples import TextSource

_Form = TypeVar("_Form")

_LOOKED_AT = 4096  # samples, for the number that white has


def forms_of(source: Source, at: int) -> SourceForms:
    """Return the forms of a source that is fitted to its training samples, of which ``at`` is one.
    Raises :class:`~engine.diagnostics.DiagnosticError` where that has to be read and cannot.
    """
    infos = source.infos
    arrays = {info.name: source.array_form(info.name) for info in infos}
    return SourceForms(
        task=source.task,
        infos=infos,
        shapes=_shapes(source, at),
        columns={info.name: source.column_of(info.name) for info in infos},
        value_names={info.name: source.value_names(info.name) for info in infos},
        files=_file_forms(source),
        arrays={name: form for name, form in arrays.items() if form is not None},
        tokenizers={name: each.content for name, each in source.tokenizers().items()},
        white=_white(source),
        text_files=tuple(info.name for info in infos if reads_text_files(source, info.name)),
        row=None if source.row_form is None else KeptRow.of(source.row_form),
        text=text_form(source),
        series=series_form(source),
        table=table_form(source),
        pairs_masks=pairs_masks(source),
    )


def text_form(source: Source) -> TextForm | None:
    """Return how the texts that are the samples of a source are read, None for other samples."""
    if isinstance(source, KeptSource):
        return source.forms.text
    if not isinstance(source, TextSource):
        return None
    if source.files or not source.samples:
        return TextForm(has_files=bool(source.files), column=None)
    corpus = source.corpora[0]
    start = int(corpus.spans[0, 0])
    column = 0 if start == 0 or corpus.text[start - 1] == "\n" else 1
    return TextForm(has_files=False, column=column)


def series_form(source: Source) -> SeriesForm | None:
    """Return how the windows of a series are read, None for other samples."""
    if isinstance(source, KeptSource):
        return source.forms.series
    if not isinstance(source, SeriesSource):
        return None
    times = source.table.times
    return SeriesForm(
        names=source.table.names,
        features=source.features,
        targets=source.targets,
        length=source.length,
        horizon=source.horizon,
        stride=source.stride,
        fill=source.fill if source.table.filled else "none",
        are_numbers=times is not None and times.values.dtype.kind == "f",
    )


def table_form(source: Source) -> TableForm | None:
    """Return what is known of the table that samples are rows of, None for others."""
    if isinstance(source, KeptSource):
        return source.forms.table
    rows = rows_of(source)
    if rows is None:
        return None
    return TableForm(tuple(column.name for column in rows.targets), trained_numbers(source))


def reads_text_files(source: Source, name: str) -> bool:
    """Return whether a table names the files of the texts of a field."""
    if isinstance(source, KeptSource):
        return name in source.forms.text_files
    is_text = any(info.name == name and info.kind == "sequence" for info in source.infos)
    has_files = is_text and source.samples > 0 and source.file(name, 0) is not None
    return has_files and rows_of(source) is not None


def pairs_masks(source: Source) -> bool:
    """Return whether the files of a folder that are called like masks are such."""
    if isinstance(source, KeptSource):
        return source.forms.pairs_masks
    return isinstance(source, SegmentationFolderSource)


def stored_white(source: Source, name: str) -> float | None:
    """Return the number that white has in pictures that are stored as numbers, where it is known
    without reading each: 1, or the largest where they go beyond it.
    """
    if isinstance(source, KeptSource):
        return source.forms.white.get(name)
    values = source.column(name)
    return None if values is None else white_of(values)


def white_of(values: Tensor) -> float:
    """Return the number that white has in pictures: 1, or the largest where they go beyond it."""
    step = math.ceil(len(values) / _LOOKED_AT)
    return max(1.0, float(values[::step].max())) if len(values) else 1.0


def _white(source: Source) -> dict[str, float]:
    pictures = (info.name for info in source.infos if info.kind == "image")
    found = {name: stored_white(source, name) for name in pictures if not source.file_form(name)}
    return {name: white for name, white in found.items() if white is not None}


def _shapes(source: Source, at: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the fields of a sample, which is read where they differ."""
    shapes = {info.name: info.shape for info in source.infos}
    if all(size >= 0 for shape in shapes.values() for size in shape):
        return shapes
    return {name: tuple(values[0].shape) for name, values in source.read([at]).items()}


def _file_forms(source: Source) -> FileForms:
    named = {info.name: source.file_form(info.name) for info in source.infos}
    return FileForms(
        pictures=_of_kind(named, PictureForm),
        masks=_of_kind(named, MaskForm),
        sounds=_of_kind(named, SoundForm),
        videos=_of_kind(named, VideoForm),
        arrays=_of_kind(named, ArrayForm),
    )


def _of_kind(forms: Mapping[str, FileForm | None], kind: type[_Form]) -> dict[str, _Form]:
    return {name: form for name, form in forms.items() if isinstance(form, kind)}
