"""Columns of the samples of a source, as a person would call them."""

from collections.abc import Callable, Iterator
from dataclasses import replace as replaced
from functools import partial, singledispatch
from math import prod

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from engine.data.browse.column import (
    BrowseColumn,
    CategoryColumn,
    NumberColumn,
    ReadColumn,
    TextColumn,
    evenly,
)
from engine.data.browse.extent_column import length_columns, side_columns
from engine.data.browse.predicted import PART_NAMES
from engine.data.browse.table_column import Role, column_of_table
from engine.data.read.natural import natural_key
from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.image_folder import ImageFolderSource
from engine.data.source.image_index import ImageIndex
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.segmentation_folder import SegmentationFolderSource
from engine.data.source.sound_folder import SoundFolderSource
from engine.data.source.source import FOLDER, Source
from engine.data.source.table import TableSource
from engine.data.source.text_samples import TextSource
from engine.data.source.video_folder import VideoFolderSource
from engine.spec.browse import (
    FRAMES,
    INDEX,
    PART,
    RATE,
    SECONDS,
    SIZE,
    Cell,
    ColumnKind,
    SampleColumn,
)
from engine.spec.data import ROW_KINDS, FieldInfo

MOST_COLUMNS = 200
_MOST_ENTRIES = 64  # of a vector, a column each
_MOST_POINTS = 64  # of a series
_MOST_TOKENS = 40
_LOOKED_AT = 8  # samples, to tell what a field is


def columns_of(
    source: Source,
    parts: Callable[[], NDArray[np.int8]] | None,
    more: tuple[BrowseColumn, ...] = (),
) -> tuple[BrowseColumn, ...]:
    """Return the columns of a source, at most 200: number and part of each sample, ``more``, what
    is written in it, its values. ``parts`` gives the index into :data:`PART_NAMES` of each sample.
    """
    numbers = NumberColumn(
        info=SampleColumn(key=INDEX, kind="number"), load=lambda: np.arange(source.samples)
    )
    own: list[BrowseColumn] = [numbers]
    if parts is not None:
        part = SampleColumn(key=PART, kind="part")
        own.append(CategoryColumn(info=part, load=lambda: (PART_NAMES, parts())))
    return (*own, *more, *data_columns(source))[:MOST_COLUMNS]


@singledispatch
def data_columns(source: Source) -> tuple[BrowseColumn, ...]:
    """Return the columns of the data itself, which a kind of source may know better than its fields
    say.
    """
    infos = source.infos
    has_class = any(info.kind == "class" for info in infos)
    columns = [
        column
        for info in sorted(infos, key=_comes_later)
        if not (has_class and info.role == "target" and info.kind == "scalar")  # the class again
        for column in _of_field(source, info)
    ]
    known = {info.name for info in infos}
    others = [name for name in source.column_names if name not in known]
    return (*columns, *(column for name in others for column in _of_other(source, name)))


def _comes_later(info: FieldInfo) -> bool:
    """Return whether a field stands behind what is predicted, if that is no text itself."""
    return info.role == "input" or bool(info.words)


@data_columns.register
def _of_image_folder(source: ImageFolderSource) -> tuple[BrowseColumn, ...]:
    index = source.index
    labels = (column for info in source.infos[1:2] for column in _of_field(source, info))
    return (
        *labels,
        *_folder_columns(index.subfolders),
        _file_column(index, "image", None),
        *_sizes(index, None),
    )


@data_columns.register
def _of_texts(source: TextSource) -> tuple[BrowseColumn, ...]:
    key = f"data.{FOLDER}"  # its names are few
    fields = (each for each in data_columns.dispatch(Source)(source) if each.info.key != key)
    read = [
        (each.name, source.corpora[each.corpus])
        for each in source.columns
        if each.form != "previous"
    ]
    around = None if source.folder is None else source.folder.around
    return *fields, *_folder_columns(around), *length_columns(read)


@data_columns.register
def _of_sound_folder(source: SoundFolderSource) -> tuple[BrowseColumn, ...]:
    return _of_media(source, RATE, source.heads.rates)


@data_columns.register
def _of_video_folder(source: VideoFolderSource) -> tuple[BrowseColumn, ...]:
    return _of_media(source, FRAMES, source.heads.frames)


def _of_media(
    source: SoundFolderSource | VideoFolderSource,
    key: str,
    load: Callable[[], NDArray[np.float64]],
) -> tuple[BrowseColumn, ...]:
    """Return the columns of sounds or videos: of what their heads say, the duration and ``key``."""
    index, heads = source.index, source.heads
    labels = (column for info in source.infos[1:2] for column in _of_field(source, info))

    def seconds(at: int) -> str:
        found = heads.of(at)
        return f"{found[0]:.2f}" if found[1] else ""

    return (
        *labels,
        *_folder_columns(index.subfolders),
        _file_column(index, source.file_info.name, None),
        NumberColumn(
            info=SampleColumn(key=SECONDS, kind="number"), load=heads.seconds, written=seconds
        ),
        NumberColumn(
            info=SampleColumn(key=key, kind="number"),
            load=load,
            written=lambda at: f"{heads.of(at)[1] or ''}",
        ),
        _size_column(index, None),
    )


@data_columns.register
def _of_segmentation_folder(source: SegmentationFolderSource) -> tuple[BrowseColumn, ...]:
    images, masks = source.pairs.rows.T
    return (
        _file_column(source.images, "image", images),
        _file_column(source.masks, "mask", masks),
        *_sizes(source.images, images),
    )


@data_columns.register
def _of_table(source: TableSource) -> tuple[BrowseColumn, ...]:
    roles: dict[str, Role] = {column.name: "input" for column in source.columns}
    roles |= {column.name: "target" for column in source.targets}
    roles |= {source.plan.weight: "weight"}
    shown = sorted(source.table.names, key=lambda name: roles.get(name) != "target")
    return tuple(column_of_table(source, name, roles.get(name, "")) for name in shown)


@data_columns.register
def _of_mixed_table(source: MixedTableSource) -> tuple[BrowseColumn, ...]:
    roles: dict[str, Role] = {each.column: each.info.role for each in source.files}
    roles |= {each.column: each.info.role for each in source.texts_of}
    columns = [
        replaced(column, info=replace(column.info, role=roles[column.info.name]))
        if column.info.name in roles and column.info.role == ""
        else column
        for column in _of_table(source.rows)
    ]
    texts = {each.column: each.name for each in source.texts_of if each.files is not None}
    columns = [  # of a file with a text, what stands in it
        _written_column(source, texts[column.info.name], column.info)
        if column.info.name in texts
        else column
        for column in columns
    ]
    read = ((each.column, each.corpus) for each in source.texts_of if each.form != "previous")
    columns.sort(key=lambda column: column.info.role != "target")
    return *columns, *length_columns(read)


@data_columns.register
def _of_detection_folder(source: DetectionFolderSource) -> tuple[BrowseColumn, ...]:
    rows = source.pictures.rows
    boxes = (column for info in source.infos[1:] for column in _of_field(source, info))
    return *boxes, _file_column(source.images, "image", rows), *_sizes(source.images, rows)


def _folder_columns(
    found: tuple[tuple[str, ...], NDArray[np.int64]] | None,
) -> Iterator[BrowseColumn]:
    """Yield the folders within and around those of the classes, where there are some: their names
    and the number of that of each sample.
    """
    if found is not None:
        info = SampleColumn(key=f"data.{FOLDER}", kind="category", name=FOLDER)
        yield CategoryColumn(info=info, load=lambda: found)


def _of_field(source: Source, info: FieldInfo) -> Iterator[BrowseColumn]:
    """Yield the columns of a field."""
    size = prod(info.shape)
    if info.words:
        if not _is_repeated(source, info):
            yield _text_column(source, info)
    elif info.kind in ROW_KINDS:
        yield from () if info.kind == "box_masks" else (_box_column(source, info),)
    elif info.kind in ("image", "sound", "video", "mask"):
        if source.samples and source.text(info.name, 0):
            yield _text_column(source, info)
    elif info.kind == "class" and not info.shape:
        yield _class_column(source, info)
    elif size == 1:
        yield _number_column(source, info)
    elif info.kind in ("vector", "point", "categories") and size <= _MOST_ENTRIES:
        yield from _entries(source, info)
    elif info.dtype == "int64":
        yield _read_column(info, "text", _tokens)
    else:
        yield _read_column(info, "series", _series)


def _box_column(source: Source, info: FieldInfo) -> BrowseColumn:
    """Return the number of the boxes of each sample, or what they are around."""
    is_known, is_number = source.boxes() is not None, info.kind == "boxes"
    if is_known and is_number:
        return NumberColumn(info=_described(info, "number"), load=partial(_box_counts, source))
    if is_known:
        load = partial(_box_classes, source, info.classes)
        return CategoryColumn(info=_described(info, "category"), load=load)
    if is_number:
        return _read_column(info, "number", len)
    return _read_column(info, "text", partial(_counted_classes, info.classes))


def _is_repeated(source: Source, info: FieldInfo) -> bool:
    """Return whether an input says what a target says, as what a decoder has read before does."""
    others = [each.name for each in source.infos if each.role == "target" and each.words]
    shown = range(min(source.samples, _LOOKED_AT))
    return info.role == "input" and any(
        all(source.text(info.name, at) == source.text(name, at) for at in shown) for name in others
    )


def _entries(source: Source, info: FieldInfo) -> Iterator[BrowseColumn]:
    is_cheap = source.column(info.name) is not None
    for at, name in enumerate(info.entry_names[: prod(info.shape)]):
        described = SampleColumn(
            key=f"data.{info.name}.{at}", kind="number", name=name, role=info.role
        )
        vocabulary = info.vocabularies[at] if at < len(info.vocabularies) else ()
        if not is_cheap:
            described = replace(described, is_cheap=False)
            yield ReadColumn(info=described, field=info.name, convert=partial(_at, at))
        elif vocabulary:
            load = partial(_coded, source, info.name, at, vocabulary)
            yield CategoryColumn(info=replace(described, kind="category"), load=load)
        else:
            yield NumberColumn(info=described, load=partial(_entry, source, info.name, at))


def _class_column(source: Source, info: FieldInfo) -> BrowseColumn:
    if source.column(info.name) is None:
        return _read_column(info, "category", partial(_class_name, info))
    load = partial(_coded, source, info.name, 0, info.classes)
    return CategoryColumn(info=_described(info, "category"), load=load)


def _number_column(source: Source, info: FieldInfo) -> BrowseColumn:
    if source.column(info.name) is None:
        return _read_column(info, "number", _first)
    return NumberColumn(info=_described(info, "number"), load=partial(_entry, source, info.name, 0))


def _text_column(source: Source, info: FieldInfo) -> BrowseColumn:
    if not any(source.text(info.name, at) for at in range(min(source.samples, _LOOKED_AT))):
        return _read_column(info, "text", _tokens)
    return _written_column(source, info.name, _described(info, "text"))


def _written_column(source: Source, name: str, info: SampleColumn) -> BrowseColumn:
    """Return a column of what the source says is written in its samples."""
    text = partial(source.text, name)
    return TextColumn(
        info=info,
        text=text,
        every=lambda: map(text, range(source.samples)),
        samples=source.samples,
    )


def _of_other(source: Source, name: str) -> Iterator[BrowseColumn]:
    """Yield a column that is no field."""
    values = source.column(name)
    if values is None or values[:1].numel() != len(values[:1]):
        return
    info = SampleColumn(key=f"data.{name}", kind="number", name=name)
    if source.samples and source.text(name, 0):
        yield _written_column(source, name, replace(info, kind="text"))
    else:
        yield NumberColumn(info=info, load=partial(_entry, source, name, 0))


def _file_column(index: ImageIndex, name: str, rows: NDArray[np.int64] | None) -> BrowseColumn:
    """Return the paths of pictures, relative to their folder, which are in order already."""

    def every() -> Iterator[str]:
        chosen = range(len(index)) if rows is None else rows.tolist()
        return map(index.name, chosen)

    return TextColumn(
        info=SampleColumn(key=f"data.{name}", kind="text", name=name, role=_role(name)),
        text=lambda at: index.name(at if rows is None else int(rows[at])),
        every=every,
        samples=len(index) if rows is None else len(rows),
        order=lambda: np.arange(len(index)) if rows is None else rows,
    )


def _sizes(index: ImageIndex, rows: NDArray[np.int64] | None) -> tuple[BrowseColumn, ...]:
    """Return how large the pictures in files are, and the files."""
    return *side_columns(index, rows), _size_column(index, rows)


def _size_column(index: ImageIndex, rows: NDArray[np.int64] | None) -> BrowseColumn:
    sizes = index.arrays["sizes"]
    return NumberColumn(
        info=SampleColumn(key=SIZE, kind="size"),
        load=lambda: sizes.astype(np.int64) if rows is None else sizes[rows].astype(np.int64),
    )


def _role(name: str) -> Role:
    return "target" if name == "mask" else "input"


def _described(info: FieldInfo, kind: ColumnKind) -> SampleColumn:
    return SampleColumn(key=f"data.{info.name}", kind=kind, name=info.name, role=info.role)


def _read_column(
    info: FieldInfo, kind: ColumnKind, convert: Callable[[NDArray[np.number]], Cell]
) -> ReadColumn:
    described = replace(_described(info, kind), is_cheap=False)
    return ReadColumn(info=described, field=info.name, convert=convert)


def _coded(
    source: Source, name: str, at: int, vocabulary: tuple[str, ...]
) -> tuple[tuple[str, ...], NDArray[np.number]]:
    return vocabulary, _entry(source, name, at)


def _entry(source: Source, name: str, at: int) -> NDArray[np.number]:
    """Return one number of a field of all samples."""
    values = source.column(name)
    assert values is not None
    return values.reshape(len(values), -1)[:, at].numpy()


def _boxes(source: Source) -> BoxTable:
    table = source.boxes()
    assert table is not None
    return table


def _box_counts(source: Source) -> NDArray[np.number]:
    return _boxes(source).counts.numpy()


def _box_classes(
    source: Source, names: tuple[str, ...]
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return what each sample has boxes around, such as “cat, dog × 2”; -1 for none."""
    table = _boxes(source)
    numbers, owners, classes = table.labels.numpy(), table.owners.numpy(), len(names)
    pairs, counts = np.unique(owners * classes + numbers, return_counts=True)
    texts: list[list[str]] = [[] for _ in range(table.samples)]
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        sample, number = divmod(pair, classes)
        texts[sample].append(_counted_class(names[number], count))
    joined = [", ".join(each) for each in texts]
    values = tuple(sorted(set(joined) - {""}, key=natural_key))
    codes = {value: at for at, value in enumerate(values)}
    return values, np.array([codes.get(text, -1) for text in joined], np.int64)


def _counted_classes(names: tuple[str, ...], numbers: NDArray[np.number]) -> Cell:
    """Return what the boxes of one sample are around."""
    pairs = zip(*(each.tolist() for each in np.unique(numbers, return_counts=True)), strict=True)
    return ", ".join(_counted_class(names[number], count) for number, count in pairs)


def _counted_class(name: str, count: int) -> str:
    return name if count == 1 else f"{name} × {count}"


def _class_name(info: FieldInfo, values: NDArray[np.number]) -> Cell:
    number = int(values.reshape(-1)[0])
    return info.classes[number] if 0 <= number < len(info.classes) else None


def _first(values: NDArray[np.number]) -> Cell:
    """Return the first of the numbers of a field, None for NaN."""
    number = float(values.reshape(-1)[0])
    return None if number != number else number  # noqa: PLR0124 - NaN


def _at(at: int, values: NDArray[np.number]) -> Cell:
    return float(values.reshape(-1)[at])


def _tokens(values: NDArray[np.number]) -> Cell:
    flat = values.reshape(-1)
    more = " …" if len(flat) > _MOST_TOKENS else ""
    return " ".join(str(int(each)) for each in flat[:_MOST_TOKENS]) + more


def _series(values: NDArray[np.number]) -> Cell:
    """Return the first of the numbers that a step has, for some steps."""
    steps = values.reshape(len(values), -1)[:, 0] if values.ndim > 1 else values
    return evenly([float(each) for each in steps], _MOST_POINTS)
