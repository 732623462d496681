"""What is told of data that are proposed, beside what the source says of them."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from engine.data.load.part_statistics import rows_of
from engine.data.read.column_name import TARGETS, whole
from engine.data.read.idx import is_idx
from engine.data.read.kind import propose_table
from engine.data.source.arrays import idx_labels_name
from engine.data.source.series import SeriesSource
from engine.data.source.source import Source
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.files import is_file
from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.proposal import FOLDER_READERS
from engine.spec.residual_model import LEAST_SIDE, has_small_stem, is_residual_model
from engine.spec.run import Choice

_OF_FILES, _LABELS = ("image", "sound", "video"), "data.source.labels"
_MARKS = ("|", ";", ",", " ")  # between labels
_LEAST_COMBINED = 2  # classes of several labels
_LISTED = 8  # columns in a sentence


def with_notices(
    info: DataInfo, path: Path, loaded: Source, chosen: str, more: Sequence[Diagnostic] = ()
) -> DataInfo:
    """Return what is told of the data at a path, beside what the source says: what can be done
    where there is no target, what is read otherwise than somebody may have meant, and what ``more``
    there is. ``chosen`` is the target that the user said.
    """
    info = replace(info, problems=(*info.problems, *more))
    told = _with_tags(_with_words(_with_way_out(info, path), loaded))
    told = _with_beside(told, rows_of(loaded))
    return _with_passed_over(told, rows_of(loaded), chosen)


def _with_way_out(info: DataInfo, path: Path) -> DataInfo:
    """Return what is told of the data; where it has no target, with what can be done about it."""
    if any(field.role == "target" for field in info.fields):
        return info
    inside = sorted(each.name for each in path.iterdir()) if path.is_dir() else [path.name]
    packed = next(filter(is_idx, inside), None)
    if packed is not None:
        labels = idx_labels_name(packed)
        told = Diagnostic.of("D575", severity=Severity.HINT, name=packed, labels=labels)
    elif info.source in FOLDER_READERS and any(f.kind in _OF_FILES for f in info.fields):
        told = Diagnostic.of("D652", severity=Severity.HINT, field=_LABELS, name=path.name)
    else:
        told = Diagnostic.of("D446", severity=Severity.HINT, name=path.name)
    return replace(info, problems=(*info.problems, told))


def _with_words(info: DataInfo, loaded: Source) -> DataInfo:
    """Return what is told of the data; of a time series with its columns of words, which it has
    nothing of.
    """
    words = loaded.table.words if isinstance(loaded, SeriesSource) else ()
    if not words:
        return info
    columns = shortened(words, _LISTED)
    told = Diagnostic.of("D655", severity=Severity.HINT, count=len(words), columns=columns)
    return replace(info, problems=(*info.problems, told))


def _with_beside(info: DataInfo, rows: TableSource | None) -> DataInfo:
    """Return what is told of the data; of a table that names pictures, sounds or videos with the
    columns that the model reads beside these.
    """
    if rows is None:
        return info
    files = [
        each.name for each in rows.plan.files if each.role == "input" and each.kind in _OF_FILES
    ]
    beside = [each.name for each in rows.plan.inputs]
    if not files or not beside:
        return info
    told = Diagnostic.of(
        "D723",
        severity=Severity.HINT,
        field="data.source.kinds",
        files=shortened(files, _LISTED),
        columns=shortened(beside, _LISTED),
    )
    return replace(info, problems=(*info.problems, told))


def with_origin(info: DataInfo, graph: Graph | None) -> DataInfo:
    """Return what is told of the data; where ResNet-18 is proposed, with where it comes from."""
    if graph is None or not is_residual_model(graph):
        return info
    told = Diagnostic.of("D583", severity=Severity.HINT)
    if any(has_small_stem(field) for field in info.fields if field.kind == "image"):
        told = Diagnostic.of("D584", severity=Severity.HINT, side=LEAST_SIDE)
    return replace(info, problems=(*info.problems, told))


def _with_tags(info: DataInfo) -> DataInfo:
    """Return what is told of the data; where its classes are combinations of labels, with how a
    sample gets several.
    """
    target = info.target
    tags = () if target is None or target.kind != "class" else tags_in(target.classes)
    if target is None or not tags:
        return info
    example = max(target.classes, key=len)
    told = Diagnostic.of(
        "D651",
        severity=Severity.WARNING,
        field="data.source.kinds" if info.source == "table" else None,
        example=example[:60],
        count=len(target.classes),
        labels=shortened(tags, _LISTED),
    )
    return replace(info, problems=(*info.problems, told))


def tags_in(classes: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of which some classes are combinations (``cat dog``, ``cat|dog``): fewer
    than these, half of them or more a class alone too; nothing where classes are no such.
    """
    for mark in _MARKS:
        cells = [[word.strip() for word in name.split(mark)] for name in classes]
        words = dict.fromkeys(word for cell in cells for word in cell if word)
        several = [cell for cell in cells if len(cell) > 1]
        alone = {cell[0] for cell in cells if len(cell) == 1}
        is_such = 2 * len(alone & {*words}) >= len(words) and len(words) < len(classes)
        are_sets = all(len({*cell}) == len(cell) and all(cell) for cell in cells)
        used = {word for cell in several for word in cell}
        if len(several) >= _LEAST_COMBINED and is_such and are_sets and 2 * len(used) > len(words):
            return tuple(words)
    return ()


def _with_passed_over(info: DataInfo, rows: TableSource | None, chosen: str) -> DataInfo:
    """Return what is told of the data; where a column is called a target and has too many values
    to be one, with what is predicted in its place. ``chosen`` is the target that the user said.
    """
    if rows is None or chosen or any(_is_called(each.name) for each in rows.plan.targets):
        return info
    infos = propose_table(rows.table)[0]
    found = next((c for c in infos if _is_called(c.name) and c.kind in ("text", "id")), None)
    if found is None or not rows.plan.targets:
        return info
    told = Diagnostic.of(
        "D660",
        severity=Severity.WARNING,
        field="data.source.target",
        column=found.name,
        count=found.distinct,
        target=rows.plan.targets[0].name,
    )
    return replace(info, problems=(*info.problems, told))


def _is_called(name: str) -> bool:
    return whole(name) in TARGETS[0]


def with_encoding(
    info: DataInfo, source: Choice, loaded: Source, rows: TableSource | None
) -> DataInfo:
    """Return what is told of the data; where the encoding of its text is a guess, with the guess:
    a short text says too little to be sure.
    """
    path = Path(str(source.params.get("path")))
    if source.params.get("encoding", "auto") not in ("", "auto") or not is_file(path):
        return info
    encoding = loaded.file_encoding if rows is None else rows.table.format.encoding
    if not encoding or encoding.startswith(("utf", "ascii")):
        return info
    told = Diagnostic.of("D585", severity=Severity.HINT, name=path.name, encoding=encoding)
    return replace(info, problems=(*info.problems, told))
