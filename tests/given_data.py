"""Data without targets, made of the samples of a part: what somebody would hand to ``predict``."""

import csv
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.source import Source
from engine.data.source.table import TableSource
from engine.data.source.text_samples import TextSource


def given_of(source: Source, indices: Sequence[int], field: str, folder: Path, raw=None) -> Path:
    """Write some samples of a source as data of a stranger, and return where it is; ``raw`` gives
    the row of an array. ``field`` is the input of a model that reads one.
    """
    rows = source.rows if isinstance(source, MixedTableSource) else source
    if isinstance(rows, TableSource):
        return _table(source, rows, indices, folder)
    if raw is not None:
        np.save(folder / "rows.npy", np.stack([raw(index) for index in indices]))
        return folder / "rows.npy"
    if source.file(field, indices[0]) is not None:
        return _files(source, indices, field, folder)
    if source.text(field, indices[0]):
        return _texts(source, indices, field, folder)
    np.save(folder / "rows.npy", np.stack([row.numpy() for row in source.read(indices)[field]]))
    return folder / "rows.npy"


def _table(source: Source, rows: TableSource, indices: Sequence[int], folder: Path) -> Path:
    targets = {column.name for column in rows.targets}
    names = [name for name in rows.table.names if name not in targets]
    fields = {source.column_of(info.name): info.name for info in source.infos}
    with (folder / "given.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=rows.table.format.delimiter or ",")
        writer.writerow(names)
        for index in indices:
            cells = [rows.text(name, index) for name in names]
            writer.writerow(cells)
            for name, cell in zip(names, cells, strict=True):
                file = source.file(fields.get(name, ""), index)
                if file is not None:
                    (folder / cell).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, folder / cell)
    return folder / "given.csv"


def _files(source: Source, indices: Sequence[int], field: str, folder: Path) -> Path:
    for number, index in enumerate(indices):
        file = source.file(field, index)
        assert file is not None
        shutil.copy(file, folder / f"{number:04}{file.suffix}")
    return folder


def _texts(source: Source, indices: Sequence[int], field: str, folder: Path) -> Path:
    texts = [source.text(field, index) for index in indices]
    if isinstance(source, TextSource) and source.files:
        for number, text in enumerate(texts):
            (folder / f"{number:04}.txt").write_text(text, encoding="utf-8")
        return folder
    (folder / "given.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return folder / "given.txt"
