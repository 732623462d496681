"""Source of the pictures in a folder, with labels from class folders or a table."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.cache import cache_folder
from engine.data.read.fit import Fit, as_bytes, as_float_batch, fit_image
from engine.data.read.image import ColorMode, Least, decode_image, read_bytes
from engine.data.source.damaged_files import DamagedFiles
from engine.data.source.field import label_info
from engine.data.source.file_hashes import FileHashes
from engine.data.source.fingerprint import pictures_digest
from engine.data.source.image_cache import load_index, name_of
from engine.data.source.image_check import check_index
from engine.data.source.image_index import ImageIndex
from engine.data.source.parameter import sizes
from engine.data.source.source import Part, Source, Values, no_values, stacked
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.data import FieldInfo, Task

_REPLACED = ("D052", "D053")
_MOST_TRIES = 1000
_CHANNELS = {"RGB": 3, "gray": 1}


@dataclass(frozen=True, kw_only=True)
class ImageFolderSource(Source):
    """Pictures of a folder, read when a batch needs them.

    With ``size`` (height, width) the field ``image`` is float32 from 0 to 1 of shape (C, height,
    width), else uint8 of shape (C, -1, -1). ``label`` is the class, in natural order of the names;
    for two classes there is ``target``, too. With ``replaces_damaged`` the next picture that can be
    read stands for a damaged one, of the same part: ``training`` says which are trained on, and
    those ``excluded`` stand for no other.
    """

    index: ImageIndex
    task: Task
    mode: ColorMode = "RGB"
    size: tuple[int, int] | None = None
    fit: Fit = "crop"
    replaces_damaged: bool = False
    damaged: DamagedFiles
    hashes: FileHashes
    training: NDArray[np.bool_] | None = None
    excluded: frozenset[int] = frozenset()

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return (image_info(self.mode, self.size), *label_infos(self.index.head.classes))

    @property
    @override
    def samples(self) -> int:
        return len(self.index)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        rows: list[int] = []
        pictures: list[Tensor] = []
        for index in indices:
            row, picture = self._readable(index)
            rows.append(row)
            pictures.append(picture)
        values: dict[str, Values] = {"image": batch_of(pictures, self.infos[0])}
        index = torch.as_tensor(rows, dtype=torch.int64)
        for info in self.infos[1:]:
            column = self.column(info.name)
            assert column is not None
            values[info.name] = column.index_select(0, index)
        return values

    @override
    def column(self, name: str) -> Tensor | None:
        if name == "label" and self.index.head.classes:
            return self._labels
        if name == "target" and len(self.index.head.classes) == 2:
            return self._labels.to(torch.float32).reshape(-1, 1)
        return None

    @override
    def text(self, name: str, index: int) -> str:
        return self.index.name(index) if name == "image" else ""

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        return [self.index.written_name(index) for index in indices]

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        return self.index.find(names)

    @override
    def relabelled(self, labels: Tensor) -> "ImageFolderSource | None":
        if not self.index.head.classes:
            return None
        arrays = {**self.index.arrays, "label": labels.numpy().astype(np.int32)}
        return replace(self, index=replace(self.index, arrays=arrays))

    @override
    def file(self, name: str, index: int) -> Path | None:
        return self.index.path(index) if name == "image" else None

    @override
    def excluding(self, excluded: Sequence[int]) -> "ImageFolderSource":
        return replace(self, excluded=frozenset(excluded)) if self.replaces_damaged else self

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        labels = self.index.arrays["label"]
        hashes = self.hashes.of(list(indices))
        return [
            digest + labels[index].tobytes() for digest, index in zip(hashes, indices, strict=True)
        ]

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return self.hashes.of(list(indices))

    @override
    def given_parts(self) -> Tensor | None:
        if not self.index.head.has_parts:
            return None
        return torch.from_numpy(self.index.arrays["part"].astype(np.int64))

    @override
    def fitted(self, training: Tensor) -> "ImageFolderSource":
        if not self.replaces_damaged:
            return self
        is_trained = np.zeros(len(self.index), bool)
        is_trained[training.numpy()] = True
        return replace(self, training=is_trained)

    @override
    def content_digest(self) -> str:
        return pictures_digest(self.index)

    @override
    def is_current(self) -> bool:
        return self.index.is_current()

    @override
    def version(self) -> str:
        return repr((self._index_version, self.mode, self.size, self.fit, self.replaces_damaged))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return check_index(self.index, self.damaged.names(), self._labels, indices)

    @cached_property
    def _index_version(self) -> str:
        return self.index.version()

    @cached_property
    def _labels(self) -> Tensor:
        return torch.from_numpy(self.index.arrays["label"].astype(np.int64))

    def _readable(self, index: int) -> tuple[int, Tensor]:
        """Return a picture and its number: that of another where it stands for a damaged one."""
        if not self.replaces_damaged:
            return index, self._picture(index)
        for candidate in self._candidates(index):
            try:
                return candidate, self._picture(candidate)
            except DiagnosticError as error:
                if error.problems[0].code not in _REPLACED:
                    raise
                self.damaged.add(self.index.name(candidate))
        raise DiagnosticError.of("D074", folder=self.index.head.root, file=self.index.name(index))

    def _candidates(self, index: int) -> Iterator[int]:
        """Yield a sample and those after it, round the end, that are in the same part."""
        part = self._part_of(index)
        tries = 0
        for step in range(len(self.index)):
            candidate = (index + step) % len(self.index)
            is_allowed = not step or candidate not in self.excluded
            if is_allowed and self._part_of(candidate) == part:
                yield candidate
                tries += 1
                if tries == _MOST_TRIES:
                    return

    def _part_of(self, index: int) -> tuple[int, bool]:
        is_trained = self.training is not None and bool(self.training[index])
        return int(self.index.arrays["part"][index]), is_trained

    def _picture(self, index: int) -> Tensor:
        """Return a picture of shape (C, H, W) as it was decoded, of the size that was chosen."""
        content = read_content(self.index, index)
        least = None if self.size is None else Least(*self.size)
        picture = decode_image(content, str(self.index.path(index)), self.mode, least)
        return picture if self.size is None else fit_image(picture, *self.size, self.fit)


def load_image_folder(params: Mapping[str, Value]) -> ImageFolderSource:
    """Return the pictures of the folder ``path``; ``labels`` is a table of labels, empty for class
    folders; ``mode``, ``size``, ``fit`` and ``on_damaged`` are as in the catalogue.

    Raises :class:`DiagnosticError`: D075 without a path, and what
    :func:`engine.data.source.image_index.build_index` does.
    """
    root, table = folder_param(params), str(params.get("labels") or "")
    index = load_index(root, Path(table).expanduser() if table else None)
    damaged = DamagedFiles(Path(index.head.root), _cached("image-damaged", index, "txt"))
    return image_source(index, params, damaged, hashes_of(index))


def image_source(
    index: ImageIndex, params: Mapping[str, Value], damaged: DamagedFiles, hashes: FileHashes
) -> ImageFolderSource:
    """Return pictures that were indexed; ``mode``, ``size``, ``fit`` and ``on_damaged`` are as in
    the catalogue.
    """
    return ImageFolderSource(
        index=index,
        task=_task_of(len(index.head.classes)),
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        replaces_damaged=params.get("on_damaged") == "replace",
        damaged=damaged,
        hashes=hashes,
    )


def batch_of(pictures: list[Tensor], info: FieldInfo) -> Values:
    """Return decoded pictures as their field has them: float32 of one size, or uint8 of any."""
    if not pictures:
        return no_values(info)
    if info.dtype == "float32":
        return as_float_batch(pictures)
    return stacked([as_bytes(picture) for picture in pictures], info)


def image_info(mode: ColorMode, size: tuple[int, int] | None) -> FieldInfo:
    """Return the description of the field ``image``."""
    return FieldInfo(
        name="image",
        role="input",
        kind="image",
        shape=(_CHANNELS[mode], *(size or (-1, -1))),
        dtype="uint8" if size is None else "float32",
    )


def _task_of(classes: int) -> Task:
    """Return the task for a number of classes; without any, pictures are the target themselves."""
    if not classes:
        return "regression"
    return "binary" if classes == 2 else "classification"


def label_infos(classes: tuple[str, ...]) -> tuple[FieldInfo, ...]:
    """Return the descriptions of ``label`` and, for two classes, ``target``; none for none."""
    if not classes:
        return ()
    label = label_info(classes)
    target = FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32")
    return (label, target) if len(classes) == 2 else (label,)


def read_content(index: ImageIndex, at: int) -> bytes:
    """Return what the file of a picture holds. Raises :class:`DiagnosticError` D050 where the
    folder itself is not there any more, else what reading of files raises.
    """
    try:
        return read_bytes(index.path(at))
    except DiagnosticError as error:
        root = Path(index.head.root)
        if error.problems[0].code in ("D054", "D056") and not root.is_dir():
            detail = str(index.path(at))
            raise DiagnosticError.of(
                "D050", field="data.source.path", folder=str(root), detail=detail
            ) from error
        raise


def folder_param(params: Mapping[str, Value]) -> Path:
    """Return the folder that is chosen. Raises :class:`DiagnosticError` D075 where none is."""
    path = str(params.get("path") or "")
    if not path.strip():
        raise DiagnosticError.of("D075", field="data.source.path")
    return Path(path).expanduser()


def mode_param(params: Mapping[str, Value]) -> ColorMode:
    """Return the colors that are chosen."""
    return "gray" if params.get("mode") == "gray" else "RGB"


def size_param(params: Mapping[str, Value]) -> tuple[int, int] | None:
    """Return height and width that are chosen, None for those of each picture."""
    if params.get("size") is None:
        return None
    chosen = sizes(params, "size")
    return chosen[0], chosen[-1]


def fit_param(params: Mapping[str, Value]) -> Fit:
    """Return how pictures get the size that is chosen."""
    chosen = params.get("fit")
    return "stretch" if chosen == "stretch" else "pad" if chosen == "pad" else "crop"


def hashes_of(index: ImageIndex) -> FileHashes:
    """Return the hashes of the pictures of a folder."""
    return FileHashes(len(index), index.path, read_bytes, _cached("image-hashes", index, "bin"))


def _cached(folder: str, index: ImageIndex, ending: str) -> Path | None:
    kept = cache_folder(folder)
    if kept is None:
        return None
    table = Path(index.head.report.table) if index.head.report.table else None
    return kept / f"{name_of(Path(index.head.root), table)}.{ending}"
